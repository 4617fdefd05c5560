"""Names of kinds, so that ledgers and reports can carry records, also those of outsiders."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from accounting.errors import AccountingError
from accounting.events.base import PrivacyEvent
from accounting.events.compositions import Parallel, RepeatedRelease, Replicated, Sequential, SharedByIndividual
from accounting.events.gaussian import GaussianHistogram, ThresholdedGaussian
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

GROUP = "accounting.events"
"""Entry points of installed packages: the name is the kind, the value the class of the record."""

_Event = TypeVar("_Event", bound=type[PrivacyEvent])
_KINDS: dict[str, type[PrivacyEvent]] = {}


def register_event(kind: str) -> Callable[[_Event], _Event]:
    """Class decorator that names a kind of event, so that ledgers can carry it. A taken name is refused.

    A class that says what it loses (``accounting.rules.Accounted``) is accounted for by that from then on. What of it
    is published: every parameter that is not ``Confidential``.
    """

    def register(cls: _Event) -> _Event:
        if _KINDS.setdefault(kind, cls) is not cls:
            raise AccountingError(f"an event kind named '{kind}' is registered already.")
        return cls

    return register


def unregister_event(kind: str) -> None:
    """Forget a kind from outside the package (for notebooks that define one again, and for tests)."""
    if kind in _OWN:
        raise AccountingError(f"'{kind}' is a kind of this package and stays.")
    _KINDS.pop(kind, None)


def is_registered(cls: type[PrivacyEvent]) -> bool:
    """Whether the class has a kind, registered here or by an entry point."""
    return _kind_of_class(cls) is not None


def kind_of(event: PrivacyEvent) -> str:
    """The registered name of an event's kind; an unregistered one is refused, not skipped."""
    kind = _kind_of_class(type(event))
    if kind is None:
        raise AccountingError(f"{type(event).__name__} is not a registered kind of event; see register_event.")
    return kind


def event_class(kind: str) -> type[PrivacyEvent]:
    """The class of a registered kind; an unknown one is refused, not skipped."""
    if kind not in _KINDS:
        for found in _entry_points():
            if found.name == kind:
                register_event(kind)(_record(found))
                break
        else:
            raise AccountingError(
                f"'{kind}' is not a registered kind of event. If it comes from another package, install that one."
            )
    return _KINDS[kind]


def load_records_from_outside() -> None:
    """Import what installed packages bring by entry points, with the claims that they register."""
    for found in _entry_points():
        event_class(found.name)


def _kind_of_class(cls: type[PrivacyEvent]) -> str | None:
    for kind, known in _KINDS.items():
        if cls is known:
            return kind
    for found in _entry_points():
        if found.value == f"{cls.__module__}:{cls.__qualname__}" and event_class(found.name) is cls:
            return found.name
    return None


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _record(found: EntryPoint) -> type[PrivacyEvent]:
    cls = found.load()
    if not (isinstance(cls, type) and issubclass(cls, PrivacyEvent)):
        raise AccountingError(f"the entry point '{found.name}' in the group {GROUP} names no class of privacy events.")
    return cls


for _kind, _cls in {
    "laplace-count": LaplaceCount,
    "one-sided-count": OneSidedCount,
    "weighted-histogram": WeightedHistogram,
    "noisy-max": NoisyMax,
    "thresholded-histogram": ThresholdedHistogram,
    "gaussian-histogram": GaussianHistogram,
    "thresholded-gaussian": ThresholdedGaussian,
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

_OWN = frozenset(_KINDS)
