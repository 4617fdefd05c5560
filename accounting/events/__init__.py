"""Records of what a release did that bears on privacy.

A record holds parameters and no behaviour; its docstring states the mathematics. A mechanism returns its record with
its result, ``anonymize`` composes the records into a tree, and the accountant alone interprets it. What the accountant
does not know it reports as unbounded, never as zero, so a researcher can add a record of their own
(``register_event``) and the guarantee degrades honestly until the accountant learns it.

A parameter that is a ``Fact`` may be public (a number), confidential (taken from the log) or undeclared (None). A
public guarantee uses public facts only; in a tree made for the public (``accounting.publication``) a confidential
parameter is ``WITHHELD``.
"""

from __future__ import annotations

from accounting.events.base import Fact, PrivacyEvent
from accounting.events.compositions import Parallel, RepeatedRelease, Replicated, Sequential, SharedByIndividual
from accounting.events.kinds import event_class, kind_of, register_event
from accounting.events.mechanisms import (
    BoundedLaplace,
    LaplaceCount,
    NoisyMax,
    OneSidedCount,
    PerEventNoise,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.events.steps import (
    CaseMoves,
    DataDependentSelection,
    NonPrivate,
    PostProcessing,
    TakenAsPublic,
    Undisclosed,
)

__all__ = [
    "BoundedLaplace",
    "CaseMoves",
    "DataDependentSelection",
    "Fact",
    "LaplaceCount",
    "NoisyMax",
    "NonPrivate",
    "OneSidedCount",
    "Parallel",
    "PerEventNoise",
    "PostProcessing",
    "PrivacyEvent",
    "RepeatedRelease",
    "Replicated",
    "Sequential",
    "SharedByIndividual",
    "TakenAsPublic",
    "ThresholdedHistogram",
    "Undisclosed",
    "WeightedHistogram",
    "event_class",
    "kind_of",
    "register_event",
]
