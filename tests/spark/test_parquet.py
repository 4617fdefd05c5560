"""Parquet files that others write, read as on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amun_dp.errors import InputError
from amun_dp.reading import read_log
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark.read.events import read_events
from amun_dp.spark.read.parquet import parquet_files
from tests.spark.conftest import MakeStages

NANOSECONDS = [0, 1, 999_999, 1_000_000, -1, -1_000_001, 1_700_000_000_123_456_789, -1_700_000_000_123_456_789]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", None])
def test_times_in_nanoseconds_are_those_of_one_machine(
    zone: str | None, session: Any, stages: MakeStages, tmp_path: Path
) -> None:
    """As pandas wrote them for years; Spark by itself does not read such a file."""
    path = tmp_path / "log.parquet"
    times = pa.array(NANOSECONDS, pa.timestamp("ns", zone))
    number = pa.array(np.arange(len(times)))  # a column of whole numbers stays one
    pq.write_table(pa.table({"case": [str(each) for each in range(8)], "time": times, "activity": number}), path)
    events = read_events(stages(), parquet_files(session, str(path)), ColumnChoice())
    found = events.frame.toArrow().sort_by("case")
    expected = read_log(path)
    assert found.column("time").to_pylist() == expected.time.tolist()
    assert found.column("activity").to_pylist() == [expected.activities[code] for code in expected.activity]
    assert events.facts.notes == expected.facts.notes  # times without a zone are mentioned


@pytest.mark.parametrize("other", [pa.timestamp("us", "UTC"), pa.timestamp("ns"), pa.int64()])
def test_files_of_other_times_than_the_first_are_refused_and_not_misread(
    other: pa.DataType, session: Any, tmp_path: Path
) -> None:
    """As two versions of pandas write them: microseconds that are taken for nanoseconds are of January 1970."""
    kinds = (pa.timestamp("ns", "UTC"), pa.timestamp("ns", "UTC"), other)
    for number, kind in enumerate(kinds):
        times = pa.array([1_700_000_000_000_000_000 + number]).cast(kind)
        pq.write_table(
            pa.table({"case": [str(number)], "activity": ["a"], "time": times}), tmp_path / f"{number}.parquet"
        )
    with pytest.raises(InputError, match="nanoseconds in some files"):
        parquet_files(session, str(tmp_path))
    (tmp_path / "2.parquet").unlink()
    assert parquet_files(session, str(tmp_path)).count() == 2


def test_folders_that_are_named_by_a_number_are_cases_named_by_a_text(session: Any, tmp_path: Path) -> None:
    for case in ("1", "01"):
        folder = tmp_path / f"case={case}"
        folder.mkdir()
        pq.write_table(pa.table({"activity": ["a"], "time": ["2020-01-01T00:00:00Z"]}), folder / "log.parquet")
    cases = parquet_files(session, str(tmp_path)).toArrow().column("case").to_pylist()
    assert sorted(cases) == ["01", "1"]


def test_whole_numbers_are_no_times_and_the_message_is_that_of_one_machine(
    session: Any, stages: MakeStages, tmp_path: Path
) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"case": ["1"], "activity": ["a"], "time": [20200131]}), path)
    with pytest.raises(InputError) as expected:
        read_log(path)
    with pytest.raises(InputError) as found:
        read_events(stages(), parquet_files(session, str(path)), ColumnChoice())
    assert str(found.value) == str(expected.value)
    dated = ColumnChoice(timestamp_format="%Y%m%d")
    events = read_events(stages(), parquet_files(session, str(path)), dated).frame.toArrow()
    assert events.column("time").to_pylist() == read_log(path, timestamp_format="%Y%m%d").time.tolist()


def test_a_frame_that_is_another_one_each_time_is_computed_once(session: Any, stages: MakeStages) -> None:
    """Events and individuals of two different results would take cases from the people they belong to."""
    rows = pd.DataFrame({"case": np.arange(400).astype(str), "activity": "a", "time": "2020-01-01T00:00:00Z"})
    rows = rows.assign(patient=np.arange(400) // 8, place=0)
    frame = session.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False)).where("rand() < 0.5")
    events = read_events(stages(), frame, ColumnChoice(individual="patient", sequence="place"))
    assert events.individuals is not None
    cases = set(events.frame.toArrow().column("case").to_pylist())
    named = set(events.individuals.where("individual IS NOT NULL").toArrow().column("case").to_pylist())
    assert cases == named and 100 < len(cases) < 300  # 2e-24 for fair coins
