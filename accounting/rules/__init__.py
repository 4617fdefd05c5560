"""What the accountant makes of each kind of record: one rule for each kind, and the one place that knows which.

Compositions are not here: they are the accountant's own (``accounting.losses``, ``accounting.published``).
"""

from __future__ import annotations

from typing import Any

from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    GaussianHistogram,
    LaplaceCount,
    NoisyMax,
    NonPrivate,
    OneSidedCount,
    PostProcessing,
    PrivacyEvent,
    TakenAsPublic,
    ThresholdedGaussian,
    ThresholdedHistogram,
    WeightedHistogram,
    is_registered,
)
from accounting.rules.counts import LaplaceCounts, MovedCases, OneSidedCounts
from accounting.rules.gaussian import GaussianHistograms, ThresholdedGaussians
from accounting.rules.histograms import NoisyChoices, ThresholdedHistograms, WeightedHistograms
from accounting.rules.outsiders import OUTSIDERS, Accounted
from accounting.rules.rule import UNKNOWN, Rule
from accounting.rules.steps import FunctionsOfReleased, PredictableNoise, PublicFacts, Selections
from accounting.rules.times import BoundedTimes

_RULES: dict[type[PrivacyEvent], Rule[Any]] = {
    BoundedLaplace: BoundedTimes(),
    CaseMoves: MovedCases(),
    DataDependentSelection: Selections(),
    GaussianHistogram: GaussianHistograms(),
    LaplaceCount: LaplaceCounts(),
    NoisyMax: NoisyChoices(),
    NonPrivate: PredictableNoise(),
    OneSidedCount: OneSidedCounts(),
    PostProcessing: FunctionsOfReleased(),
    TakenAsPublic: PublicFacts(),
    ThresholdedGaussian: ThresholdedGaussians(),
    ThresholdedHistogram: ThresholdedHistograms(),
    WeightedHistogram: WeightedHistograms(),
}


def rule_of(event: PrivacyEvent) -> Rule[Any]:
    """The rule of the record's own class: of one that derives from ours nothing is known."""
    found = _RULES.get(type(event))
    if found is not None:
        return found
    return OUTSIDERS if is_registered(type(event)) and isinstance(event, Accounted) else UNKNOWN


def is_known(event: PrivacyEvent) -> bool:
    """Whether somebody, the package or the record's author, said what it loses."""
    return rule_of(event) is not UNKNOWN


__all__ = ["Accounted", "Rule", "is_known", "rule_of"]
