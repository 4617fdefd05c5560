"""CSV and Parquet as they stand in their files: three columns, and of Parquet's many pockets none that is not ours."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from accounting.arrow import opened_parquet, whole_table
from amun_dp._base.arrays import IntArray
from amun_dp._base.out_of_memory import check_room_for_a_thread
from amun_dp.eventlog.log import ACTIVITY_COLUMN, CASE_COLUMN, TIME_COLUMN
from amun_dp.reading.longest_pieces import LONGEST_TOKEN
from amun_dp.verification.bounds import LimitReached, Limits, check_text
from amun_dp.verification.checks import Fault, NotPossible, listed
from amun_dp.verification.folder.raw import TIME, Attributes, Faults, RawLog, disorder, runs, too_many_events

COLUMNS = (CASE_COLUMN, ACTIVITY_COLUMN, TIME_COLUMN)
_HEADER = (",".join(COLUMNS) + "\n").encode()
_ARROW_SCHEMA = "ARROW:schema"
_WRITER = re.compile(r"parquet-cpp-arrow version [0-9]{1,3}(\.[0-9]{1,3}){2}")
_MAGIC = 4
"""Bytes of "PAR1", at the beginning and at the end; the length of the footer has as many."""
_LONGEST_TEXT = 1 << 31
"""Bytes of one column, its values written out. A dictionary can stand for far more than its file holds."""


def scan_csv(path: Path, most_events: int, limits: Limits) -> RawLog:
    import pyarrow as pa

    limits.check_unpacked(path.stat().st_size)
    faults = Faults()
    try:
        with path.open("rb") as file:  # by Python: Arrow opens only names that are UTF-8
            if file.read(len(_HEADER)) != _HEADER:
                faults.add(f"a header other than {_HEADER.decode().strip()}")
            file.seek(0)
            table = pa.Table.from_batches(_csv_batches(file, most_events))
    except MemoryError:  # Arrow's own is an ArrowException, too
        raise
    except (pa.ArrowException, StopIteration):  # its message quotes the row
        raise Fault(f"the log is not a CSV file of three columns with rows below {LONGEST_TOKEN >> 20} MB") from None
    codes, names = _cases(table)
    times = table.column(TIME_COLUMN).to_numpy()
    readable = all(map(TIME.fullmatch, times))
    if not readable:
        faults.add("a time that is not written in UTC with three decimals")
    late = disorder(codes, times.astype("S29")) if readable else None  # of one form, so that text sorts as time does
    return RawLog(names, table.num_rows, late, tuple(faults.found))


def _csv_batches(file: IO[bytes], most_events: int) -> Iterator[Any]:
    """The rows, a block at a time: they are counted, and their texts measured, before the next block is read."""
    import pyarrow as pa
    import pyarrow.csv

    check_room_for_a_thread()
    reader = pyarrow.csv.open_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=LONGEST_TOKEN),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={name: pa.string() for name in COLUMNS}, strings_can_be_null=False
        ),
    )
    events = 0
    with reader:
        for batch in reader:
            events += batch.num_rows
            if events > most_events:
                raise too_many_events(most_events)
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                _check_texts(column, name)
            yield batch


def scan_parquet(path: Path, attributes: Attributes, most_events: int, limits: Limits) -> RawLog:
    import pyarrow as pa

    faults = Faults()
    try:
        with opened_parquet(path, read_dictionary=[CASE_COLUMN, ACTIVITY_COLUMN]) as file:
            if file.metadata.num_rows > most_events:
                raise too_many_events(most_events)
            limits.check_unpacked(unpacked_size(file.metadata))
            _check_metadata(file.metadata, attributes, faults)
            _check_coverage(file.metadata, path.stat().st_size, faults)
            _check_columns(file.schema_arrow, faults)
            table = whole_table(file)
    except MemoryError:  # Arrow's own is an ArrowException, too
        raise
    except (pa.ArrowException, OSError):
        raise Fault("the log is no Parquet file, or a damaged one") from None
    if table.num_rows > most_events:
        raise too_many_events(most_events)
    for name in (CASE_COLUMN, ACTIVITY_COLUMN):
        _check_length(table, name)
    codes, names = _cases(table)
    times = table.column(TIME_COLUMN)
    late = None
    if times.type == pa.timestamp("ms", tz="UTC") and not times.null_count:
        late = disorder(codes, times.to_numpy().astype(np.int64))
    return RawLog(names, table.num_rows, late, tuple(faults.found))


def unpacked_size(metadata: Any) -> int:
    """Bytes of all pages when they are decompressed, as the footer states them."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return sum(max(0, group.total_byte_size) for group in groups)


