"""Where the log meets Laplace noise. Each function returns what it released with the record of what it cost.

All values are whole numbers and all noise is discrete Laplace, so the recorded scale is exactly that of the noise.
Scales are rounded up to the next float, so that the accountant's loss, an exact fraction, never exceeds the ε given.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from accounting.events import NoisyMax, ThresholdedHistogram, WeightedHistogram
from accounting.formulas import threshold_delta
from amun_dp._base.arrays import BoolArray, IntArray
from amun_dp.noise.sources import NoiseSource

Of = Literal["control flow", "times"]


class MeasuringSource(ABC):
    """A source that is told what it noises. An audit's: it asks what the same outputs would have been made of in a
    neighbouring log."""

    @abstractmethod
    def plus_noise(self, values: IntArray, scale: float, chosen: bool) -> IntArray:
        """The values with discrete Laplace noise; ``chosen`` says that only the place of the largest is reported."""

    @abstractmethod
    def plus_gaussian_noise(self, values: IntArray, sigma: float) -> IntArray:
        """The values with discrete Gaussian noise."""


UNITS = 1 << 20
"""Whole units that one case's weight is divided into where it is spread over cells; resolution, nothing else."""
_FARTHEST = 1 << 62
"""Released values saturate here: a function of the released value, so it costs nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Noisy cells."""

    values: IntArray
    scale: float
    event: WeightedHistogram

    @property
    def variance(self) -> float:
        """Of the noise on each cell; that of the continuous law, which the discrete one does not exceed."""
        return 2.0 * self.scale**2


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredKeys:
    """The cells whose noisy count reaches the threshold, and those counts; of the others nothing is told."""

    kept: BoolArray
    values: IntArray
    """One a kept cell."""
    event: ThresholdedHistogram


def scale_for(moved: int, epsilon: Fraction) -> float:
    """The smallest float that is at least moved/ε."""
    exact = moved / epsilon
    near = float(exact)
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def noisy_counts(values: IntArray, weight: int, epsilon: Fraction, of: Of, source: NoiseSource) -> Measured:
    """Each cell plus discrete Laplace noise of scale 2·weight/ε.

    ε-DP when a case is replaced, if a case adds numbers that are not negative and sum to at most ``weight``: replacing
    it moves the cells by at most 2·weight in L1. The cells must be fixed by public facts and earlier outputs.
    """
    scale = scale_for(2 * weight, epsilon)
    event = WeightedHistogram(scale, weight, of)
    return Measured(_plus_noise(values, scale, source), scale, event)


def not_taken(weight: int, epsilon: Fraction, of: Of) -> WeightedHistogram:
    """The record of a measurement that earlier outputs made pointless. It is counted all the same: another release of
    the same log may take it, and what is stated before and after a release is then one number."""
    return WeightedHistogram(scale_for(2 * weight, epsilon), weight, of)


def choice_not_made(sensitivity: int, epsilon: Fraction, of: Of) -> NoisyMax:
    """The same for a noisy choice."""
    return NoisyMax(scale_for(2 * sensitivity, epsilon), sensitivity, of)


def noisy_choice(
    scores: IntArray, offsets: IntArray, sensitivity: int, epsilon: Fraction, of: Of, source: NoiseSource
) -> tuple[int, NoisyMax]:
    """The index of the largest score + offset + discrete Laplace noise of scale 2·sensitivity/ε; ties to the first.

    ε-DP if adding, removing or replacing a case moves no score by more than ``sensitivity``; the offsets (whole
    numbers, so that comparing is exact) must be public.
    """
    scale = scale_for(2 * sensitivity, epsilon)
    event = NoisyMax(scale, sensitivity, of)
    return int(np.argmax(_plus_noise(scores + offsets, scale, source, chosen=True))), event


def thresholded_counts(counts: IntArray, threshold: int, epsilon: Fraction, source: NoiseSource) -> MeasuredKeys:
    """Each count plus discrete Laplace noise of scale 2/ε, released where it reaches the threshold.

    The cells are those that occur, and each case is in one of them: ε when a case is replaced, and δ =
    P(Z ≥ threshold - 1) for being seen in a cell that nobody else is in.
    """
    scale = scale_for(2, epsilon)
    event = ThresholdedHistogram(scale, threshold)
    noisy = _plus_noise(counts, scale, source)
    kept = noisy >= threshold
    return MeasuredKeys(kept, noisy[kept], event)


def threshold_for(epsilon: Fraction, delta: Fraction, cases: int) -> int:
    """The smallest threshold t with C·P(Z ≥ t - C) ≤ δ for noise of scale 2/ε, as the accountant computes it."""
    scale = scale_for(2, epsilon)

    def too_low(threshold: int) -> bool:
        return cases * Fraction(threshold_delta(scale, threshold, cases)) > delta

    low, high = cases, cases + 1  # a threshold exceeds the influence of the unit
    while too_low(high):
        low, high = high, cases + 2 * (high - cases)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if too_low(middle) else (low, middle)
    return high


def weighted_cells(cell: IntArray, weight: IntArray, cells: int) -> IntArray:
    """Sum of the weights of each cell, in whole numbers: exact, as long as fewer than 2³¹ cases spread 4096·UNITS."""
    result = np.zeros(cells, dtype=np.int64)
    np.add.at(result, cell, weight)
    return result


def _plus_noise(values: IntArray, scale: float, source: NoiseSource, chosen: bool = False) -> IntArray:
    values = values.astype(np.int64)
    if not len(values):
        return values
    if isinstance(source, MeasuringSource):
        return source.plus_noise(values, scale, chosen)
    return saturating_sum(values, source.discrete_laplace(np.full(len(values), scale)))


def saturating_sum(values: IntArray, noise: IntArray) -> IntArray:
    """value + noise, saturating. The noise itself saturates beyond that, so no sum wraps around."""
    values = np.clip(values, -(_FARTHEST // 2), _FARTHEST // 2)
    highest, lowest = noise > _FARTHEST - values, noise < -_FARTHEST - values
    total = values + np.where(highest | lowest, 0, noise)
    return np.where(highest, _FARTHEST, np.where(lowest, -_FARTHEST, total))
