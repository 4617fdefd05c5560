"""How much a tree of events loses at a scope, strictly: composition with exact sums.

Whatever has no bound counts as unbounded, never as zero. (The article's reading of a tree: ``accounting.published``.)

Scopes, and what changes between neighbouring logs:
  cell        one case, seen through one cell of one released table
  event       one relative time of one event within its range; nothing else changes
  case        one case
  individual  all cases of one individual: as many as were declared, or any number

Confidential facts count in the confidential view only; in the public view a bound that needs one does not exist. A
number of cases per individual that was taken from the log bounds nothing in either view: it sets the scale of the
noise. Where nothing is declared, somebody may have any number of cases, and nothing that costs a case anything has a
bound for an individual.

What each kind of record loses by itself is in ``accounting.rules``; here is what follows for compositions of them.
"""

from __future__ import annotations

from accounting.change import Change, View
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
from accounting.guarantee import Relation, Scope
from accounting.loss import FREE, NO_BOUND, Loss, checked, larger, of_group, times, together, two_larger
from accounting.rules import rule_of


def strict_loss(event: PrivacyEvent, scope: Scope, relation: Relation, view: View) -> Loss:
    """What composition proves of the ``event`` for one unit of the ``scope`` that changes in the ``relation``; from
    public facts alone, or (``view``) with those of the log.

    Pure parts add their ε, Gaussian ones their μ², to which pure ones are turned by the ε of each; δ adds. Adaptively:
    later parts may depend on earlier outputs, as long as the sum does not (``accounting.loss``).
    """
    return lost(event, Change(scope, relation, view))


def loss_of_dependent_cases(event: PrivacyEvent, cases: int, relation: Relation, view: View) -> Loss:
    """What so many ``cases`` lose together by the ``event`` that depend on each other, whosever they are, where all of
    them change in the ``relation``. For whoever cannot assume independence: what a guess gains about one of them
    follows from this loss instead of that of one case. The ``view`` as in ``strict_loss``.

    Pure steps cost g times their ε, Gaussian ones g times their μ; a threshold is asked about all of them at once, and
    truncated individuals may each let another case in.
    """
    if cases < 1:
        raise AccountingError("at least one case depends on itself.")
    return lost(event, Change(Scope.CASE, relation, view, cases, of_anybody=True))


def lost(event: PrivacyEvent, change: Change) -> Loss:
    """``strict_loss``, of a change."""
    return checked(_lost(event, change))


def _lost(event: PrivacyEvent, change: Change) -> Loss:
    match event:
        case Sequential():
            return together(lost(part, change) for part in event.parts)
        case Parallel():
            return _parallel(event, change)
        case Replicated():
            return times(lost(event.part, change), event.copies)
        case RepeatedRelease():
            return times(lost(event.part, change), event.releases)
        case SharedByIndividual():
            return _shared(event, change)
        case DataDependentSelection(made_by=PrivacyEvent() as made_by):
            return lost(made_by, change)
        case _:
            return _leaf(event, change)


def _leaf(event: PrivacyEvent, change: Change) -> Loss:
    rule = rule_of(event)
    if change.scope is not Scope.INDIVIDUAL:
        return rule.loss(event, change)
    # Inside a record of an individual's cases (`_shared`) it is asked what so many cases cost, never an individual.
    free = not rule.costs_a_case(event) and rule.loss(event, change.of(Scope.CASE)) == FREE
    return FREE if free else NO_BOUND


def _parallel(event: Parallel, change: Change) -> Loss:
    if change.cases is not None:  # they may lie in several parts: a chain of neighbours
        return of_group(_parallel(event, change.of_one), change.number)
    moves = change.replaced and event.partition == "value-dependent"
    losses = [_stays_or_moves(part, change) if moves else lost(part, change) for part in event.parts]
    if change.scope is Scope.INDIVIDUAL:
        return together(losses)  # cases of one individual may lie in all parts
    return two_larger(losses) if moves else larger(losses)


def _stays_or_moves(part: PrivacyEvent, change: Change) -> Loss:
    """A replaced value may stay in the part, or leave or enter it with its whole case."""
    moved = change.of(Scope.CASE if change.scope is Scope.EVENT else change.scope, Relation.ADD_REMOVE)
    return larger((lost(part, change), lost(part, moved)))


def _shared(event: SharedByIndividual, change: Change) -> Loss:
    """Group privacy over the cases of one individual: so many cases at once, part by part.

    A number that was taken from the log bounds nothing, not even for one case: it is the largest over all
    individuals, one case can change it, and it sets the scale of the noise.
    """
    if change.cases is not None and not change.of_anybody:
        return NO_BOUND  # whose cases are meant, the inner one's or the outer one's, is not said
    if isinstance(event.cases, Confidential):
        return NO_BOUND if change.scope is not Scope.EVENT else lost(event.part, change)
    if change.scope in (Scope.CELL, Scope.CASE) and event.truncated:
        # A case that comes, goes or contributes nothing lets another one in or pushes one out: one that counts is
        # replaced. A case that is replaced, and given to somebody else, does so twice.
        twice = change.of(cases=2 * change.number)
        return lost(event.part, twice if change.replaced else change.of(relation=Relation.REPLACE))
    if change.scope is not Scope.INDIVIDUAL:
        return lost(event.part, change)
    return NO_BOUND if event.cases is None else lost(event.part, change.of(Scope.CASE, cases=event.cases))


__all__ = ["FREE", "NO_BOUND", "Loss", "View", "loss_of_dependent_cases", "lost", "strict_loss"]
