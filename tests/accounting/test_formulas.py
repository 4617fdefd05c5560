"""ε and advantage against 60-digit arithmetic (mpmath) and against the values in the article's notes."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.algebra import likelihood_ratio, oversampling_polynomial, posterior, worst_prior, worst_ratio
from accounting.errors import AccountingError
from accounting.formulas import (
    advantage_for_prior,
    group_loss,
    headroom,
    laplace_loss,
    loss_for_prior,
    oversampling_epsilon,
    rate_for_prior,
    threshold_delta,
    worst_case_advantage,
    worst_case_loss,
)

mpmath.mp.dps = 60

inside = st.floats(min_value=1e-12, max_value=1 - 1e-12)


def exact_loss(prior: float, advantage: float) -> mpmath.mpf:
    p, a = mpmath.mpf(prior), mpmath.mpf(advantage)
    return -mpmath.log(p / (1 - p) * (1 / (a + p) - 1))


@pytest.mark.parametrize(("advantage", "expected"), [(0.2, 0.8109), (0.3, 1.2381), (0.4, 1.6946)])
def test_worst_case_losses_are_those_of_the_notes(advantage: float, expected: float) -> None:
    assert round(float(worst_case_loss(advantage)), 4) == expected


@pytest.mark.parametrize(("advantage", "expected"), [(0.2, 0.1777), (0.3, 0.2833), (0.4, 0.4046)])
def test_oversampling_epsilons_are_those_of_the_notes(advantage: float, expected: float) -> None:
    assert round(float(oversampling_epsilon(advantage)), 4) == expected


@given(inside, inside)
def test_a_calibrating_loss_is_below_the_true_one_and_a_reported_one_above(prior: float, advantage: float) -> None:
    if mpmath.mpf(prior) + mpmath.mpf(advantage) >= 1:
        return
    true = exact_loss(prior, advantage)
    down, up = float(loss_for_prior(prior, advantage, "down")), float(loss_for_prior(prior, advantage, "up"))
    assert down <= true <= up
    assert up - down <= 1e-12 * up


@given(inside)
def test_worst_case_loss_is_rounded_to_the_safe_side(advantage: float) -> None:
    true = 4 * mpmath.atanh(mpmath.mpf(advantage))
    assert worst_case_loss(advantage, "down") <= true <= worst_case_loss(advantage, "up")


@given(inside)
def test_the_oversampling_epsilon_is_rounded_to_the_safe_side(advantage: float) -> None:
    # Independent of the closed form: the root of the cubic in (0, 1), by bisection on 60 digits.
    a = mpmath.mpf(advantage)
    low, high = mpmath.mpf(0), mpmath.mpf(1)
    for _ in range(200):
        middle = (low + high) / 2
        if 2 * middle**3 + (a - 1) * middle + (a - 1) > 0:
            high = middle
        else:
            low = middle
    true = -2 * mpmath.log(low)
    assert oversampling_epsilon(advantage, "down") <= true <= oversampling_epsilon(advantage, "up")


@given(inside, st.floats(min_value=0, max_value=500))
def test_the_advantage_at_a_prior_is_never_understated(prior: float, loss: float) -> None:
    p = mpmath.mpf(prior)
    true = 1 / (1 + mpmath.exp(-mpmath.mpf(loss)) * (1 - p) / p) - p
    stated = float(advantage_for_prior(prior, loss))
    assert stated >= true - mpmath.mpf(10) ** -50 or stated == pytest.approx(float(1 - p), rel=1e-15)
    assert stated <= true + 1e-12


@given(st.floats(min_value=0, max_value=200))
def test_the_worst_case_advantage_is_never_understated(loss: float) -> None:
    true = mpmath.tanh(mpmath.mpf(loss) / 4)
    assert true <= worst_case_advantage(loss) <= true + 1e-12 or float(worst_case_advantage(loss)) == 1.0


@given(inside, st.floats(min_value=1e-6, max_value=20))
def test_no_prior_gains_more_than_the_worst_case(prior: float, loss: float) -> None:
    assert advantage_for_prior(prior, loss) <= worst_case_advantage(loss) * (1 + 1e-12)


@given(inside, inside)
def test_headroom_has_one_rounding(prior: float, advantage: float) -> None:
    true = 1 - mpmath.mpf(prior) - mpmath.mpf(advantage)
    assert abs(float(headroom(prior, advantage)) - true) <= abs(true) * 2**-52


def test_the_algebra_agrees_with_itself_symbolically() -> None:
    import sympy

    P, A = sympy.symbols("P A", positive=True)
    assert sympy.simplify(posterior(P, likelihood_ratio(P, A)) - (P + A)) == 0
    assert sympy.simplify(likelihood_ratio(worst_prior(A), A) - worst_ratio(A)) == 0


def test_the_oversampling_epsilon_is_a_root_of_the_polynomial() -> None:
    advantage = np.linspace(0.01, 0.99, 50)
    x = np.exp(-oversampling_epsilon(advantage) / 2)
    assert np.allclose(oversampling_polynomial(x, advantage), 0, atol=1e-12)


@pytest.mark.parametrize("advantage", [0.0, 1.0, -0.1, 1.5, math.nan, math.inf])
def test_an_advantage_outside_the_open_unit_interval_raises(advantage: float) -> None:
    for formula in (worst_case_loss, oversampling_epsilon):
        with pytest.raises(AccountingError):
            formula(advantage)
    with pytest.raises(AccountingError):
        loss_for_prior(0.1, advantage)


@pytest.mark.parametrize("prior", [0.0, 1.0, 0.8, -1.0, math.nan])
def test_a_prior_without_room_for_the_advantage_raises(prior: float) -> None:
    with pytest.raises(AccountingError):
        loss_for_prior(prior, 0.3)


def test_a_negative_or_undefined_loss_raises() -> None:
    for loss in (-1.0, math.nan):
        with pytest.raises(AccountingError):
            worst_case_advantage(loss)


def test_an_epsilon_per_unit_of_time_is_the_loss_over_the_range() -> None:
    assert float(rate_for_prior(0.2, 0.3, 1000.0)) == pytest.approx(float(loss_for_prior(0.2, 0.3)) / 1000)
    assert float(rate_for_prior(0.2, 0.3, 1000.0)) * 1000 <= float(loss_for_prior(0.2, 0.3))
    for value_range in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(AccountingError):
            rate_for_prior(0.2, 0.3, value_range)


def test_five_identical_cases_give_the_advantage_of_the_notes() -> None:
    # ε = 0.8109 and P = 0.4: five cases that move together gain 0.575, not 0.2.
    assert float(advantage_for_prior(0.4, group_loss(0.8109, 5))) == pytest.approx(0.575, abs=5e-4)
    assert float(worst_case_advantage(0.8109, dependent_cases=5)) >= 0.575
    with pytest.raises(AccountingError):
        group_loss(1.0, 0)


@given(st.integers(1, 10**15), st.floats(1e-6, 1e15))
def test_the_loss_of_laplace_noise_is_never_understated(sensitivity: int, scale: float) -> None:
    assert mpmath.mpf(float(laplace_loss(sensitivity, scale))) >= mpmath.mpf(sensitivity) / mpmath.mpf(scale)


def test_no_noise_is_an_infinite_loss_unless_nothing_can_move() -> None:
    assert laplace_loss([1, 0], [0.0, 0.0]).tolist() == [math.inf, 0.0]


@pytest.mark.parametrize(("scale", "threshold"), [(1.0, 10), (2.5, 30), (0.3, 3), (50.0, 700)])
def test_the_delta_of_a_threshold_is_the_tail_of_the_noise(scale: float, threshold: int) -> None:
    q = mpmath.exp(-1 / mpmath.mpf(scale))
    tail = mpmath.nsum(lambda k: (1 - q) / (1 + q) * q**k, [threshold - 1, mpmath.inf])
    assert tail <= threshold_delta(scale, threshold) <= tail * (1 + mpmath.mpf(10) ** -12)
    with pytest.raises(AccountingError):
        threshold_delta(scale, 1)
