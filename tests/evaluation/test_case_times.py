"""Cycle times and active cases over time, by hand and by plain Python."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from scipy.stats import wasserstein_distance

from amun_dp._base.units import HOUR
from amun_dp.evaluation.case_times import active_difference, cycle_times
from amun_dp.eventlog.log import EventLog
from tests.evaluation import twin
from tests.logs import log_of, logs


def lasting(*spans: tuple[int, int]) -> EventLog:
    """One case a span, in hours."""
    return log_of([[("a", start * HOUR), ("b", end * HOUR)] for start, end in spans])


def test_cycle_times_are_in_hours_and_compared_as_distributions() -> None:
    found = cycle_times(lasting((0, 1), (0, 3)), lasting((5, 7), (5, 9), (0, 6)))
    assert found.mean == pytest.approx((2, 4))
    assert found.median == pytest.approx((2, 4))
    # 1 3 against 2 4 6: in sixths 1 1 1 3 3 3 and 2 2 4 4 6 6.
    assert found.distance == pytest.approx((1 + 1 + 3 + 1 + 3 + 3) / 6)


def test_nine_of_ten_cases_last_no_longer_than_the_ninth_decile() -> None:
    assert cycle_times(*[lasting(*((0, hours) for hours in range(11)))] * 2).ninth_decile == (9, 9)


def test_active_cases_are_compared_instant_by_instant() -> None:
    # Before: one case from 0 to 4 and one from 2 to 4, an area of 6. After: 0 to 2 and 2 to 6. From 0 to 2 they are the
    # same, then there is one too few until 4 and one too many until 6.
    found = active_difference(lasting((0, 4), (2, 4)), lasting((0, 2), (2, 6)))
    assert found.difference == pytest.approx((2 + 2) / 6)
    assert found.most == (2, 2)


def test_the_number_at_one_time_does_not_see_which_case_it_is() -> None:
    assert active_difference(lasting((0, 2), (2, 4)), lasting((0, 4))).difference == 0


def test_cases_without_any_duration_leave_nothing_to_compare_with() -> None:
    assert active_difference(lasting((0, 0)), lasting((5, 5))).difference == 0
    assert math.isinf(active_difference(lasting((0, 0)), lasting((5, 6))).difference)


@given(logs(), logs())
def test_both_agree_with_plain_python(before: EventLog, after: EventLog) -> None:
    found = cycle_times(before, after)
    spans = [[(end - start) / HOUR for start, end in twin.spans_of(log)] for log in (before, after)]
    assert found.mean == pytest.approx(tuple(map(statistics.fmean, spans)))
    assert found.median == pytest.approx(tuple(map(statistics.median, spans)))
    assert found.distance == pytest.approx(wasserstein_distance(*spans), abs=1e-12)
    active = active_difference(before, after)
    assert active.most == (twin.most_active(before), twin.most_active(after))
    if any(spans[0]):
        assert active.difference == pytest.approx(twin.active_difference(before, after), abs=1e-12)


@given(logs())
def test_a_log_does_not_differ_from_itself(log: EventLog) -> None:
    assert cycle_times(log, log).distance == 0
    assert active_difference(log, log).difference == 0
