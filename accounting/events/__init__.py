"""Records of what a release did that bears on privacy.

A record holds parameters and no behaviour; its docstring states the mathematics. A mechanism returns its record with
its result, ``anonymize`` composes the records into a tree, and the accountant alone interprets it (by
``accounting.rules``). What the accountant does not know it reports as unbounded, never as zero. A researcher's own
record, named by ``register_event`` or by an entry point in the group ``accounting.events``, may bring a loss rule of
its own (``accounting.rules.Accounted``); the guarantee then says how that rule stands.

A parameter that is a ``Fact`` may be public (a number), confidential (taken from the log) or undeclared (None). A
public guarantee uses public facts only; in a tree made for the public (``accounting.publication``) a confidential
parameter is ``WITHHELD``.
"""

from __future__ import annotations

from accounting.events.base import Fact, PrivacyEvent
from accounting.events.compositions import Parallel, RepeatedRelease, Replicated, Sequential, SharedByIndividual
from accounting.events.gaussian import GaussianHistogram, ThresholdedGaussian
from accounting.events.kinds import (
    event_class,
    is_registered,
    kind_of,
    load_records_from_outside,
    register_event,
    unregister_event,
)
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

# By module: one list would stand in accounting/__init__.py line by line again.
__all__ = ["BoundedLaplace", "LaplaceCount", "NoisyMax", "OneSidedCount", "PerEventNoise", "ThresholdedHistogram"]
__all__ += ["WeightedHistogram"]
__all__ += ["CaseMoves", "DataDependentSelection", "NonPrivate", "PostProcessing", "TakenAsPublic", "Undisclosed"]
__all__ += ["Fact", "PrivacyEvent"]
__all__ += ["GaussianHistogram", "ThresholdedGaussian"]
__all__ += ["Parallel", "RepeatedRelease", "Replicated", "Sequential", "SharedByIndividual"]
__all__ += ["event_class", "is_registered", "kind_of", "load_records_from_outside", "register_event"]
__all__ += ["unregister_event"]
