"""Bounds of an audit: exact where they can be computed otherwise, and right as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from amun_dp.auditing import audit_mechanism
from amun_dp.auditing.controls import Control, control_pair
from amun_dp.auditing.statistics import (
    Bound,
    Event,
    advantage_at,
    bound_on,
    chance_if_true,
    choose_event,
    epsilon_bound,
    largest_refutable,
    lower_bound,
    upper_bound,
)


@given(runs=st.integers(1, 3_000), share=st.floats(0, 1), alpha=st.sampled_from([0.5, 0.05, 1e-4, 1e-9]))
def test_a_bound_is_where_the_binomial_tail_is_alpha(runs: int, share: float, alpha: float) -> None:
    seen = round(share * runs)
    low, high = float(lower_bound(seen, runs, alpha)), float(upper_bound(seen, runs, alpha))
    if seen:
        assert binom.sf(seen - 1, runs, low) == pytest.approx(alpha, rel=1e-6)
    else:
        assert low == 0
    if seen < runs:
        assert binom.cdf(seen, runs, high) == pytest.approx(alpha, rel=1e-6)
    else:
        assert high == 1
    assert low <= seen / runs <= high


def test_the_bound_on_epsilon_is_the_logarithm_of_the_two_bounds() -> None:
    likely, unlikely = float(lower_bound(900, 1_000, 0.005)), float(upper_bound(30, 1_000, 0.005))
    assert float(epsilon_bound(900, 30, 1_000, 0.01)) == pytest.approx(math.log(likely / unlikely))
    assert float(epsilon_bound(900, 30, 1_000, 0.01, 0.1)) == pytest.approx(math.log((likely - 0.1) / unlikely))
    # Nothing below 0: an event that is no likelier than δ shows nothing.
    assert float(epsilon_bound(30, 900, 1_000, 0.01)) == 0
    assert float(epsilon_bound(50, 0, 1_000, 0.01, 0.2)) == 0


def test_the_largest_epsilon_that_could_be_refuted_grows_with_the_runs_as_their_logarithm() -> None:
    # Seen always and never: q_high = 1 - (α/2)^(1/n), and p_low = (α/2)^(1/n).
    for runs in (100, 1_000, 25_000):
        rest = 0.0005 ** (1 / runs)
        assert largest_refutable(runs, 0.001) == pytest.approx(math.log(rest / (1 - rest)), rel=1e-9)


def test_an_event_is_chosen_where_two_laws_differ_most() -> None:
    left, right = np.arange(1_000.0) % 10, np.arange(1_000.0) % 10
    tail = choose_event(np.append(left, [20.0] * 500), np.append(right, [0.0] * 500), 0.01)
    assert (tail.low, tail.favours) == (20.0, 0)
    # A single value in the middle: no threshold tells the two apart as well.
    middle = choose_event(np.append(left, [4.5] * 500), np.append(right, [0.0, 9.0] * 250), 0.01)
    assert (middle.low, middle.high, middle.favours) == (4.5, 4.5, 0)
    other = choose_event(np.append(right, [0.0, 9.0] * 250), np.append(left, [4.5] * 500), 0.01)
    assert (other.low, other.high, other.favours) == (4.5, 4.5, 1)


def test_a_test_counts_both_sides_and_nothing_else() -> None:
    left, right = np.array([1.0, 5, 5, 9]), np.array([5.0, 0, 0, 0])
    tested = bound_on(Event(5.0, 5.0, 0), left, right, 0.05)
    assert (tested.seen, tested.seen_on_other, tested.runs) == (2, 1, 4)
    swapped = bound_on(Event(5.0, 5.0, 1), left, right, 0.05)
    assert (swapped.seen, swapped.seen_on_other) == (1, 2)


def test_how_surely_is_the_level_at_which_the_bound_meets_the_claim() -> None:
    tested = Bound(Event(0, 1, 0), 1_000, 700, 100, 0, 0, 0)
    chance = chance_if_true(tested, 1.0)
    assert 0 < chance < 1e-6
    assert float(epsilon_bound(700, 100, 1_000, chance)) > 1.0
    assert float(epsilon_bound(700, 100, 1_000, chance * 0.97)) <= 1.0
    assert chance_if_true(tested, 3.0) == 1.0


def test_an_advantage_at_a_prior_is_bayes() -> None:
    # P = 1/4, ratio 27: posterior 27/30.
    assert advantage_at(0.25, 27) == pytest.approx(27 / 30 - 1 / 4)


@pytest.mark.slow
def test_no_bound_exceeds_the_truth_more_often_than_stated() -> None:
    """300 audits of a count with noise of scale 1, whose ε is exactly 1 at every threshold beyond the counts.

    At confidence 0.95 fifteen are allowed; 34 or more have a chance below 1e-5 if each had the full 5 %. Seeds are
    fixed, so the outcome is too."""
    bounds = [_bound_of_an_audit(seed, 0.95) for seed in range(300)]
    assert sum(bound > 1 for bound in bounds) < 34
    assert np.median(bounds) > 0.7  # and it is not loose


def test_the_share_of_bounds_that_are_wrong_would_show_if_bounds_were_estimates() -> None:
    """Plain estimates, without Clopper–Pearson, exceed the truth in about half of all audits: the test above would fail
    for them."""
    audits = [
        audit_mechanism(Control(True), [control_pair()], runs=1_000, confidence=0.5, seed=seed) for seed in range(60)
    ]
    tests = [audit.results[0].tested for audit in audits]
    estimates = [math.log(tested.seen / max(tested.seen_on_other, 1)) for tested in tests]
    assert sum(estimate > 1 for estimate in estimates) > 60 * 34 / 300
    assert sum(tested.epsilon_low > 1 for tested in tests) <= 30


def _bound_of_an_audit(seed: int, confidence: float) -> float:
    """The largest of its bounds on the sound mechanism: the control's and that of the one audited."""
    audit = audit_mechanism(Control(True), [control_pair()], runs=1_000, confidence=confidence, seed=seed)
    return max(audit.controls[0].tested.epsilon_low, audit.results[0].tested.epsilon_low)
