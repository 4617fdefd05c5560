"""Priors, filtering and ε against brute force that follows the definitions word by word."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp.article.step2_prior
from amun_dp._base.units import SECOND
from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions
from amun_dp.article.step1_annotation import AnnotatedLog, annotate
from amun_dp.article.step2_prior import estimate_prior, find_windows
from amun_dp.article.step3_filtering import filter_cases
from amun_dp.article.step4_epsilon import event_losses
from amun_dp.eventlog.log import EventLog
from tests.logs import log_of, logs

# The article's rules with windows as narrow as the test logs' gaps.
NARROW_ARTICLE = replace(ARTICLE, window=10 * SECOND)
both = pytest.mark.parametrize("conventions", [CORRECTED, NARROW_ARTICLE], ids=["corrected", "article"])


def slow_prior(annotated: AnnotatedLog, kept: set[int], advantage: float, rules: Conventions) -> dict[int, float]:
    """Definition by definition: one event at a time."""
    found = {}
    for event in kept:
        group = annotated.group[event]
        values = [int(annotated.relative_time[other]) for other in kept if annotated.group[other] == group]
        value, start = int(annotated.relative_time[event]), group == 0
        window = rules.start_window if start else rules.window
        if len(set(values)) == 1:
            found[event] = (1 - advantage) / 2
        elif rules.prior == "closed-window":
            found[event] = sum(abs(other - value) <= window for other in values) / len(values)
        else:

            def cdf(at: int, values: list[int] = values) -> float:
                return sum(other <= at for other in values) / len(values)

            lower = cdf(value - window)
            found[event] = cdf(value + window) - (lower if start else max(lower, cdf(min(values))))
    return found


@both
@given(log=logs(), advantage=st.sampled_from([0.1, 0.3, 0.5]), data=st.data())
def test_priors_are_those_of_the_definition(
    conventions: Conventions, log: EventLog, advantage: float, data: st.DataObject
) -> None:
    annotated = annotate(log)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=log.n_cases, max_size=log.n_cases)))[log.case]
    found = estimate_prior(find_windows(annotated, conventions), kept, advantage, conventions).prior
    expected = slow_prior(annotated, set(np.flatnonzero(kept).tolist()), advantage, conventions)
    assert np.isnan(found[~kept]).all()
    for event, prior in expected.items():
        assert found[event] == pytest.approx(prior, abs=1e-12)


@given(log=logs(), limit=st.sampled_from([1, 10**6, 10**9]))
def test_splitting_the_axis_into_blocks_changes_nothing(log: EventLog, limit: int) -> None:
    annotated = annotate(log)
    whole = find_windows(annotated, CORRECTED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(amun_dp.article.step2_prior, "_AXIS_LIMIT", limit)
        blocks = find_windows(annotated, CORRECTED)
    assert np.array_equal(whole.low, blocks.low)
    assert np.array_equal(whole.high, blocks.high)


def test_years_1_and_9999_in_many_groups_do_not_overflow() -> None:
    low, high = -62_135_596_800_000, 253_402_300_799_000
    log = log_of([[(f"a{number}", low), (f"b{number}", low + number), (f"c{number}", high)] for number in range(200)])
    annotated = annotate(log)
    found = estimate_prior(find_windows(annotated, CORRECTED), np.ones(600, dtype=bool), 0.2, CORRECTED)
    assert np.isfinite(found.prior).all()
    assert (found.value_range > 0).all()


@both
@given(log=logs(), advantage=st.sampled_from([0.1, 0.3, 0.5]))
def test_filtering_removes_what_the_definition_says(conventions: Conventions, log: EventLog, advantage: float) -> None:
    annotated = annotate(log)
    found = filter_cases(annotated, find_windows(annotated, conventions), advantage, conventions)
    kept = set(range(log.n_events))
    while True:
        priors = slow_prior(annotated, kept, advantage, conventions)
        bad = {int(log.case[event]) for event, prior in priors.items() if prior + advantage >= 1 - 1e-9}
        kept = {event for event in kept if int(log.case[event]) not in bad}
        if not bad or conventions.filtering == "once":
            break
    assert set(np.flatnonzero(found.kept_case).tolist()) == {int(log.case[event]) for event in kept}
    after = slow_prior(annotated, kept, advantage, conventions)
    for event, prior in after.items():
        assert found.knowledge.prior[event] == pytest.approx(prior, abs=1e-12)


@given(log=logs(), advantage=st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5]))
def test_after_corrected_filtering_no_case_violates(log: EventLog, advantage: float) -> None:
    annotated = annotate(log)
    found = filter_cases(annotated, find_windows(annotated, CORRECTED), advantage, CORRECTED)
    left = found.knowledge.prior[found.kept_case[log.case]]
    assert (left + advantage < 1).all()


@both
@given(log=logs())
def test_ranges_are_the_maximum_or_the_spread_of_the_group(conventions: Conventions, log: EventLog) -> None:
    annotated = annotate(log)
    everything = np.ones(log.n_events, dtype=bool)
    found = estimate_prior(find_windows(annotated, conventions), everything, 0.2, conventions).value_range
    for event in range(log.n_events):
        values = annotated.relative_time[annotated.group == annotated.group[event]]
        window = conventions.start_window if annotated.group[event] == 0 else conventions.window
        expected = max(values.max(), window) if conventions is CORRECTED else np.ptp(values)
        assert found[event] == expected


def test_where_the_formula_has_no_value_the_loss_valid_for_every_prior_is_taken() -> None:
    advantage = 0.3
    worst = 4 * np.arctanh(advantage)
    losses = event_losses(np.array([0.0, 0.35, 0.7, 0.9, 1.0, 0.2, np.nan]), advantage)
    assert losses[:5] == pytest.approx([worst] * 5)
    assert losses[5] == pytest.approx(1.3863, abs=1e-4)
    assert np.isnan(losses[6])


def test_a_window_that_is_not_positive_is_refused() -> None:
    with pytest.raises(amun_dp.AmunError, match="window must be positive"):
        replace(CORRECTED, window=0)
