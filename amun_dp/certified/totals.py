"""Sums over all cases, and the number of cases where it is no public fact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.events import WeightedHistogram
from amun_dp._base.arrays import IntArray
from amun_dp.certified.cases import Cases
from amun_dp.certified.contributions import Added, Rows
from amun_dp.certified.estimators import combine
from amun_dp.certified.population import Population
from amun_dp.mechanisms.histograms import Of, noisy_counts
from amun_dp.noise.sources import NoiseSource


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


@dataclass(frozen=True, slots=True)
class _Number:
    """A case adds 1."""

    weight = 1

    def __call__(self, cases: Cases) -> Added:
        return Added(1, (Rows(np.zeros(cases.count, dtype=np.int64)),))


def noisy_number(
    cases: Population[Cases], epsilon: Fraction, source: NoiseSource
) -> tuple[Estimate, WeightedHistogram]:
    """How many cases there are."""
    tally = _Number()
    (number,) = cases.totals(tally)
    measured = noisy_counts(number, tally.weight, epsilon, "control flow", source)
    return Estimate(float(measured.values[0]), measured.variance), measured.event


def added_and_left(amounts: IntArray, most: int) -> Added:
    """Two cells, what the cases add and what they leave of ``most``, of one amount per case in [0, most]: a case adds
    exactly ``most`` to both together."""
    added = np.zeros(len(amounts), dtype=np.int64)
    return Added(2, (Rows(added, amounts), Rows(added + 1, most - amounts)))


def noisy_total(
    cells: IntArray, most: int, number: Estimate, epsilon: Fraction, of: Of, source: NoiseSource
) -> tuple[Estimate, WeightedHistogram]:
    """The sum of one amount a case, from what ``added_and_left`` makes of them: weight ``most``.

    With the number of cases each cell is an estimate of the sum, and the mean of the two has half the variance of one.
    """
    measured = noisy_counts(cells, most, epsilon, of, source)
    added, left = measured.values.astype(np.float64)
    value, variance = combine(
        np.array([added]),
        np.array([measured.variance]),
        np.array([most * number.value - left]),
        np.array([measured.variance + most**2 * number.variance]),
    )
    return Estimate(float(value[0]), float(variance[0])), measured.event
