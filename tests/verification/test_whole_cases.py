"""Cases that came through as they were, where no plan says what noise would do: coarse times raise no alarm."""

from __future__ import annotations

import numpy as np
import pytest

from amun_dp._base.units import DAY
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.synthetic import hospital_log
from amun_dp.verification.checks import Fault, Told
from amun_dp.verification.original.original_checks import variants_in_original
from amun_dp.verification.original.whole_cases import equal_cases
from tests.logs import log_of
from tests.verification import forging


def compared(log: PublicLog, original: EventLog) -> str:
    return equal_cases(log, original, variants_in_original(log, original))


def on_days(seed: int, cases: int = 300) -> EventLog:
    """Cases that begin on one of ten days and take some of three."""
    random = np.random.default_rng(seed)
    starts, gaps = random.integers(0, 10, cases), random.integers(0, 3, cases)
    return log_of(
        [[("a", DAY * int(start)), ("b", DAY * int(start + gap))] for start, gap in zip(starts, gaps, strict=True)]
    )


def test_a_log_released_as_it_was_fails() -> None:
    original = hospital_log(cases=60, seed=1)
    with pytest.raises(Fault, match="60 of 60 cases have the start"):
        compared(forging.with_columns(original), original)


def test_some_cases_released_as_they_were_fail() -> None:
    original = hospital_log(cases=200, seed=1)
    moved = forging.with_columns(original, time=original.time + np.where(original.case % 20 == 0, 0, 61_007))
    with pytest.raises(Fault, match="10 of 200 cases have the start"):
        compared(moved, original)


def test_a_log_moved_as_a_whole_is_told() -> None:
    """Starts are all others; that all gaps are the same is said for people to judge."""
    original = hospital_log(cases=60, seed=1)
    told = compared(forging.with_columns(original, time=original.time + 61_007), original)
    assert isinstance(told, Told)
    assert "60 all gaps of one" in told


def test_times_on_few_days_coincide_and_raise_no_alarm() -> None:
    told = compared(forging.with_columns(on_days(1)), on_days(2))
    assert isinstance(told, Told)
    assert "300 of 300" in told


def test_a_new_variant_is_a_copy_of_no_case() -> None:
    original = hospital_log(cases=60, seed=1)
    activities = tuple(f"{label} again" for label in original.activities)
    told = compared(forging.with_columns(original, activities=activities), original)
    assert told.startswith("0 of 60 cases")
    assert "0 all gaps" in told
