"""What is said where a budget is held on average over the noise, or where a release is made for that and it is not."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path

from accounting.average import advantage_of
from accounting.guarantee import Relation, Scope
from accounting.implied import implied_advantage
from accounting.registry import AverageBudget, Cost, Shortage
from accounting.registry.budgets import ROOM_FOR_ROUNDING, stated, total_price
from accounting.registry.views import UNIT_TEXT
from amun_dp._base.messages import Message
from amun_dp.budgets.advice import LEAST_ADVANTAGE, MOST_ADVANTAGE, all_releases, points
from amun_dp.budgets.registry_file import registry_command

NO_EPSILON = (
    "it bounds guesses on average over its noise, and no ε bounds what one output of it tells, so that nothing of this "
    "budget pays for it"
)
DEARER_THAN_ITS_ADVANTAGE = (
    "Alone it keeps the advantage of this budget, after every output. Together with others it counts by what it loses "
    "about a unit that is left out, and about that a noisy choice tells as much as about one that is replaced: more "
    "than the budget holds."
)


def is_average(cost: Cost, unit: Scope) -> bool:
    """Whether a release bounds the average over its noise for this unit, and nothing else."""
    found = cost.at(unit)
    return found.on_average is not None and not found.replace.epsilon.bounded


def raised_on_average(shortage: Shortage, cost: Cost, unit: Scope, registry: Path | None) -> str | None:
    """A budget on average that holds this release, too, and what all of them mean then; None if none does that
    protects anybody."""
    costs = (*shortage.releases, cost)
    found = [one.at(unit).on_average for one in costs]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    squares, aside = (sum((one[place] for one in known), Fraction(0)) for place in (0, 1))
    delta = Fraction(repr(stated(aside))) if aside > ROOM_FOR_ROUNDING else Fraction(0)
    if delta >= MOST_ADVANTAGE:
        return None
    advantage = Fraction(repr(stated(Fraction(advantage_of(squares)) + delta)))
    if not 0 < advantage <= MOST_ADVANTAGE:
        return None
    budget = AverageBudget.of_advantage(advantage, delta, unit)
    spent = total_price(budget, costs)
    if spent is None or not spent.fits(budget.whole):
        return None
    failing = f" --dp-delta {float(delta):g}" if delta else ""
    command = registry_command(
        f"set-budget {shortage.log} --reading average --unit {unit.value} --advantage {float(advantage):g}{failing}",
        registry,
    )
    return (
        f"{command} ({all_releases(costs)} together: on average over the noise a guess about {UNIT_TEXT[unit]} gains "
        f"at most {points(float(advantage))} points then)"
    )


def smaller_on_average(shortage: Shortage, budget: AverageBudget, cost: Cost) -> Message | None:
    """The option with which a release that is made for the average fits what is left; None if nothing sensible does."""
    asked, left = shortage.asked, shortage.left
    own = cost.at(budget.unit)
    if asked is None or own.mu_squared is None or asked.delta > left.delta or left.value <= 0:
        return None
    if budget.unit is not cost.unit or own.set_aside > ROOM_FOR_ROUNDING:
        return None  # how much of the advantage is δ, or another unit's, is not said here
    fits = Fraction(advantage_of(left.value * cost.releases)) * Fraction(999, 1000)
    rounded = Context(prec=3, rounding=ROUND_FLOOR).divide(Decimal(fits.numerator), Decimal(fits.denominator))
    return Message("{advantage:{fits:g}}", fits=float(rounded)) if rounded >= LEAST_ADVANTAGE else None


def reasons_it_is_dear(budget: AverageBudget, cost: Cost) -> Sequence[str]:
    """Why a release that keeps the budget's advantage by itself is refused."""
    replaced = cost.at(budget.unit).replace
    alone = implied_advantage(replaced, budget.unit, Relation.REPLACE)
    price = budget.price(cost)
    if alone is None or price is None or price.value <= budget.mu_squared:
        return ()
    return (DEARER_THAN_ITS_ADVANTAGE,) if alone + float(replaced.delta) <= budget.advantage else ()
