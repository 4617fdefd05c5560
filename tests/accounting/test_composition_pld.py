"""The tighter composition against exact losses of discrete Laplace noise (40 digits), and against the basic sum."""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.composition_pld import ROUNDING, tighter_case_loss, tighter_epsilon
from accounting.errors import AccountingError
from accounting.events import CaseMoves, LaplaceCount, Replicated, Sequential, ThresholdedHistogram
from accounting.guarantee import Relation, Scope
from accounting.losses import View, strict_loss
from accounting.quantities import UNBOUNDED, ZERO, Epsilon
from tests.properties import examples

MISSING = importlib.util.find_spec("dp_accounting") is None
needs_package = pytest.mark.skipif(
    # Where everything is meant to be installed a missing package is a failure, not a skip.
    MISSING and os.environ.get("CI") != "true",
    reason="dp_accounting is not installed (extra: pld)",
)


def losses(scale: float, sensitivity: int, times: int) -> dict[int, mpmath.mpf]:
    """Probability of each privacy loss, in units of 1/scale: by the definition of the noise and plain convolution."""
    a = 1 / mpmath.mpf(scale)
    below, weight = 1 / (1 + mpmath.exp(-a)), (1 - mpmath.exp(-a)) / (1 + mpmath.exp(-a))
    one = {sensitivity: below, -sensitivity: below * mpmath.exp(-a * sensitivity)}
    for x in range(1, sensitivity):
        one[sensitivity - 2 * x] = weight * mpmath.exp(-a * x)
    result = {0: mpmath.mpf(1)}
    for _ in range(times):
        convolved: dict[int, mpmath.mpf] = {}
        for loss, p in result.items():
            for more, q in one.items():
                convolved[loss + more] = convolved.get(loss + more, mpmath.mpf(0)) + p * q
        result = convolved
    return result


def true_delta(scale: float, sensitivity: int, times: int, epsilon: Epsilon) -> mpmath.mpf:
    with mpmath.workdps(40):
        assert epsilon.value is not None
        e = mpmath.mpf(epsilon.value.numerator) / epsilon.value.denominator
        steps = losses(scale, sensitivity, times).items()
        return mpmath.fsum(p * (1 - mpmath.exp(e - k / mpmath.mpf(scale))) for k, p in steps if k / scale > e)


def figure(epsilon: Epsilon) -> float:
    assert epsilon.value is not None
    return float(epsilon.value)


@pytest.mark.slow
@needs_package
@settings(max_examples=examples(40), deadline=None)  # the first example imports the library
@given(
    st.floats(0.05, 1e3),
    st.integers(1, 4),
    st.sampled_from([1, 2, 5, 30]),
    st.floats(-9, -1).map(lambda exponent: float(10**exponent)),
)
def test_the_stated_epsilon_really_holds_at_the_delta(scale: float, size: int, times: int, delta: float) -> None:
    stated = tighter_epsilon([(scale, size)] * times, delta)
    assert true_delta(scale, size, times, stated) <= delta
    assert stated <= Epsilon(times * size / Fraction(scale))


@needs_package
@pytest.mark.parametrize(
    # Smallest ε of k-fold randomised response, which is what the noise is at sensitivity 1, by bisection at 40 digits.
    ("scale", "times", "delta", "exact"),
    [
        (1.0, 1, 0.05, 0.92915473),
        (2.0, 10, 1e-5, 4.99885412),
        (10.0, 100, 1e-6, 4.77456759),
        (1.0, 30, 1e-3, 25.97419966),
    ],
)
def test_it_is_as_small_as_the_optimal_composition(scale: float, times: int, delta: float, exact: float) -> None:
    stated = figure(tighter_epsilon([(scale, 1)] * times, delta))
    assert exact - 1e-8 <= stated <= exact * (1 + 1e-6)


@needs_package
def test_one_mechanism_has_the_closed_form() -> None:
    # δ = (e^a - e^ε)/(1 + e^a) for a = 1/scale, solved for ε
    expected = math.log(math.e - 0.1 * (1 + math.e))
    assert figure(tighter_epsilon([(1.0, 1)], 0.1)) == pytest.approx(expected, abs=1e-8)


@needs_package
def test_many_small_losses_cost_less_than_their_sum_and_than_advanced_composition() -> None:
    k, a, delta = 1000, 0.01, 1e-6
    advanced = a * math.sqrt(2 * k * math.log(1 / delta)) + k * a * math.expm1(a)
    assert figure(tighter_epsilon([(1 / a, 1)] * k, delta)) < advanced < k * a


