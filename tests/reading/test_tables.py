"""DataFrames and Parquet files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amun_dp.errors import ColumnError, InputError
from amun_dp.reading import read_log
from tests.reading.samples import notes_of, rows_of


def frame(**columns: Any) -> pd.DataFrame:
    standard = {"case": ["1", "1", "2"], "activity": ["a", "b", "a"], "time": ["2020-01-01T00:00:00Z"] * 3}
    return pd.DataFrame(standard | columns)


def test_a_frame_is_read_in_the_order_of_its_rows_whatever_its_index() -> None:
    table = frame()
    table.index = pd.Index([5, 5, 0])
    assert [row[:2] for row in rows_of(read_log(table))] == [("1", "a"), ("1", "b"), ("2", "a")]
    assert read_log(table.iloc[::-1]).sequence.tolist() == [0, 1, 2]
    assert [row[:2] for row in rows_of(read_log(table.iloc[::-1]))] == [("2", "a"), ("1", "b"), ("1", "a")]


def test_a_frame_stays_as_it_is() -> None:
    table = frame(time=pd.to_datetime(["2020-01-02", "2020-01-01", "NaT"]), cost=[1, 2, 3])
    before = table.copy(deep=True)
    read_log(table, drop_incomplete=True)
    pd.testing.assert_frame_equal(table, before)
    assert list(table.columns) == list(before.columns)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([1, 1, 2], ["1", "2"]),
        (np.array([1, 1, 2], dtype=np.uint8), ["1", "2"]),
        (pd.Series([1, 1, 2], dtype="Int64"), ["1", "2"]),
        ([1.0, 1.0, 2.0], ["1", "2"]),
        ([1.5, 1.5, 2.0], ["1.5", "2"]),
        (pd.Categorical(["x", "x", "y"], categories=["z", "y", "x"]), ["x", "y"]),
        (pd.Categorical([3, 3, 4]), ["3", "4"]),
        ([1, "1", 2], ["1", "2"]),
        ([True, True, False], ["True", "False"]),
        (pd.Series(["x", "x", "y"], dtype=pd.ArrowDtype(pa.string())), ["x", "y"]),
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 1), dt.date(2020, 1, 2)], ["2020-01-01", "2020-01-02"]),
    ],
    ids=str,
)
def test_cases_of_any_type_become_text(values: Any, names: list[str]) -> None:
    assert list(read_log(frame(case=values)).case_names) == names


def test_whole_numbers_that_a_gap_made_floats_become_text_without_a_point() -> None:
    read = read_log(frame(case=[7, None, 8]), drop_incomplete=True)
    assert list(read.case_names) == ["7", "8"]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, ""])
def test_null_nan_and_empty_text_are_missing(missing: Any) -> None:
    for column in ("case", "activity", "time"):
        values = frame()[column].astype(object)
        values[1] = missing
        table = frame(**{column: values})
        role = {"case": "case", "activity": "activity", "time": "timestamp"}[column]
        with pytest.raises(InputError, match=rf"1 of 3 .* 1 has no {role} \(first at row 2"):
            read_log(table)
        assert read_log(table, drop_incomplete=True).n_events == 2


def test_an_empty_frame_has_no_events() -> None:
    with pytest.raises(InputError, match="no events"):
        read_log(frame().iloc[:0])
    with pytest.raises(InputError, match="no events"):
        read_log(pd.DataFrame({"case": [], "activity": [], "time": []}, dtype=object))
    with pytest.raises(ColumnError):
        read_log(pd.DataFrame())


@pytest.mark.parametrize("value", [[1], {"a": 1}, {1}])
def test_values_that_are_not_one_value_are_refused(value: Any) -> None:
    with pytest.raises(InputError, match="'case'"):
        read_log(frame(case=[value] * 3))


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(InputError, match="'activity'"):
        read_log(frame(activity=pd.Series(["\ud800", "b", "c"], dtype=object)))


def test_naive_times_are_read_as_utc_and_counted() -> None:
    read = read_log(frame(time=["2020-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01"]))
    assert set(read.time.tolist()) == {1577836800000}
    assert "2 of 3 timestamps without a UTC offset were read as UTC" in notes_of(read)


def test_a_format_for_times_that_are_stored_as_such_is_not_needed() -> None:
    read = read_log(frame(time=pd.to_datetime(["2020-01-01"] * 3, utc=True)), timestamp_format="%d/%m/%Y")
    assert read.time[0] == 1577836800000
    assert "`timestamp_format` was not needed" in notes_of(read)


def test_names_that_are_not_text_are_read_as_text() -> None:
    table = frame().rename(columns={"case": 0, "activity": 1})
    assert read_log(table, case_id="0", activity="1").n_events == 3


@pytest.mark.parametrize("dictionary", [False, True])
def test_a_parquet_file_is_read_like_its_frame(tmp_path: Path, dictionary: bool) -> None:
    table = frame(case=pd.Series([3, 3, 4]), time=pd.to_datetime(["2020-01-01"] * 3, utc=True), cost=[1.0, 2.0, 3.0])
    if dictionary:
        table["activity"] = table["activity"].astype("category")
    table.to_parquet(tmp_path / "log.parquet", row_group_size=2)
    read = read_log(tmp_path / "log.parquet")
    assert rows_of(read) == rows_of(read_log(table))
    assert (read.facts.format, read.facts.dropped_attributes) == ("parquet", ("cost",))


@pytest.mark.parametrize(
    "kind",
    [pa.timestamp("s"), pa.timestamp("ns", "Europe/Tallinn"), pa.date32(), pa.string(), pa.large_string()],
)
def test_times_of_any_arrow_type_are_read_from_parquet(tmp_path: Path, kind: Any) -> None:
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    times = pa.array(["2020-01-01"] if text else [dt.date(2020, 1, 1)]).cast(kind)
    pq.write_table(pa.table({"case": ["1"], "activity": ["a"], "time": times}), tmp_path / "log.parquet")
    midnight = 1577836800000
    assert read_log(tmp_path / "log.parquet").time.tolist() == [midnight]


def test_parquet_columns_with_points_in_their_names_are_found(tmp_path: Path) -> None:
    columns = {
        "case.id": ["1"],
        "case": pa.array([{"id": "nested"}]),
        "activity": ["a"],
        "time": ["2020-01-01"],
    }
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    assert list(read_log(tmp_path / "log.parquet", case_id="case.id").case_names) == ["1"]
    with pytest.raises(ColumnError, match="'case' holds lists or records"):
        read_log(tmp_path / "log.parquet", case_id="case")


def test_parquet_columns_of_bytes_are_text_if_they_are_utf_8(tmp_path: Path) -> None:
    columns = {"case": [b"1"], "activity": [b"\xc3\xa9"], "time": ["2020-01-01"]}
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    assert read_log(tmp_path / "log.parquet").activities == ("é",)
    pq.write_table(pa.table(columns | {"activity": [b"\xff"]}), tmp_path / "log.parquet")
    with pytest.raises(ColumnError, match="not UTF-8"):
        read_log(tmp_path / "log.parquet")


@pytest.mark.slow
def test_a_damaged_parquet_file_is_read_or_refused_but_never_crashes(tmp_path: Path) -> None:
    columns = {"case": ["1", "2"], "activity": ["a", "b"], "time": ["2020-01-01"] * 2}
    pq.write_table(pa.table(columns), tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    refused = 0
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        (tmp_path / "log.parquet").write_bytes(damaged)
        try:
            read_log(tmp_path / "log.parquet", drop_incomplete=True)
        except InputError:
            refused += 1
    assert refused > len(whole) / 2


@pytest.mark.parametrize("kind", [pa.string_view(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_text_of_any_arrow_type_is_read(tmp_path: Path, kind: Any) -> None:
    columns = {"case": pa.array(["1"]), "activity": pa.array(["a"]), "time": pa.array(["2020-01-01"])}
    table = pa.table({name: column.cast(kind) for name, column in columns.items()})
    pq.write_table(table, tmp_path / "log.parquet")
    expected = [("1", "a", 1577836800000)]
    assert rows_of(read_log(tmp_path / "log.parquet")) == expected
    assert rows_of(read_log(table.to_pandas(types_mapper=pd.ArrowDtype))) == expected


def test_two_parquet_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.table([["1"], ["a"], ["2020-01-01"], ["x"]], names=["case", "activity", "time", "time"])
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(ColumnError, match="More than one column is called 'time'"):
        read_log(tmp_path / "log.parquet")


def test_a_number_as_time_is_refused_with_the_way_to_convert_it() -> None:
    with pytest.raises(InputError, match=r"pandas\.to_datetime"):
        read_log(frame(time=[1, 2, 3]))
