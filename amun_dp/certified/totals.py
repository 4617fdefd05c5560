"""Sums over all cases, and the number of cases where it is no public fact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.events import WeightedHistogram
from amun_dp.certified.estimating import combine
from amun_dp.certified.measuring import Of, noisy_counts
from amun_dp.eventlog import IntArray
from amun_dp.noise import NoiseSource


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and how uncertain it is; a public one is certain."""

    value: float
    variance: float = 0.0

    @property
    def whole(self) -> int:
        """As a number of cases: at least one."""
        return max(1, round(self.value))


UNKNOWN = Estimate(0.0, math.inf)


def noisy_number(cases: int, epsilon: Fraction, source: NoiseSource) -> tuple[Estimate, WeightedHistogram]:
    """How many cases there are. A case adds 1: weight 1."""
    measured = noisy_counts(np.array([cases]), 1, epsilon, "control flow", source)
    return Estimate(float(measured.values[0]), measured.variance), measured.event


def noisy_total(
    amounts: IntArray, most: int, number: Estimate, epsilon: Fraction, of: Of, source: NoiseSource
) -> tuple[Estimate, WeightedHistogram]:
    """The sum of one amount a case, each in [0, most].

    Two cells, what the cases add and what they leave of ``most``: a case adds exactly ``most`` to both together, so the
    weight is ``most``. With the number of cases each cell is an estimate of the sum, and the mean of the two has
    half the variance of one.
    """
    cells = np.array([amounts.sum(), (most - amounts).sum()], dtype=np.int64)
    measured = noisy_counts(cells, most, epsilon, of, source)
    added, left = measured.values.astype(np.float64)
    value, variance = combine(
        np.array([added]),
        np.array([measured.variance]),
        np.array([most * number.value - left]),
        np.array([measured.variance + most**2 * number.variance]),
    )
    return Estimate(float(value[0]), float(variance[0])), measured.event
