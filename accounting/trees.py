"""Walking trees of privacy events."""

from __future__ import annotations

from collections.abc import Iterator

from accounting.confidential import Confidential
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

DEEPEST_TREE = 20
"""A release composes a handful of levels; a deeper tree is a mistake, or an attack on the stack."""


def check(event: PrivacyEvent) -> None:
    """Refuse what is no tree of events, before anything is computed from it."""
    todo: list[tuple[object, int]] = [(event, 1)]
    while todo:
        found, depth = todo.pop()
        if not isinstance(found, PrivacyEvent):
            raise AccountingError(f"{type(found).__name__} is no privacy event.")
        if depth > DEEPEST_TREE:
            raise AccountingError(f"a tree of events is at most {DEEPEST_TREE} levels deep.")
        if isinstance(found, Sequential | Parallel) and (not isinstance(found.parts, tuple) or not found.parts):
            raise AccountingError(f"a {type(found).__name__} has a tuple of at least one part.")
        todo.extend((part, depth + 1) for part in _parts(found))


def is_composition(event: PrivacyEvent) -> bool:
    """Whether it is one of the compositions, and not a record of a step."""
    return type(event) in (Sequential, Parallel, Replicated, RepeatedRelease, SharedByIndividual)


def _parts(event: PrivacyEvent) -> tuple[PrivacyEvent, ...]:
    match event:
        case Sequential() | Parallel():
            return event.parts
        case Replicated() | RepeatedRelease() | SharedByIndividual():
            return (event.part,)
        case DataDependentSelection(made_by=PrivacyEvent() as made_by):
            return (made_by,)
        case _:
            return ()


def nodes(tree: PrivacyEvent) -> Iterator[PrivacyEvent]:
    """The tree's events, compositions included."""
    yield tree
    for part in _parts(tree):
        yield from nodes(part)


def individuals_from_the_log(tree: PrivacyEvent) -> bool:
    """Whether a number of cases per individual was taken from the log instead of declared."""
    return any(isinstance(node, SharedByIndividual) and isinstance(node.cases, Confidential) for node in nodes(tree))


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
        case DataDependentSelection(made_by=PrivacyEvent() as made_by):
            yield tree, around
            yield from with_surroundings(made_by, around)
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
                leaf = SharedByIndividual(leaf, outer.cases, outer.truncated)
    return leaf
