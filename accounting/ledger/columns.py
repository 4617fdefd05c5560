"""The columns of all records in one Parquet file, a row group a record.

Parquet has one schema for all rows. ``record`` says whose a row is; every column is named with its type, so that two
kinds of event may each have a ``scale`` of their own; where a record has no such column, or not that long, it is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from accounting.arrow import opened_parquet, texts, to_arrow, to_numpy, whole_table
from accounting.ledger.records import NUMBERS, TEXT, Column, LedgerError, Record, read_only, type_name
from accounting.ledger.texts import TextColumn, text_column_of_arrow

_RECORD: Final = "record"


def write_columns(records: Sequence[Record], file: BinaryIO) -> None:
    """Write the columns of all records."""
    import pyarrow as pa

    keyed = [{_key(name, type_name(column)): column for name, column in record.columns.items()} for record in records]
    types = {key: type_name(column) for columns in keyed for key, column in columns.items()}
    with _writer(types, file) as writer:
        schema = writer.schema
        for index, columns in enumerate(keyed):
            if rows := _rows(map(len, columns.values())):
                arrays = [to_arrow(np.full(rows, index, dtype=np.int64))]
                arrays += [_padded(columns.get(field.name), field.type, rows) for field in list(schema)[1:]]
                writer.write_table(pa.table(arrays, schema=schema), row_group_size=rows)


def write_batches(
    types: Mapping[str, str], record: int, batches: Iterable[Mapping[str, Column]], file: BinaryIO
) -> None:
    """Write the columns of the only record that has any, a row group a batch. ``types`` are those of its columns."""
    import pyarrow as pa

    with _writer({_key(name, kind): kind for name, kind in types.items()}, file) as writer:
        for batch in batches:
            keyed = {_key(name, types[name]): column for name, column in batch.items()}
            rows = _rows(map(len, batch.values()))
            arrays = [to_arrow(np.full(rows, record, dtype=np.int64))]
            arrays += [_padded(keyed[field.name], field.type, rows) for field in list(writer.schema)[1:]]
            writer.write_table(pa.table(arrays, schema=writer.schema))


def _writer(types: Mapping[str, str], file: BinaryIO) -> Any:
    """A Parquet writer for columns of these types by their keys."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(_RECORD, pa.int64()), *((key, _arrow_type(types[key])) for key in sorted(types))])
    # Dictionaries for text and the constant record number only: numbers are stored as they are, bit for bit.
    repeated = [_RECORD, *(key for key, kind in types.items() if kind == TEXT)]
    # Without Arrow's schema beside Parquet's: a column of text is text, however Arrow holds it.
    return pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=repeated, store_schema=False)


def read_columns(path: Path, records: Sequence[dict[str, Any]]) -> list[dict[str, Column]]:
    """For each record the columns it lists; a file with more or other columns or rows is refused."""
    import pyarrow as pa

    for column in (column for record in records for column in record["columns"]):
        if column["type"] not in NUMBERS | {TEXT}:
            raise LedgerError(f"a ledger has no columns of type {column['type']!a}.")
    text = {_key(column["name"], TEXT) for record in records for column in record["columns"] if column["type"] == TEXT}
    try:
        with opened_parquet(path, read_dictionary=sorted(text)) as file:
            table = whole_table(file)
    except MemoryError:  # Arrow's own is an ArrowException, too
        raise
    except pa.ArrowException as error:
        raise LedgerError(f"{path.name} is not a Parquet file.") from error
    keys = sorted({_key(column["name"], column["type"]) for record in records for column in record["columns"]})
    rows = [_rows(column["length"] for column in record["columns"]) for record in records]
    if table.column_names != [_RECORD, *keys] or table.num_rows != sum(rows):
        raise LedgerError(f"{path.name} has other columns or rows than the records list.")
    position = {key: place for place, key in enumerate(keys, start=1)}
    result, start = [], 0
    for record, count in zip(records, rows, strict=True):
        columns = {}
        for column in record["columns"]:
            stored = table.column(position[_key(column["name"], column["type"])]).slice(start, column["length"])
            if stored.null_count or stored.type != _arrow_type(column["type"]):
                raise LedgerError(f"{path.name}: column {column['name']!a} has gaps or another type.")
            columns[column["name"]] = (
                text_column_of_arrow(stored) if column["type"] == TEXT else read_only(to_numpy(stored))
            )
        result.append(columns)
        start += count
    return result


def _key(name: str, kind: str) -> str:
    return f"{name}:{kind}"


def _rows(lengths: Iterable[int]) -> int:
    return max(lengths, default=0)


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    return pa.dictionary(pa.int32(), pa.string()) if kind == TEXT else pa.from_numpy_dtype(np.dtype(kind))


def _padded(column: Column | None, kind: Any, rows: int) -> Any:
    import pyarrow as pa

    if column is None:
        return pa.nulls(rows, kind)
    chunks = [_arrow(column)]
    if missing := rows - len(column):
        chunks.append(pa.nulls(missing, kind))
    return pa.chunked_array(chunks, kind)


def _arrow(column: Column) -> Any:
    import pyarrow as pa

    if not isinstance(column, TextColumn):
        return to_arrow(column)
    codes = to_arrow(column.codes.astype(np.int32, copy=False))
    return pa.DictionaryArray.from_arrays(codes, texts(column.known).cast(pa.string()))
