"""Discrete Gaussian noise in integer arithmetic, many draws with different σ at once.

The sampler of Karney ("Sampling exactly from the normal distribution", 2016, Algorithm D) on the blocks of the discrete
Laplace one (``exact``), column by column: a number i ≥ 0 lies in one of the bands [kσ, (k+1)σ), so it is proposed by
its band and its place there, and kept with the probability that is missing then. It is a function of the random bits
that it is given and of nothing else, and a float is never rounded: it is taken for the fraction that it is. Why each
step has exactly the stated law: docs/exact-noise.md.
"""

from __future__ import annotations

import numpy as np

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp.noise.exact import (
    END,
    Bits,
    Naturals,
    Words,
    below,
    draws_of_fractions,
    half_turns,
    one_in,
    signed,
    whole_turns,
    with_probability_exp,
    with_probability_exp_half_square,
)

_MOST_SHIFT = 62
_MOST_BANDS = (1 << 9) - 1
"""Up to here band·numerator + numerator + 2^shift fits 64 bits, for numerators of 53."""


def discrete_gaussian(sigmas: FloatArray, bits: Bits) -> IntArray:
    """One independent draw for each σ, P(k) ∝ exp(-k²/2σ²); saturating at the ends of int64. σ = 0 gives 0."""
    return draws_of_fractions(sigmas, gaussian_draws, bits, _MOST_SHIFT)


def gaussian_draws(numerator: Naturals, shift: IntArray, bits: Bits) -> IntArray:
    """One draw for each σ = numerator/2^shift: proposals with a random sign, until one is kept; -0 never is."""
    result = np.zeros(len(numerator), dtype=np.int64)
    open_ = np.arange(len(numerator))
    while len(open_):
        magnitude, kept = proposals(numerator[open_], shift[open_], bits)
        negative = one_in(2, len(open_), bits)
        kept &= ~(negative & (magnitude == 0))
        result[open_] = signed(magnitude, negative)
        open_ = open_[~kept]
    return result


def proposals(numerator: Naturals, shift: IntArray, bits: Bits) -> tuple[Words, BoolArray]:
    """A number i ≥ 0 for each σ = numerator/2^shift, saturating at 2⁶³, and whether it is kept.

    Each i is proposed and kept with a probability proportional to exp(-i²/2σ²).
    """
    band = bands(len(numerator), bits)
    if numerator.dtype == object or (band > _MOST_BANDS).any():
        numerator, band = numerator.astype(object), band.astype(object)
    begin, shift = band * numerator, shift.astype(numerator.dtype)  # in units of 1/2^shift, as the numerator
    place = below(_whole(numerator, shift), bits)
    magnitude = _whole(begin, shift) + place
    part = (magnitude << shift) - begin
    kept: BoolArray = (part < numerator).astype(np.bool_)
    inside = np.flatnonzero(kept)
    kept[inside] = falls_off(part[inside], numerator[inside], band[inside], bits)
    return np.minimum(magnitude, END).astype(np.uint64), kept


def _whole(number: Naturals, shift: Naturals) -> Naturals:
    """number/2^shift, rounded up."""
    below_one = np.left_shift(np.ones_like(number), shift) - np.ones_like(number)
    rounded: Naturals = (number + below_one) >> shift
    return rounded


def bands(n: int, bits: Bits) -> Words:
    """P(k) ∝ exp(-k²/2), k ≥ 0: half turns, kept with probability exp(-k(k-1)/2)."""
    result = np.zeros(n, dtype=np.uint64)
    open_ = np.arange(n)
    while len(open_):
        proposed = half_turns(len(open_), bits)
        result[open_] = proposed
        several = np.flatnonzero(proposed > 1)  # others are certain to be kept
        missing = proposed[several] * (proposed[several] - np.uint64(1)) // np.uint64(2)
        open_ = open_[several[whole_turns(len(several), bits) < missing]]
    return result


def falls_off(part: Naturals, whole: Naturals, band: Naturals, bits: Bits) -> BoolArray:
    """True with probability exp(-x·band - x²/2), x = part/whole ≤ 1, row by row."""
    result = with_probability_exp_half_square(part, whole, bits)
    open_, asked = np.flatnonzero(result), 0
    while len(open_):
        open_ = open_[(band[open_] > asked).astype(np.bool_)]
        still = with_probability_exp(part[open_], whole[open_], bits)
        result[open_[~still]] = False
        open_, asked = open_[still], asked + 1
    return result
