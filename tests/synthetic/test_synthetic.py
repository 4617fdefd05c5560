"""Generated logs have exactly the shape asked for."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp._base.units import HOUR
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from amun_dp.synthetic.__main__ import main

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "hospital.xes.gz"


def variants_of(log: EventLog) -> Counter[tuple[int, ...]]:
    ends = zip(log.offsets[:-1].tolist(), log.offsets[1:].tolist(), strict=True)
    activity = log.activity.tolist()
    return Counter(tuple(activity[first:end]) for first, end in ends)


def same(one: EventLog, other: EventLog) -> bool:
    return (
        np.array_equal(one.case, other.case)
        and np.array_equal(one.activity, other.activity)
        and np.array_equal(one.time, other.time)
        and list(one.case_names) == list(other.case_names)
        and one.activities == other.activities
    )


def assert_exact(log: EventLog, shape: LogShape) -> None:
    assert log.n_cases == shape.cases
    assert len(variants_of(log)) == shape.variants
    assert len(log.activities) == shape.activities
    assert len(np.unique(log.activity)) == shape.activities
    assert log.lengths.min() >= 1
    assert log.lengths.max() <= shape.max_length
    assert (np.diff(log.time)[np.diff(log.case) == 0] > 0).all()


@given(
    cases=st.integers(1, 60),
    variants=st.integers(1, 60),
    activities=st.integers(1, 40),
    lengths=st.integers(1, 12).flatmap(lambda most: st.tuples(st.floats(1, most), st.just(most))),
    seed=st.integers(0, 2**32),
)
def test_a_shape_is_met_exactly_or_refused_because_it_is_impossible(
    cases: int, variants: int, activities: int, lengths: tuple[float, int], seed: int
) -> None:
    sequences = sum(activities**length for length in range(1, lengths[1] + 1))
    possible = variants <= cases and variants <= sequences and activities <= variants * lengths[1]
    try:
        shape = LogShape(cases, variants, activities, *lengths, seed=seed)
    except ParameterError:
        assert not possible
        return
    assert possible
    assert_exact(generate_log(shape), shape)


@pytest.mark.parametrize(("activities", "max_length"), [(1, 9), (2, 5), (3, 3), (40, 1), (6, 2)])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_all_sequences_there_are_can_be_asked_for(activities: int, max_length: int, share: float) -> None:
    sequences = sum(activities**length for length in range(1, max_length + 1))
    shape = LogShape(sequences, sequences, activities, 1 + share * (max_length - 1), max_length)
    assert_exact(generate_log(shape), shape)


@pytest.mark.parametrize(
    "shape",
    [
        LogShape(cases=3000, variants=3000),
        LogShape(cases=3000, variants=1),
        LogShape(cases=1, variants=1, activities=1, mean_length=250_000, max_length=250_000),
        LogShape(cases=1, variants=1, activities=100_000, mean_length=250_000, max_length=250_000),
        LogShape(cases=12_000, variants=11_000, activities=100_000, mean_length=10),
        LogShape(cases=2, variants=2, activities=20, mean_length=1, max_length=10),
        LogShape(cases=50_000, variants=50_000, activities=50_000, mean_length=1, max_length=1),
    ],
    ids=str,
)
def test_extreme_shapes_are_met_exactly(shape: LogShape) -> None:
    log = generate_log(shape)
    assert_exact(log, shape)
    if shape.mean_length == shape.max_length:
        assert (log.lengths == shape.max_length).all()


@pytest.mark.slow
def test_two_and_a_half_million_events_take_seconds() -> None:
    shape = LogShape(cases=150_000, variants=28_000, activities=30, mean_length=16.7, max_length=200)
    began = time.process_time()
    log = generate_log(shape)
    assert time.process_time() - began < 20, "about one second on an ordinary machine"
    assert 2_300_000 < log.n_events < 2_700_000
    assert len(variants_of(log)) == 28_000


@pytest.mark.parametrize("mean_length", [2, 5.5, 20, 60])
def test_cases_have_about_the_mean_length_and_do_vary(mean_length: float) -> None:
    log = generate_log(LogShape(cases=5000, variants=200, activities=200, mean_length=mean_length))
    assert log.lengths.mean() == pytest.approx(mean_length, rel=0.1)
    assert len(np.unique(log.lengths)) > 3


def test_frequencies_fall_like_zipf_and_skew_zero_makes_them_even() -> None:
    shares = {}
    for skew in (0.0, 1.0):
        log = generate_log(LogShape(cases=20_000, variants=200, skew=skew))
        counts = sorted(variants_of(log).values(), reverse=True)
        assert counts[-1] >= 1
        shares[skew] = counts[0] / 20_000
    assert shares[0.0] < 0.01
    # 1 / (1 + 1/2 + … + 1/200) = 0.170
    assert shares[1.0] == pytest.approx(0.170, abs=0.02)


def test_cases_start_within_the_window_and_mostly_by_day() -> None:
    log = generate_log(LogShape(cases=5000, start="2023-02-01", days=28))
    first = int(datetime(2023, 2, 1, tzinfo=UTC).timestamp() * 1000)
    assert log.starts.min() >= first
    assert log.starts.max() < first + 28 * 24 * HOUR
    hour = log.starts // HOUR % 24
    assert ((hour >= 7) & (hour < 19)).mean() > 0.7
    assert (hour < 5).any()


def test_the_seed_decides_the_log() -> None:
    assert same(generate_log(LogShape(seed=1)), generate_log(LogShape(seed=1)))
    assert not same(generate_log(LogShape(seed=1)), generate_log(LogShape(seed=2)))
    assert same(hospital_log(50, seed=1), hospital_log(50, seed=1))
    assert not same(hospital_log(50, seed=1), hospital_log(50, seed=2))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cases": 0}, "cases is 0"),
        ({"max_length": 0}, "max_length is 0"),
        ({"mean_length": 0.5}, "mean_length is 0.5"),
        ({"mean_length": float("nan")}, "mean_length is nan"),
        ({"mean_length": 101}, "mean_length is 101"),
        ({"skew": -1.0}, "skew is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"start": "yesterday"}, "must be a date such as"),
        ({"start": "9999-12-01"}, "beyond the year 9999"),
        ({"variants": 1001}, "need at least as many cases"),
        ({"activities": 1, "mean_length": 3, "max_length": 9}, "make only 9 sequences"),
        ({"activities": 10_001}, "no room for 10001 activities"),
    ],
)
def test_an_impossible_shape_is_refused_with_the_reason(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        LogShape(**wrong)  # type: ignore[arg-type]  # the wrong values are of several types


def test_the_hospital_has_common_ways_and_ways_that_one_patient_went() -> None:
    log = hospital_log()
    counts = sorted(variants_of(log).values(), reverse=True)
    assert log.n_cases == 300
    assert 15 <= len(counts) <= 25
    assert 8 <= len(log.activities) <= 12
    assert {"Register", "Triage", "Blood test", "Consultation", "Admit to ward", "Discharge"} <= {*log.activities}
    assert counts[0] > 40
    assert counts.count(1) >= 3
    assert log.case_names[0] == "patient-0001"
    assert (log.time % 1000 == 0).all()


def test_a_hospital_stay_lasts_minutes_to_days_and_starts_by_day() -> None:
    log = hospital_log(cases=2000)
    stay = log.time[log.offsets[1:] - 1] - log.starts
    assert stay.min() < HOUR
    assert 3 * 24 * HOUR < stay.max() < 60 * 24 * HOUR
    assert {str(day)[:4] for day in log.time.astype("datetime64[ms]")} == {"2024"}
    assert (log.starts.max() - log.starts.min()) // (24 * HOUR) in range(80, 91)
    assert np.isin(log.starts // HOUR % 24, range(7, 19)).mean() > 0.7


@pytest.mark.parametrize("cases", [1, 5, 21, 22])
def test_a_hospital_of_any_size_has_that_many_cases(cases: int) -> None:
    log = hospital_log(cases)
    assert log.n_cases == cases
    assert len(variants_of(log)) == min(cases, 21)


def test_a_hospital_without_patients_is_refused() -> None:
    with pytest.raises(ParameterError, match="cases is 0"):
        hospital_log(0)
    with pytest.raises(ParameterError, match="seed is -1"):
        hospital_log(seed=-1)


def test_the_example_in_the_repository_is_what_the_command_writes(tmp_path: Path) -> None:
    out = tmp_path / "hospital.xes.gz"
    command = [sys.executable, "-m", "amun_dp.synthetic", "--hospital", "--cases", "300", "--seed", "7"]
    subprocess.run([*command, "--out", str(out)], check=True)
    # Decompressed: another build of zlib compresses to other bytes.
    assert gzip.decompress(out.read_bytes()) == gzip.decompress(EXAMPLE.read_bytes())


def test_the_command_writes_any_shape(tmp_path: Path) -> None:
    out = tmp_path / "log.parquet"
    wanted = {"cases": 50, "variants": 7, "activities": 5, "mean-length": 4, "max-length": 20, "seed": 3}
    assert main([*(f"--{option}={value}" for option, value in wanted.items()), f"--out={out}"]) == 0
    shape = LogShape(cases=50, variants=7, activities=5, mean_length=4, max_length=20, seed=3)
    assert pq.read_metadata(out).num_rows == generate_log(shape).n_events


def test_the_command_explains_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", "0", "--out", str(tmp_path / "log.csv")]) == 2
    assert capsys.readouterr().err == "cases is 0; it must be at least 1.\n"
    with pytest.raises(SystemExit):
        main(["--hospital", "--variants", "3", "--out", str(tmp_path / "log.csv")])
    assert "only --cases and --seed go with it" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
