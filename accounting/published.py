"""How much a tree of events loses as the article reads it.

Control flow and times are two perspectives, each with an ε of its own, and the larger one is the release's (its Def.
3.1); moving cases, filtering and building groups are free. (What can be proved: ``accounting.losses``.)
"""

from __future__ import annotations

from accounting.change import View
from accounting.confidential import Confidential, Withheld
from accounting.events import (
    DataDependentSelection,
    Parallel,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
)
from accounting.guarantee import Scope
from accounting.quantities import Epsilon, largest, total
from accounting.rules import rule_of
from accounting.rules.rule import EVERYTHING, NOTHING, Perspectives


def published_loss(event: PrivacyEvent, scope: Scope, view: View) -> Epsilon | None:
    """What the article claims of the event: the larger of its two perspectives. None: a figure that is not public."""
    try:
        control_flow, times = _published(event, scope, view)
    except _WithheldError:
        return None
    return largest((control_flow, times))


class _WithheldError(Exception):
    """The figure depends on a confidential fact, and the view is public."""


def _published(event: PrivacyEvent, scope: Scope, view: View) -> Perspectives:
    match event:
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
            return _shared(event, scope, view)
        case DataDependentSelection():
            return NOTHING
        case _:
            return _leaf(event, scope, view)


def _leaf(event: PrivacyEvent, scope: Scope, view: View) -> Perspectives:
    rule = rule_of(event)
    # The article divides ε by the cases of an individual; where nothing says how many, it claims nothing of them.
    if scope is Scope.INDIVIDUAL and rule.costs_a_case(event):
        return EVERYTHING
    found = rule.published(event, scope, view)
    if found is None:
        raise _WithheldError
    return found


def _shared(event: SharedByIndividual, scope: Scope, view: View) -> Perspectives:
    """The article divides ε by the cases of an individual; what they cost together is the product again."""
    if isinstance(event.cases, Withheld) or (isinstance(event.cases, Confidential) and view is View.PUBLIC):
        # With a number from the log even one case's loss would betray it: it is the calibrated loss divided by it.
        raise _WithheldError
    control, times = _published(event.part, Scope.CASE if scope is Scope.INDIVIDUAL else scope, view)
    if scope is not Scope.INDIVIDUAL:
        return control, times
    cases = event.cases.reveal() if isinstance(event.cases, Confidential) else event.cases
    return EVERYTHING if cases is None else (control * cases, times * cases)
