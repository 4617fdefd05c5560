"""What a release costs each unit, in each way in which neighbouring logs may differ, before any budget is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from accounting.errors import AccountingError
from accounting.guarantee import Scope
from accounting.losses import NO_BOUND, Loss
from accounting.quantities import largest, total


@dataclass(frozen=True, slots=True)
class UnitLoss:
    """What one release costs one unit, strictly. Whatever is not known has no bound."""

    replace: Loss = NO_BOUND
    """The unit has other values."""
    add_remove: Loss = NO_BOUND
    """The unit is there or not. No bound where the number of cases was read off the log."""
    leave_out: Loss = NO_BOUND
    """The unit contributes nothing, and public facts stay as they are."""
    mu_squared: Fraction | None = None
    """Room for a loss on average over the noise (μ₀² of the leave-out relation); None: none is stated."""

    @property
    def losses(self) -> tuple[Loss, Loss, Loss]:
        """In all three relations."""
        return (self.replace, self.add_remove, self.leave_out)


UNBOUNDED_UNIT = UnitLoss()
"""Nothing bounds what the release costs this unit."""
UNITS = (Scope.CASE, Scope.INDIVIDUAL)
"""Whom a budget may protect. Every release is charged at each."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one release costs, in this release alone, in both readings."""

    case: UnitLoss = UNBOUNDED_UNIT
    """Strict, for one case."""
    individual: UnitLoss = UNBOUNDED_UNIT
    """Strict, for all cases of one individual; no bound if nobody declared how many those are."""
    unit: Scope = Scope.CASE
    """Whom the release was asked to protect: the first one sets its log's budget at this unit."""
    advantage: Fraction | None = None
    """What its noise was calibrated for, as the article does it; None if it was not."""
    releases: int = 1
    """By how many releases every ε was divided."""
    window: str | None = None
    """Room for the part of the log that a release is about; None: all of it."""

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise AccountingError("a release protects a case or an individual.")
        if self.advantage is not None and not 0 < self.advantage < 1:
            raise AccountingError("an advantage lies strictly between 0 and 1.")
        if self.releases < 1:
            raise AccountingError("there is at least one release.")
        if not all(0 <= loss.delta <= 1 for unit in UNITS for loss in self.at(unit).losses):
            raise AccountingError("a δ is a probability.")

    def at(self, unit: Scope) -> UnitLoss:
        """What it costs this unit."""
        return self.individual if unit is Scope.INDIVIDUAL else self.case

    @property
    def strictly_bounded(self) -> bool:
        """Whether it has a strict cost for a case at all."""
        return self.case.replace.epsilon.bounded


def together(losses: Iterable[Loss]) -> Loss:
    """What releases cost a unit together: ε and δ add, exactly."""
    parts = tuple(losses)
    added = Loss(
        total(part.epsilon for part in parts),
        sum((part.delta for part in parts), Fraction(0)),
        all(part.mixture for part in parts),
    )
    return added if added.epsilon.bounded and added.delta < 1 else NO_BOUND


def larger(losses: Iterable[Loss]) -> Loss:
    """A loss that none of these exceeds, in ε or in δ."""
    parts = tuple(losses)
    return Loss(
        largest(part.epsilon for part in parts),
        max((part.delta for part in parts), default=Fraction(0)),
        all(part.mixture for part in parts),
    )
