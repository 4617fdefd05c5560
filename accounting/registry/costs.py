"""What a release costs each unit, in each way in which neighbouring logs may differ, before any budget is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from accounting.change import View
from accounting.curve import curve_of
from accounting.errors import AccountingError
from accounting.events import PrivacyEvent
from accounting.guarantee import Relation, Scope
from accounting.loss import NO_BOUND, Loss, checked
from accounting.loss import together as added_up
from accounting.losses import strict_loss
from accounting.standing import number_from_the_log, number_tells_of_individuals


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
    """The loss on average over the noise, μ₀² of the leave-out relation, of a release that has no ε; None: it follows
    from an ε, or there is none."""
    set_aside: Fraction = Fraction(0)
    """The δ beside that μ₀²: a threshold's, and what rounding the noise to whole numbers costs."""

    @property
    def on_average(self) -> tuple[Fraction, Fraction] | None:
        """μ₀² and the δ beside it; None: nothing bounds the average.

        Of a release with an ε by its leave-out loss: μ₀ = 2Φ⁻¹(e^ε/(1+e^ε)), for a histogram exactly that of its
        advantage. Where only the loss of a replaced unit is known, by that: any one value of the unit is a reference,
        too, but costs nearly four times as much. A leave-out loss beside which a replaced unit has no bound (somebody
        with several cases shows in the number of all) says nothing about guesses.
        """
        if self.mu_squared is not None:
            return self.mu_squared, self.set_aside
        if not self.replace.epsilon.bounded:
            return None
        found = self.leave_out if self.leave_out.epsilon.bounded else self.replace
        curve = curve_of(found, Relation.LEAVE_OUT)
        return None if curve is None else (curve.mu_squared, curve.delta)

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
        if not all(0 <= self.at(unit).set_aside <= 1 and (self.at(unit).mu_squared or 0) >= 0 for unit in UNITS):
            raise AccountingError("a μ² is not negative, and a δ is a probability.")

    def at(self, unit: Scope) -> UnitLoss:
        """What it costs this unit."""
        return self.individual if unit is Scope.INDIVIDUAL else self.case

    @property
    def strictly_bounded(self) -> bool:
        """Whether it has a strict cost for a case at all."""
        return self.case.replace.epsilon.bounded


def unit_loss(tree: PrivacyEvent, unit: Scope) -> UnitLoss:
    """What a release that is recorded by this ``tree`` costs a ``unit``, from public facts alone."""
    if unit is Scope.INDIVIDUAL and number_tells_of_individuals(tree):
        return UnitLoss(leave_out=_by_epsilon(strict_loss(tree, unit, Relation.LEAVE_OUT, View.PUBLIC)))
    replaced, added, without = (
        strict_loss(tree, unit, relation, View.PUBLIC)
        for relation in (Relation.REPLACE, Relation.ADD_REMOVE, Relation.LEAVE_OUT)
    )
    found = UnitLoss(
        _by_epsilon(replaced), NO_BOUND if number_from_the_log(tree) else _by_epsilon(added), _by_epsilon(without)
    )
    curve = curve_of(without, Relation.LEAVE_OUT)
    if curve is None or without.epsilon.bounded:
        return found
    return replace(found, mu_squared=curve.mu_squared, set_aside=curve.delta + curve.surcharge)


def _by_epsilon(loss: Loss) -> Loss:
    """The loss without its parts: what an entry says of it."""
    return Loss(loss.epsilon, loss.delta, loss.mixture) if loss.epsilon.bounded else NO_BOUND


def together(losses: Iterable[Loss]) -> Loss:
    """What releases cost a unit together: ε, μ² and δ add, exactly."""
    return checked(added_up(losses))
