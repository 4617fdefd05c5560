"""Durations of the steps of an edge."""

from __future__ import annotations

import math

import pytest

from amun_dp._base.units import HOUR
from amun_dp.evaluation.distances import edge_table, steps_of
from amun_dp.evaluation.step_durations import StepDurations, step_durations
from amun_dp.eventlog.log import EventLog
from tests.logs import log_of


def of(*cases: tuple[str, int]) -> EventLog:
    """A case of two letters, so many hours apart."""
    return log_of([[(word[0], 0), (word[1], hours * HOUR)] for word, hours in cases])


def measured(before: EventLog, after: EventLog) -> tuple[dict[str, int], StepDurations]:
    steps = steps_of(before, after)
    names = [steps.activities[a] + steps.activities[b] for a, b in zip(steps.source, steps.target, strict=True)]
    return {name: number for number, name in enumerate(names)}, step_durations(steps, edge_table(steps))


def test_each_edge_is_compared_with_itself() -> None:
    edge, found = measured(of(("ab", 1), ("ab", 3), ("cd", 5)), of(("ab", 2), ("cd", 5), ("xy", 9)))
    assert found.distance[edge["ab"]] == pytest.approx(1)
    assert found.distance[edge["cd"]] == 0
    assert (found.mean[0][edge["ab"]], found.mean[1][edge["ab"]]) == (2, 2)


def test_an_edge_of_one_log_only_has_no_distance() -> None:
    edge, found = measured(of(("ab", 1), ("cd", 5)), of(("ab", 2), ("xy", 9)))
    assert math.isnan(found.distance[edge["cd"]]) and math.isnan(found.mean[1][edge["cd"]])
    assert math.isnan(found.distance[edge["xy"]]) and math.isnan(found.mean[0][edge["xy"]])


def test_an_edge_counts_as_often_as_it_occurs_before() -> None:
    _, found = measured(of(("ab", 1), ("ab", 1), ("ab", 1), ("cd", 5)), of(("ab", 2), ("cd", 25)))
    assert found.overall == pytest.approx((3 * 1 + 1 * 20) / 4)
    assert found.overall_mean == pytest.approx((3 * 1 + 1 * 5) / 4)


def test_logs_without_a_common_edge_have_no_distance() -> None:
    _, found = measured(of(("ab", 1)), of(("xy", 1)))
    assert math.isnan(found.overall)
    _, found = measured(log_of([[("a", 0)]]), log_of([[("a", 0)]]))
    assert math.isnan(found.overall)


def test_swapped_edges_have_equal_totals_and_a_distance_each() -> None:
    edge, found = measured(of(("ab", 1), ("cd", 8)), of(("ab", 8), ("cd", 1)))
    assert found.distance[edge["ab"]] == found.distance[edge["cd"]] == 7
