"""What cases add to the measurements of durations: the steps of released pairs, seen in the ways that are tallied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray, offsets_of
from amun_dp.certified.cases import TimedCases
from amun_dp.certified.contributions import Added, Rows, kept_rows
from amun_dp.certified.totals import added_and_left
from amun_dp.mechanisms.histograms import UNITS, weighted_cells


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSteps:
    """The measured steps of released pairs, one row a step."""

    pair: IntArray
    """Index of the released pair."""
    case: IntArray
    duration: IntArray
    offsets: IntArray
    """The steps of case c are offsets[c] … offsets[c + 1] - 1."""
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
        offsets = offsets_of(np.bincount(case, minlength=cases.count))
        return MeasuredSteps(index[keep], case, duration, offsets, total)


@dataclass(frozen=True, slots=True, eq=False)
class LongCases:
    """Cases by their total duration: up to the first edge, up to the second, …, longer. A case is in one cell."""

    edges: IntArray
    weight = 1

    def __call__(self, measured: MeasuredSteps) -> Added:
        return Added(len(self.edges) + 1, (Rows(np.searchsorted(self.edges, measured.total_of_case)),))


@dataclass(frozen=True, slots=True, eq=False)
class SharesOfCap:
    """Durations of steps in units, of which a case has UNITS at most."""

    pair: IntArray
    case: IntArray
    units: IntArray
    offsets: IntArray
    """The steps of case c are offsets[c] … offsets[c + 1] - 1."""


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
        return SharesOfCap(measured.pair, measured.case, units, measured.offsets)


@dataclass(frozen=True, slots=True)
class PairTotals:
    """Total duration of each pair, in units."""

    pairs: int
    weight = UNITS

    def __call__(self, shares: SharesOfCap) -> Added:
        return Added(self.pairs, (Rows(shares.pair, shares.units, shares.offsets),))


@dataclass(frozen=True, slots=True)
class GrandTotal:
    """Total duration of all pairs, in units, and what the cases leave of UNITS each."""

    weight = UNITS

    def __call__(self, shares: SharesOfCap) -> Added:
        return added_and_left(weighted_cells(shares.case, shares.units, len(shares.offsets) - 1), UNITS)


@dataclass(frozen=True, slots=True, eq=False)
class BinnedSteps:
    """Steps with the bin of their duration; each of the m steps of a case weighs UNITS/m, rounded down."""

    pair: IntArray
    bin: IntArray
    units: IntArray
    offsets: IntArray
    """The steps of case c are offsets[c] … offsets[c + 1] - 1."""


@dataclass(frozen=True, slots=True, eq=False)
class InBins:
    """Bins between public edges."""

    edges: FloatArray

    def __call__(self, measured: MeasuredSteps) -> BinnedSteps:
        units = UNITS // np.diff(measured.offsets)[measured.case]
        bins = np.clip(np.searchsorted(self.edges, measured.duration, side="right") - 1, 0, len(self.edges) - 2)
        return BinnedSteps(measured.pair, bins, units, measured.offsets)


@dataclass(frozen=True, slots=True)
class BinsOfLog:
    """Steps of all pairs in each bin, by weight."""

    bins: int
    weight = UNITS

    def __call__(self, binned: BinnedSteps) -> Added:
        return Added(self.bins, (Rows(binned.bin, binned.units, binned.offsets),))


@dataclass(frozen=True, slots=True, eq=False)
class BinsOfPairs:
    """Steps in each bin of some of the pairs, by weight."""

    bins: int
    place: IntArray
    """Place of each pair among those that are measured; -1 for the others."""
    weight = UNITS

    def __call__(self, binned: BinnedSteps) -> Added:
        cells = int(self.place.max() + 1) * self.bins
        cell = self.place[binned.pair] * self.bins + binned.bin
        if (self.place >= 0).all():
            return Added(cells, (Rows(cell, binned.units, binned.offsets),))
        own = cell >= 0
        return Added(cells, (Rows(cell[own], binned.units[own], kept_rows(own, binned.offsets)),))
