"""Times: what is read, to the millisecond, and what is refused rather than guessed."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amun_dp._base.units import EARLIEST, HOUR, LATEST
from amun_dp.errors import InputError, ParameterError
from amun_dp.reading.iso8601_grid import parse_grid
from amun_dp.reading.timestamps import Times, _from_distinct_text, arrow_from_pandas, times_from_arrow
from tests.properties import examples

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)


def read(*texts: str | None, timestamp_format: str | None = None) -> Times:
    return times_from_arrow(pa.array(texts, pa.string()), "time", timestamp_format)


def milliseconds(text: str) -> int:
    times = read(text)
    assert not times.unreadable[0], text
    return int(times.milliseconds[0])


def exact(moment: dt.datetime) -> int:
    return (moment - EPOCH) // MILLISECOND


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2020-01-31T10:11:12Z", dt.datetime(2020, 1, 31, 10, 11, 12)),
        ("2020-01-31t10:11:12z", dt.datetime(2020, 1, 31, 10, 11, 12)),
        ("2020-01-31 10:11:12", dt.datetime(2020, 1, 31, 10, 11, 12)),
        ("2020-01-31T10:11", dt.datetime(2020, 1, 31, 10, 11)),
        ("2020-01-31T10", dt.datetime(2020, 1, 31, 10)),
        ("2020-01-31", dt.datetime(2020, 1, 31)),
        ("2020-01-31T10:11:12+02:00", dt.datetime(2020, 1, 31, 8, 11, 12)),
        ("2020-01-31T10:11:12+0200", dt.datetime(2020, 1, 31, 8, 11, 12)),
        ("2020-01-31T10:11:12-05", dt.datetime(2020, 1, 31, 15, 11, 12)),
        ("2020-01-31 10:11:12 +05:30", dt.datetime(2020, 1, 31, 4, 41, 12)),
        ("2020-01-31T10:11:12.5Z", dt.datetime(2020, 1, 31, 10, 11, 12, 500_000)),
        ("2020-01-31T10:11:12,25Z", dt.datetime(2020, 1, 31, 10, 11, 12, 250_000)),
        ("20200131T101112Z", dt.datetime(2020, 1, 31, 10, 11, 12)),
        ("20200131T101112.5+0100", dt.datetime(2020, 1, 31, 9, 11, 12, 500_000)),
        ("20200131T1011", dt.datetime(2020, 1, 31, 10, 11)),
        ("20200131T1011Z", dt.datetime(2020, 1, 31, 10, 11)),
        ("2020-01-31T24:00:00Z", dt.datetime(2020, 2, 1)),
        (" 2020-01-31T10:11:12Z\n", dt.datetime(2020, 1, 31, 10, 11, 12)),
        ("2000-02-29", dt.datetime(2000, 2, 29)),
        ("0001-01-01", dt.datetime(1, 1, 1)),
        ("9999-12-31T23:59:59.999", dt.datetime(9999, 12, 31, 23, 59, 59, 999_000)),
        ("1900-01-01T00:00:00+00:19:32", dt.datetime(1899, 12, 31, 23, 40, 28)),
    ],
)
def test_iso_8601_is_read(text: str, moment: dt.datetime) -> None:
    assert milliseconds(text) == exact(moment.replace(tzinfo=dt.UTC))


@pytest.mark.parametrize(
    "text",
    [
        "2020",
        "12",
        "1577872800",
        "1577872800000",
        "20200131",
        "2020-01",
        "2020-1-31",
        "now",
        "today",
        "NaT",
        "nan",
        "10:11:12",
        "31/01/2020",
        "01/02/2020 10:00",
        "2020-13-01",
        "2020-00-10",
        "2020-02-30",
        "2100-02-29",
        "2020-01-31T25:00:00",
        "2020-01-31T24:00:01",
        "2020-01-31T10:60:00",
        "2020-01-31T10:11:60",
        "2020-01-31T10:11:12+24:00",
        "2020-01-31T10:11:12+02:60",
        "2020-01-31T10:11:12 UTC",
        "2020-01-31T",
        "2020-01-31Z",
        "2020-W05-1",
        "0000-01-01",
        "-2020-01-01",
        "12020-01-01",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "２０２０-01-31",
        " ",
        "Jan 31 2020",
    ],
)
def test_anything_else_is_unreadable(text: str) -> None:
    assert read(text).unreadable.tolist() == [True]


@given(
    moment=st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)),
    offset=st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_any_time_with_any_offset_is_read_as_python_reads_it(moment: dt.datetime, offset: int) -> None:
    aware = moment.replace(tzinfo=dt.timezone(dt.timedelta(minutes=offset)))
    assert milliseconds(aware.isoformat()) == exact(aware)
    assert milliseconds(aware.isoformat(" ", "milliseconds")) == exact(aware)


def test_digits_below_the_millisecond_are_floored() -> None:
    assert milliseconds("2020-01-01T00:00:00.123999999Z") - milliseconds("2020-01-01T00:00:00Z") == 123
    assert milliseconds("1969-12-31T23:59:59.999999Z") == -1
    assert milliseconds("1969-12-31T23:59:59.0009Z") == -1000


def test_offsets_and_precisions_may_be_mixed_and_naive_times_are_counted() -> None:
    times = read("2020-01-01T10:00:00+02:00", "2020-01-01T08:00:00", "9999-01-01", "2020-01-01T08:00:00.123456789Z")
    assert times.milliseconds[0] == times.milliseconds[1]
    assert times.naive.tolist() == [False, True, True, False]
    assert not times.unreadable.any()


def test_null_and_empty_text_are_missing_not_unreadable() -> None:
    times = read(None, "", "2020-01-01")
    assert times.missing.tolist() == [True, True, False]
    assert not times.unreadable.any()
    assert times.naive.tolist() == [False, False, True]


def test_columns_without_values_are_read() -> None:
    assert len(read().missing) == 0
    assert read(None, None).missing.all()
    for kind in (pa.null(), pa.float64(), pa.bool_(), pa.timestamp("ms")):
        assert times_from_arrow(pa.nulls(2, kind), "time").missing.all()
    for dtype in (float, object, "str", "datetime64[ns]"):
        column = arrow_from_pandas(pd.Series([None, None], dtype=dtype), "time")
        assert times_from_arrow(column, "time").missing.all()


def test_a_format_is_followed_and_nothing_else() -> None:
    times = read("31/01/2020 10:11", "2020-01-31", None, timestamp_format="%d/%m/%Y %H:%M")
    assert times.milliseconds[0] == milliseconds("2020-01-31T10:11Z")
    assert times.unreadable.tolist() == [False, True, False]
    assert times.missing.tolist() == [False, False, True]
    assert times.naive.tolist() == [True, False, False]


def test_a_format_with_an_offset_is_not_naive() -> None:
    times = read("31/01/2020 10:11 +0200", "31/01/2020 10:11 -0100", timestamp_format="%d/%m/%Y %H:%M %z")
    assert times.milliseconds.tolist() == [
        milliseconds("2020-01-31T08:11Z"),
        milliseconds("2020-01-31T11:11Z"),
    ]
    assert not times.naive.any()


def test_a_format_reads_distant_years() -> None:
    times = read("01.02.0001", "31.12.9999", timestamp_format="%d.%m.%Y")
    assert times.milliseconds.tolist() == [milliseconds("0001-02-01"), milliseconds("9999-12-31")]


@pytest.mark.parametrize("wrong", ["", "dd/mm/yyyy", "mixed", "ISO8601", "%Q", "%"])
def test_a_format_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(ParameterError, match="timestamp_format"):
        read("2020-01-01", timestamp_format=wrong)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Tallinn"])
def test_typed_times_of_any_unit_are_read(unit: str, zone: str | None) -> None:
    moments = np.array(["1969-12-31T23:59:59", "2020-01-31T10:11:12", "NaT"], dtype=f"datetime64[{unit}]")
    times = times_from_arrow(pa.array(moments).cast(pa.timestamp(unit, zone)), "time")
    assert times.milliseconds[:2].tolist() == [-1000, milliseconds("2020-01-31T10:11:12")]
    assert times.missing.tolist() == [False, False, True]
    assert times.naive.tolist() == [zone is None, zone is None, False]
    series = pd.Series(moments)
    assert str(series.dtype) == f"datetime64[{unit}]"
    series = series if zone is None else series.dt.tz_localize("UTC").dt.tz_convert(zone)
    from_pandas = times_from_arrow(arrow_from_pandas(series, "time"), "time")
    assert from_pandas.milliseconds[:2].tolist() == times.milliseconds[:2].tolist()
    assert from_pandas.missing.tolist() == times.missing.tolist()
    assert from_pandas.naive.tolist() == times.naive.tolist()


def test_typed_times_below_the_millisecond_are_floored() -> None:
    times = times_from_arrow(pa.array([-1, 1_999_999], pa.timestamp("ns")), "time")
    assert times.milliseconds.tolist() == [-1, 1]


def test_typed_times_beyond_the_calendar_are_unreadable() -> None:
    for unit in ("s", "ms", "us"):
        per_second = {"s": 1, "ms": 1000, "us": 1_000_000}[unit]
        inside = [EARLIEST // 1000 * per_second, LATEST // 1000 * per_second]
        column = pa.array([*inside, 2**62, -(2**62)], pa.timestamp(unit))
        assert times_from_arrow(column, "time").unreadable.tolist() == [False, False, True, True]


def test_typed_dates_are_midnights() -> None:
    day = dt.date(2020, 1, 31)
    for kind in (pa.date32(), pa.date64()):
        times = times_from_arrow(pa.array([day, None], kind), "time")
        assert times.milliseconds[0] == milliseconds("2020-01-31")
        assert times.missing.tolist() == [False, True]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1577872800]),
        pa.array([1.5]),
        pa.array([True]),
        pa.array([dt.time(10)]),
        pa.array([dt.timedelta(1)]),
        pa.array([["2020-01-01"]]),
        pa.array([b"2020-01-01"]),
    ],
    ids=lambda column: str(column.type),
)
def test_numbers_and_other_types_are_refused_with_the_way_to_convert_them(column: Any) -> None:
    with pytest.raises(InputError, match=r"'time'.*pandas\.to_datetime"):
        times_from_arrow(column, "time")


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1577872800]),
        pd.Series([1.5]),
        pd.Series([True]),
        pd.Series([1, "2020-01-01"], dtype=object),
        pd.Series([["2020-01-01"]]),
        pd.Series([pd.Timedelta(1)]),
        pd.Series([pd.Period("2020-01")]),
        pd.Series(["\ud800"], dtype=object),
    ],
    ids=str,
)
def test_frames_of_other_types_are_refused_too(series: pd.Series[Any]) -> None:
    with pytest.raises(InputError, match=r"'time'.*pandas\.to_datetime"):
        times_from_arrow(arrow_from_pandas(series, "time"), "time")


def test_whole_numbers_may_follow_a_format() -> None:
    for series in (pd.Series([20200131]), pd.Series([20200131], dtype=object), pd.Series(["20200131"])):
        column = arrow_from_pandas(series, "time", "%Y%m%d")
        assert times_from_arrow(column, "time", "%Y%m%d").milliseconds.tolist() == [milliseconds("2020-01-31")]


@pytest.mark.parametrize("dtype", [object, "string", "category", "str", "string[pyarrow]"])
def test_text_of_any_pandas_type_is_read(dtype: Any) -> None:
    series = pd.Series(["2020-01-31", None, "2020-01-31T00:00:00+01:00", "2020-01-31"]).astype(dtype)
    times = times_from_arrow(arrow_from_pandas(series, "time"), "time")
    midnight = milliseconds("2020-01-31")
    assert times.milliseconds[[0, 2, 3]].tolist() == [midnight, midnight - HOUR, midnight]
    assert times.missing.tolist() == [False, True, False, False]
    assert times.naive.tolist() == [True, False, False, True]


def test_objects_that_are_dates_or_times_are_read_and_may_be_mixed() -> None:
    zone = dt.timezone(dt.timedelta(hours=1))
    values = [
        dt.date(2020, 1, 31),
        dt.datetime(2020, 1, 31, 1),
        dt.datetime(9999, 1, 1, tzinfo=zone),
        pd.Timestamp("2020-01-31T00:00:00.000000001", tz="Europe/Tallinn"),
        "2020-01-31",
        None,
        pd.NaT,
    ]
    times = times_from_arrow(arrow_from_pandas(pd.Series(values, dtype=object), "time"), "time")
    midnight = milliseconds("2020-01-31")
    assert times.milliseconds[[0, 1, 3, 4]].tolist() == [
        midnight,
        midnight + HOUR,
        midnight - 7_200_000,
        midnight,
    ]
    assert times.milliseconds[2] == milliseconds("9999-01-01") - HOUR
    assert times.missing.tolist() == [False] * 5 + [True] * 2
    assert times.naive.tolist() == [True, True, False, False, True, False, False]


def test_arrow_columns_of_pandas_are_read() -> None:
    series = pd.Series([0, None], dtype=pd.ArrowDtype(pa.timestamp("us", "UTC")))
    times = times_from_arrow(arrow_from_pandas(series, "time"), "time")
    assert (times.milliseconds[0], times.missing.tolist()) == (0, [False, True])
    empty = series[:0]
    assert len(times_from_arrow(arrow_from_pandas(empty, "time"), "time").missing) == 0


@st.composite
def almost_usual(draw: st.DrawFn) -> str:
    """The usual layouts, with fields within and beyond what calendars know, and now and then a wrong character."""
    date = f"{draw(st.integers(0, 9999)):04}-{draw(st.integers(0, 13)):02}-{draw(st.integers(0, 32)):02}"
    clock = f"{draw(st.integers(0, 25)):02}:{draw(st.integers(0, 60)):02}:{draw(st.integers(0, 60)):02}"
    fraction = draw(st.just("") | st.from_regex(r"\.[0-9]{1,10}", fullmatch=True))
    zone = draw(st.sampled_from(["", "Z", "+00:00", "-05:30", "+23:59", "+24:00", "-00:60", "z", "+0100", " +01:00"]))
    text = f"{date}{draw(st.sampled_from('TT t'))}{clock}{fraction}{zone}"
    if draw(st.integers(0, 4)):
        return text
    place = draw(st.integers(0, len(text) - 1))
    wrong: str = draw(st.sampled_from(["", *"-+.:TZ 09/;,é\0"]))
    return text[:place] + wrong + text[place + 1 :]


@given(st.lists(st.none() | st.datetimes().map(dt.datetime.isoformat) | almost_usual(), max_size=30), st.integers(0, 3))
@settings(max_examples=examples(400))
def test_the_usual_layouts_are_read_at_once_as_they_are_read_one_by_one(texts: list[str | None], first: int) -> None:
    column = pa.array(texts, pa.string())[first:]
    milliseconds, found, naive = parse_grid(column)
    one_by_one = _from_distinct_text(column, None)
    assert not (found & (one_by_one.missing | one_by_one.unreadable)).any()
    assert milliseconds[found].tolist() == one_by_one.milliseconds[found].tolist()
    assert naive[found].tolist() == one_by_one.naive[found].tolist()
    together = times_from_arrow(column, "time")
    usable = ~(one_by_one.missing | one_by_one.unreadable)
    assert together.milliseconds[usable].tolist() == one_by_one.milliseconds[usable].tolist()
    for mask in ("missing", "unreadable", "naive"):
        assert getattr(together, mask).tolist() == getattr(one_by_one, mask).tolist()


@given(
    st.datetimes(),
    st.sampled_from("T "),
    st.integers(0, 9),
    st.sampled_from(["", "Z", "+00:00", "+02:00", "-11:30", "+23:59"]),
)
def test_the_usual_layouts_are_read_as_pythons_datetime_reads_them(
    moment: dt.datetime, between: str, digits: int, zone: str
) -> None:
    fraction = f".{moment.microsecond:06}000"[: digits + 1] if digits else ""
    text = moment.replace(microsecond=0).isoformat(between) + fraction + zone
    expected = dt.datetime.fromisoformat(text)
    instant = exact(expected if expected.tzinfo else expected.replace(tzinfo=dt.UTC))
    (found,), (was_read,), (is_naive,) = parse_grid(pa.array([text]))
    assert was_read == (EARLIEST <= instant <= LATEST)
    if was_read:
        assert (found, is_naive) == (instant, zone == "")


def test_many_rows_and_many_layouts_are_read_in_their_places() -> None:
    start = np.datetime64("2020-01-01T00:00:00.000")
    instants = start + np.arange(100_000) * np.timedelta64(12_345_678, "ms")
    texts = [
        str(instant)[: 19 if number % 3 else 23] + ("" if number % 2 else "Z")
        for number, instant in enumerate(instants)
    ]
    times = times_from_arrow(pa.array(texts), "time")
    whole_seconds = instants.astype("datetime64[s]").astype("datetime64[ms]")
    expected = np.where(np.arange(100_000) % 3 > 0, whole_seconds, instants).astype(np.int64)
    assert (times.milliseconds == expected).all()
    assert (times.naive == (np.arange(100_000) % 2 > 0)).all()
    assert not (times.missing | times.unreadable).any()
