"""Calibration: from an advantage at a chosen scope back to the noise that each mechanism needs.

The article calibrates a count for one cell and a time for one event. The same advantage for a whole case, or for an
individual with several, takes more noise by a plain factor; here a user sees it before paying it. The factors need
public bounds: the length of a case and the cases of an individual must be declared, not taken from the log.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from accounting.errors import AccountingError
from accounting.formulas import worst_case_loss
from accounting.guarantee import Scope


@dataclass(frozen=True, slots=True)
class PublicBounds:
    """What is declared about cases and individuals."""

    longest_case: int | None = None
    """No case has more events; None if nothing is declared."""
    cases_per_individual: int = 1
    """No individual has more cases."""

    def __post_init__(self) -> None:
        if (self.longest_case is not None and self.longest_case < 1) or self.cases_per_individual < 1:
            raise AccountingError("a case has at least one event, and an individual at least one case.")


def count_scale(advantage: float, scope: Scope, bounds: PublicBounds) -> float:
    """Scale of Laplace noise on a table of transition counts that keeps the advantage at a scope, whatever the prior.

    A case moves one cell by 1; a replaced case moves as many cells as two cases are long, and an individual as many as
    all their cases. The ``bounds`` say how many of both there can be.
    """
    if scope is Scope.EVENT:
        raise AccountingError("counts do not depend on the time of one event; choose cell, case or individual.")
    moved = {
        Scope.CELL: 1,
        Scope.CASE: 2 * _longest(bounds, scope),
        Scope.INDIVIDUAL: 2 * _longest(bounds, scope) * bounds.cases_per_individual,
    }[scope]
    return _scale(moved, advantage)


def time_scale(advantage: float, scope: Scope, value_range: int, bounds: PublicBounds) -> float:
    """Scale of Laplace noise on each relative time in a public range [0, r] that keeps the advantage at a scope.

    ``value_range`` is r; the ``bounds`` say how many times a case, or an individual, can have.
    """
    if scope is Scope.CELL:
        raise AccountingError("a time is in no cell of a table of counts; choose event, case or individual.")
    if value_range < 1:
        raise AccountingError("a range is positive.")
    values = {
        Scope.EVENT: 1,
        Scope.CASE: _longest(bounds, scope),
        Scope.INDIVIDUAL: _longest(bounds, scope) * bounds.cases_per_individual,
    }[scope]
    return _scale(values * value_range, advantage)


def _longest(bounds: PublicBounds, scope: Scope) -> int:
    if bounds.longest_case is not None:
        return bounds.longest_case
    if scope in (Scope.CASE, Scope.INDIVIDUAL):
        raise AccountingError(f"noise for a whole {scope.value} needs a public bound on the length of a case.")
    return 1


def _scale(moved: int, advantage: float) -> float:
    """moved/loss, rounded up: the noise is never smaller than the advantage asks for."""
    return math.nextafter(moved / float(worst_case_loss(advantage)), math.inf)
