"""Gaussian curves against Google's privacy loss distributions, which discretise and round up."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

pytest.importorskip("dp_accounting")

from dp_accounting.pld.privacy_loss_distribution import from_discrete_gaussian_mechanism, from_gaussian_mechanism

from accounting.average import delta_of, smoothing_surcharge

EPSILONS = (0.0, 0.5, 1.0, 2.0)


@pytest.mark.parametrize("mu", [0.25, 0.5, 1.0])
def test_delta_is_that_of_a_gaussian_mechanism(mu: float) -> None:
    theirs = from_gaussian_mechanism(1 / mu, value_discretization_interval=1e-4)
    for epsilon in EPSILONS:
        found, above = delta_of(Fraction(mu) ** 2, epsilon), theirs.get_delta_for_epsilon(epsilon)
        assert found <= above + 1e-9
        assert above <= found + 1e-4


def test_squares_add_up_over_measurements() -> None:
    theirs = from_gaussian_mechanism(4.0, value_discretization_interval=1e-4).self_compose(9)
    for epsilon in EPSILONS:
        found, above = delta_of(Fraction(9, 16), epsilon), theirs.get_delta_for_epsilon(epsilon)
        assert found <= above + 1e-9
        assert above <= found + 1e-3


@pytest.mark.parametrize("measurements", [1, 4])
def test_discrete_noise_is_within_the_curve_of_the_smaller_variance(measurements: int) -> None:
    sigma, units, s_squared = 40.0, 20, 4
    theirs = from_discrete_gaussian_mechanism(sigma, units, value_discretization_interval=1e-4)
    theirs = theirs.self_compose(measurements) if measurements > 1 else theirs
    square = measurements * Fraction(units**2, int(sigma) ** 2 - s_squared)
    surcharge = smoothing_surcharge(s_squared, measurements)
    for epsilon in EPSILONS:
        found, above = delta_of(square, epsilon, surcharge), theirs.get_delta_for_epsilon(epsilon)
        assert above <= found + 1e-3 * math.sqrt(measurements)
        assert found <= above * 1.05 + 1e-9
