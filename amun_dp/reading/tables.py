"""Tables as event logs: one row per event, one column per role. Parquet files, pandas DataFrames, Arrow tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accounting.arrow import opened_parquet, whole_table
from amun_dp.errors import ColumnError, InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading.assembly import RawEvents, assemble
from amun_dp.reading.coded import Coded, coded_from_arrow, coded_from_pandas
from amun_dp.reading.columns import (
    ACTIVITY,
    CASE,
    LIFECYCLE,
    TIMESTAMP,
    ColumnChoice,
    choose_column,
    listing,
    unknown_column,
)
from amun_dp.reading.files import LogFile, parquet_files
from amun_dp.reading.folders import other_columns, other_types
from amun_dp.reading.longest_pieces import check_labels
from amun_dp.reading.sequence import no_whole_numbers, whole_numbers
from amun_dp.reading.timestamps import arrow_from_pandas

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    from amun_dp.reading.log_like import ArrowStream


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns that play a role."""

    case: str
    activity: str
    timestamp: str
    lifecycle: str | None
    individual: str | None
    sequence: str | None
    dropped: tuple[str, ...]
    notes: tuple[str, ...]

    def needed(self) -> list[str]:
        named = (self.case, self.activity, self.timestamp, self.lifecycle, self.individual, self.sequence)
        return list(dict.fromkeys(name for name in named if name is not None))

    def roles(self) -> tuple[str, ...]:
        """In the order in which a user hears of them."""
        named = (self.case, self.activity, self.timestamp, self.individual)
        return tuple(name for name in named if name is not None)


def choose_columns(names: Sequence[str], choice: ColumnChoice) -> TableColumns:
    """Give each role its column, from the header alone."""
    repeated = [name for name, number in Counter(names).items() if number > 1]
    if repeated:
        raise ColumnError(f"More than one column is called {listing(repeated)}. Rename or remove one.")
    taken = choice.named()
    case = choose_column(CASE, choice.case_id, names, taken)
    activity = choose_column(ACTIVITY, choice.activity, names, taken)
    timestamp = choose_column(TIMESTAMP, choice.timestamp, names, taken)
    chosen = [case, activity, timestamp]
    lifecycle = None
    if choice.lifecycle is not None:
        column = choose_column(LIFECYCLE, None, names, taken)
        lifecycle = column.name
        chosen.append(column)
    for asked, option in ((choice.individual, "individual"), (choice.sequence, "sequence")):
        if asked is not None and asked not in names:
            raise unknown_column(asked, option, names)
    kept = {case.name, activity.name, timestamp.name}
    return TableColumns(
        case=case.name,
        activity=activity.name,
        timestamp=timestamp.name,
        lifecycle=lifecycle,
        individual=choice.individual,
        sequence=choice.sequence,
        dropped=tuple(sorted(set(names) - kept)),
        notes=tuple(note for column in chosen for note in column.notes),
    )


def log_from_table(
    file_format: str,
    columns: TableColumns,
    choice: ColumnChoice,
    *,
    text: Callable[[str], Coded],
    numbers: Callable[[str], Any],
    time: Any,
    notes: tuple[str, ...] = (),
) -> EventLog:
    """Build the log from a way to get a column of text and one to get whole numbers, and the time column."""
    raw = RawEvents(
        format=file_format,
        case=text(columns.case),
        activity=text(columns.activity),
        time=time,
        time_name=columns.timestamp,
        locate=row_of_event,
        lifecycle=None if columns.lifecycle is None else text(columns.lifecycle),
        individual=None if columns.individual is None else text(columns.individual),
        sequence=None if columns.sequence is None else numbers(columns.sequence),
        notes=notes + columns.notes,
        dropped_attributes=columns.dropped,
        columns=columns.roles(),
    )
    return assemble(raw, choice)


