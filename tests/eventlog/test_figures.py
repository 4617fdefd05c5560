"""Figures of a log, against plain Python that counts one event at a time."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp._base.units import DAY
from amun_dp.eventlog.figures import (
    DURATION_EDGES,
    MOST_BINS,
    LogFigures,
    added_figures,
    bin_width,
    figures_of,
    public_figures,
)
from amun_dp.eventlog.log import EventLog, declared_public
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from tests.logs import log_of, logs, variants_of, words_log


def cases_of(log: EventLog) -> list[list[tuple[str, int]]]:
    return [
        [(log.activities[code], int(time)) for code, time in zip(log.activity[a:b], log.time[a:b], strict=True)]
        for a, b in pairwise(log.offsets)
    ]


@given(logs())
def test_every_figure_equals_what_a_loop_over_the_events_counts(log: EventLog) -> None:
    found, cases = figures_of(log), cases_of(log)
    assert (found.cases, found.events, found.variants) == (len(cases), log.n_events, len(variants_of(log)))

    by_activity = Counter(activity for case in cases for activity, _ in case)
    assert dict(zip(found.activities, found.activity_events.tolist(), strict=True)) == by_activity

    follows = found.follows
    edges = Counter((a, b) for case in cases for (a, _), (b, _) in pairwise(case))
    assert edges == {
        (found.activities[a], found.activities[b]): count
        for a, b, count in zip(follows.source, follows.target, follows.count.tolist(), strict=True)
    }
    assert follows.starts.tolist() == [sum(case[0][0] == name for case in cases) for name in found.activities]
    assert follows.ends.tolist() == [sum(case[-1][0] == name for case in cases) for name in found.activities]

    def duration_bin(case: list[tuple[str, int]]) -> int:
        lasted = case[-1][1] - case[0][1]
        return 0 if lasted == 0 else 1 + sum(edge < lasted for edge in DURATION_EDGES)

    bins = Counter(duration_bin(case) for case in cases)
    assert found.durations.tolist() == [bins[number] for number in range(len(DURATION_EDGES) + 2)]

    active = found.active
    for number, count in enumerate(active.cases.tolist()):
        start = active.start + number * active.width
        assert count == sum(case[0][1] < start + active.width and case[-1][1] >= start for case in cases)


def test_durations_on_an_edge_belong_to_the_bin_that_it_ends() -> None:
    log = log_of([[("a", 0), ("b", lasted)] for lasted in (0, 1, 1_000, 1_001, 101 * 365 * DAY)])
    counts = figures_of(log).durations
    assert counts[:3].tolist() == [1, 2, 1]
    assert counts[-1] == 1


@given(st.integers(-(10**15), 10**15), st.integers(0, 10**16))
def test_time_bins_are_never_more_than_sixty(first: int, span: int) -> None:
    width = bin_width(first, first + span)
    assert (first + span) // width - first // width + 1 <= MOST_BINS


def test_a_log_of_one_instant_and_one_of_millions_of_years_have_bins() -> None:
    assert figures_of(words_log(["a", "a"])).active.cases.tolist() == [2]
    ages = figures_of(log_of([[("a", -(1 << 61)), ("b", 1 << 61)], [("a", 0)]])).active
    assert len(ages.cases) <= MOST_BINS
    assert ages.cases.max() == 2


def test_two_logs_share_the_bins_of_a_common_span() -> None:
    early, late = log_of([[("a", 0), ("b", 5 * DAY)]]), log_of([[("a", 40 * DAY), ("b", 90 * DAY)]])
    one, other = figures_of(early, (0, 90 * DAY)).active, figures_of(late, (0, 90 * DAY)).active
    assert (one.start, one.width, len(one.cases)) == (other.start, other.width, len(other.cases))
    assert one.cases[0] == 1
    assert one.cases[-1] == 0
    assert other.cases[-1] == 1


def test_figures_of_the_hospital_add_up() -> None:
    log = hospital_log()
    found = figures_of(log)
    assert found.activity_events.sum() == log.n_events
    assert found.follows.count.sum() == log.n_events - log.n_cases
    assert found.follows.starts.sum() == found.follows.ends.sum() == found.durations.sum() == log.n_cases


def test_many_activities_are_counted_without_a_table_of_all_pairs() -> None:
    # A table of all pairs would take 80 GB; edges that occur are all that is kept.
    shape = LogShape(cases=50_000, variants=50_000, activities=100_000, mean_length=6, max_length=20, seed=3)
    found = figures_of(generate_log(shape))
    assert len(found.activities) == 100_000
    assert found.follows.count.sum() == found.events - found.cases
    assert np.all(np.diff(found.follows.source * 100_000 + found.follows.target) > 0)


@given(logs(), st.integers(1, 5))
def test_the_figures_of_parts_add_up_to_those_of_the_log(log: EventLog, cases: int) -> None:
    whole = public_figures(declared_public(log))
    span = (whole.first_time, whole.last_time)
    listed = cases_of(log)
    parts = [declared_public(log_of(listed[first : first + cases])) for first in range(0, len(listed), cases)]
    found = added_figures([public_figures(part, span) for part in parts], whole.variants)
    for name in ("cases", "events", "variants", "activities", "first_time", "last_time"):
        assert getattr(found, name) == getattr(whole, name)
    for name in ("activity_events", "durations"):
        assert getattr(found, name).tolist() == getattr(whole, name).tolist()
    assert (found.active.start, found.active.width) == (whole.active.start, whole.active.width)
    assert found.active.cases.tolist() == whole.active.cases.tolist()
    for name in ("source", "target", "count", "starts", "ends"):
        assert getattr(found.follows, name).tolist() == getattr(whole.follows, name).tolist()


def test_figures_that_are_not_public_do_not_become_so_by_adding() -> None:
    public, other = public_figures(declared_public(hospital_log(5))), figures_of(hospital_log(5))
    assert type(added_figures([other, other], 1)) is LogFigures
    for mixed in ([public, other], [other, public]):
        with pytest.raises(TypeError, match="never added"):
            added_figures(mixed, 1)
