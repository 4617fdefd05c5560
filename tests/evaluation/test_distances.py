"""Distances between directly-follows graphs, against hand-made logs and an independent computation."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from amun_dp._base.units import HOUR
from amun_dp.evaluation.distances import HOURS_PER_MONTH
from amun_dp.eventlog.log import EventLog
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from tests.evaluation.measured import distances
from tests.logs import log_of


def of(*variants: str, hours: int = 1) -> EventLog:
    """One case a word, one activity a letter, so many hours between two."""
    return log_of([[(letter, at * hours * HOUR) for at, letter in enumerate(word)] for word in variants])


def test_identical_logs_have_distance_0() -> None:
    log = hospital_log()
    found = distances(log, log)
    assert found.frequency_emd == found.time_emd == found.frequency_by_edge == found.time_by_edge == 0
    assert found.frequency_error == found.time_error == 0


def test_one_edge_moved_is_seen_by_both_distances() -> None:
    # Edges before: ab 2, bc 1. After: ab 1, bc 1, ax 1. Values 2 1 0 against 1 1 1: sorted difference (1+0+1)/3.
    found = distances(of("ab", "abc"), of("ax", "abc"))
    assert found.frequency_emd == pytest.approx(2 / 3)
    assert found.frequency_by_edge == pytest.approx(2 / 3)
    assert found.frequency_error == pytest.approx(2 / 3)


def test_permuted_edges_are_at_distance_0_for_the_article_and_not_edge_by_edge() -> None:
    before, after = of("ab", "ab", "ab", "cd"), of("cd", "cd", "cd", "ab")
    found = distances(before, after)
    assert found.frequency_emd == 0
    assert found.time_emd == 0
    assert found.frequency_by_edge == 2
    assert found.frequency_error == 1


def test_durations_are_summed_by_edge_and_counted_in_months() -> None:
    # ab takes 720 hours more in one log: a month on one of one edges.
    before, after = of("ab", hours=10), of("ab", hours=730)
    found = distances(before, after)
    assert found.time_emd == pytest.approx(1.0)
    assert found.time_by_edge == pytest.approx(1.0)
    assert found.time_error == pytest.approx(72.0)


def test_the_prototype_cuts_durations_to_whole_hours_and_the_matched_distance_does_not() -> None:
    before = log_of([[("a", 0), ("b", HOUR - 1)]])
    after = log_of([[("a", 0), ("b", 0)]])
    found = distances(before, after)
    assert found.time_emd == 0
    assert found.time_by_edge == pytest.approx((HOUR - 1) / HOUR / HOURS_PER_MONTH)


def test_logs_without_any_step_are_at_distance_0() -> None:
    found = distances(of("a", "b"), of("a"))
    assert found.frequency_emd == found.time_error == 0


def test_the_sorted_distance_is_scipy_s_wasserstein_distance_of_the_edge_values() -> None:
    logs = [generate_log(LogShape(cases=200, variants=40, activities=8, seed=seed)) for seed in (1, 2)]

    def edges(log: EventLog) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
        counts, hours = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for case in range(log.n_cases):
            rows = range(int(log.offsets[case]), int(log.offsets[case + 1]))
            for row in rows[:-1]:
                pair = log.activities[log.activity[row]], log.activities[log.activity[row + 1]]
                counts[pair] += 1
                hours[pair] += int(log.time[row + 1] - log.time[row]) // HOUR
        return counts, hours

    before, after = edges(logs[0]), edges(logs[1])
    keys = sorted({*before[0], *after[0]})
    found = distances(*logs)
    assert found.frequency_emd == pytest.approx(
        wasserstein_distance([before[0][key] for key in keys], [after[0][key] for key in keys])
    )
    assert found.time_emd == pytest.approx(
        wasserstein_distance([before[1][key] for key in keys], [after[1][key] for key in keys]) / HOURS_PER_MONTH
    )
    assert found.frequency_by_edge == pytest.approx(np.mean([abs(before[0][key] - after[0][key]) for key in keys]))
