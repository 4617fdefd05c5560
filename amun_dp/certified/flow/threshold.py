"""Control flow of the variants that are frequent enough: (ε, δ), R1, and nothing about variants is assumed public."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from amun_dp._base.messages import Message
from amun_dp.certified.cases import Cases, variant_of
from amun_dp.certified.errors import EmptyReleaseError
from amun_dp.certified.estimators import rounded_at_random, to_total
from amun_dp.certified.flow.released import Flow, cases_of
from amun_dp.certified.population import Population
from amun_dp.eventlog.variants import spelled
from amun_dp.mechanisms.histograms import thresholded_counts
from amun_dp.noise.sources import NoiseSource


def shares() -> dict[str, Fraction]:
    return {"variants above the threshold": Fraction(1)}


def thresholded_flow(
    cases: Population[Cases],
    activities: int,
    most: int | None,
    threshold: int,
    epsilon: Fraction,
    source: NoiseSource,
) -> Flow:
    """The variants whose noisy count reaches the threshold, with at most ``most`` cases in all.

    Sensitivity: a case is in one variant. Cases of other variants are measured no further; whether a case is one of
    them depends on that case and on what was released.
    """
    words, counts = cases.histogram(variant_of)
    variants = spelled(words, activities)
    measured = thresholded_counts(counts, threshold, epsilon, source)
    estimate = measured.values.astype(np.float64)
    if most is not None and estimate.sum() > most:
        estimate = to_total(estimate, np.ones(len(estimate)), most)
    released = rounded_at_random(estimate, source)
    if not released.any():
        raise EmptyReleaseError(
            Message(
                "No variant is frequent enough: none reached the threshold of {threshold:,} cases after noise, so "
                "there is nothing to release. The noise was drawn, so the budget is spent. Use {variants:generated}, "
                "which needs no frequent variants, {variants:public} with variants from elsewhere, or a larger "
                "advantage.",
                threshold=threshold,
            )
        )
    kept = np.flatnonzero(measured.kept)
    flow = cases_of(variants.take(kept), released)
    return Flow(flow, (measured.event,), variants.take(kept[released > 0]))
