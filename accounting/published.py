"""How much a tree of events loses as the article reads it.

Control flow and times are two perspectives, each with an ε of its own, and the larger one is the release's (its Def.
3.1); moving cases, filtering and building groups are free. (What can be proved: ``accounting.losses``.)
"""

from __future__ import annotations

from fractions import Fraction

from accounting.confidential import Confidential, Withheld
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NoisyMax,
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
from accounting.guarantee import Scope
from accounting.losses import COSTLY, KNOWN, View, per_case, per_cell
from accounting.personalised import largest_losses
from accounting.quantities import UNBOUNDED, ZERO, Epsilon, largest, total


def published_loss(event: PrivacyEvent, scope: Scope, view: View) -> Epsilon | None:
    """What the article claims of the event: the larger of its two perspectives. None: a figure that is not public."""
    try:
        control_flow, times = _published(event, scope, view)
    except _WithheldError:
        return None
    return largest((control_flow, times))


class _WithheldError(Exception):
    """The figure depends on a confidential fact, and the view is public."""


def _published(  # noqa: PLR0912 -- one case a kind of record
    event: PrivacyEvent, scope: Scope, view: View
) -> tuple[Epsilon, Epsilon]:
    if type(event) not in KNOWN:
        return UNBOUNDED, UNBOUNDED
    # The article divides ε by the cases of an individual; where nothing says how many, it claims nothing of them.
    if scope is Scope.INDIVIDUAL and isinstance(event, COSTLY):
        return UNBOUNDED, UNBOUNDED
    match event:
        case LaplaceCount() | OneSidedCount():
            return (ZERO if scope is Scope.EVENT else _disclosed(per_cell(event))), ZERO
        case ThresholdedHistogram() | WeightedHistogram(of="control flow"):
            return (ZERO if scope is Scope.EVENT else _disclosed(per_case(event))), ZERO
        case WeightedHistogram():
            return ZERO, _disclosed(per_case(event))
        case NoisyMax():  # no mechanism of the article; it has one loss, whatever is read into it
            if isinstance(event.scale, Withheld):
                raise _WithheldError
            whole = Epsilon(2 * event.sensitivity / Fraction(event.scale))
            if event.of == "times":
                return ZERO, whole
            return (ZERO if scope is Scope.EVENT else whole), ZERO
        case BoundedLaplace():
            if scope is Scope.CELL:
                return ZERO, ZERO
            if view is View.PUBLIC or isinstance(event.columns, Withheld):
                raise _WithheldError
            return ZERO, largest_losses(event.columns.reveal()).event
        case CaseMoves() | DataDependentSelection() | PostProcessing() | TakenAsPublic():
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
            return _published_shared(event, scope, view)
        case _:  # NonPrivate
            return UNBOUNDED, UNBOUNDED


def _published_shared(event: SharedByIndividual, scope: Scope, view: View) -> tuple[Epsilon, Epsilon]:
    """The article divides ε by the cases of an individual; what they cost together is the product again."""
    if isinstance(event.cases, Withheld) or (isinstance(event.cases, Confidential) and view is View.PUBLIC):
        # With a number from the log even one case's loss would betray it: it is the calibrated loss divided by it.
        raise _WithheldError
    control, times = _published(event.part, Scope.CASE if scope is Scope.INDIVIDUAL else scope, view)
    if scope is not Scope.INDIVIDUAL:
        return control, times
    cases = event.cases.reveal() if isinstance(event.cases, Confidential) else event.cases
    return (UNBOUNDED, UNBOUNDED) if cases is None else (control * cases, times * cases)


def _disclosed(epsilon: Epsilon | None) -> Epsilon:
    if epsilon is None:
        raise _WithheldError
    return epsilon
