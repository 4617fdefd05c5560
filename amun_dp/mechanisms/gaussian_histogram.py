"""Sums over cases with discrete Gaussian noise: counted in L2, for the promise on average over the noise.

Domain: cells of whole numbers, fixed by public facts and earlier outputs, to which every case adds a vector.
Sensitivity: the vector of a case has an L2 norm of at most ``norm``.
Relation: to leave a case out, public facts held fixed, moves the cells by at most ``norm``; to replace it moves them by
at most √2·norm if no vector has a negative entry, and by 2·norm if vectors are *centred* and may have some.
Law: independent N_Z(0, σ²), P(k) ∝ exp(-k²/2σ²) on the integers, σ² the exact fraction in the record (Canonne, Kamath,
Steinke, "The Discrete Gaussian for Differential Privacy", 2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.histograms import MeasuringSource, Of, saturating_sum
from amun_dp.noise.sources import NoiseSource


@dataclass(frozen=True, slots=True)
class GaussianSums:
    """What an accountant needs to know of one measurement."""

    norm: int
    """L2 norm of what one case adds, at most; in whole units."""
    sigma_squared: Fraction
    """Exactly that of the law that was drawn from; never less than what was asked for."""
    centred: bool
    """Whether a case may add negative numbers."""
    of: Of


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSums:
    """Noisy cells."""

    values: IntArray
    sigma: float
    record: GaussianSums

    @property
    def variance(self) -> float:
        """Of the noise on each cell; that of the continuous law, which the discrete one does not exceed."""
        return self.sigma**2


def sigma_for(sigma_squared: Fraction) -> float:
    """The smallest float whose square, as an exact fraction, is at least this.

    A sampler takes σ as a float, for the fraction that it is. Rounded up, the noise is never smaller than asked for.
    """
    if sigma_squared <= 0:
        raise ParameterError("σ² must be a positive number: there is no measurement without noise.")
    small = max(0, sigma_squared.denominator.bit_length() - sigma_squared.numerator.bit_length())
    digits = 64 + small // 2
    near = math.isqrt(math.ceil(sigma_squared * (1 << 2 * digits))) / (1 << digits)  # off by a unit in the last place
    while Fraction(near) ** 2 >= sigma_squared:
        near = math.nextafter(near, 0.0)
    while Fraction(near) ** 2 < sigma_squared:
        near = math.nextafter(near, math.inf)
    return near


def noisy_gaussian_sums(
    values: IntArray, norm: int, sigma_squared: Fraction, of: Of, source: NoiseSource, centred: bool = False
) -> MeasuredSums:
    """Each cell plus discrete Gaussian noise of the smallest σ that is a float and has σ² ≥ ``sigma_squared``.

    On average over the noise a case is told apart from none as N(0,1) from N(norm/σ, 1), but for what the integers
    cost, if it adds a vector of whole numbers of an L2 norm of at most ``norm``, without negative entries unless
    ``centred``. The cells must be fixed by public facts and earlier outputs.
    """
    sigma = sigma_for(sigma_squared)
    record = GaussianSums(norm, Fraction(sigma) ** 2, centred, of)
    values = values.astype(np.int64)
    if not len(values):
        return MeasuredSums(values, sigma, record)
    if isinstance(source, MeasuringSource):
        return MeasuredSums(source.plus_gaussian_noise(values, sigma), sigma, record)
    noise = source.discrete_gaussian(np.full(len(values), sigma))
    return MeasuredSums(saturating_sum(values, noise), sigma, record)
