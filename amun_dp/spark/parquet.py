"""Parquet files as a frame: what Spark would not read, or read otherwise than one machine does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amun_dp.errors import InputError
from amun_dp.spark.failures import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

SEQUENCE = "amun_dp:sequence"
FILE = "amun_dp:file"
SETTINGS = {
    # Times in nanoseconds, as pandas writes them, are whole numbers to Spark, or nothing it reads at all.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    # Names of folders (case=01) are text: as numbers, two cases might be one.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
"""Of a session that reads files. Spark looks at them when it reads, not only when it is asked for a frame."""


def parquet_files(session: SparkSession, path: str) -> DataFrame:
    """A Parquet file, or a folder of them. Its events are in the order of the files' names and of the rows in them."""
    frame = None
    try:
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
        frame = session.read.parquet(path)  # looks for the columns: a file that is no Parquet fails here
        _require_same_columns(frame)
        frame = _with_times(frame)
    except spark_errors():
        pass
    if frame is None:  # raised here, so that Spark's text is not even its context
        raise InputError(
            f"{path} cannot be read as Parquet. Name a Parquet file or a folder of them, without columns of types that "
            "Spark does not know (times of day, half-precision numbers)."
        )
    return frame.select("*", "_metadata.file_path", "_metadata.row_index").withColumnsRenamed(
        {"file_path": FILE, "row_index": SEQUENCE}
    )


def _require_same_columns(frame: DataFrame) -> None:
    """Spark takes the columns of one file for those of all, and where another lacks them, nothing: a file with a column
    that the others lack could give it a role, and their events would have no activity."""
    first, *others = frame.inputFiles()
    expected = _schema(frame.sparkSession, first)
    for other in others:
        schema = _schema(frame.sparkSession, other)
        if str(schema) != str(expected) and _names(schema) != _names(expected):
            raise InputError("The files do not all have the same columns. Write them anew, all in one way.")


def _schema(session: SparkSession, file_name: str) -> Any:
    """What a Parquet file says of its columns, as an object of Java."""
    java = session._jvm
    assert java is not None  # a session has one
    settings = session._jsparkSession.sessionState().newHadoopConf()
    path = java.org.apache.hadoop.fs.Path(file_name)
    file = java.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(path, settings)
    reader = java.org.apache.parquet.hadoop.ParquetFileReader.open(file)
    try:
        return reader.getFooter().getFileMetaData().getSchema()
    finally:
        reader.close()


def _names(schema: Any) -> set[str]:
    return {str(field.getName()) for field in schema.getFields()}


def _with_times(frame: DataFrame) -> DataFrame:
    """The frame with times where the files have nanoseconds."""
    from pyspark.sql.types import LongType

    numbers = {field.name for field in frame.schema if isinstance(field.dataType, LongType)}
    if not numbers:
        return frame
    first, *others = frame.inputFiles()
    found = {name: zoned for name, zoned in _nanoseconds(frame.sparkSession, first).items() if name in numbers}
    # Spark would take whole numbers of any unit for those of the first file.
    if found and not all(found.items() <= _nanoseconds(frame.sparkSession, other).items() for other in others):
        raise InputError(
            "Times are in nanoseconds in some files and not in others, or in UTC in some only, and Spark would read "
            "them as if they were alike. Write the files anew, all in one way."
        )
    return frame.withColumns({name: _time(name, zoned) for name, zoned in found.items()})


def _nanoseconds(session: SparkSession, file_name: str) -> dict[str, bool]:
    """Columns of nanoseconds, and whether they are of UTC, by what a file says of itself."""
    fields = list(_schema(session, file_name).getFields())
    kinds = {str(field.getName()): str(field.getLogicalTypeAnnotation()) for field in fields}
    return {name: kind.endswith("true)") for name, kind in kinds.items() if kind.startswith("TIMESTAMP(NANOS")}


def _time(name: str, zoned: bool) -> Column:
    """Microseconds, which is what Spark knows; rounded down, as milliseconds are later."""
    from pyspark.sql import functions as sql

    whole = f"((`{name}` - pmod(`{name}`, 1000)) DIV 1000)"
    if zoned:
        return sql.expr(f"timestamp_micros({whole})")
    return sql.expr(f"timestampadd(MICROSECOND, {whole}, TIMESTAMP_NTZ '1970-01-01 00:00:00')")
