"""How much a tree of events loses at a scope: two readings of the same tree.

*Strict*: basic composition, exact sums; whatever has no bound counts as unbounded, never as zero.
*Published*: the article's reading. Control flow and times are two perspectives, each with an ε of its own, and the
larger one is the release's (its Def. 3.1); moving cases, filtering and building groups are free.

Scopes, and what changes between neighbouring logs:
  cell        all cases of one individual, seen through one cell of one released table
  event       one relative time of one event within its range; nothing else changes
  case        one case
  individual  all cases of one individual

A confidential fact is used in the confidential view. In the public view it is used only inside the product that makes
an individual's loss what it was calibrated to be (see ``SharedByIndividual`` below); stated figures are rounded up to
six digits, which wipes out what the last bits of that product could tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from accounting.confidential import Confidential
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    Fact,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    Parallel,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
)
from accounting.formulas import threshold_delta
from accounting.guarantee import Relation, Scope
from accounting.personalised import largest_case_loss, largest_event_loss
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


FREE = Loss(ZERO)
NO_BOUND = Loss(UNBOUNDED)


def strict_loss(event: PrivacyEvent, scope: Scope, relation: Relation, view: View) -> Loss:
    """What basic composition proves of the event."""

    def of(part: PrivacyEvent) -> Loss:
        return strict_loss(part, scope, relation, view)

    match event:
        case PostProcessing():
            return FREE
        case LaplaceCount():
            return _laplace_count(event, scope, relation, view)
        case ThresholdedHistogram():
            return _thresholded(event, scope, relation)
        case BoundedLaplace(scales="public"):
            return _public_times(event, scope, relation)
        case BoundedLaplace() | OneSidedCount() | CaseMoves():
            # Counts do not see times; times do not move counts.
            blind = Scope.CELL if isinstance(event, BoundedLaplace) else Scope.EVENT
            return FREE if scope is blind else NO_BOUND
        case DataDependentSelection():
            return _selection(event, scope, relation, view)
        case Sequential():
            return _sum(map(of, event.parts))
        case Parallel():
            return _parallel(event, list(map(of, event.parts)), relation)
        case Replicated():
            return _times(of(event.part), event.copies)
        case RepeatedRelease():
            return _times(of(event.part), event.releases)
        case SharedByIndividual():
            return _shared(of(event.part), event.cases, scope, view)
        case NonPrivate() | _:
            return NO_BOUND


def published_loss(event: PrivacyEvent, scope: Scope, view: View) -> Epsilon:
    """What the article claims of the event: the larger of its two perspectives."""
    control_flow, times = _published(event, scope, view)
    return largest((control_flow, times))


def _published(event: PrivacyEvent, scope: Scope, view: View) -> tuple[Epsilon, Epsilon]:
    match event:
        case LaplaceCount() | OneSidedCount():
            return (ZERO if scope is Scope.EVENT else _per_cell(event)), ZERO
        case ThresholdedHistogram():
            return (ZERO if scope is Scope.EVENT else Epsilon(1 / Fraction(event.scale))), ZERO
        case BoundedLaplace():
            return ZERO, (ZERO if scope is Scope.CELL else largest_event_loss(event.columns.reveal()))
        case CaseMoves() | DataDependentSelection() | PostProcessing():
            return ZERO, ZERO
        case Sequential():
            parts = [_published(part, scope, view) for part in event.parts]
            return total(control for control, _ in parts), total(times for _, times in parts)
        case Parallel():
            parts = [_published(part, scope, view) for part in event.parts]
            return largest(control for control, _ in parts), largest(times for _, times in parts)
        case Replicated() | RepeatedRelease():
            control, times = _published(event.part, scope, view)
            count = event.copies if isinstance(event, Replicated) else event.releases
            return control * count, times * count
        case SharedByIndividual():
            control, times = _published(event.part, scope, view)
            return tuple(_shared(Loss(part), event.cases, scope, view).epsilon for part in (control, times))  # type: ignore[return-value]  # a pair in, a pair out
        case NonPrivate() | _:
            return UNBOUNDED, UNBOUNDED


# --- rules ----------------------------------------------------------------------------------------------------------


def _per_cell(event: LaplaceCount | OneSidedCount) -> Epsilon:
    return Epsilon(Fraction(event.sensitivity) / Fraction(event.scale))


def _laplace_count(event: LaplaceCount, scope: Scope, relation: Relation, view: View) -> Loss:
    if scope is Scope.EVENT:
        return FREE
    if scope is Scope.CELL:
        return Loss(_per_cell(event))  # a replaced case moves a single cell by no more than an added one
    cells = known(event.cells_per_case, view)
    if cells is None:
        return NO_BOUND
    return Loss(_per_cell(event) * (cells if relation is Relation.ADD_REMOVE else 2 * cells))


def _thresholded(event: ThresholdedHistogram, scope: Scope, relation: Relation) -> Loss:
    if scope is Scope.EVENT:
        return FREE
    moved = 2 if relation is Relation.REPLACE and scope is not Scope.CELL else 1
    # A replaced case can bring one cell into sight that was not there before, not two: the other one it leaves.
    return Loss(Epsilon(moved / Fraction(event.scale)), Fraction(threshold_delta(event.scale, event.threshold)))


def _public_times(event: BoundedLaplace, scope: Scope, relation: Relation) -> Loss:
    columns = event.columns.reveal()
    if scope is Scope.CELL:
        return FREE
    if scope is Scope.EVENT:
        return Loss(largest_event_loss(columns))
    # Replaced times of a case whose events stay: their losses add. An added or removed case changes how many values
    # there are.
    return NO_BOUND if relation is Relation.ADD_REMOVE else Loss(largest_case_loss(columns))


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
    return Loss(total(part.epsilon for part in parts), sum((part.delta for part in parts), Fraction(0)))


def _parallel(event: Parallel, losses: list[Loss], relation: Relation) -> Loss:
    deltas = sorted((loss.delta for loss in losses), reverse=True)
    if relation is Relation.REPLACE and event.partition == "value-dependent":
        return Loss(two_largest(loss.epsilon for loss in losses), sum(deltas[:2], Fraction(0)))
    return Loss(largest(loss.epsilon for loss in losses), max(deltas, default=Fraction(0)))


def _times(loss: Loss, count: int) -> Loss:
    return Loss(loss.epsilon * count, loss.delta * count)


def _shared(loss: Loss, cases: Fact, scope: Scope, view: View) -> Loss:
    """Group privacy over the cases of one individual.

    If their number is confidential, the loss of a single case would betray it (it is the calibrated loss divided by
    that number), so the public view states the individual's loss for a case too: a case costs no more than all of them.
    """
    if scope is Scope.EVENT:
        return loss
    confidential = isinstance(cases, Confidential)
    if scope is Scope.CASE and not (confidential and view is View.PUBLIC):
        return loss
    count = cases.reveal() if isinstance(cases, Confidential) else cases
    return NO_BOUND if count is None else _group(loss, count)


def _group(loss: Loss, members: int) -> Loss:
    """Pure: g·ε. Approximate: (g·ε, g·exp((g-1)·ε)·δ)."""
    epsilon = loss.epsilon * members
    if not loss.delta or members == 1:
        return Loss(epsilon, loss.delta)
    if loss.epsilon.value is None:
        return NO_BOUND
    exponent = float(loss.epsilon.value) * (members - 1)
    if exponent > 700:  # beyond the floats; a probability is at most 1 anyway
        return Loss(epsilon, Fraction(1))
    growth = Fraction(math.exp(exponent)) * (1 + Fraction(1, 2**40))  # covers the rounding of exponent and exp
    return Loss(epsilon, min(Fraction(1), loss.delta * members * growth))


def known(fact: Fact, view: View) -> int | None:
    """The value of a fact, if it may be used in this view."""
    if isinstance(fact, Confidential):
        return fact.reveal() if view is View.CONFIDENTIAL else None
    return fact
