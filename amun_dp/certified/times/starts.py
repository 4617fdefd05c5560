"""Start times of the released cases, from a private histogram over the public time frame."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.events import PrivacyEvent
from amun_dp._base.arrays import IntArray
from amun_dp.certified.cases import TimedCases
from amun_dp.certified.contributions import Added, Rows, kept_rows
from amun_dp.certified.estimators import rounded_at_random, shrink, to_total
from amun_dp.certified.population import Population
from amun_dp.certified.public_facts import PublicFacts
from amun_dp.mechanisms.histograms import noisy_counts
from amun_dp.noise.sources import NoiseSource, permutation, uniforms

BINS = 64
_SPREAD = 1.0


@dataclass(frozen=True, slots=True)
class _StartBins:
    """A case that counts starts in one of the bins."""

    first: int
    width: int
    weight = 1

    def __call__(self, timed: TimedCases) -> Added:
        bins = (timed.cases.starts - self.first) * BINS // self.width
        if timed.counted is None:
            return Added(BINS, (Rows(bins),))
        return Added(BINS, (Rows(bins[timed.counted], offsets=kept_rows(timed.counted)),))


def start_times(
    cases: Population[TimedCases], released: int, facts: PublicFacts, epsilon: Fraction, source: NoiseSource
) -> tuple[IntArray, PrivacyEvent]:
    """So many start times within the frame. Sensitivity: a case starts in one of 64 bins: weight 1."""
    width = facts.width + 1  # the last millisecond belongs to the frame
    tally = _StartBins(facts.first, width)
    (starts,) = cases.totals(tally)
    measured = noisy_counts(starts, tally.weight, epsilon, "times", source)
    estimate, variance = shrink(measured.values, measured.scale, released / BINS, _SPREAD)
    counts = rounded_at_random(to_total(estimate, variance, released), source)
    bins = np.repeat(np.arange(BINS), counts)[permutation(source, released)]
    offset = np.floor((bins + uniforms(source, released)) * (width / BINS)).astype(np.int64)
    return facts.first + np.clip(offset, 0, facts.width), measured.event
