"""CSV and Parquet, and the text columns that CSV and XES are joined from.

Text is built a batch of rows at a time by joining whole columns in Arrow: no Python runs once an event.
Escaping touches the distinct labels and case names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from accounting.arrow import text, texts, to_arrow, utf8
from amun_dp._base.arrays import IntArray
from amun_dp._base.units import DAY, EARLIEST, LATEST
from amun_dp.errors import OutputError
from amun_dp.eventlog.log import ACTIVITY_COLUMN, CASE_COLUMN, TIME_COLUMN, EventLog
from amun_dp.writing.formulas import escaped

if TYPE_CHECKING:
    import pyarrow as pa

Attributes = Mapping[str, str | float]
"""Of a log as a whole."""

_ROWS = 1 << 17
_BATCH_BYTES = 1 << 27


def write_csv(log: EventLog, stream: BinaryIO, escape_formulas: bool = False) -> None:
    """Write the log as UTF-8 CSV (RFC 4180, lines end in a line feed), quoting only what needs it; with
    ``escape_formulas`` a label that a spreadsheet would take for a formula has a ' before it."""
    require_four_digit_years(log)
    names = _csv_quoted(text_column(log.case_names, "case name"))
    activities = escaped(log.activities) if escape_formulas else log.activities
    labels = _csv_quoted(text_column(activities, "activity label"))
    stream.write(f"{CASE_COLUMN},{ACTIVITY_COLUMN},{TIME_COLUMN}\n".encode())
    for rows in batches(log, names, labels):
        date, clock = time_texts(log.time[rows])
        case, activity = names.take(to_arrow(log.case[rows])), labels.take(to_arrow(log.activity[rows]))
        stream.write(joined_bytes(case, ",", activity, ",", date, "T", clock, "+00:00\n"))


def write_parquet(log: EventLog, stream: BinaryIO, attributes: Attributes) -> None:
    """Write the log as Parquet: two string columns and a timestamp[ms, UTC] column; attributes as its metadata."""
    names = text_column(log.case_names, "case name")
    labels = text_column(log.activities, "activity label")
    rows = (
        (names.take(to_arrow(log.case[each])), labels.take(to_arrow(log.activity[each])), log.time[each])
        for each in batches(log, names, labels)
    )
    write_parquet_rows(rows, stream, attributes)


def write_parquet_rows(
    batches: Iterable[tuple[pa.Array, pa.Array, IntArray]], stream: BinaryIO, attributes: Attributes
) -> None:
    """``write_parquet`` for rows that come in batches of ``rows_a_batch``: case names, labels and times."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    time_type = pa.timestamp("ms", tz="UTC")
    schema = pa.schema(
        [
            pa.field(CASE_COLUMN, pa.string(), nullable=False),
            pa.field(ACTIVITY_COLUMN, pa.string(), nullable=False),
            pa.field(TIME_COLUMN, time_type, nullable=False),
        ],
        metadata={key: str(value) for key, value in attributes.items()} or None,
    )
    with pq.ParquetWriter(stream, schema) as writer:
        for case, activity, time in batches:
            # The cast to 32-bit offsets is safe: rows_a_batch() bounds the bytes of a batch, not only its rows.
            columns = [case.cast(pa.string()), activity.cast(pa.string()), to_arrow(time, time_type)]
            writer.write_batch(pa.record_batch(columns, schema=schema))


def text_column(values: Iterable[str], what: str) -> pa.Array:
    """The values as Arrow text; ``what`` names them in the message if one of them is no valid Unicode."""
    try:
        return texts(values)
    except UnicodeEncodeError as error:
        raise OutputError(
            f"The log cannot be written: at least one {what} contains half of a surrogate pair, which is not "
            "valid Unicode and has no UTF-8 form. Correct the encoding of the input, then run again."
        ) from error


def batches(log: EventLog, names: pa.Array, labels: pa.Array) -> Iterator[slice]:
    """Row ranges small enough that a batch of text stays below a fixed size, however long the labels are."""
    rows = rows_a_batch(_longest(names), labels)
    for first in range(0, log.n_events, rows):
        yield slice(first, min(first + rows, log.n_events))


def rows_a_batch(longest_name: int, labels: pa.Array) -> int:
    """How many rows are written together, given the bytes of the longest case name and the labels that occur."""
    return max(1, min(_ROWS, _BATCH_BYTES // (longest_name + _longest(labels) + 256)))


def time_texts(milliseconds: IntArray) -> tuple[pa.Array, pa.Array]:
    """Dates (2024-01-31) and times of day (23:59:59.999), in UTC."""
    import pyarrow as pa

    day, clock = np.divmod(milliseconds, DAY)
    dates = to_arrow(day.astype(np.int32), pa.date32())
    clocks = to_arrow(clock.astype(np.int32), pa.time32("ms"))
    return dates.cast(pa.large_string()), clocks.cast(pa.large_string())


def require_four_digit_years(log: EventLog) -> None:
    """XES and CSV write times as ISO 8601 text; it, and every reader of it, has four digits for the year."""
    outside = np.count_nonzero((log.time < EARLIEST) | (log.time > LATEST))
    if outside:
        raise OutputError(
            f"{outside} timestamps lie outside the years 1 to 9999 and have no ISO 8601 form, so the log "
            "cannot be written as XES or CSV. Write it as Parquet, or correct the timestamps of the input."
        )


def joined_bytes(*columns: pa.Array | str) -> memoryview:
    """The rows of the columns, side by side and one after the other, as bytes (without a copy)."""
    import pyarrow.compute as pc

    parts: list[Any] = [text(part) if isinstance(part, str) else part for part in columns]
    return utf8(pc.binary_join_element_wise(*parts, text("")))


def _longest(values: pa.Array) -> int:
    import pyarrow.compute as pc

    return int(pc.max(pc.binary_length(values)).as_py() or 0)


def _csv_quoted(values: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    # Beyond RFC 4180: outer blanks and empty texts are quoted too, because readers may strip or drop them.
    needs_quotes = pc.match_substring_regex(values, r'[",\r\n]|^\s|\s$|^$')
    if not pc.any(needs_quotes).as_py():
        return values
    quote, nothing = text('"'), text("")
    doubled = pc.replace_substring(values, '"', '""')
    return pc.if_else(needs_quotes, pc.binary_join_element_wise(quote, doubled, quote, nothing), values)
