"""Times as int64 milliseconds since 1970-01-01 UTC, from text or from typed columns.

Text is ISO 8601 or follows the format the user gives. The order of day and month is never guessed, and nothing
but a full date counts: pandas would also read '2020' or 'now'. The parser is our own also because pandas reads a
column at one resolution, so that a single nanosecond digit makes the year 9999 unreadable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.arrow import text, to_arrow, to_numpy
from amun_dp._base.arrays import BoolArray, IntArray
from amun_dp._base.messages import Message
from amun_dp._base.units import DAY, EARLIEST, LATEST, SECOND
from amun_dp.errors import InputError, ParameterError
from amun_dp.reading.distinct_values import distinct_values
from amun_dp.reading.iso8601_grid import parse_grid

if TYPE_CHECKING:
    import pandas as pd

_ISO_8601 = (
    r"^\s*(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:[Tt ](?P<hour>\d\d)(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?)?"
    r"(?P<zone> ?(?:[Zz]|(?P<sign>[+-])(?P<zone_hour>\d\d)"
    r"(?::?(?P<zone_minute>\d\d)(?::?(?P<zone_second>\d\d))?)?))?)?\s*$"
)
# The standard's basic format. A date without a time is a plain number in it, and numbers are no times.
_ISO_8601_BASIC = r"^\s*(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)?"

_UNITS_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Times:
    """A column of times. Where a value is missing or unreadable, its milliseconds mean nothing."""

    milliseconds: IntArray
    missing: BoolArray
    unreadable: BoolArray
    naive: BoolArray
    """Values without an offset, read as UTC."""


def times_from_arrow(column: Any, name: str, timestamp_format: str | None = None) -> Times:
    """Read a pyarrow array (or several on end) of text, timestamps or dates, or a dictionary of these."""
    import pyarrow as pa

    kind = column.type
    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks < 2:
            return times_from_arrow(column.combine_chunks(), name, timestamp_format)
        return _on_end([times_from_arrow(chunk, name, timestamp_format) for chunk in column.chunks])
    if pa.types.is_dictionary(kind):
        times = times_from_arrow(column.dictionary, name, timestamp_format)
        return _spread(times, column.indices)
    if pa.types.is_timestamp(kind):
        return _from_timestamps(column)
    if pa.types.is_date(kind):
        return _from_timestamps(column.cast(pa.timestamp("s" if pa.types.is_date32(kind) else "ms")))
    if column.null_count == len(column):  # a column without values may have any type
        column = pa.nulls(len(column), pa.string())
    elif pa.types.is_integer(kind) and timestamp_format is not None:
        column = column.cast(pa.string())  # 20200131 with the format %Y%m%d
    elif str(kind) == "string_view":
        column = column.cast(pa.large_string())  # few functions take views
    elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise not_times(name)
    return _from_text(column, timestamp_format)


def _on_end(parts: list[Times]) -> Times:
    return Times(
        np.concatenate([part.milliseconds for part in parts]),
        np.concatenate([part.missing for part in parts]),
        np.concatenate([part.unreadable for part in parts]),
        np.concatenate([part.naive for part in parts]),
    )


def arrow_from_pandas(series: pd.Series[Any], name: str, timestamp_format: str | None = None) -> Any:
    """A pandas column as a pyarrow array that ``times_from_arrow`` reads."""
    import pandas as pd
    import pyarrow as pa

    dtype = series.dtype
    if series.isna().all():  # an empty column of pandas is one of floats
        return pa.nulls(len(series))
    if isinstance(dtype, pd.ArrowDtype):
        column = pa.array(series.array)
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(dtype, pd.DatetimeTZDtype):
        naive = pd.DatetimeIndex(series).tz_convert("UTC").tz_localize(None).to_numpy()
        return pa.array(naive, type=pa.timestamp(dtype.unit, "UTC"))
    if pd.api.types.is_datetime64_dtype(dtype):
        return pa.array(series.to_numpy())
    if pd.api.types.is_integer_dtype(dtype):
        return pa.array(series, from_pandas=True)
    if not (
        pd.api.types.is_object_dtype(dtype)
        or pd.api.types.is_string_dtype(dtype)
        or isinstance(dtype, pd.CategoricalDtype)
    ):
        raise not_times(name)
    try:
        codes, distinct = distinct_values(series)
    except TypeError:  # unhashable, hence neither text nor a time
        raise not_times(name) from None
    texts = [None if value is None else _time_text(value, name, timestamp_format) for value in distinct]
    indices = pa.array(codes, type=pa.int64(), mask=codes < 0)
    try:
        return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))
    except UnicodeError:
        raise not_times(name) from None


def not_times(name: str) -> InputError:
    return InputError(
        Message(
            "The timestamp {name!r} holds neither times nor text. Convert it before the log is read, e.g. seconds "
            "since 1970 with pandas.to_datetime(column, unit='s', utc=True), or name another with {timestamp}.",
            name=name,
        )
    )


def _time_text(value: object, name: str, timestamp_format: str | None) -> str:
    """One distinct value of a column of mixed types: dates and times have an ISO 8601 spelling of their own."""
    if isinstance(value, str):
        return value
    spell = getattr(value, "isoformat", None)
    if spell is not None:
        return str(spell())
    if timestamp_format is not None and isinstance(value, int | np.integer):
        return str(value)
    raise not_times(name)


def _from_timestamps(column: Any) -> Times:
    import pyarrow as pa

    missing = to_numpy(column.is_null())
    units = np.where(missing, 0, to_numpy(column.cast(pa.int64())))
    per_second = _UNITS_PER_SECOND[column.type.unit]
    if per_second >= 1000:
        milliseconds = units // (per_second // 1000)  # floors, also before 1970; a cast would round towards it
        unreadable = _out_of_range(milliseconds)
    else:
        unreadable = (units < EARLIEST // SECOND) | (units > LATEST // SECOND)
        milliseconds = np.where(unreadable, 0, units) * SECOND
    naive = ~missing if column.type.tz is None else np.zeros(len(column), dtype=np.bool_)
    return Times(milliseconds.astype(np.int64, copy=False), missing, unreadable & ~missing, naive)


def _from_text(column: Any, timestamp_format: str | None) -> Times:
    """The usual layouts of ISO 8601 all at once, the rest by what distinct texts there are."""
    if timestamp_format is not None:
        return _from_distinct_text(column, timestamp_format)
    milliseconds, read, naive = parse_grid(column)
    rest = np.flatnonzero(~read)
    missing, unreadable = np.zeros(len(read), dtype=np.bool_), np.zeros(len(read), dtype=np.bool_)
    if len(rest):
        others = _from_distinct_text(column.take(to_arrow(rest)), None)
        milliseconds[rest], missing[rest] = others.milliseconds, others.missing
        unreadable[rest], naive[rest] = others.unreadable, others.naive
    return Times(milliseconds, missing, unreadable, naive)


def _from_distinct_text(column: Any, timestamp_format: str | None) -> Times:
    """Each distinct text is read once: many logs have days, not instants."""

    encoded = column.dictionary_encode()
    distinct = encoded.dictionary
    empty = _equal(distinct, "")
    milliseconds, readable, naive = (
        _parse_iso(distinct) if timestamp_format is None else _parse_format(distinct, timestamp_format)
    )
    readable &= ~_out_of_range(milliseconds)
    return _spread(Times(milliseconds, empty, ~readable & ~empty, naive & ~empty), encoded.indices)


def _equal(column: Any, value: str) -> BoolArray:
    """Which of the texts, none of them missing, are this one."""
    import pyarrow.compute as pc

    return to_numpy(pc.equal(column, text(value).cast(column.type)))


def _spread(times: Times, indices: Any) -> Times:
    """Times of the distinct values, to the rows that have them."""
    null = to_numpy(indices.is_null())
    if not len(times.missing):
        nothing = np.zeros(len(null), dtype=np.int64)
        return Times(nothing, null, nothing.astype(np.bool_), nothing.astype(np.bool_))
    row = np.where(null, 0, to_numpy(indices))
    return Times(
        times.milliseconds[row],
        times.missing[row] | null,
        times.unreadable[row] & ~null,
        times.naive[row] & ~null,
    )


def _parse_iso(text: Any) -> tuple[IntArray, BoolArray, BoolArray]:
    """Milliseconds, whether the text could be read, and whether it had no offset."""
    import pyarrow.compute as pc

    parts = pc.extract_regex(text, _ISO_8601)
    if parts.null_count:
        basic = pc.match_substring_regex(text, _ISO_8601_BASIC)
        extended = pc.replace_substring_regex(text, _ISO_8601_BASIC, r"\1-\2-\3T\4:\5:\6")
        extended = pc.replace_substring_regex(extended, r"^(.{16}):([^0-9].*)?$", r"\1\2")  # no seconds
        parts = pc.extract_regex(pc.if_else(basic, extended, text), _ISO_8601)
    matched = to_numpy(parts.is_valid())
    found = parts.filter(parts.is_valid())

    def number(field: str) -> IntArray:
        """A part that does not occur is empty text, which counts as zero."""
        digits = pc.utf8_lpad(found.field(field), width=2, padding="0")
        result: IntArray = to_numpy(digits.cast("int64"))
        return result

    year, month, day = number("year"), number("month"), number("day")
    hour, minute, second = number("hour"), number("minute"), number("second")
    thousandths = pc.utf8_slice_codeunits(pc.utf8_rpad(found.field("fraction"), width=3, padding="0"), 0, 3)
    fraction: IntArray = to_numpy(thousandths.cast("int64"))
    naive_found = _equal(found.field("zone"), "")
    zone_hour, zone_minute, zone_second = number("zone_hour"), number("zone_minute"), number("zone_second")
    zone = (zone_hour * 60 + zone_minute) * 60 + zone_second
    zone[_equal(found.field("sign"), "-")] *= -1

    months = (year - 1970) * 12 + np.clip(month, 1, 12) - 1
    first_of_month = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    first_of_next = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    seconds = (hour * 60 + minute) * 60 + second
    end_of_day = (hour == 24) & (minute == 0) & (second == 0) & (fraction == 0)  # midnight, as ISO 8601 allows
    valid = (
        ((month >= 1) & (month <= 12) & (day >= 1) & (day <= first_of_next - first_of_month))
        & ((hour <= 23) | end_of_day)
        & ((minute <= 59) & (second <= 59) & (zone_hour <= 23) & (zone_minute <= 59) & (zone_second <= 59))
    )
    instants = (first_of_month + day - 1) * DAY + (seconds - zone) * SECOND + fraction

    milliseconds = np.zeros(len(text), dtype=np.int64)
    readable = np.zeros(len(text), dtype=np.bool_)
    naive = np.zeros(len(text), dtype=np.bool_)
    milliseconds[matched], readable[matched], naive[matched] = instants, valid, naive_found
    return milliseconds, readable, naive


def _parse_format(text: Any, timestamp_format: str) -> tuple[IntArray, BoolArray, BoolArray]:
    import pandas as pd
    import pyarrow.compute as pc

    # pandas gives a few words a meaning of their own ('mixed' would guess), none of which has a directive.
    if "%" not in timestamp_format:
        raise _bad_format(timestamp_format)
    try:
        read = pd.to_datetime(
            pd.Series(text.to_pylist(), dtype=object), format=timestamp_format, utc=True, errors="coerce"
        )
    except ValueError:
        raise _bad_format(timestamp_format) from None
    instants = pd.DatetimeIndex(read).tz_localize(None).to_numpy()
    # Whatever the format, pandas reads 'now' and 'today' as the time of the run, in units that depend on other rows.
    readable = ~np.isnat(instants) & to_numpy(pc.match_substring_regex(text, r"\p{Nd}"))
    milliseconds = np.where(readable, instants, np.datetime64(0, "ms")).astype("datetime64[ms]").astype(np.int64)
    has_zone = "%z" in timestamp_format or "%Z" in timestamp_format
    return milliseconds, readable, np.full(len(readable), not has_zone) & readable


def _bad_format(timestamp_format: str) -> ParameterError:
    return ParameterError(
        Message(
            "{timestamp_format:{asked}} is not a format of times. Write it with the directives of Python's strptime, "
            'e.g. "%d/%m/%Y %H:%M".',
            asked=timestamp_format,
        )
    )


def _out_of_range(milliseconds: IntArray) -> BoolArray:
    return np.asarray((milliseconds < EARLIEST) | (milliseconds > LATEST), dtype=np.bool_)
