"""The average reading's numbers against 120-digit arithmetic (mpmath), and the table of docs/average.md."""

from __future__ import annotations

import math
from decimal import Context, Inexact, localcontext
from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accounting.average import (
    advantage_of,
    chance_of_more_than,
    delta_of,
    epsilon_of,
    mu_squared_of_advantage,
    mu_squared_of_pure,
    smoothing_surcharge,
    success_after,
    threshold_delta_of,
    yes_no_advantage_of,
)
from accounting.best_guess import chance_of_best_guess
from accounting.errors import AccountingError
from accounting.formulas import worst_case_loss
from tests.properties import examples

LEAST = 5e-324
"""The smallest positive float: what is rounded up is never less, unless it is 0."""
advantages = st.one_of(
    st.floats(min_value=1e-6, max_value=1 - 1e-6), st.sampled_from([1e-6, 1e-12, 0.5, 0.9, 1 - 1e-6, 1 - 2**-53])
).map(Fraction)
squares = st.one_of(
    st.floats(min_value=1e-3, max_value=30), st.floats(min_value=-12, max_value=6).map(lambda power: 10.0**power)
).map(Fraction)
epsilons = st.one_of(st.floats(min_value=0, max_value=20), st.sampled_from([0.0, 1e-9, 100.0, 1e4]))


@pytest.fixture(autouse=True)
def _digits() -> object:
    with mpmath.workdps(120):
        yield


def exact(value: Fraction | float) -> mpmath.mpf:
    fraction = Fraction(value)
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def upper(x: mpmath.mpf) -> mpmath.mpf:
    """P(Z ≥ x), also far out."""
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def true_delta(square: Fraction, epsilon: float) -> mpmath.mpf:
    mu, e = mpmath.sqrt(exact(square)), exact(epsilon)
    return upper(e / mu - mu / 2) - mpmath.exp(e) * upper(e / mu + mu / 2)


def just_above(found: float, true: mpmath.mpf, by: float = 1e-13) -> bool:
    """Not below, and above by no more than a rounding; a tail beyond the floats is the smallest of them."""
    return exact(found) >= true and (found <= LEAST or exact(found) <= true * (1 + exact(by)))


@settings(deadline=None)
@given(squares)
def test_the_advantage_is_just_above_the_true_one(square: Fraction) -> None:
    true = mpmath.erf(mpmath.sqrt(exact(square) / 8))
    assert just_above(advantage_of(square), true)
    assert just_above(yes_no_advantage_of(square), true / 2)
    with_delta = advantage_of(square, Fraction(1, 1000))
    assert exact(with_delta) >= min(true + exact(Fraction(1, 1000)), 1)
    assert with_delta <= 1


@settings(deadline=None)
@given(advantages)
def test_a_calibrating_square_is_just_below_the_true_one_and_never_reported_as_more(advantage: Fraction) -> None:
    found = mu_squared_of_advantage(advantage)
    with mpmath.workdps(400):
        true = 8 * mpmath.erfinv(exact(advantage)) ** 2
        assert exact(found) <= true
        # The advantage itself is taken as the float below it; near 1 that moves μ² most.
        assert exact(found) >= true * (1 - exact(1e-13) / (1 - exact(min(advantage, Fraction(1 - 1e-6)))))
    assert Fraction(advantage_of(found)) <= advantage
    assert Fraction(float(found)) == found


@settings(deadline=None)
@given(advantages)
def test_a_decimal_advantage_is_kept_exactly(advantage: Fraction) -> None:
    near = advantage.limit_denominator(1000)
    if 0 < near < 1:
        assert Fraction(advantage_of(mu_squared_of_advantage(near))) <= near


@settings(deadline=None)
@given(st.floats(min_value=1e-9, max_value=1 - 1e-9), squares)
def test_success_after_is_just_above_the_true_one(prior: float, square: Fraction) -> None:
    found = success_after(prior, square)
    shifted = mpmath.sqrt(2) * mpmath.erfinv(2 * exact(prior) - 1) + mpmath.sqrt(exact(square))
    assert just_above(found, upper(-shifted))
    assert exact(found) - exact(prior) <= exact(advantage_of(square)) + exact(1e-15)