def read_parquet(file: LogFile, choice: ColumnChoice) -> EventLog:
    """Only the columns needed are read from the file, or from the files of a folder, which have the same ones."""
    import pyarrow as pa

    first, *others = parquet_files(file.path)
    at = first
    try:
        with opened_parquet(first) as parquet:
            header = parquet.schema_arrow.names
        columns = choose_columns(header, choice)
        tables, kinds = [], {}
        for at in (first, *others):
            with opened_parquet(at) as looked_at:
                if sorted(looked_at.schema_arrow.names) != sorted(header):
                    raise other_columns(str(file.path))
                kinds[at] = _kinds(looked_at)
            # As dictionaries: a long text that many rows share would fill the memory.
            texts = [name for name in columns.needed() if kinds[at].get(name, ("",))[0] == "BYTE_ARRAY"]
            with opened_parquet(at, page_checksum_verification=True, read_dictionary=texts) as parquet:
                tables.append(whole_table(parquet, columns.needed()).select(columns.needed()))
        for name in columns.needed():
            if any(each.get(name) != kinds[first].get(name) for each in kinds.values()):
                raise other_types(name)
        # What is one type in Parquet may be several in Arrow: text with and without a dictionary, times with zones.
        table = pa.concat_tables(each.cast(tables[0].schema) for each in tables)
        table.validate(full=True)  # text of a damaged file need not be UTF-8
    except MemoryError:  # Arrow's own is an ArrowException, too
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        within = "" if at == file.path else f" ({at.name} in it)"
        raise InputError(
            f"{file.path}{within} is truncated, damaged or no Parquet file. Nothing was read; copy or export it again."
        ) from None
    return _log_from_arrow("parquet", table, columns, choice)


def read_arrow(source: ArrowStream, choice: ColumnChoice) -> EventLog:
    """A table of any library that speaks Arrow's C interface: pyarrow, polars, DuckDB. Its rows are in the order of the
    events; only the columns needed are looked at."""
    import pyarrow as pa

    table = pa.table(source)
    columns = choose_columns(table.column_names, choice)
    table = table.select(columns.needed())
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        raise InputError("The table is damaged: Arrow refuses its columns. Make it again.") from None
    return _log_from_arrow("dataframe", table, columns, choice)


def _log_from_arrow(file_format: str, table: pa.Table, columns: TableColumns, choice: ColumnChoice) -> EventLog:
    return log_from_table(
        file_format,
        columns,
        choice,
        text=lambda name: coded_from_arrow(table.column(name), name),
        numbers=lambda name: whole_numbers(table.column(name), name),
        time=_one_chunk(table.column(columns.timestamp), columns.timestamp),
    )


def _kinds(parquet: pq.ParquetFile) -> dict[str, tuple[str, str]]:
    """The type of each column as Parquet states it, by name; of nested ones, those of their fields."""
    leaves = (parquet.schema.column(place) for place in range(len(parquet.schema.names)))
    return {leaf.path: (leaf.physical_type, str(leaf.logical_type)) for leaf in leaves}


def read_dataframe(frame: pd.DataFrame, choice: ColumnChoice) -> EventLog:
    """The frame stays as it is; its index is ignored, its rows are in the order of the events."""
    if frame.columns.nlevels > 1:
        raise ColumnError("The DataFrame has columns of more than one level. Flatten their names to one text each.")
    columns = choose_columns([str(name) for name in frame.columns], choice)
    series = {str(name): frame[name] for name in frame.columns if str(name) in columns.needed()}
    return log_from_table(
        "dataframe",
        columns,
        choice,
        text=lambda name: coded_from_pandas(series[name], name),
        numbers=lambda name: whole_numbers(_numbers(series[name], name), name),
        time=arrow_from_pandas(series[columns.timestamp], columns.timestamp, choice.timestamp_format),
    )


def _numbers(series: pd.Series[Any], name: str) -> Any:
    import pandas as pd
    import pyarrow as pa

    if not pd.api.types.is_integer_dtype(series.dtype):  # whole numbers with gaps are floats, unless they are "Int64"
        raise no_whole_numbers(name)
    try:
        return pa.array(series, from_pandas=True)
    except MemoryError:  # Arrow's own is an ArrowException, too
        raise
    except pa.ArrowException:  # a sparse column
        raise no_whole_numbers(name) from None


def row_of_event(event: int) -> str:
    """Where an event stands, for messages."""
    return f"row {event + 1} of the data"


def _one_chunk(column: Any, name: str) -> Any:
    """A dictionary is decoded first: each chunk may have one of its own."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column.combine_chunks()
    for chunk in column.chunks:
        check_labels(chunk.dictionary, name)
    return column.cast(column.type.value_type).combine_chunks()
