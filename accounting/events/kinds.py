"""Names of kinds, so that ledgers and reports can carry records, also those of outsiders."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from accounting.errors import AccountingError
from accounting.events.base import PrivacyEvent
from accounting.events.compositions import Parallel, RepeatedRelease, Replicated, Sequential, SharedByIndividual
from accounting.events.mechanisms import (
    BoundedLaplace,
    LaplaceCount,
    NoisyMax,
    OneSidedCount,
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

_Event = TypeVar("_Event", bound=type[PrivacyEvent])
_KINDS: dict[str, type[PrivacyEvent]] = {}


def register_event(kind: str) -> Callable[[_Event], _Event]:
    """Class decorator that names a kind of event, so that ledgers can carry it. A taken name is refused."""

    def register(cls: _Event) -> _Event:
        if _KINDS.setdefault(kind, cls) is not cls:
            raise AccountingError(f"an event kind named '{kind}' is registered already.")
        return cls

    return register


def kind_of(event: PrivacyEvent) -> str:
    """The registered name of an event's kind; an unregistered one is refused, not skipped."""
    for kind, cls in _KINDS.items():
        if type(event) is cls:
            return kind
    raise AccountingError(f"{type(event).__name__} is not a registered kind of event; see register_event.")


def event_class(kind: str) -> type[PrivacyEvent]:
    """The class of a registered kind; an unknown one is refused, not skipped."""
    if kind not in _KINDS:
        raise AccountingError(f"'{kind}' is not a registered kind of event.")
    return _KINDS[kind]


for _kind, _cls in {
    "laplace-count": LaplaceCount,
    "one-sided-count": OneSidedCount,
    "weighted-histogram": WeightedHistogram,
    "noisy-max": NoisyMax,
    "thresholded-histogram": ThresholdedHistogram,
    "bounded-laplace": BoundedLaplace,
    "case-moves": CaseMoves,
    "data-dependent-selection": DataDependentSelection,
    "taken-as-public": TakenAsPublic,
    "post-processing": PostProcessing,
    "non-private": NonPrivate,
    "undisclosed": Undisclosed,
    "sequential": Sequential,
    "parallel": Parallel,
    "replicated": Replicated,
    "repeated-release": RepeatedRelease,
    "shared-by-individual": SharedByIndividual,
}.items():
    register_event(_kind)(_cls)
