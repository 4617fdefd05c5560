"""The same log is the same whatever it is read from, and pm4py sees it as we do."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.errors import AmunError, ColumnError, IncompleteLog
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log
from tests.reading.samples import Row, rows_of, write, xes_of

COLUMNS = ["case:concept:name", "concept:name", "time:timestamp"]
# Carriage returns and the like are left out: XML turns them into spaces in attributes, as it must.
TEXT = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=6)
TIMES = st.builds(
    lambda moment, minutes: moment.replace(tzinfo=dt.timezone(dt.timedelta(minutes=minutes))).isoformat(),
    st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1)),
    st.integers(-14 * 60, 14 * 60),
)
ROWS = st.lists(st.tuples(st.sampled_from("abcd") | TEXT, TEXT, TIMES), min_size=1, max_size=12)

REAL = {
    "Sepsis.xes.gz": (1050, 15214, 16),
    "Unrineweginfectie.xes.gz": (1650, 6973, 10),
    "CCC19.xes.gz": (20, 1394, 29),
    "BPIC13_incidents.xes.gz": (7554, 65533, 4),
    "BPIC15_1.xes.gz": (1199, 52217, 398),
    "BPIC20_PermitLog.xes.gz": (7065, 86581, 51),
    "RoadTrafficFines.xes.gz": (150370, 561470, 11),
    "Receipt_WABO.xes.gz": (1434, 8577, 27),
}


@given(rows=ROWS)
def test_every_format_gives_the_same_log(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    folder = tmp_path_factory.mktemp("same")
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame.to_csv(folder / "log.csv", index=False)
    frame.to_csv(folder / "log.csv.gz", index=False, sep=";")
    frame.to_parquet(folder / "log.parquet")
    write(folder, xes_of(rows), "log.xes")
    expected = sorted(rows_of(read_log(frame)))
    for name in ("log.csv", "log.csv.gz", "log.parquet", "log.xes"):
        read = read_log(folder / name)
        assert sorted(rows_of(read)) == expected
        assert read.n_cases == len({case for case, _, _ in rows})
        assert_sound(read)


@given(rows=ROWS)
def test_a_log_as_a_frame_is_the_log(rows: list[Row]) -> None:
    read = read_log(pd.DataFrame(rows, columns=COLUMNS))
    again = read_log(read.to_pandas())
    assert rows_of(again) == rows_of(read)


def assert_sound(read: EventLog) -> None:
    assert np.all(np.diff(read.case) >= 0)
    assert np.all(np.diff(read.time)[np.diff(read.case) == 0] >= 0)
    assert sorted(set(read.sequence.tolist())) == sorted(read.sequence.tolist())
    assert list(read.activities) == sorted(set(read.activities))
    assert len(set(read.case_names)) == read.n_cases


def pm4py_sees(path: Path) -> Any:
    """pm4py's own reading of the file, as (case, activity, milliseconds), sorted."""
    import pm4py

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own and its dependencies'
        frame = pm4py.read_xes(str(path), variant="iterparse", show_progress_bar=False)
    if not isinstance(frame, pd.DataFrame):
        frame = pm4py.convert_to_dataframe(frame)
    moments = pd.DatetimeIndex(pd.to_datetime(frame["time:timestamp"], utc=True)).tz_localize(None).to_numpy()
    times = moments.astype("datetime64[ms]").astype(np.int64)
    return sorted(zip(frame["case:concept:name"], frame["concept:name"], times.tolist(), strict=True))


def test_pm4py_sees_the_same_generated_log(tmp_path: Path) -> None:
    generator = np.random.default_rng(7)
    rows = [
        (f"case {case}", f"activity {generator.integers(9)}", time)
        for case in range(60)
        for time in sorted(
            f"2021-{generator.integers(1, 13):02}-{generator.integers(1, 29):02}T{generator.integers(24):02}:00:00"
            f".{generator.integers(1000):03}+0{generator.integers(10)}:00"
            for _ in range(generator.integers(1, 20))
        )
    ]
    path = write(tmp_path, xes_of(rows))
    assert sorted(rows_of(read_log(path))) == pm4py_sees(path)


@pytest.mark.real_logs
@pytest.mark.parametrize("name", ["Sepsis.xes.gz", "CCC19.xes.gz", "Unrineweginfectie.xes.gz", "Receipt_WABO.xes.gz"])
def test_pm4py_sees_the_same_real_log(real_logs: Path, name: str) -> None:
    assert sorted(rows_of(read_log(real_logs / name))) == pm4py_sees(real_logs / name)


@pytest.mark.real_logs
@pytest.mark.parametrize("name", REAL)
def test_real_logs_have_their_known_size(real_logs: Path, name: str) -> None:
    read = read_log(real_logs / name)
    assert (read.n_cases, read.n_events, len(read.activities)) == REAL[name]
    assert_sound(read)


@pytest.mark.real_logs
def test_odd_logs_are_read_or_refused(real_logs: Path) -> None:
    odd = sorted((real_logs / "odd").iterdir())
    assert odd
    for path in odd:
        try:
            assert_sound(read_log(path))
        except AmunError as refused:
            assert str(refused).count("\n") == 0
            if isinstance(refused, IncompleteLog):
                assert read_log(path, drop_incomplete=True).facts.incomplete_events > 0


@pytest.mark.real_logs
def test_an_odd_log_with_spellings_of_its_own_is_read_if_they_are_named(real_logs: Path) -> None:
    path = real_logs / "odd" / "opyenxes_csv_log_in_xes_format.xes"
    with pytest.raises(ColumnError, match="timestamp='time'"):
        read_log(path)
    with pytest.raises(ColumnError, match="activity='Activity'"):
        read_log(path, timestamp="time")
    read = read_log(path, activity="Activity", timestamp="time")
    assert (read.n_cases, read.n_events) == (66, 70)
