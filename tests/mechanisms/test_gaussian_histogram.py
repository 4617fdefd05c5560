"""Sums with discrete Gaussian noise: the σ² on record is that of the law, and never less than what was asked for."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.gaussian_histogram import GaussianSums, noisy_gaussian_sums, sigma_for
from amun_dp.noise.sources import ExactNoise, SeededNoise, SystemNoise
from tests.noise.gaussian_law import rarest

END = 1 << 62


@given(
    sigma_squared=st.one_of(
        st.fractions(min_value=Fraction(1, 10**12), max_value=10**30),
        st.integers(1, 10**300).map(Fraction),
        st.integers(1, 10**300).map(lambda n: Fraction(1, n)),
        st.floats(1e-150, 1e150).map(lambda x: Fraction(x) ** 2),
    )
)
@example(sigma_squared=Fraction(4))
@example(sigma_squared=Fraction(2))
@example(sigma_squared=Fraction(1, 3 * 10**640))
def test_sigma_is_the_smallest_float_whose_square_is_enough(sigma_squared: Fraction) -> None:
    sigma = sigma_for(sigma_squared)
    assert Fraction(sigma) ** 2 >= sigma_squared
    assert Fraction(math.nextafter(sigma, 0.0)) ** 2 < sigma_squared


@pytest.mark.parametrize("sigma_squared", [Fraction(0), Fraction(-1)])
def test_a_measurement_without_noise_is_refused(sigma_squared: Fraction) -> None:
    with pytest.raises(ParameterError, match="must be a positive number"):
        noisy_gaussian_sums(np.array([1]), 1, sigma_squared, "times", SeededNoise(1))


class Noting(SeededNoise):
    """Keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__(1)
        self.sigmas: list[FloatArray] = []

    def discrete_gaussian(self, sigmas: FloatArray) -> IntArray:
        self.sigmas.append(sigmas)
        return super().discrete_gaussian(sigmas)


@given(sigma_squared=st.fractions(min_value=Fraction(1, 100), max_value=10**18), norm=st.integers(1, 1 << 31))
def test_the_record_has_exactly_the_sigma_that_was_drawn_from(sigma_squared: Fraction, norm: int) -> None:
    source = Noting()
    measured = noisy_gaussian_sums(np.array([5, 0, 7]), norm, sigma_squared, "control flow", source, centred=True)
    (sigmas,) = source.sigmas
    assert {Fraction(sigma) ** 2 for sigma in sigmas.tolist()} == {measured.record.sigma_squared}
    assert measured.record == GaussianSums(norm, Fraction(measured.sigma) ** 2, True, "control flow")
    assert measured.record.sigma_squared >= sigma_squared
    assert len(measured.values) == 3


@pytest.mark.parametrize("source", [SystemNoise(), ExactNoise()])
def test_cells_get_independent_noise_of_the_law(source: SystemNoise | ExactNoise) -> None:
    """Fails a right mechanism with probability 1e-11."""
    values = np.arange(20_000) * 1_000
    measured = noisy_gaussian_sums(values, 3, Fraction(50), "times", source)
    assert not measured.record.centred
    assert rarest(measured.values - values, math.sqrt(50)) > 1e-11


def test_enormous_noise_saturates_and_does_not_wrap() -> None:
    measured = noisy_gaussian_sums(np.full(400, 1 << 60), 1 << 20, Fraction(10) ** 60, "times", SystemNoise())
    assert set(measured.values.tolist()) == {-END, END}  # all of one sign: 2^-399


def test_no_cells_need_no_noise() -> None:
    source = Noting()
    assert not len(noisy_gaussian_sums(np.empty(0, dtype=np.int64), 1, Fraction(4), "times", source).values)
    assert not source.sigmas
