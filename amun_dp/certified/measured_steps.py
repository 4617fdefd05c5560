"""What cases add to the measurements of durations: the steps of released pairs, seen in the ways that are tallied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp.certified.measuring import UNITS, weighted_cells
from amun_dp.certified.preparing import TimedCases
from amun_dp.certified.totals import added_and_left
from amun_dp.eventlog import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSteps:
    """The measured steps of released pairs, one row a step."""

    pair: IntArray
    """Index of the released pair."""
    case: IntArray
    duration: IntArray
    total_of_case: IntArray
    """Sum of the durations of each case; also of those that have none of the steps."""


@dataclass(frozen=True, slots=True, eq=False)
class OfPairs:
    """The steps of these pairs in cases that count; others are dropped. Durations are clamped to the public longest
    one, step by step."""

    pairs: IntArray
    """Codes of the released pairs, increasing."""
    longest: int

    def __call__(self, timed: TimedCases) -> MeasuredSteps:
        cases, pairs = timed.cases, self.pairs
        steps = cases.flow.steps(cases.activities)
        index = np.minimum(np.searchsorted(pairs, steps.pair), len(pairs) - 1)
        keep = pairs[index] == steps.pair
        if timed.counted is not None:
            keep &= timed.counted[steps.case]
        row, case = steps.row[keep], steps.case[keep]
        duration = np.minimum(cases.time[row] - cases.time[row - 1], self.longest)
        total = np.zeros(cases.count, dtype=np.int64)
        np.add.at(total, case, duration)
        return MeasuredSteps(index[keep], case, duration, total)


@dataclass(frozen=True, slots=True, eq=False)
class LongCases:
    """Cases by their total duration: up to the first edge, up to the second, …, longer. A case is in one cell."""

    edges: IntArray
    weight = 1

    def __call__(self, measured: MeasuredSteps) -> IntArray:
        return np.bincount(np.searchsorted(self.edges, measured.total_of_case), minlength=len(self.edges) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class SharesOfCap:
    """Durations of steps in units, of which a case has UNITS at most."""

    pair: IntArray
    case: IntArray
    units: IntArray
    cases: int


@dataclass(frozen=True, slots=True)
class InUnitsOf:
    """Durations in units of cap/UNITS, rounded down; a case longer than the cap is scaled down to it."""

    cap: int
    longest: int

    def __call__(self, measured: MeasuredSteps) -> SharesOfCap:
        # Beyond 2⁴² ms (139 years) duration · UNITS would overflow; shifted by a public number of bits it does not.
        shift = max(0, (self.longest + 1).bit_length() - 42)
        whole = np.maximum(measured.total_of_case, self.cap) >> shift
        units = (measured.duration >> shift) * UNITS // np.maximum(whole, 1)[measured.case]
        return SharesOfCap(measured.pair, measured.case, units, len(measured.total_of_case))


@dataclass(frozen=True, slots=True)
class PairTotals:
    """Total duration of each pair, in units."""

    pairs: int
    weight = UNITS

    def __call__(self, shares: SharesOfCap) -> IntArray:
        return weighted_cells(shares.pair, shares.units, self.pairs)


@dataclass(frozen=True, slots=True)
class GrandTotal:
    """Total duration of all pairs, in units, and what the cases leave of UNITS each."""

    weight = UNITS

    def __call__(self, shares: SharesOfCap) -> IntArray:
        return added_and_left(weighted_cells(shares.case, shares.units, shares.cases), UNITS)


@dataclass(frozen=True, slots=True, eq=False)
class BinnedSteps:
    """Steps with the bin of their duration; each of the m steps of a case weighs UNITS/m, rounded down."""

    pair: IntArray
    bin: IntArray
    units: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class InBins:
    """Bins between public edges."""

    edges: FloatArray

    def __call__(self, measured: MeasuredSteps) -> BinnedSteps:
        steps_of_case = np.bincount(measured.case, minlength=len(measured.total_of_case))
        units = UNITS // steps_of_case[measured.case]
        bins = np.clip(np.searchsorted(self.edges, measured.duration, side="right") - 1, 0, len(self.edges) - 2)
        return BinnedSteps(measured.pair, bins, units)


@dataclass(frozen=True, slots=True)
class BinsOfLog:
    """Steps of all pairs in each bin, by weight."""

    bins: int
    weight = UNITS

    def __call__(self, binned: BinnedSteps) -> IntArray:
        return weighted_cells(binned.bin, binned.units, self.bins)


@dataclass(frozen=True, slots=True, eq=False)
class BinsOfPairs:
    """Steps in each bin of some of the pairs, by weight."""

    bins: int
    place: IntArray
    """Place of each pair among those that are measured; -1 for the others."""
    weight = UNITS

    def __call__(self, binned: BinnedSteps) -> IntArray:
        place = self.place[binned.pair]
        own = place >= 0
        cells = int(self.place.max() + 1) * self.bins
        return weighted_cells(place[own] * self.bins + binned.bin[own], binned.units[own], cells)
