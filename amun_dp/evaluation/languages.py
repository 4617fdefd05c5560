"""The distance between the stochastic languages of two logs, and what became of the variants.

The distance is the earth movers': the least that it takes to turn the shares of the variants before into those after,
where moving a share from variant a to variant b costs it times d(a, b) = L / max(|a|, |b|), with L the Levenshtein
distance of a and b. It is 0 for equal languages and at most 1. This d is the usual one (Leemans et al., 2019; pm4py),
but no metric: d(ab, ba) = 1, and yet d(ab, aba) = d(aba, ba) = 1/3. So what both logs share may be worth moving.

Where variants are too many for all pairs, D = 2·L / (|a| + |b| + L) bounds it. That is a metric (Li and Liu, 2007), for
which what both share is best left in place, and 2/3·d ≤ D ≤ d, since L, |a| and |b| are at most max(|a|, |b|) and L is
at least the difference of the lengths. So the cheapest plan for D costs, reckoned by D, no more than the distance; and
reckoned by d, no less.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import gcd

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.evaluation.transport import cheapest_shipment
from amun_dp.eventlog.language import Languages
from amun_dp.eventlog.one_of_a_kind import OneOfAKind, one_of_a_kind
from amun_dp.eventlog.variants import Sequences

TOP_VARIANTS = 50
MOST_PAIRS = 1_000_000
"""Pairs of variants that are compared: a thousand before with a thousand after."""
MOST_STEPS = 150_000_000
"""Steps of the bit-parallel Levenshtein distance over all pairs; a second at most."""
_WORD = 64
"""Activities that such a step takes at once."""
BOUNDING_EFFORT = 400_000_000
"""Arcs looked at for a bound, which gains little by more."""


@dataclass(frozen=True, slots=True)
class VariantCases:
    """One variant and how many cases follow it, before and after."""

    activities: tuple[str, ...]
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class VariantsKept:
    """What became of the variants."""

    kept: int
    lost: int
    new: int
    """Released ones that the original does not have."""
    cases_of_lost: int
    """Original cases of the lost ones."""
    cases_of_new: int
    """Released cases of the new ones."""
    one_of_a_kind: OneOfAKind
    """Variants that only one original case has."""
    top: tuple[VariantCases, ...]
    """The variants with the largest share of the cases of either log."""


@dataclass(frozen=True, slots=True)
class LanguageDistance:
    """The distance lies between ``low`` and ``high``, which are the same if all variants could be matched."""

    low: float
    high: float
    moved: float
    """Half of Σ |share before − share after|: the part of the cases that does not have the variants of the others."""
    matched: tuple[int, int]
    """Variants before and after that were matched one by one, of those with a part to be moved."""
    left_out: tuple[int, int]
    """Variants that were too many for that."""

    @property
    def exact(self) -> bool:
        return self.low == self.high


def variants_kept(found: Languages) -> VariantsKept:
    before, after = found.before, found.after
    larger = np.maximum(before / before.sum(), after / after.sum())
    top = np.lexsort((np.arange(len(larger)), -larger))[:TOP_VARIANTS].tolist()
    return VariantsKept(
        kept=int(np.count_nonzero((before > 0) & (after > 0))),
        lost=int(np.count_nonzero(after == 0)),
        new=int(np.count_nonzero(before == 0)),
        cases_of_lost=int(before[after == 0].sum()),
        cases_of_new=int(after[before == 0].sum()),
        one_of_a_kind=one_of_a_kind(before, after),
        top=tuple(VariantCases(found.labels(each), int(before[each]), int(after[each])) for each in top),
    )


def language_distance(found: Languages) -> LanguageDistance:
    """Exact where variants are few enough to compare all pairs, and bounds where they are not."""
    before, after = _equal_totals(found.before, found.after)
    moved = int(np.abs(before - after).sum()) / 2 / int(before.sum())
    rows, columns = np.flatnonzero(before), np.flatnonzero(after)
    if _fitting(found.variants, rows, columns) < max(len(rows), len(columns)):
        return _bounds(found.variants, before, after, moved)
    _, at_row, at_column = np.intersect1d(rows, columns, assume_unique=True, return_indices=True)
    cost = _edits(found.variants, rows, columns).normalised
    sent = cheapest_shipment(before[rows], after[columns], cost, (at_row, at_column))
    high = sent.cost(cost) / int(before.sum())
    low = high if sent.cheapest else sent.low / int(before.sum())
    return LanguageDistance(low, high, moved, (len(rows), len(columns)), (0, 0))


def _bounds(variants: Sequences, before: IntArray, after: IntArray, moved: float) -> LanguageDistance:
    """What both share stays; variants with most to move are matched. One row and one column stand for all others, at
    no cost for the lower bound and at the greatest, 1, for the upper."""
    surplus, lack = np.maximum(before - after, 0), np.maximum(after - before, 0)
    rows, columns = (np.argsort(-side, kind="stable")[: np.count_nonzero(side)] for side in (surplus, lack))
    most = _fitting(variants, rows, columns)
    left_out = max(0, len(rows) - most), max(0, len(columns) - most)
    rows, columns = rows[:most], columns[:most]
    edits = _edits(variants, rows, columns)
    cheap = np.pad(edits.metric, (0, 1), constant_values=0.0)
    dear = np.pad(edits.normalised, (0, 1), constant_values=1.0)
    supply = np.append(surplus[rows], surplus.sum() - surplus[rows].sum())
    demand = np.append(lack[columns], lack.sum() - lack[columns].sum())
    sent = cheapest_shipment(supply, demand, cheap, most_effort=BOUNDING_EFFORT)
    low = sent.cost(cheap) if sent.cheapest else sent.low
    total = int(before.sum())
    return LanguageDistance(low / total, sent.cost(dear) / total, moved, (len(rows), len(columns)), left_out)


def _equal_totals(before: IntArray, after: IntArray) -> tuple[IntArray, IntArray]:
    """Shares as whole numbers: each log's cases, as often as makes both logs the same size."""
    n, m = int(before.sum()), int(after.sum())
    return before * (m // gcd(n, m)), after * (n // gcd(n, m))


def _fitting(variants: Sequences, rows: IntArray, columns: IntArray) -> int:
    """How many of the first rows and of the first columns can be compared, pairs and their lengths considered."""
    most = np.arange(1, max(len(rows), len(columns)) + 1)
    some, others = np.minimum(most, len(rows)), np.minimum(most, len(columns))
    lengths = variants.lengths
    texts, patterns = np.cumsum(lengths[rows])[some - 1], np.cumsum(-(-lengths[columns] // _WORD))[others - 1]
    return int(np.count_nonzero((some * others <= MOST_PAIRS) & (texts * patterns <= MOST_STEPS)))


@dataclass(frozen=True, slots=True, eq=False)
class _Edits:
    """Levenshtein distances of some variants (rows) to others (columns), and the lengths of both."""

    distance: IntArray
    row_length: IntArray
    column_length: IntArray

    @property
    def normalised(self) -> FloatArray:
        """d of the module's description."""
        result: FloatArray = self.distance / np.maximum(self.row_length[:, None], self.column_length)
        return result

    @property
    def metric(self) -> FloatArray:
        """D of the module's description."""
        result: FloatArray = 2 * self.distance / (self.row_length[:, None] + self.column_length + self.distance)
        return result


def edit_distances(some: Sequences, others: Sequences) -> IntArray:
    """Levenshtein distances (insertions, deletions, replacements of one activity): one row per sequence of ``some``."""
    from rapidfuzz.distance.Levenshtein import distance
    from rapidfuzz.process import cdist

    # A pair at a time in compiled code. It compares hashes of elements, which are equal only for equal small integers.
    result: IntArray = cdist(_lists(some), _lists(others), scorer=distance, dtype=np.int32)
    return result


def _lists(sequences: Sequences) -> list[list[int]]:
    codes = sequences.activity.tolist()
    return [codes[start:end] for start, end in pairwise(sequences.offsets.tolist())]


def _edits(variants: Sequences, rows: IntArray, columns: IntArray) -> _Edits:
    distance = edit_distances(variants.take(rows), variants.take(columns))
    return _Edits(distance, variants.lengths[rows], variants.lengths[columns])
