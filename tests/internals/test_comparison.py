"""Before and after, against plain Python and against the ledger of the release."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amun_dp.errors import ReleaseError
from amun_dp.eventlog.figures import figures_of
from amun_dp.eventlog.log import EventLog
from amun_dp.internals.comparison import PROBABILITY_BINS, posterior_of
from amun_dp.synthetic import hospital_log
from tests.logs import logs
from tests.properties import examples
from tests.report.reports import compared

METHODS: tuple[Any, ...] = ("filtering", "sampling", "oversampling")


@pytest.mark.parametrize("method", METHODS)
def test_losses_by_activity_are_those_of_the_noise_that_was_drawn(method: Any) -> None:
    log = hospital_log()
    _, release, found = compared(log, 0.2, method)
    assert release.noise is not None
    columns = release.noise.reveal()
    drawn: dict[str, dict[tuple[int, int], float]] = defaultdict(dict)
    for case, (start, stop) in enumerate(pairwise(release.event_log.offsets.tolist())):
        for place, row in enumerate(range(start, stop)):
            origin = int(columns.origin[row])
            label = log.activities[log.activity[log.offsets[origin] + place]]
            loss = float(columns.copies[row] * columns.value_range[row] / columns.scale[row])
            drawn[label][origin, place] = loss  # copies repeat it
            assert int(columns.case[row]) == case
    losses = found.losses
    assert losses is not None
    assert set(losses.activities) == set(drawn)
    for number, label in enumerate(losses.activities):
        values = sorted(drawn[label].values())
        assert losses.events[number] == len(values)
        assert losses.smallest[number] == pytest.approx(values[0], rel=1e-9)
        assert losses.median[number] == pytest.approx(statistics.median_low(values), rel=1e-9)
        assert losses.largest[number] == pytest.approx(values[-1], rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_no_posterior_exceeds_prior_plus_advantage_where_the_formula_has_a_value(method: Any) -> None:
    """Scales are rounded up, so the loss of every event stays within what its prior allows."""
    planned, _, found = compared(hospital_log(), 0.2, method)
    assert found.guessing is not None
    assert found.losses is not None
    assert found.guessing.above_claim == 0
    assert found.guessing.prior.sum() == found.guessing.posterior.sum() == found.losses.events.sum()
    for number in range(PROBABILITY_BINS):
        if found.guessing.prior[number]:
            highest = found.guessing.highest[number]
            assert highest <= min(1.0, (number + 1) / PROBABILITY_BINS + planned.parameters.advantage)
            assert found.guessing.lowest[number] <= found.guessing.median[number] <= highest


@given(st.floats(0, 1), st.floats(0, 50))
def test_the_posterior_adds_the_loss_to_the_log_odds(prior: float, loss: float) -> None:
    found = float(posterior_of(np.array([prior]), np.array([loss]))[0])
    if prior in (0.0, 1.0):
        assert found == prior
        return
    odds = prior / (1 - prior) * math.exp(loss)
    assert found == pytest.approx(odds / (1 + odds), rel=1e-9)
    assert found >= prior * (1 - 1e-12)


def test_an_event_without_noise_is_known_after_the_release() -> None:
    assert posterior_of(np.array([0.1]), np.array([np.inf])).tolist() == [1.0]


def sequences(log: EventLog) -> Counter[tuple[str, ...]]:
    return Counter(
        tuple(log.activities[code] for code in log.activity[start:stop]) for start, stop in pairwise(log.offsets)
    )


@given(logs(), st.sampled_from(METHODS))
@settings(max_examples=examples(40))
def test_variants_and_filtering_agree_with_counting_by_hand(log: EventLog, method: Any) -> None:
    try:
        planned, release, found = compared(log, 0.3, method)
    except ReleaseError:
        return
    before, after = sequences(log), sequences(release.event_log)
    changes = found.variants
    assert changes.kept == len(after)
    assert changes.kept + changes.filtered + changes.deleted == len(before)
    assert changes.new == 0
    assert changes.replicated == sum(after[each] > before[each] for each in before)
    assert changes.thinned == sum(0 < after[each] < before[each] for each in before)
    assert changes.cases_of_lost == sum(count for each, count in before.items() if not after[each])
    assert {each.activities: (each.before, each.after) for each in changes.top} == {
        each: (before[each], after[each]) for each in before
    }
    kept = planned.filtered.kept_case
    if found.removed is None:
        assert kept.all()
        return
    assert found.removed.cases == np.count_nonzero(~kept)
    assert found.removed.events == found.removed.activity_events.sum() == int(log.lengths[~kept].sum())
    # Every removed case has an event that was the cause, and no kept one counts.
    assert (found.removed.unprotectable > 0) == (found.removed.cases > 0)
    assert sum(cause.events for cause in found.removed.causes) == found.removed.unprotectable
    assert all(cause.largest_prior + 0.3 >= 1 - 1e-6 for cause in found.removed.causes)


def test_both_logs_share_their_time_bins() -> None:
    log = hospital_log()
    _, release, found = compared(log)
    assert (found.before.active.start, found.before.active.width) == (
        found.after.active.start,
        found.after.active.width,
    )
    assert len(found.before.active.cases) == len(found.after.active.cases)
    assert found.after.activity_events.tolist() == figures_of(release.event_log).activity_events.tolist()