@settings(deadline=None)
@given(squares, epsilons)
@example(Fraction(1, 10**40), 1e-9)
@example(Fraction(10**12), 1e4)
def test_delta_is_just_above_the_true_one(square: Fraction, epsilon: float) -> None:
    with mpmath.workdps(400):
        true = true_delta(square, epsilon)
    assert just_above(delta_of(square, epsilon), true)


@settings(deadline=None, max_examples=examples(40))
@given(squares, st.sampled_from([1e-300, 1e-12, 1e-6, 1e-3, 0.1, 0.9]))
def test_epsilon_is_just_above_the_true_one(square: Fraction, delta: float) -> None:
    found = epsilon_of(square, delta)
    with mpmath.workdps(400):
        assert true_delta(square, found) <= exact(delta)
        if found:
            assert true_delta(square, found * (1 - 1e-12)) > exact(delta)


@settings(deadline=None, max_examples=examples(25))
@given(squares, st.sampled_from([1e-6, 0.2, 0.5, 0.9, 1 - 1e-9]), st.sampled_from([0, Fraction(1, 10**6)]))
@example(Fraction(1, 10**12), 1e-6, 0)
def test_the_chance_of_more_is_the_least_bound_over_all_excesses(
    square: Fraction, by: float, delta: Fraction | int
) -> None:
    """δ(ε₀)/(1 - e^(ε₀-ε)) at its best ε₀, which the code does not look for."""
    mpmath.mp.dps = 60
    found = chance_of_more_than(square, by, Fraction(delta))
    limit = 4 * mpmath.atanh(exact(by))
    mu = mpmath.sqrt(exact(square))
    # The best ε₀ is where the line of that slope touches the curve: e^(ε₀) = φ(t-μ)/φ(t).
    low, high = mpmath.mpf(-45), limit / mu + mu / 2
    for _ in range(170):
        t = (low + high) / 2
        reached = (upper(t - mu) + exact(Fraction(delta))) / upper(t) >= mpmath.exp(limit)
        low, high = (low, t) if reached else (t, high)
    best = mu * high - mu**2 / 2
    excess = upper(best / mu - mu / 2) - mpmath.exp(best) * upper(best / mu + mu / 2) + exact(Fraction(delta))
    bound = excess / (1 - mpmath.exp(best - limit))
    if bound < 1:
        assert exact(found) >= bound * (1 - exact(1e-30))
        assert found <= LEAST or exact(found) <= bound * (1 + exact(1e-12))
    for other in (best - 1, best - exact(0.01), (best + limit) / 2):
        more = upper(other / mu - mu / 2) - mpmath.exp(other) * upper(other / mu + mu / 2) + exact(Fraction(delta))
        assert more / (1 - mpmath.exp(other - limit)) >= min(exact(found), 1) * (1 - exact(1e-12)) or found <= LEAST


@settings(deadline=None)
@given(st.one_of(st.floats(min_value=1e-9, max_value=200), st.sampled_from([1e-30, 1e4])).map(Fraction))
def test_a_pure_step_costs_just_above_the_true_square(epsilon: Fraction) -> None:
    found = mu_squared_of_pure(epsilon)
    half = mpmath.sqrt(exact(found)) / 2
    with mpmath.workdps(200):
        wrong = 1 / (1 + mpmath.exp(exact(epsilon)))
        assert upper(half) <= wrong
        assert upper(half * (1 - exact(1e-15))) > wrong
    assert Fraction(float(found)) == found


