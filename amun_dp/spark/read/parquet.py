"""Parquet files as a frame: what Spark would not read, or read otherwise than one machine does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from amun_dp.errors import InputError
from amun_dp.reading.folders import other_types
from amun_dp.spark.engine.failures import spark_errors
from amun_dp.spark.read.part_files import LogFiles, check_listed, log_files

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

SEQUENCE = "amun_dp:sequence"
FILE = "amun_dp:file"
WHOLE = {"spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false"}
"""A cluster may be set to pass over what it cannot read."""
SETTINGS = {
    # Times in nanoseconds, as pandas writes them, are whole numbers to Spark, or nothing it reads at all.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    # Names of folders (case=01) are text: as numbers, two cases might be one.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    # Pages that have a checksum are held against it, as on one machine.
    "parquet.page.verify-checksum.enabled": "true",
    **WHOLE,
}
"""Of a session that reads files. Spark looks at them when it reads, not only when it is asked for a frame."""


def parquet_files(session: SparkSession, path: str) -> DataFrame:
    """A Parquet file, or a folder of them. Its events are in the order of the files' names and of the rows in them."""
    frame = None
    try:
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
        files = log_files(session, path)
        frame = _with_times(_read(session, files), files)
    except spark_errors():
        pass
    if frame is None:  # raised here, so that Spark's text is not even its context
        raise InputError(
            f"{path} cannot be read as Parquet. Name a Parquet file or a folder of them, none of them truncated or "
            "damaged, without columns of types that Spark does not know (times of day, half-precision numbers)."
        )
    return _with_places(frame, files)


def check_alike(frame: DataFrame, columns: Iterable[str]) -> None:
    """Refuse columns that are of one type in some files and of another in others, which Spark would read as one."""
    for name in columns:
        if frame.schema[name].metadata.get(_DIFFERS):
            raise other_types(name)


def check_all_read(frame: DataFrame, rows: int) -> None:
    """Refuse to go on with other rows than the files state that they hold. Frames that are no files state nothing."""
    stated = frame.schema[FILE].metadata.get(_ROWS, rows) if FILE in frame.columns else rows
    if rows != stated:
        raise InputError(
            f"Spark read {rows} rows of files that state that they hold {stated}. Some were not read, or were changed "
            "meanwhile. Copy or export the log again."
        )


_DIFFERS, _ROWS = "amun_dp:differs", "amun_dp:rows"
"""What is known of the files goes with the columns of their frame."""


def _read(session: SparkSession, files: LogFiles) -> DataFrame:
    # The columns are those of the first file, as on one machine; by itself Spark might ask a summary (_metadata) that
    # somebody left there. A name with brackets is a name, and not a pattern that other folders could meet.
    as_named = session.read.option("__globPaths__", "false")
    frame = as_named.schema(as_named.parquet(files.first).schema).parquet(files.root)
    check_listed(frame, files)
    return frame


def _with_places(frame: DataFrame, files: LogFiles) -> DataFrame:
    """The frame with file and row of each event, and with what its files state."""
    from pyspark.sql import functions as sql

    own = [
        sql.col(f"`{name}`").alias(name, metadata={_DIFFERS: True}) if name in files.differing else sql.col(f"`{name}`")
        for name in frame.columns
    ]
    file = sql.col("_metadata.file_path").alias(FILE, metadata={_ROWS: files.rows})
    return frame.select(*own, file, sql.col("_metadata.row_index").alias(SEQUENCE))


def _with_times(frame: DataFrame, files: LogFiles) -> DataFrame:
    """The frame with times where the files have nanoseconds."""
    from pyspark.sql.types import LongType

    numbers = {field.name for field in frame.schema if isinstance(field.dataType, LongType)}
    kinds = {name: kind for name, kind in files.columns.items() if name in numbers and "(TIMESTAMP(NANOS," in kind}
    # Spark would take whole numbers of any unit for those of the first file.
    if files.differing & kinds.keys():
        raise InputError(
            "Times are in nanoseconds in some files and not in others, or in UTC in some only, and Spark would read "
            "them as if they were alike. Write the files anew, all in one way."
        )
    if not kinds:
        return frame
    return frame.withColumns({name: _time(name, kind.endswith("true))")) for name, kind in kinds.items()})


def _time(name: str, zoned: bool) -> Column:
    """Microseconds, which is what Spark knows; rounded down, as milliseconds are later."""
    from pyspark.sql import functions as sql

    whole = f"((`{name}` - pmod(`{name}`, 1000)) DIV 1000)"
    if zoned:
        return sql.expr(f"timestamp_micros({whole})")
    return sql.expr(f"timestampadd(MICROSECOND, {whole}, TIMESTAMP_NTZ '1970-01-01 00:00:00')")
