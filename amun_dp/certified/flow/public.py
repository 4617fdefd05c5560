"""Control flow over a public set of variants: a noisy histogram, fitted to the number of cases. Pure, and R1."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.events import PrivacyEvent
from amun_dp._base.arrays import IntArray
from amun_dp.certified.cases import Cases
from amun_dp.certified.contributions import Added, Rows, kept_rows
from amun_dp.certified.estimators import COUNT_SPREAD, combine, rounded_at_random, shrink, to_total
from amun_dp.certified.flow.released import Flow, cases_of
from amun_dp.certified.population import Population
from amun_dp.eventlog.variants import Sequences, match
from amun_dp.mechanisms.histograms import noisy_counts
from amun_dp.noise.sources import NoiseSource

_VARIANTS_A_CLASS = 100


def length_classes(variants: Sequences) -> IntArray:
    """Public classes of variants of similar length: 1, 2–3, 4–7, … events."""
    _, exponent = np.frexp(variants.lengths.astype(np.float64))
    return np.unique(exponent, return_inverse=True)[1].astype(np.int64)


def shares(variants: Sequences) -> dict[str, Fraction]:
    """A quarter for whole length classes, if there are 100 variants a class: summing V noisy counts costs √V."""
    classes = int(length_classes(variants).max()) + 1
    if variants.count >= _VARIANTS_A_CLASS * classes:
        return {"variants": Fraction(3, 4), "length classes": Fraction(1, 4)}
    return {"variants": Fraction(1)}


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """Which public variant each case has; -1 for none."""

    variants: Sequences

    def __call__(self, cases: Cases) -> IntArray:
        return match(cases.flow, self.variants, cases.activities)


@dataclass(frozen=True, slots=True, eq=False)
class _CasesOf:
    """Cases of each class of variants. A case is in one of them or in none."""

    classes: IntArray
    """Class of each variant."""
    count: int
    weight = 1

    def __call__(self, found: IntArray) -> Added:
        public = found >= 0
        return Added(self.count, (Rows(self.classes[found[public]], offsets=kept_rows(public)),))


def public_flow(
    cases: Population[Cases], variants: Sequences, number: int, epsilon: Fraction, source: NoiseSource
) -> Flow:
    """So many cases in all, each of a public variant.

    Sensitivity: a case is in one variant and in one length class, or in none: weight 1 in each histogram.
    """
    share, classes = shares(variants), length_classes(variants)
    size = int(classes.max()) + 1
    tallies = [_CasesOf(np.arange(variants.count), variants.count)]
    if "length classes" in share:
        tallies.append(_CasesOf(classes, size))
    counts, *of_class = cases.each(_Matched(variants)).totals(*tallies)
    measured = noisy_counts(counts, tallies[0].weight, epsilon * share["variants"], "control flow", source)
    events: list[PrivacyEvent] = [measured.event]
    estimate, variance = shrink(measured.values, measured.scale, number / variants.count, COUNT_SPREAD)
    if "length classes" in share:
        whole = noisy_counts(of_class[0], tallies[1].weight, epsilon * share["length classes"], "control flow", source)
        events.append(whole.event)
        totals, total_variance = combine(
            np.bincount(classes, estimate, size).astype(np.float64),
            np.bincount(classes, variance, size).astype(np.float64),
            whole.values.astype(np.float64),
            np.full(size, whole.variance),
        )
        totals = to_total(totals, total_variance, number)
        for number_of_class in range(size):  # a few: the logarithm of the longest variant
            members = classes == number_of_class
            estimate[members] = to_total(estimate[members], variance[members], float(totals[number_of_class]))
    estimate = to_total(estimate, variance, number)
    return Flow(cases_of(variants, rounded_at_random(estimate, source)), tuple(events))
