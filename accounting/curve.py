"""What a Gaussian curve means: advantage, success for a prior, (ε, δ), and what one output may do.

Premise: the two laws of a release that are compared are, each with probability 1 - ``delta``, draws from laws that are
no easier to tell apart than N(0, 1) and N(μ, 1), up to what rounding the continuous noise to whole numbers costs
(``surcharge``). Every figure is rounded up. The formulas and their proofs: ``accounting.average``, docs/average.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from accounting.average import (
    advantage_of,
    chance_of_more_than,
    delta_of,
    epsilon_of,
    smoothing_surcharge,
    success_after,
    yes_no_advantage_of,
)
from accounting.average_algebra import group_square
from accounting.errors import AccountingError
from accounting.events.gaussian import SMOOTHING
from accounting.loss import Loss
from accounting.neighbours import Relation


@dataclass(frozen=True, slots=True)
class Curve:
    """What somebody who compares two laws can find out, on average over the noise."""

    mu_squared: Fraction
    """μ², exact."""
    delta: Fraction = Fraction(0)
    """The probability that is set aside (a threshold's); 0 for none."""
    cells: int = 0
    """Cells with discrete Gaussian noise."""
    relation: Relation = Relation.LEAVE_OUT
    """Which two laws are compared: of a log and of what it would be without the unit (its reference may have the
    continuous noise, so that rounding counts once), or of two logs (it counts twice)."""

    @property
    def surcharge(self) -> Fraction:
        """What rounding the noise to whole numbers costs in distance (T4)."""
        once = self._rounding
        return once if self.relation is Relation.LEAVE_OUT else 2 * once

    @property
    def mu(self) -> float:
        """μ, rounded up."""
        return _root_up(self.mu_squared)

    @property
    def advantage(self) -> float:
        """By how much the best guess is at most likelier to be right after the release than before it, whatever the
        prior and whatever is guessed: 2Φ(μ/2) - 1 + δ (T1). In the replace relation the same bound, and for yes/no
        questions half of it (T2)."""
        return advantage_of(self.mu_squared, self.delta + self.surcharge)

    @property
    def yes_no_advantage(self) -> float:
        """The same for yes/no questions, from the replace relation (T2)."""
        self._needs(Relation.REPLACE)
        return yes_no_advantage_of(self.mu_squared, self.delta + self.surcharge)

    def success_after(self, prior: float) -> float:
        """How often the best guess is right after the release at most, if it was right with probability ``prior``
        before: Φ(Φ⁻¹(prior) + μ) + δ (T1b)."""
        return success_after(prior, self.mu_squared, self.delta + self.surcharge)

    def delta_at(self, epsilon: float) -> float:
        """The δ of approximate differential privacy that goes with an ``epsilon`` (T3, T4)."""
        found = Fraction(delta_of(self.mu_squared, epsilon, self._rounding)) + self.delta
        return min(1.0, _float_up(found))

    def epsilon_at(self, delta: float) -> float:
        """The ε of approximate differential privacy that goes with a ``delta``; infinite where that is no more than
        what is set aside."""
        room = Fraction(delta) - self.delta
        return math.inf if room <= 0 else epsilon_of(self.mu_squared, _float_down(room), self._rounding)

    def chance_of_more_than(self, by: float) -> float:
        """How likely at most one release raises one true statement by more than ``by``, whatever its prior (T5). From
        the replace relation."""
        self._needs(Relation.REPLACE)
        return chance_of_more_than(self.mu_squared, by, self.delta, self._rounding)

    def of_group(self, members: int) -> Curve:
        """For so many dependent cases at once (``members``): g·μ. With something set aside no such rule holds: ask the
        tree (``loss_of_dependent_cases``)."""
        if members > 1 and self.delta:
            raise AccountingError("a curve with a δ says nothing of a group; account for the group's cases instead.")
        return Curve(group_square(self.mu_squared, members), self.delta, self.cells, self.relation)

    @property
    def _rounding(self) -> Fraction:
        return smoothing_surcharge(SMOOTHING, self.cells) if self.cells else Fraction(0)

    def _needs(self, relation: Relation) -> None:
        if self.relation is not relation:
            raise AccountingError(f"that follows from the {relation.value} relation, not from {self.relation.value}.")


def curve_of(loss: Loss, relation: Relation) -> Curve | None:
    """The curve of a whole loss in a relation; None if there is none.

    Of a loss with an ε by that ε, whatever its parts: what divided it is free then to divide it as earlier outputs
    suggest, because the sum of ε stays what it is and that of the parts' μ² does not. Of any other part by part.
    """
    whole = Loss(loss.epsilon).mu_squared.value if loss.epsilon.bounded else loss.mu_squared.value
    return None if whole is None else Curve(whole, loss.delta, loss.cells, relation)


def _root_up(square: Fraction) -> float:
    """The square root as a float that is not below it."""
    near = math.sqrt(square)
    while Fraction(near) ** 2 < square:
        near = math.nextafter(near, math.inf)
    return near


def _float_up(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def _float_down(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, 0.0)