@settings(deadline=None)
@given(st.floats(min_value=1e-6, max_value=1 - 1e-6))
def test_a_pure_histogram_release_of_an_advantage_fits_a_budget_of_that_advantage(advantage: float) -> None:
    """Its leave-out loss is half of the loss that the advantage permits."""
    loss = Fraction(float(worst_case_loss(advantage)))
    budget = mu_squared_of_advantage(Fraction(advantage))
    assert mu_squared_of_pure(loss / 2) <= budget
    assert mu_squared_of_pure(loss / 2) >= budget * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize(
    ("advantage", "mu", "noise", "replace", "yes_no", "epsilon", "chances", "laplace", "gauss"),
    [
        ("0.2", 0.507, 1.974, (0.717, 0.280), 0.140, 3.36, (0.45, 8.1e-3, 5.0e-15), 31.4, 5.9),
        ("0.3", 0.771, 1.298, (1.090, 0.414), 0.207, 5.39, (0.53, 0.15, 1.4e-6), 20.6, 3.9),
        ("0.4", 1.049, 0.953, (1.483, 0.542), 0.271, 7.70, (0.60, 0.42, 1.4e-3), 15.0, 2.9),
    ],
)
def test_the_table_of_the_average_reading(
    advantage: str,
    mu: float,
    noise: float,
    replace: tuple[float, float],
    yes_no: float,
    epsilon: float,
    chances: tuple[float, ...],
    laplace: float,
    gauss: float,
) -> None:
    square = mu_squared_of_advantage(Fraction(advantage))
    one = math.sqrt(square)
    assert round(one, 3) == mu
    assert round(1 / one, 3) == pytest.approx(noise, abs=0.0005)
    assert round(math.sqrt(2 * square), 3) == replace[0]
    assert round(advantage_of(2 * square), 3) == replace[1]
    assert round(yes_no_advantage_of(2 * square), 3) == yes_no
    assert round(epsilon_of(2 * square, 1e-6), 2) == epsilon
    found = [chance_of_more_than(2 * square, by) for by in (float(advantage), 0.5, 0.9)]
    assert [float(f"{chance:.2g}") for chance in found] == list(chances)
    # Nine measurements: Laplace noise of scale 2·9/ε and variance 2b²; Gaussian of σ = 3/μ.
    assert round(math.sqrt(2) * 18 / float(worst_case_loss(float(advantage))), 1) == laplace
    assert round(3 / one, 1) == gauss


def test_the_example_of_the_label() -> None:
    assert round(success_after(0.1, mu_squared_of_advantage(Fraction(1, 5))), 2) == 0.22


@pytest.mark.slow
@pytest.mark.parametrize(
    ("advantage", "chances"),
    [("0.2", (1.0, 0.093, 4.0e-8)), ("0.3", (1.0, 0.44, 8.0e-4)), ("0.4", (1.0, 0.77, 2.8e-2))],
)
def test_the_best_guess_is_raised_more_often_than_a_statement_fixed_before(
    advantage: str, chances: tuple[float, ...]
) -> None:
    square = mu_squared_of_advantage(Fraction(advantage))
    for by, chance in zip((float(advantage), 0.5, 0.9), chances, strict=True):
        found = chance_of_best_guess(square, by)
        assert chance_of_more_than(2 * square, by) < found <= chance
        assert found > 0.9 * chance
        assert found <= chance_of_best_guess(square, by, Fraction(1, 10**9), Fraction(1, 10**9)) <= found * 1.001 + 2e-6


def test_a_best_guess_is_never_raised_where_nothing_is_released() -> None:
    assert chance_of_best_guess(Fraction(0), 0.5) == 0
    assert chance_of_best_guess(Fraction(10**6), 0.5) == 1
    assert chance_of_best_guess(Fraction(1, 100), 0.5, Fraction(1, 2)) == 1
    for wrong in (0.0, 1.0, math.nan):
        with pytest.raises(AccountingError):
            chance_of_best_guess(Fraction(1), wrong)


def test_smoothing_costs_nothing_where_the_noise_is_fine() -> None:
    theta = 2 * mpmath.nsum(lambda m: mpmath.exp(-8 * mpmath.pi**2 * m**2), [1, mpmath.inf])
    for cells in (1, 1000, 10**9):
        assert just_above(float(smoothing_surcharge(4, cells)), mpmath.expm1(cells * mpmath.log1p(theta)))
    assert float(smoothing_surcharge(4, 10**6)) < 1.1e-28
    assert smoothing_surcharge(4, 0) == 0
    theta = 2 * mpmath.exp(-2 * mpmath.pi**2)  # m = 1 alone: what is left of the sum is below 1e-33
    assert just_above(float(smoothing_surcharge(1, 10**9)), mpmath.expm1(10**9 * mpmath.log1p(theta)), 1e-6)


