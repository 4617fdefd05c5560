"""Decisions, facts and functions that cost everything, or nothing."""

from __future__ import annotations

from collections.abc import Iterable

from accounting.assumptions import Assumption
from accounting.change import Change, View
from accounting.events import (
    DataDependentSelection,
    NonPrivate,
    PostProcessing,
    TakenAsPublic,
)
from accounting.guarantee import Relation, Scope
from accounting.loss import FREE, NO_BOUND, Loss
from accounting.rules.rule import NOTHING, PartClaim, Perspectives, Rule, published, strict


class Selections(Rule[DataDependentSelection]):
    """Where a private step made the decision, what is asked of it is asked of that step (``accounting.losses``)."""

    costs_cases = False

    def loss_of_one(self, event: DataDependentSelection, change: Change) -> Loss:
        """Of a decision that no private step made."""
        # One relative time changes neither the order of events nor, with it, variants and groups; it may change who is
        # filtered.
        unseen = change.scope is Scope.EVENT and event.of != "cases"
        return FREE if event.declared_public or unseen else NO_BOUND

    def published(self, event: DataDependentSelection, scope: Scope, view: View) -> Perspectives | None:
        return NOTHING

    def claims(self, event: DataDependentSelection, view: View) -> Iterable[PartClaim]:
        if event.declared_public or event.made_by is not None:
            return ()
        return (published(f"selection-of-{event.of}", Scope.CASE, Relation.REPLACE),)

    def obstacle(self, event: DataDependentSelection, on_average: bool) -> str | None:
        return f"selection-of-{event.of}" if event.made_by is None else None

    def voids(self, event: DataDependentSelection) -> str | None:
        return "selection-of-cases" if event.of == "cases" and event.made_by is None else None

    def assumptions(self, event: DataDependentSelection, whole_case: bool) -> Iterable[Assumption]:
        if event.made_by is not None or event.of == "cases":
            return ()
        return (Assumption.PUBLIC_VARIANTS if event.of == "variants" else Assumption.PUBLIC_GROUPS,)


_PUBLIC = {
    "labels": Assumption.PUBLIC_LABELS,
    "variants": Assumption.PUBLIC_VARIANTS,
    "time frame": Assumption.PUBLIC_TIME_FRAME,
    "number of cases": Assumption.PUBLIC_NUMBER_OF_CASES,
    "number of individuals": Assumption.PUBLIC_NUMBER_OF_INDIVIDUALS,
    "longest duration": Assumption.PUBLIC_LONGEST_DURATION,
}


class PublicFacts(Rule[TakenAsPublic]):
    """Free, under the assumption that the fact is public, or that it does not depend on the log."""

    costs_cases = False

    def loss_of_one(self, event: TakenAsPublic, change: Change) -> Loss:
        return FREE

    def published(self, event: TakenAsPublic, scope: Scope, view: View) -> Perspectives | None:
        return NOTHING

    def assumptions(self, event: TakenAsPublic, whole_case: bool) -> Iterable[Assumption]:
        return (_PUBLIC[event.what] if event.from_log else Assumption.GIVEN_FACTS,)


class FunctionsOfReleased(Rule[PostProcessing]):
    """Free: a function of what is released or public anyway (``post-processing``)."""

    costs_cases = False

    def loss_of_one(self, event: PostProcessing, change: Change) -> Loss:
        return FREE

    def published(self, event: PostProcessing, scope: Scope, view: View) -> Perspectives | None:
        return NOTHING


class PredictableNoise(Rule[NonPrivate]):
    """Nothing bounds it (``predictable-noise``)."""

    costs_cases = False
    made = (strict("predictable-noise", Scope.CASE, Relation.REPLACE),)
    stands_against = "predictable-noise"

    def voids(self, event: NonPrivate) -> str | None:
        return "predictable-noise"
