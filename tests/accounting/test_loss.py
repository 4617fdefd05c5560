"""What a loss is and how losses add up, against trade-off curves that are integrated numerically."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.loss import FREE, NO_BOUND, Loss, gaussian, larger, of_group, times, together, two_larger
from accounting.quantities import NO_MU, UNBOUNDED, ZERO, ZERO_MU, Epsilon, MuSquared

fractions = st.fractions(min_value=0, max_value=50)
deltas = st.fractions(min_value=0, max_value=Fraction(1, 10))
pure_losses = st.builds(lambda epsilon, delta: Loss(Epsilon(epsilon), delta), fractions, deltas)
gaussian_losses = st.builds(gaussian, fractions, st.integers(1, 10**6), deltas)
losses = st.one_of(pure_losses, gaussian_losses, st.just(FREE), st.just(NO_BOUND))


def below(one: Loss, other: Loss) -> bool:
    return (
        one.epsilon <= other.epsilon
        and one.mu_squared <= other.mu_squared
        and one.delta <= other.delta
        and one.cells <= other.cells
    )


@given(losses, losses, losses)
def test_grouping_and_order_of_parts_change_nothing(one: Loss, two: Loss, three: Loss) -> None:
    assert together([together([one, two]), three]) == together([one, together([two, three])])
    assert together([one, two]) == together([two, one])
    assert together([one, FREE]) == one


@given(losses, losses, st.integers(1, 5))
def test_more_never_costs_less(one: Loss, two: Loss, count: int) -> None:
    assert below(one, together([one, two]))
    assert below(one, times(one, count))
    assert times(one, count) == together([one] * count)
    assert below(larger([one, two]), two_larger([one, two]))
    assert below(one, larger([one, two]))


@given(losses, st.integers(1, 5))
def test_a_group_costs_no_less_than_one_and_no_more_than_its_chain(loss: Loss, members: int) -> None:
    group = of_group(loss, members)
    if members == 1:
        assert group == loss
    if not loss.delta:
        assert loss.epsilon * members == group.epsilon
        assert loss.mu_squared <= group.mu_squared
        if loss.mu_squared.value is not None and group.mu_squared.value is not None:
            # Φ⁻¹ of the logistic function is concave from 0 on: a pure step of g·ε costs no more than g times its μ.
            assert group.mu_squared.value <= loss.mu_squared.value * members**2 * (1 + Fraction(1, 10**12))
    elif not loss.epsilon.bounded:
        assert group == (loss if members == 1 else NO_BOUND)


def test_a_pure_loss_has_both_coordinates_and_gaussian_noise_has_one() -> None:
    assert (FREE.epsilon, FREE.mu_squared) == (ZERO, ZERO_MU)
    assert (NO_BOUND.epsilon, NO_BOUND.mu_squared) == (UNBOUNDED, NO_MU)
    assert not NO_BOUND.bounded
    noise = gaussian(Fraction(1, 4), 7)
    assert noise.bounded
    assert not noise.epsilon.bounded
    assert noise.mu_squared == MuSquared(Fraction(1, 4))
    both = together([noise, Loss(Epsilon(Fraction(1)))])
    assert not both.epsilon.bounded
    assert both.mu_squared.bounded


def normal(upper: mpmath.mpf) -> mpmath.mpf:
    """P(Z ≤ upper), by quadrature of the density: no error function takes part."""
    density = lambda x: mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)  # noqa: E731 -- an integrand
    return mpmath.mpf(1) / 2 + mpmath.quad(density, [0, upper / 2, upper])


@pytest.mark.parametrize("epsilon", [Fraction(1, 50), Fraction(2, 5), Fraction(1), Fraction(3), Fraction(8)])
def test_the_gaussian_curve_of_a_pure_loss_lies_below_its_own_and_touches_it(epsilon: Fraction) -> None:
    """Of all mechanisms with that ε randomised response is the easiest to tell apart. Its smallest error of the second
    kind, for each error of the first, is never below that of the two normal laws."""
    with mpmath.workdps(30):
        squared = Loss(Epsilon(epsilon)).mu_squared.value
        assert squared is not None
        mu = mpmath.sqrt(mpmath.mpf(squared.numerator) / squared.denominator)
        ratio = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        gaps = []
        for step in range(1, 40):
            # A test that rejects beyond a cut between the two means, and further out.
            cut = mu / 2 + (step - 20) * mpmath.mpf(1) / 8
            first, second = 1 - normal(cut), normal(cut - mu)
            own = max(1 - ratio * first, (1 - first) / ratio, mpmath.mpf(0))
            gaps.append(own - second)
        assert min(gaps) >= -(mpmath.mpf(10) ** -25)
        assert min(gaps) <= mpmath.mpf(10) ** -12


@given(st.fractions(min_value=Fraction(1, 1000), max_value=10), st.integers(2, 6))
def test_an_epsilon_in_one_piece_costs_at_least_as_much_mu_as_in_several(epsilon: Fraction, parts: int) -> None:
    whole, part = Loss(Epsilon(epsilon)), Loss(Epsilon(epsilon / parts))
    assert times(part, parts).epsilon == whole.epsilon
    assert times(part, parts).mu_squared < whole.mu_squared
