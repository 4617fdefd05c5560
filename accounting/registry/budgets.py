"""What a release spends of a log's budget, in the one reading in which the budget is held.

*Strict*: an ε and a δ for one unit, a case or an individual, replaced by another. Losses add, exactly.

*Average*: a μ₀² and a δ for one unit that contributes nothing instead: on average over the noise the best guess gains
at most 2Φ(μ₀/2) - 1 + δ. μ₀² adds over releases, advantages do not. A release with an ε is turned into the μ₀² of its
leave-out loss.

*Published*: a guessing advantage B, as the article reads it. An event with prior P loses ε_P(A) = logit(P+A) - logit(P)
in a release calibrated for A, and what it may lose is ε_P(B). Advantages do not add (two releases at 0.1 raise a guess
of 1 % by 59 points), and neither is part of a larger one: ε_P(A)/ε_P(B) tends to 1 as P tends to 0. What can be divided
is ε, as the article divides it. So a release calibrated for A ≤ B with every ε divided by k spends the share 1/k, and
one that costs every case at most ε spends ε/(4·artanh B), because 4·artanh B is the least of all ε_P(B). While the
shares add up to at most 1, the losses of an event add up to at most ε_P(B), whatever its prior. A larger budget later
does not shrink a calibrated share.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Literal

from accounting.average import advantage_of as average_advantage
from accounting.average import mu_squared_of_advantage
from accounting.errors import AccountingError
from accounting.formulas import MARGIN, worst_case_loss
from accounting.guarantee import Scope
from accounting.quantities import DIGITS, rounded_up
from accounting.registry.costs import UNITS, Cost

ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Amount:
    """Part of a budget: an ε (strict), a μ₀² (average) or a share (published), with the δ of the first two."""

    value: Fraction
    """The ε, the μ₀², or the share of 1."""
    delta: Fraction = Fraction(0)
    """The δ of approximate differential privacy; on average, the probability that is set aside."""

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.value + other.value, self.delta + other.delta)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.value - other.value, self.delta - other.delta)

    def fits(self, room: Amount) -> bool:
        """Whether there is room for it, in ε, μ₀² or share and in δ."""
        return self.value <= room.value and self.delta <= room.delta


NOTHING = Amount(Fraction(0))
HeldIn = Literal["strict", "average", "published"]
ROOM_FOR_ROUNDING = Fraction(1, 10**24)
"""What a budget on average leaves beside its δ for noise on whole numbers, 10⁻³⁴ a cell (T4)."""


@dataclass(frozen=True, slots=True)
class StrictBudget:
    """ε and δ for one unit, replaced by another, over all releases."""

    epsilon: Fraction
    """Of all releases together."""
    delta: Fraction = Fraction(0)
    """The δ of approximate differential privacy, of all releases together."""
    unit: Scope = Scope.CASE
    """Whom it protects: a case, or an individual with all their cases."""

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise AccountingError("a budget is for a case or for an individual.")
        if self.epsilon < 0 or not 0 <= self.delta < 1:
            raise AccountingError("a budget has an ε that is not negative and a δ from 0 to below 1.")

    @property
    def reading(self) -> HeldIn:
        """Strict."""
        return "strict"

    @property
    def whole(self) -> Amount:
        """All of it."""
        return Amount(self.epsilon, self.delta)

    def price(self, cost: Cost) -> Amount | None:
        """None: unbounded."""
        loss = cost.at(self.unit).replace
        return None if loss.epsilon.value is None else Amount(loss.epsilon.value, loss.delta)


@dataclass(frozen=True, slots=True)
class AverageBudget:
    """μ₀² and δ for one unit that contributes nothing instead, on average over the noise, over all releases."""

    mu_squared: Fraction
    """Of all releases together."""
    delta: Fraction = Fraction(0)
    """What thresholds set aside, of all releases together."""
    unit: Scope = Scope.CASE
    """Whom it protects: a case, or an individual with all their cases."""

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise AccountingError("a budget is for a case or for an individual.")
        if self.mu_squared < 0 or not 0 <= self.delta < 1:
            raise AccountingError("a budget has a μ² that is not negative and a δ from 0 to below 1.")

    @classmethod
    def of_advantage(
        cls, advantage: Fraction, delta: Fraction = Fraction(0), unit: Scope = Scope.CASE
    ) -> AverageBudget:
        """The budget under which the best guess about a ``unit`` gains at most ``advantage``, of which ``delta`` is set
        aside."""
        if not advantage - delta > 0:
            raise AccountingError("a budget's advantage exceeds the δ that it sets aside.")
        return cls(mu_squared_of_advantage(advantage - delta), delta, unit)

    @property
    def reading(self) -> HeldIn:
        """Average."""
        return "average"

    @property
    def whole(self) -> Amount:
        """All of it."""
        return Amount(self.mu_squared, self.delta + ROOM_FOR_ROUNDING)

    @property
    def advantage(self) -> float:
        """The largest that it allows, on average over the noise; rounded up."""
        return min(1.0, rounded_up(Fraction(average_advantage(self.mu_squared, self.delta + ROOM_FOR_ROUNDING))))

    def price(self, cost: Cost) -> Amount | None:
        """None: unbounded."""
        found = cost.at(self.unit).on_average
        return None if found is None else Amount(*found)


@dataclass(frozen=True, slots=True)
class PublishedBudget:
    """A guessing advantage over all releases, as the article reads it. It is spent in shares of 1."""

    advantage: Fraction
    """Of all releases together."""

    def __post_init__(self) -> None:
        if not 0 < self.advantage < 1:
            raise AccountingError("a budget's advantage lies strictly between 0 and 1.")

    @property
    def reading(self) -> HeldIn:
        """Published."""
        return "published"

    @property
    def whole(self) -> Amount:
        """All of it: the share 1."""
        return Amount(ONE)

    def price(self, cost: Cost) -> Amount | None:
        """The smallest share that covers the release; None: none does.

        An approximate guarantee (δ > 0) bounds no single guess, so its ε buys no share here.
        """
        shares = []
        if cost.advantage is not None and cost.advantage <= self.advantage:
            shares.append(Fraction(1, cost.releases))
        strict = cost.case.replace
        if strict.epsilon.value is not None and not strict.delta:
            shares.append(strict.epsilon.value / epsilon_of(self.advantage))
        return Amount(min(shares)) if shares else None


Budget = StrictBudget | AverageBudget | PublishedBudget
"""Held in one of the three readings."""


def total_price(budget: Budget, costs: Iterable[Cost]) -> Amount | None:
    """What releases spend together; None if one of them has no bound in this reading."""
    spent = NOTHING
    for cost in costs:
        price = budget.price(cost)
        if price is None:
            return None
        spent = spent + price
    return spent


def total_on_average(unit: Scope, costs: Iterable[Cost]) -> Amount | None:
    """What releases cost a ``unit`` together on average over the noise, a μ₀² and a δ, whatever their budget counts;
    None if the average of one of them (``costs``) has no bound."""
    return total_price(AverageBudget(Fraction(0), unit=unit), costs)


def most_left(costs: Iterable[Cost]) -> Fraction:
    """The share that the largest budget in the published reading would leave.

    As B tends to 1, the share ε/(4·artanh B) tends to 0; that of a calibrated release does not change.
    """
    return ONE - sum(
        (Fraction(1, one.releases) for one in costs if not one.strictly_bounded or one.case.replace.delta), Fraction(0)
    )


def budget_of_first_release(cost: Cost) -> Budget:
    """The budget that a log gets if nobody set one: what its first release, repeated as planned, would spend of the
    unit that it protects."""
    loss = cost.at(cost.unit).replace
    if loss.epsilon.value is not None and loss.delta * cost.releases < 1:
        return StrictBudget(loss.epsilon.value * cost.releases, loss.delta * cost.releases, cost.unit)
    average = cost.at(cost.unit).on_average
    if average is not None and average[1] * cost.releases < 1:
        mu_squared, delta = (figure * cost.releases for figure in average)
        return AverageBudget(mu_squared, Fraction(0) if delta <= ROOM_FOR_ROUNDING else delta, cost.unit)
    if cost.advantage is None:
        raise AccountingError("no reading puts a bound on the release, so no budget holds it.")
    return PublishedBudget(cost.advantage)


# --- from one figure to the other, rounded so that a budget never grows ---------------------------------------------


def epsilon_of(advantage: Fraction) -> Fraction:
    """4·artanh(A), rounded down: the ε that allows this advantage at the worst prior."""
    near = float(advantage)
    # Near 1 the slope is steep, so the argument itself is rounded down too.
    below = near if Fraction(near) <= advantage else math.nextafter(near, 0.0)
    return Fraction(float(worst_case_loss(below)))


def advantage_of(epsilon: Fraction) -> Fraction:
    """tanh(ε/4), rounded down to six digits: the advantage that an ε allows at the worst prior."""
    if not epsilon > 0:
        raise AccountingError("an advantage follows from a positive ε.")
    allowed = math.tanh(float(min(epsilon, Fraction(1000))) / 4) * (1 - 4 * MARGIN)
    return Fraction(_rounded(Fraction(allowed), ROUND_FLOOR))


def exactly(figure: float) -> Fraction:
    """The number as it was written: 0.1 is a tenth, so that ten of them are 1."""
    return Fraction(repr(float(figure)))


def stated(figure: Fraction, *, down: bool = False) -> float:
    """A figure for people and JSON, to six digits: what is spent rounded up, what is left rounded down."""
    return float(_rounded(figure, ROUND_FLOOR if down else ROUND_CEILING))


def _rounded(value: Fraction, rounding: str) -> Decimal:
    return Context(prec=DIGITS, rounding=rounding).divide(Decimal(value.numerator), Decimal(value.denominator))
