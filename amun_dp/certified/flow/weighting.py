"""How much a step of a case weighs in the tables of control flow: long cases count as much as cases of the cap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.certified.cases import Cases
from amun_dp.mechanisms.histograms import UNITS


@dataclass(frozen=True, slots=True, eq=False)
class WeightedCases:
    """Cases with the weight of their steps, in whole units."""

    cases: Cases
    of_case: IntArray
    """Weight of each step of a case."""
    of_event: IntArray
    """The same, once for each event."""


@dataclass(frozen=True, slots=True)
class WeightedBySteps:
    """Each of the n + 1 steps of a case, with start and end, weighs min(1, cap/(n + 1)), rounded down to whole units:
    cap·UNITS in all, at most."""

    cap: int

    def __call__(self, cases: Cases) -> WeightedCases:
        of_case = np.minimum(UNITS, UNITS * self.cap // (cases.flow.lengths + 1))
        return WeightedCases(cases, of_case, np.repeat(of_case, cases.flow.lengths))
