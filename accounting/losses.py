"""How much a tree of events loses at a scope, strictly: basic composition, exact sums.

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
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from accounting.confidential import Confidential, Withheld
from accounting.errors import AccountingError
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    Fact,
    LaplaceCount,
    NoisyMax,
    NonPrivate,
    OneSidedCount,
    Parallel,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.formulas import threshold_delta
from accounting.guarantee import Relation, Scope
from accounting.personalised import Largest, largest_losses, largest_of, units_of
from accounting.quantities import UNBOUNDED, ZERO, Epsilon, largest, total, two_largest


class View(Enum):
    """For whom the figures are."""

    PUBLIC = "public"
    CONFIDENTIAL = "confidential"


@dataclass(frozen=True, slots=True)
class Loss:
    """An ε with the δ of approximate differential privacy (0 for pure)."""

    epsilon: Epsilon
    delta: Fraction = Fraction(0)
    mixture: bool = True
    """Whether what is released about one unit is, with probability 1 - δ, a draw from a mechanism of pure ε. That is
    more than approximate differential privacy says, and what a bound on guesses needs."""


KNOWN = frozenset(
    {
        BoundedLaplace,
        CaseMoves,
        DataDependentSelection,
        LaplaceCount,
        NoisyMax,
        NonPrivate,
        OneSidedCount,
        Parallel,
        PostProcessing,
        RepeatedRelease,
        Replicated,
        Sequential,
        SharedByIndividual,
        TakenAsPublic,
        ThresholdedHistogram,
        WeightedHistogram,
    }
)
"""The records that this accountant can read."""

COSTLY = (BoundedLaplace, CaseMoves, LaplaceCount, NoisyMax, OneSidedCount, ThresholdedHistogram, WeightedHistogram)
"""The records that cost a case something."""

FREE = Loss(ZERO)
NO_BOUND = Loss(UNBOUNDED)


def strict_loss(event: PrivacyEvent, scope: Scope, relation: Relation, view: View) -> Loss:
    """What basic composition proves of the event."""
    if type(event) not in KNOWN:  # an outsider's record, also if it derives from one of ours
        return NO_BOUND
    loss = _strict(event, scope, relation, view)
    return loss if loss.delta < 1 else NO_BOUND


def _strict(  # noqa: PLR0912 -- one case a kind of record
    event: PrivacyEvent, scope: Scope, relation: Relation, view: View
) -> Loss:
    def of(part: PrivacyEvent) -> Loss:
        return strict_loss(part, scope, relation, view)

    # Inside a record of an individual's cases (`_shared`) it is asked what one case costs, never what an individual.
    if scope is Scope.INDIVIDUAL and isinstance(event, COSTLY):
        return NO_BOUND
    match event:
        case PostProcessing() | TakenAsPublic():
            return FREE
        case LaplaceCount():
            return _laplace_count(event, scope, relation, view)
        case ThresholdedHistogram():
            return _thresholded(event, scope, relation)
        case WeightedHistogram():
            return _weighted(event, scope, relation)
        case NoisyMax():
            return _noisy_max(event, scope)
        case BoundedLaplace(scales="public"):
            return _public_times(event, scope, relation, view)
        case BoundedLaplace() | OneSidedCount() | CaseMoves():
            # Counts do not see times; times do not move counts.
            blind = Scope.CELL if isinstance(event, BoundedLaplace) else Scope.EVENT
            return FREE if scope is blind else NO_BOUND
        case DataDependentSelection():
            return _selection(event, scope, relation, view)
        case Sequential():
            return _sum(map(of, event.parts))
        case Parallel():
            return _parallel(event, scope, relation, view)
        case Replicated():
            return _times(of(event.part), event.copies)
        case RepeatedRelease():
            return _times(of(event.part), event.releases)
        case SharedByIndividual():
            return _shared(event, scope, relation, view)
        case _:  # NonPrivate
            return NO_BOUND


# --- rules ----------------------------------------------------------------------------------------------------------


def per_cell(event: LaplaceCount | OneSidedCount) -> Epsilon | None:
    """What one case costs one cell; None if the scale is withheld."""
    return None if isinstance(event.scale, Withheld) else Epsilon(Fraction(event.sensitivity) / Fraction(event.scale))


def per_case(event: ThresholdedHistogram | WeightedHistogram) -> Epsilon | None:
    """What adding or removing a case costs the histogram; None if the scale is withheld."""
    weight = event.weight if isinstance(event, WeightedHistogram) else 1
    return None if isinstance(event.scale, Withheld) else Epsilon(weight / Fraction(event.scale))


def _laplace_count(event: LaplaceCount, scope: Scope, relation: Relation, view: View) -> Loss:
    if scope is Scope.EVENT:
        return FREE
    one_cell = per_cell(event)
    if one_cell is None:
        return NO_BOUND
    if scope is Scope.CELL:
        return Loss(one_cell)  # a replaced case moves a single cell by no more than an added one
    cells = known(event.cells_per_case, view)
    if cells is None:
        return NO_BOUND
    return Loss(one_cell * (cells if relation is Relation.ADD_REMOVE else 2 * cells))


def _thresholded(event: ThresholdedHistogram, scope: Scope, relation: Relation, cases: int = 1) -> Loss:
    """For a unit of so many cases."""
    if scope is Scope.EVENT:
        return FREE
    one_case = per_case(event)
    if one_case is None or isinstance(event.scale, Withheld) or cases >= event.threshold:
        return NO_BOUND
    # What is released of one cell is fitted to the others, so it sees as much as all of them.
    moved = 2 if relation is Relation.REPLACE or scope is Scope.CELL else 1
    # The unit's own cells, that nobody else is in, are at most as many as its cases, with at most all of these in one;
    # whatever replaces it, it is seen by those that it has, not by those that it might have had.
    own = Fraction(threshold_delta(event.scale, event.threshold, cases)) * cases
    return Loss(one_case * moved * cases, min(Fraction(1), own))


def _weighted(event: WeightedHistogram, scope: Scope, relation: Relation) -> Loss:
    whole = per_case(event)
    if scope is Scope.EVENT and event.of == "control flow":
        return FREE
    if whole is None:
        return NO_BOUND
    # What is released of one cell is fitted to the others, so it sees as much as all of them. A changed time takes its
    # share of the weight from one cell to another: at most all of it, twice.
    once = relation is Relation.ADD_REMOVE and scope is Scope.CASE
    return Loss(whole * (1 if once else 2))


def _noisy_max(event: NoisyMax, scope: Scope) -> Loss:
    if scope is Scope.EVENT and event.of == "control flow":
        return FREE
    if isinstance(event.scale, Withheld):
        return NO_BOUND
    return Loss(Epsilon(2 * event.sensitivity / Fraction(event.scale)))


def _public_times(event: BoundedLaplace, scope: Scope, relation: Relation, view: View) -> Loss:
    if scope is Scope.CELL:
        return FREE
    if scope is not Scope.EVENT and relation is Relation.ADD_REMOVE:
        return NO_BOUND  # an added or removed case changes how many values there are
    # In the same units and rounded up alike, so that an exact declaration is not refused.
    declared = None if event.declared_loss is None else largest_of(units_of(np.array([event.declared_loss])))
    found = None if isinstance(event.columns, Withheld) else largest_losses(event.columns.reveal())
    if found is not None:
        _check_declared(event, found, declared)
    if view is View.CONFIDENTIAL:
        return NO_BOUND if found is None else Loss(found.event if scope is Scope.EVENT else found.case)
    if declared is None:
        return NO_BOUND
    events = 1 if scope is Scope.EVENT else known(event.events_per_case, view)
    # For the times of one case; the cases of an individual are multiplied where they are declared.
    return NO_BOUND if events is None else Loss(declared * events)


def _check_declared(event: BoundedLaplace, found: Largest, declared: Epsilon | None) -> None:
    if declared is not None and not found.event <= declared:
        raise AccountingError("some event loses more than the loss that is declared for every event.")
    events = np.bincount(event.columns.reveal().case)
    if isinstance(event.events_per_case, int) and int(events.max()) > event.events_per_case:
        raise AccountingError("some case has more events than are declared for every case.")


def _selection(event: DataDependentSelection, scope: Scope, relation: Relation, view: View) -> Loss:
    if event.declared_public:
        return FREE
    if event.made_by is not None:
        return strict_loss(event.made_by, scope, relation, view)
    # One relative time changes neither the order of events nor, with it, variants and groups; it may change who is
    # filtered.
    return FREE if scope is Scope.EVENT and event.of != "cases" else NO_BOUND


def _sum(losses: Iterable[Loss]) -> Loss:
    parts = list(losses)
    return Loss(
        total(part.epsilon for part in parts),
        sum((part.delta for part in parts), Fraction(0)),
        all(part.mixture for part in parts),
    )


def _parallel(event: Parallel, scope: Scope, relation: Relation, view: View) -> Loss:
    moves = relation is Relation.REPLACE and event.partition == "value-dependent"
    losses = [
        _larger(part, scope, relation, view) if moves else strict_loss(part, scope, relation, view)
        for part in event.parts
    ]
    if scope is Scope.INDIVIDUAL:
        return _sum(losses)  # cases of one individual may lie in all parts
    deltas = sorted((loss.delta for loss in losses), reverse=True)
    mixture = all(loss.mixture for loss in losses)
    if moves:
        return Loss(two_largest(loss.epsilon for loss in losses), sum(deltas[:2], Fraction(0)), mixture)
    return Loss(largest(loss.epsilon for loss in losses), max(deltas, default=Fraction(0)), mixture)


def _larger(part: PrivacyEvent, scope: Scope, relation: Relation, view: View) -> Loss:
    """A replaced value may stay in the part, or leave or enter it with its whole case."""
    stays = strict_loss(part, scope, relation, view)
    moves = strict_loss(part, Scope.CASE if scope is Scope.EVENT else scope, Relation.ADD_REMOVE, view)
    return Loss(largest((stays.epsilon, moves.epsilon)), max(stays.delta, moves.delta), stays.mixture and moves.mixture)


def _times(loss: Loss, count: int) -> Loss:
    return Loss(loss.epsilon * count, loss.delta * count, loss.mixture)


def _shared(event: SharedByIndividual, scope: Scope, relation: Relation, view: View) -> Loss:
    """Group privacy over the cases of one individual: so many times the loss of one case.

    A number that was taken from the log bounds nothing, not even for one case: it is the largest over all
    individuals, one case can change it, and it sets the scale of the noise.
    """
    if isinstance(event.cases, Confidential):
        return NO_BOUND if scope is not Scope.EVENT else strict_loss(event.part, scope, relation, view)
    if scope in (Scope.CELL, Scope.CASE) and event.truncated:
        if relation is Relation.ADD_REMOVE:
            return strict_loss(event.part, scope, Relation.REPLACE, view)
        return _of_several(event.part, scope, relation, view, 2)
    if scope is not Scope.INDIVIDUAL:
        return strict_loss(event.part, scope, relation, view)
    return NO_BOUND if event.cases is None else _of_several(event.part, Scope.CASE, relation, view, event.cases)


def _of_several(event: PrivacyEvent, scope: Scope, relation: Relation, view: View, cases: int) -> Loss:
    """For so many cases at once: part by part, because a threshold protects several cases better than a chain of
    neighbours shows."""
    match event:
        case Sequential():
            return _sum(_of_several(part, scope, relation, view, cases) for part in event.parts)
        case ThresholdedHistogram():
            return _thresholded(event, scope, relation, cases)
        case SharedByIndividual():
            return NO_BOUND  # whose cases are meant, the inner one's or the outer one's, is not said
        case _:
            return _group(strict_loss(event, scope, relation, view), cases)


def _group(loss: Loss, members: int) -> Loss:
    """Pure: g·ε. Approximate: (g·ε, g·exp((g-1)·ε)·δ)."""
    epsilon = loss.epsilon * members
    if not loss.delta or members == 1:
        return Loss(epsilon, loss.delta)
    if loss.epsilon.value is None:
        return NO_BOUND
    exponent = float(loss.epsilon.value) * (members - 1)
    if exponent > 700:  # beyond the floats; a probability is at most 1 anyway
        return Loss(epsilon, Fraction(1), mixture=False)
    growth = Fraction(math.exp(exponent)) * (1 + Fraction(1, 2**40))  # covers the rounding of exponent and exp
    return Loss(epsilon, min(Fraction(1), loss.delta * members * growth), mixture=False)


def known(fact: Fact, view: View) -> int | None:
    """The value of a fact, if it may be used in this view."""
    if isinstance(fact, Confidential):
        return fact.reveal() if view is View.CONFIDENTIAL and not isinstance(fact, Withheld) else None
    return fact