def _check_texts(texts: Any, name: str) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type):
        check_text(pc.max(pc.binary_length(texts)).as_py() or 0, name)


def _check_metadata(metadata: Any, attributes: Attributes, faults: Faults) -> None:
    """Keys and values are those of the report; the schema that Arrow repeats in them holds nothing else."""
    import pyarrow as pa

    if _WRITER.fullmatch(metadata.created_by or "") is None:
        faults.add("a writer other than Arrow")
    found = {key.decode(errors="replace"): value for key, value in (metadata.metadata or {}).items()}
    repeated = found.pop(_ARROW_SCHEMA, None)
    due = {key: str(value).encode() for key, value in attributes.items()}
    foreign = sorted(found.keys() - due.keys())
    if foreign:
        faults.add(f"metadata that no release has: {listed(foreign)}")
    wrong = sorted(key for key in due if found.get(key) != due[key])
    if wrong:
        faults.add(f"metadata other than the report's: {listed(wrong)}")
    if repeated is not None:
        try:
            schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(repeated, validate=True)))
        except MemoryError:  # Arrow's own is an ArrowException, too
            raise
        except (ValueError, pa.ArrowException, OSError):
            faults.add("a copy of the schema that is none")
            return
        if not schema.equals(_schema(attributes), check_metadata=True):
            faults.add("a copy of the schema that says more than the report")


def _check_coverage(metadata: Any, size: int, faults: Faults) -> None:
    """Column after column and then the footer, without a byte between them: what none points at nobody would read."""
    at = _MAGIC
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            first = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            if first != at or column.total_compressed_size < 0:
                faults.add("bytes that belong to no column")
                return
            at += column.total_compressed_size
    if at + metadata.serialized_size + 2 * _MAGIC != size:
        faults.add("bytes that belong to no column")


def _schema(attributes: Attributes) -> Any:
    import pyarrow as pa

    kinds = (pa.string(), pa.string(), pa.timestamp("ms", tz="UTC"))
    fields = [pa.field(name, kind, nullable=False) for name, kind in zip(COLUMNS, kinds, strict=True)]
    return pa.schema(fields, metadata={key: str(value) for key, value in attributes.items()} or None)


def _check_columns(schema: Any, faults: Faults) -> None:
    import pyarrow as pa

    if tuple(schema.names) != COLUMNS:
        faults.add(f"columns other than {', '.join(COLUMNS)}")
        return
    text, time = pa.dictionary(pa.int32(), pa.string()), pa.timestamp("ms", tz="UTC")
    if [field.type for field in schema] != [text, text, time] or any(field.nullable for field in schema):
        faults.add("columns of other types than this software writes")


def _check_length(table: Any, name: str) -> None:
    import pyarrow.compute as pc

    if name not in table.column_names:
        raise NotPossible(f"the log has no column {name}")
    column = table.column(name).unify_dictionaries().combine_chunks()
    _check_texts(column.dictionary, name)
    if column.null_count:
        raise Fault(f"the column {name} has gaps")
    lengths = pc.binary_length(column.dictionary).to_numpy(zero_copy_only=False)
    written_out = int(lengths[column.indices.to_numpy(zero_copy_only=False)].sum())
    if written_out > _LONGEST_TEXT:
        raise LimitReached(
            f"the texts of the column {name} have {written_out:,} bytes when they are written out, and at most "
            f"{_LONGEST_TEXT:,} are looked at"
        )


def _cases(table: Any) -> tuple[IntArray, list[str]]:
    """Code of the case of each row, and the name of each run of rows."""
    import pyarrow as pa

    for name in (CASE_COLUMN, TIME_COLUMN):
        if name not in table.column_names:
            raise Fault(f"the log has no column {name}")
    column = table.column(CASE_COLUMN)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    codes = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    labels = column.dictionary.to_pylist()
    return codes, [str(labels[code]) for code in codes[runs(codes)]]
