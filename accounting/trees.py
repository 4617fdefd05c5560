"""Walking trees of privacy events."""

from __future__ import annotations

from collections.abc import Iterator

from accounting.errors import AccountingError
from accounting.events import (
    DataDependentSelection,
    Parallel,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
)


def check(event: PrivacyEvent) -> None:
    """Refuse what is no tree of events, before anything is computed from it."""
    if not isinstance(event, PrivacyEvent):
        raise AccountingError(f"{type(event).__name__} is no privacy event.")
    match event:
        case Sequential() | Parallel():
            if not event.parts:
                raise AccountingError(f"a {type(event).__name__} has at least one part.")
            for part in event.parts:
                check(part)
        case Replicated() | RepeatedRelease() | SharedByIndividual():
            check(event.part)
        case DataDependentSelection(made_by=PrivacyEvent()):
            check(event.made_by)  # type: ignore[arg-type]  # matched just above
        case _:
            pass


def nodes(tree: PrivacyEvent) -> Iterator[PrivacyEvent]:
    """The tree's events, compositions included."""
    yield tree
    match tree:
        case Sequential() | Parallel():
            for part in tree.parts:
                yield from nodes(part)
        case Replicated() | RepeatedRelease() | SharedByIndividual():
            yield from nodes(tree.part)
        case DataDependentSelection(made_by=PrivacyEvent() as made_by):
            yield from nodes(made_by)
        case _:
            pass


def leaves(tree: PrivacyEvent) -> tuple[PrivacyEvent, ...]:
    """The tree's events that are no compositions, left to right."""
    return tuple(leaf for leaf, _ in with_surroundings(tree))


def with_surroundings(
    tree: PrivacyEvent, around: tuple[PrivacyEvent, ...] = ()
) -> Iterator[tuple[PrivacyEvent, tuple[PrivacyEvent, ...]]]:
    """Each leaf with the compositions around it that multiply its loss, the outermost first."""
    match tree:
        case Sequential() | Parallel():
            for part in tree.parts:
                yield from with_surroundings(part, around)
        case Replicated() | RepeatedRelease() | SharedByIndividual():
            yield from with_surroundings(tree.part, (*around, tree))
        case _:
            yield tree, around


def surrounded(leaf: PrivacyEvent, around: tuple[PrivacyEvent, ...]) -> PrivacyEvent:
    """The leaf alone, inside the compositions that multiply its loss."""
    for outer in reversed(around):
        match outer:
            case Replicated():
                leaf = Replicated(leaf, outer.copies)
            case RepeatedRelease():
                leaf = RepeatedRelease(leaf, outer.releases)
            case SharedByIndividual():
                leaf = SharedByIndividual(leaf, outer.cases)
    return leaf
