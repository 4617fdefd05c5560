"""A column of whole numbers orders the events of a table, whatever the order of its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.errors import ColumnError, IncompleteLog, InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.reading.samples import rows_of

NAMES = ("a", "B", "é", "ﬀ", "𝒳")
"""Their order as Python text is neither that of a dictionary nor that of UTF-16."""
Event = tuple[str, str, int, int]


def table(events: list[Event], **more: Any) -> pd.DataFrame:
    frame = pd.DataFrame(events, columns=["case", "activity", "time", "place"])
    moments = pd.to_datetime(frame["time"], unit="s", utc=True)
    return frame.assign(time=moments.dt.strftime("%Y-%m-%dT%H:%M:%SZ"), place=frame["place"].astype("int64"), **more)


def as_csv(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_csv(folder / "log.csv", index=False)
    return folder / "log.csv"


def as_parquet(frame: pd.DataFrame, folder: Path) -> Path:
    frame.to_parquet(folder / "log.parquet")
    return folder / "log.parquet"


def as_frame(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    return frame


FORMATS: list[Callable[[pd.DataFrame, Path], Any]] = [as_csv, as_parquet, as_frame]


def same(found: EventLog, expected: EventLog) -> None:
    assert rows_of(found) == rows_of(expected)
    assert found.case_names.tolist() == expected.case_names.tolist()
    for name in ("case", "activity", "time", "offsets", "individuals"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from("xyz"), st.integers(0, 2), st.integers(-3, 3)),
        min_size=1,
        max_size=25,
        unique_by=lambda event: (event[0], event[2], event[3]),
    ),
    st.randoms(use_true_random=False),
)
def test_a_table_in_any_order_is_read_as_if_it_had_been_sorted_by_number_and_case(
    events: list[Event], chance: Any
) -> None:
    shuffled = list(events)
    chance.shuffle(shuffled)
    ordered = sorted(events, key=lambda event: (event[3], event[0]))
    who = {name: f"p{number % 3}" for number, name in enumerate(NAMES)}
    found, expected = (table(rows) for rows in (shuffled, ordered))
    found, expected = (each.assign(who=each["case"].map(who)) for each in (found, expected))
    same(read_log(found, sequence="place", individual="who"), read_log(expected, individual="who"))


@pytest.mark.parametrize("form", FORMATS)
def test_every_kind_of_table_has_it(form: Callable[[pd.DataFrame, Path], Any], tmp_path: Path) -> None:
    events = [("2", "late", 0, 9), ("1", "c", 5, 2**62), ("1", "b", 5, -(2**62)), ("2", "a", 7, -1)]
    log = read_log(form(table(events), tmp_path), sequence="place")
    assert [row[:2] for row in rows_of(log)] == [("1", "b"), ("1", "c"), ("2", "late"), ("2", "a")]


def test_what_is_left_out_leaves_no_trace_in_the_order_of_cases() -> None:
    events = [("1", "a", 5, 3), ("2", "", 0, 0), ("2", "b", 0, 4)]
    log = read_log(table(events), sequence="place", drop_incomplete=True)
    assert log.case_names.tolist() == ["1", "2"]


def test_events_of_a_case_with_the_same_time_and_number_are_refused() -> None:
    events = [("1", "a", 5, 3), ("1", "b", 5, 3), ("1", "c", 5, 3), ("2", "a", 5, 3), ("2", "a", 6, 3)]
    with pytest.raises(InputError, match=r"^1 case has events with the same time and the same sequence number"):
        read_log(table(events), sequence="place")
    twice = [*events, ("2", "c", 6, 3)]
    with pytest.raises(InputError, match=r"^2 cases have events"):
        read_log(table(twice), sequence="place")


@pytest.mark.parametrize("form", FORMATS)
def test_an_event_without_a_number_is_refused(form: Callable[[pd.DataFrame, Path], Any], tmp_path: Path) -> None:
    numbers = pd.array([1, None, 2], dtype="Int64")
    phases = ["complete", "start", "complete"]
    rows = table([("1", "a", 5, 0), ("1", "b", 5, 0), ("2", "a", 5, 0)], lifecycle=phases).assign(place=numbers)
    log = form(rows, tmp_path)
    with pytest.raises(IncompleteLog, match="1 of 3 events has no sequence number"):
        read_log(log, sequence="place")
    assert read_log(log, sequence="place", lifecycle="complete").n_events == 2  # what is not read needs none


@pytest.mark.parametrize("numbers", [[0.0, 1.0], [1.5, 2.5], ["1", "2"], [True, False]], ids=str)
@pytest.mark.parametrize("form", [as_parquet, as_frame])
def test_other_columns_than_whole_numbers_are_refused(
    form: Callable[[pd.DataFrame, Path], Any], numbers: list[Any], tmp_path: Path
) -> None:
    rows = table([("1", "a", 5, 0), ("1", "b", 5, 1)]).assign(place=numbers)
    with pytest.raises(ColumnError, match=r"'place' \(`sequence`\) holds no whole numbers"):
        read_log(form(rows, tmp_path), sequence="place")


@pytest.mark.parametrize("number", ["1.0", " 1", "+1", "0x10", "first", "1\n2", "9223372036854775808"])
def test_text_that_is_no_whole_number_is_refused_and_not_quoted(number: str, tmp_path: Path) -> None:
    rows = table([("1", "a", 5, 0), ("1", "b", 5, 1)]).assign(place=["0", number])
    with pytest.raises(ColumnError, match=r"'place' \(`sequence`\) holds no whole numbers") as refused:
        read_log(as_csv(rows, tmp_path), sequence="place", multiline_values=True)
    assert repr(number) not in str(refused.value)


def test_numbers_too_large_for_64_bits_are_refused(tmp_path: Path) -> None:
    rows = table([("1", "a", 5, 0)]).assign(place=np.array([2**63], dtype=np.uint64))
    for log in (rows, as_parquet(rows, tmp_path)):
        with pytest.raises(ColumnError, match="holds no whole numbers"):
            read_log(log, sequence="place")


@pytest.mark.parametrize("kind", [pa.null(), pa.date32(), pa.list_(pa.int64()), pa.float64()], ids=str)
def test_a_column_without_a_single_number_is_one_of_missing_ones_whatever_its_type(kind: Any, tmp_path: Path) -> None:
    rows = pa.Table.from_pandas(table([("1", "a", 5, 0), ("1", "b", 5, 1)]).drop(columns="place"), preserve_index=False)
    pq.write_table(rows.append_column("place", pa.nulls(2, kind)), tmp_path / "log.parquet")
    with pytest.raises(IncompleteLog, match="2 of 2 events have no sequence number"):
        read_log(tmp_path / "log.parquet", sequence="place")


def test_a_sparse_column_is_refused_in_a_sentence() -> None:
    rows = table([("1", "a", 5, 0), ("1", "b", 5, 1)])
    with pytest.raises(ColumnError, match="holds no whole numbers"):
        read_log(rows.assign(place=pd.arrays.SparseArray([0, 1])), sequence="place")


@pytest.mark.parametrize("kind", [pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_times_of_every_type_that_is_read_can_be_put_in_order(kind: Any, tmp_path: Path) -> None:
    rows = pa.Table.from_pandas(table([("1", "b", 5, 1), ("1", "a", 5, 0)]), preserve_index=False)
    times = rows.column("time").combine_chunks()
    rows = rows.set_column(2, "time", times.dictionary_encode() if pa.types.is_dictionary(kind) else times.cast(kind))
    pq.write_table(rows, tmp_path / "log.parquet")
    assert [row[:2] for row in rows_of(read_log(tmp_path / "log.parquet", sequence="place"))] == [
        ("1", "a"),
        ("1", "b"),
    ]


def test_what_is_wrong_is_told_by_its_row_in_the_file() -> None:
    rows = table([("1", "", 5, 9), ("1", "", 5, 0), ("1", "b", 5, 1)])
    with pytest.raises(IncompleteLog, match="first at row 1 of the data"):
        read_log(rows, sequence="place")
    rows = table([("1", "a", 5, 9), ("1", "b", 5, 0)]).assign(time="soon")
    with pytest.raises(InputError, match="the first at row 1 of the data"):
        read_log(rows, sequence="place")


def test_the_column_must_exist_and_plays_no_other_role() -> None:
    rows = table([("1", "a", 5, 0), ("1", "b", 5, 1)])
    with pytest.raises(ColumnError, match=r"There is no column 'plaice' \(`sequence`\). Did you mean 'place'\?"):
        read_log(rows, sequence="plaice")
    assert read_log(rows.rename(columns={"place": "event"}), sequence="event").n_events == 2
    assert "place" in read_log(rows, sequence="place").facts.dropped_attributes


def test_xes_has_an_order_of_its_own(tmp_path: Path) -> None:
    write_log(hospital_log(5), tmp_path / "log.xes")
    with pytest.raises(ColumnError, match="`sequence` is for tables"):
        read_log(tmp_path / "log.xes", sequence="place")
