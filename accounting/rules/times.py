"""Noise on each time, with a scale of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from accounting.assumptions import Assumption
from accounting.change import Change, View
from accounting.claims import claim
from accounting.confidential import Withheld
from accounting.errors import AccountingError
from accounting.events import BoundedLaplace
from accounting.guarantee import Guarantee, Kind, Relation, Scope
from accounting.loss import FREE, NO_BOUND, Loss
from accounting.personalised import Largest, largest_losses, largest_of, largest_rate, units_of
from accounting.quantities import ZERO, Epsilon, EpsilonPerMillisecond
from accounting.rules.rule import NOTHING, PartClaim, Perspectives, Rule, published, strict

REPLACE = Relation.REPLACE


class BoundedTimes(Rule[BoundedLaplace]):
    """Premise: each time lies in a range [0, r] that does not depend on private data, nor does the scale b of its noise
    P(Z=k) ∝ exp(-|k|/b). One time loses r/b for each of its copies; the times of a case add up. Where scales follow
    from the data nothing bounds it. Claims ``event-time-public-scale``, ``event-time``."""

    in_the_article = True

    def loss_of_one(self, event: BoundedLaplace, change: Change) -> Loss:
        if change.scope is Scope.CELL:
            return FREE  # times do not move counts
        if event.scales == "data":
            return NO_BOUND
        if change.scope is not Scope.EVENT and not change.replaced:
            return NO_BOUND  # where a case comes, goes or contributes nothing, the number of values changes
        # In the same units and rounded up alike, so that an exact declaration is not refused.
        declared = None if event.declared_loss is None else largest_of(units_of(np.array([event.declared_loss])))
        found = None if isinstance(event.columns, Withheld) else largest_losses(event.columns.reveal())
        if found is not None:
            _check_declared(event, found, declared)
        if change.view is View.CONFIDENTIAL:
            return NO_BOUND if found is None else Loss(found.event if change.scope is Scope.EVENT else found.case)
        if declared is None:
            return NO_BOUND
        events = 1 if change.scope is Scope.EVENT else change.known(event.events_per_case)
        # For the times of one case; the cases of an individual are multiplied where they are declared.
        return NO_BOUND if events is None else Loss(declared * events)

    def published(self, event: BoundedLaplace, scope: Scope, view: View) -> Perspectives | None:
        if scope is Scope.CELL:
            return NOTHING
        if view is View.PUBLIC or isinstance(event.columns, Withheld):
            return None
        return (ZERO, largest_losses(event.columns.reveal()).event)

    def claims(self, event: BoundedLaplace, view: View) -> Iterable[PartClaim]:
        if event.scales == "data":
            yield from (
                published(name, Scope.EVENT, REPLACE, Kind.PERSONALISED)
                for name in ("event-time", "event-time-any-prior", "copies")
            )
            yield from (
                published(name, Scope.CASE, REPLACE, Kind.PERSONALISED) for name in ("case-times", "personalised-dp")
            )
            return
        line = strict("event-time-public-scale", Scope.EVENT, REPLACE)
        yield line
        if view is View.CONFIDENTIAL and not isinstance(event.columns, Withheld):
            rate = largest_rate(event.columns.reveal())

            def per_time(found: Guarantee, times: int) -> Guarantee:
                return replace(found, rate=None if rate is None else EpsilonPerMillisecond(rate.value * times))

            yield replace(line, kind=Kind.PER_UNIT_OF_TIME, adjusted=per_time)

    def obstacle(self, event: BoundedLaplace, on_average: bool) -> str | None:
        return "event-time" if event.scales == "data" else None

    def assumptions(self, event: BoundedLaplace, whole_case: bool) -> Iterable[Assumption]:
        yield from (*claim("event-time-public-scale").assumptions, Assumption.PUBLIC_TIME_FRAME)
        if event.scales == "data":
            yield Assumption.COPIES_IGNORE_TIMES
        if whole_case:
            yield from (Assumption.KNOWN_CONTROL_FLOW, Assumption.PUBLIC_LENGTH)


def _check_declared(event: BoundedLaplace, found: Largest, declared: Epsilon | None) -> None:
    if declared is not None and not found.event <= declared:
        raise AccountingError("some event loses more than the loss that is declared for every event.")
    events = np.bincount(event.columns.reveal().case)
    if isinstance(event.events_per_case, int) and int(events.max()) > event.events_per_case:
        raise AccountingError("some case has more events than are declared for every case.")
