"""Records from outside the package that bring a loss rule of their own.

Whoever writes a mechanism writes its record: a frozen dataclass that derives from ``PrivacyEvent``, holds the public
parameters (and, as ``Confidential``, those that are not), and says what it loses (``Accounted``). It is named by
``register_event``, or by an entry point in the group ``accounting.events`` whose name is the kind and whose value is
the class, so that ledgers and reports can carry it.

A rule is what its author says. The accountant counts it in the strict reading only if it rests on a claim of the
author's own that is recorded as proved *and* has a checker (``accounting.claims.register_claim``); until then the
figure is shown as what its author claims, and the release has no bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from accounting.assumptions import Assumption
from accounting.change import Change, View
from accounting.claims import CLAIMS, checked_by_its_author
from accounting.errors import AccountingError
from accounting.events.base import PrivacyEvent
from accounting.guarantee import BOUNDED_VERDICTS, Kind, Reading, Relation, Scope
from accounting.loss import FREE, NO_BOUND, Loss, checked
from accounting.rules.rule import EVERYTHING, NO_EPSILON, NOTHING, PartClaim, Perspectives, Rule


@runtime_checkable
class Accounted(Protocol):
    """What a record from outside says of itself."""

    @property
    def claim(self) -> str:
        """Identifier of the claim that the loss rests on."""
        ...

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the loss rests on besides."""
        ...

    def loss(self, scope: Scope, relation: Relation, view: View) -> Loss:
        """What one unit of the ``scope`` (cell, event or case, never an individual) loses where neighbouring logs
        differ in the ``relation``; ``NO_BOUND`` where nothing is known. In the public ``view`` no confidential
        parameter may count."""
        ...


class OutsidersStep(Rule[PrivacyEvent]):
    """Asks the record itself."""

    def costs_a_case(self, event: PrivacyEvent) -> bool:
        return self.claimed(event, Change(Scope.CASE, Relation.REPLACE, View.PUBLIC)) != FREE

    def loss_of_one(self, event: PrivacyEvent, change: Change) -> Loss:
        return self.claimed(event, change) if proved(event) else NO_BOUND

    def claimed(self, event: PrivacyEvent, change: Change) -> Loss:
        """What its author claims, proved or not."""
        found = _accounted(event).loss(change.scope, change.relation, change.view)
        if not isinstance(found, Loss):
            raise AccountingError(f"the loss of {type(event).__name__} is no Loss.")
        return checked(found)

    def published(self, event: PrivacyEvent, scope: Scope, view: View) -> Perspectives | None:
        if self.claimed(event, Change(scope, Relation.ADD_REMOVE, view)) == FREE:
            return NOTHING
        return EVERYTHING  # the article says nothing of it

    def claims(self, event: PrivacyEvent, view: View) -> Iterable[PartClaim]:
        holds = proved(event)
        name = _accounted(event).claim if holds or _accounted(event).claim in CLAIMS else "unknown-step"
        for relation in Relation:
            found = self.claimed(event, Change(Scope.CASE, relation, view))
            if found.bounded:
                kind = Kind.ON_AVERAGE if not found.epsilon.bounded else Kind.APPROXIMATE if found.delta else Kind.PURE
                reading = Reading.STRICT if holds else Reading.PUBLISHED
                yield PartClaim(name, reading, Scope.CASE, relation, kind, claimed=None if holds else found)

    def obstacle(self, event: PrivacyEvent, on_average: bool) -> str | None:
        if proved(event):
            loss = self.claimed(event, Change(Scope.CASE, Relation.REPLACE, View.CONFIDENTIAL))
            return NO_EPSILON if loss.bounded and not loss.epsilon.bounded and not on_average else None
        found = _accounted(event).claim
        refuted = found in CLAIMS and CLAIMS[found].verdict not in BOUNDED_VERDICTS
        return found if refuted else "unknown-step"

    def why_not(self, event: PrivacyEvent) -> str | None:
        found = _accounted(event).claim
        if proved(event) or (found in CLAIMS and CLAIMS[found].verdict not in BOUNDED_VERDICTS):
            return None
        return "what it loses is its author's word: no claim with a check of its own stands behind it"

    def assumptions(self, event: PrivacyEvent, whole_case: bool) -> Iterable[Assumption]:
        found = _accounted(event)
        yield from found.assumptions
        if found.claim in CLAIMS:
            yield from CLAIMS[found.claim].assumptions

    def without_scale(self, event: PrivacyEvent) -> PrivacyEvent | None:
        return None


def proved(event: PrivacyEvent) -> bool:
    """Whether the loss of a record from outside rests on a claim of its author's that is recorded as proved and has a
    checker. A claim of this package is about another mechanism and proves nothing of this one."""
    found = _accounted(event).claim
    return found in CLAIMS and CLAIMS[found].verdict in BOUNDED_VERDICTS and checked_by_its_author(found)


def _accounted(event: PrivacyEvent) -> Accounted:
    if not isinstance(event, Accounted):
        raise AccountingError(f"{type(event).__name__} brings no loss rule.")
    return event


OUTSIDERS = OutsidersStep()