@pytest.mark.parametrize(("variance", "threshold", "influence"), [(9, 4, 1), (100, 40, 10), (Fraction(1, 4), 3, 1)])
def test_the_delta_of_a_threshold_is_above_the_tail_of_discrete_noise(
    variance: Fraction, threshold: int, influence: int
) -> None:
    masses = [mpmath.exp(-mpmath.mpf(k * k) / (2 * exact(variance))) for k in range(-2000, 2001)]
    true = sum(masses[2000 + threshold - influence :]) / sum(masses)
    found = threshold_delta_of(Fraction(variance), threshold, influence)
    assert (
        true <= exact(found) <= upper((threshold - influence - 1) / mpmath.sqrt(exact(variance))) * (1 + exact(1e-15))
    )


def test_a_surcharge_only_adds() -> None:
    square, surcharge = Fraction(1, 2), Fraction(1, 1000)
    for epsilon in (0.0, 1.0, 3.0):
        plain = delta_of(square, epsilon)
        assert plain < delta_of(square, epsilon, surcharge)
        smoothed = exact(1 + surcharge) * true_delta(square, epsilon) + 4 * exact(surcharge)
        assert exact(delta_of(square, epsilon, surcharge)) <= smoothed
    assert epsilon_of(square, 1e-6) < epsilon_of(square, 1e-6, surcharge) < epsilon_of(square, 1e-6) + 0.01
    assert chance_of_more_than(square, 0.5) < chance_of_more_than(square, 0.5, surcharge=surcharge)
    assert delta_of(Fraction(0), 0.0, surcharge) >= 0.004
    assert delta_of(Fraction(0), 1.0, surcharge) == 0


def test_the_ends_of_the_domain() -> None:
    assert advantage_of(Fraction(0)) == 0
    assert advantage_of(Fraction(10**30)) == 1
    assert advantage_of(Fraction(0), Fraction(2)) == 1
    assert success_after(0.0, Fraction(1)) == 0
    assert success_after(1.0, Fraction(1)) == 1
    assert success_after(0.0, Fraction(1), Fraction(1, 4)) == 0.25
    assert delta_of(Fraction(0), 0.0) == 0
    assert delta_of(Fraction(1), math.inf) == 0
    assert epsilon_of(Fraction(0), 0.0) == 0
    assert epsilon_of(Fraction(1), 0.0) == math.inf
    assert mu_squared_of_pure(Fraction(0)) == 0
    assert chance_of_more_than(Fraction(1), 0.5, Fraction(1)) == 1
    assert 0 < chance_of_more_than(Fraction(1, 10**30), 0.5) <= LEAST


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: mu_squared_of_advantage(Fraction(0)),
        lambda: mu_squared_of_advantage(Fraction(1)),
        lambda: advantage_of(Fraction(-1)),
        lambda: advantage_of(Fraction(1), Fraction(-1)),
        lambda: success_after(math.nan, Fraction(1)),
        lambda: success_after(1.5, Fraction(1)),
        lambda: delta_of(Fraction(1), -1.0),
        lambda: delta_of(Fraction(1), math.nan),
        lambda: epsilon_of(Fraction(1), 1.0),
        lambda: chance_of_more_than(Fraction(1), 0.0),
        lambda: chance_of_more_than(Fraction(1), 1.0),
        lambda: mu_squared_of_pure(Fraction(-1)),
        lambda: smoothing_surcharge(0, 1),
        lambda: smoothing_surcharge(1, 10**20),
        lambda: threshold_delta_of(Fraction(0), 2, 1),
        lambda: threshold_delta_of(Fraction(1), 1, 1),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: object) -> None:
    with pytest.raises(AccountingError):
        wrong()  # type: ignore[operator]


def test_the_precision_that_a_program_has_set_changes_nothing() -> None:
    def figures() -> list[object]:
        square = mu_squared_of_advantage(Fraction(1, 5))
        return [
            square,
            advantage_of(square),
            success_after(0.1, square),
            delta_of(square, 1.0),
            epsilon_of(square, 1e-6),
            chance_of_more_than(2 * square, 0.5),
            mu_squared_of_pure(Fraction(2, 5)),
            smoothing_surcharge(4, 1000),
            threshold_delta_of(Fraction(100), 60, 1),
        ]

    before = figures()
    with localcontext(Context(prec=3, traps=[Inexact])):
        assert figures() == before