@needs_package
def test_continuous_laplace_noise_would_have_understated_it() -> None:
    from dp_accounting.pld import privacy_loss_distribution  # type: ignore[import-untyped,import-not-found,unused-ignore]

    continuous = privacy_loss_distribution.from_laplace_mechanism(1.0).self_compose(30).get_epsilon_for_delta(1e-3)
    assert continuous < figure(tighter_epsilon([(1.0, 1)] * 30, 1e-3)) - 3


@needs_package
def test_different_mechanisms_compose_in_any_order() -> None:
    mechanisms = [(5.0, 1), (7.5, 2), (400.0, 30)] * 10
    assert tighter_epsilon(mechanisms, 1e-6) == tighter_epsilon(mechanisms[::-1], 1e-6)
    assert figure(tighter_epsilon(mechanisms, 1e-6)) < figure(tighter_epsilon(mechanisms, 0))


@needs_package
def test_a_large_sensitivity_is_bounded_without_going_through_its_outputs() -> None:
    large = figure(tighter_epsilon([(1e10, 10**9)] * 40, 1e-6))
    exact_for_a_smaller_one = figure(tighter_epsilon([(1e3, 100)] * 40, 1e-6))
    assert exact_for_a_smaller_one < large < 4


@needs_package
@pytest.mark.parametrize("scale", [1e-3, 1e8])
def test_where_floats_do_not_reach_the_basic_sum_is_returned(scale: float) -> None:
    assert tighter_epsilon([(scale, 1)], 1e-2) == Epsilon(1 / Fraction(scale))


@pytest.mark.parametrize("delta", [0.0, ROUNDING])
def test_without_a_delta_to_spend_it_is_the_exact_sum(delta: float) -> None:
    assert tighter_epsilon([(3.0, 1), (7.0, 2)], delta) == Epsilon(Fraction(1, 3) + Fraction(2, 7))


def test_nothing_costs_nothing() -> None:
    assert tighter_epsilon([], 1e-6) == ZERO


@pytest.mark.parametrize("delta", [math.nan, -1e-9, 1.0, math.inf])
def test_a_delta_outside_its_domain_is_refused(delta: float) -> None:
    with pytest.raises(AccountingError, match="δ"):
        tighter_epsilon([(1.0, 1)], delta)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_a_scale_outside_its_domain_is_refused(scale: float) -> None:
    with pytest.raises(AccountingError, match="scale"):
        tighter_epsilon([(scale, 1)], 1e-6)


@pytest.mark.parametrize("sensitivity", [0, -1, 0.5, 1.5, math.nan, math.inf])
def test_a_sensitivity_that_discrete_noise_does_not_have_is_refused(sensitivity: float) -> None:
    with pytest.raises(AccountingError, match="sensitivity"):
        tighter_epsilon([(1.0, sensitivity)], 1e-6)


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(AccountingError, match=r"amun-dp\[pld\]"):
        tighter_epsilon([(1.0, 1)], 1e-6)


@needs_package
def test_a_release_of_counts_composes_more_tightly_than_the_sum_and_by_the_same_mechanisms() -> None:
    tree = Sequential((LaplaceCount(5.0, cells_per_case=20), Replicated(LaplaceCount(5.0, cells_per_case=5), 2)))
    tighter = tighter_case_loss(tree, Relation.ADD_REMOVE, 1e-6, View.PUBLIC)
    assert tighter < strict_loss(tree, Scope.CASE, Relation.ADD_REMOVE, View.PUBLIC).epsilon
    assert tighter == tighter_epsilon([(5.0, 1.0)] * 30, math.nextafter(1e-6, 0))
    doubled = tighter_case_loss(tree, Relation.REPLACE, 1e-6, View.PUBLIC)
    assert doubled == tighter_epsilon([(5.0, 1.0)] * 60, math.nextafter(1e-6, 0))


@needs_package
def test_thresholds_spend_their_part_of_delta_first() -> None:
    tree = ThresholdedHistogram(2.0, 40)
    spent = float(strict_loss(tree, Scope.CASE, Relation.REPLACE, View.PUBLIC).delta)
    assert tighter_case_loss(tree, Relation.REPLACE, spent / 2, View.PUBLIC) == UNBOUNDED
    assert tighter_case_loss(tree, Relation.REPLACE, spent + 1e-3, View.PUBLIC) <= Epsilon(Fraction(1))


def test_a_tree_with_anything_but_counts_keeps_its_basic_loss() -> None:
    assert tighter_case_loss(CaseMoves(), Relation.REPLACE, 1e-6, View.PUBLIC) == UNBOUNDED
    unknown_length = LaplaceCount(5.0)
    assert tighter_case_loss(unknown_length, Relation.REPLACE, 1e-6, View.PUBLIC) == UNBOUNDED
