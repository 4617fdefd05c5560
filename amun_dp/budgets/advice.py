"""What helps where a budget does not hold a release: options, and commands for a shell that can be run as they stand.

A budget is set by whoever keeps the registry, with ``amun-dp registry``, also where a program or the local page was
refused.

Each is worked out from what the log's releases cost, and offered only if it would hold this release as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path

from accounting.guarantee import Relation, Scope
from accounting.parts import implied_advantage
from accounting.registry import Cost, PublishedBudget, Shortage, StrictBudget
from accounting.registry.budgets import most_left, stated, total_price
from accounting.registry.costs import together
from accounting.registry.views import UNIT_TEXT
from amun_dp._base.messages import Message, joined
from amun_dp.budgets.registry_file import registry_command

LEAST_ADVANTAGE = 0.005
"""A release for a smaller advantage is nothing but noise: to advise it is to advise nothing."""
MOST_ADVANTAGE = Fraction(99, 100)
"""A budget for a larger one protects nobody."""


def points(advantage: float) -> str:
    """Percentage points, rounded up to a tenth."""
    rounded = (Decimal(repr(advantage)) * 100).quantize(Decimal("0.1"), ROUND_CEILING)
    return f"{rounded:f}".removesuffix(".0")


def raised(shortage: Shortage, cost: Cost, unit: Scope, registry: Path | None) -> str | None:
    """A strict budget that holds this release, too, and what all of them cost then; None if no number is a bound."""
    costs = (*shortage.releases, cost)
    loss = together(one.at(unit).replace for one in costs)
    if loss.epsilon.value is None:
        return None
    epsilon, delta = stated(loss.epsilon.value), stated(loss.delta)
    if delta >= 1:
        return None
    failing = f" --dp-delta {delta:g}" if delta else ""
    command = registry_command(
        f"set-budget {shortage.log} --reading strict --unit {unit.value} --epsilon {epsilon:g}{failing}", registry
    )
    gain = implied_advantage(loss, unit, Relation.REPLACE)
    means = (
        "no bound on a guess follows from that"
        if gain is None
        else f"a guess gains at most {points(gain)} points" + (f", with δ {delta:g}" if delta else "")
    )
    return f"{command} ({all_releases(costs)} together cost {UNIT_TEXT[unit]} ε {epsilon:g} then: {means})"


def smaller(shortage: Shortage, cost: Cost) -> Message | None:
    """Options with which the release fits what is left; None if nothing sensible does."""
    asked, left = shortage.asked, shortage.left
    if asked is None or left.value <= 0:
        return None
    own = cost.at(cost.unit).replace
    other = isinstance(shortage.budget, StrictBudget) and shortage.budget.unit is not cost.unit
    if own.epsilon.value is None or (asked.delta and other):
        return None  # how δ for another unit follows from what is asked for is not in proportion
    options = []
    if asked.value > left.value:
        whole = float(own.epsilon.value * cost.releases * left.value / asked.value)
        fits = _digits(Fraction(math.tanh(whole / 4)) * Fraction(999, 1000), ROUND_FLOOR)
        if fits < LEAST_ADVANTAGE:
            return None
        options.append(Message("{advantage:{fits:g}}", fits=fits))
    if asked.delta > left.delta:
        fits = _digits(left.delta * cost.releases, ROUND_FLOOR)
        if fits <= 0:
            return None
        options.append(Message("{dp_delta:{fits:g}}", fits=fits))
    return joined(" and ", options)


def larger_published(shortage: Shortage, cost: Cost, registry: Path | None) -> str | None:
    """A budget in the published reading that holds this release, too; None if none does that protects anybody."""
    costs = (*shortage.releases, cost)
    fixed, strict = Fraction(0), Fraction(0)
    for one in costs:
        loss = one.case.replace
        if loss.epsilon.value is not None and not loss.delta:
            strict += loss.epsilon.value
        else:
            fixed += Fraction(1, one.releases)
    room = 1 - fixed
    if room < 0 or (room == 0 and strict):
        return None
    advantage = max((one.advantage for one in costs if one.advantage is not None), default=Fraction(0))
    if strict:
        needed = math.tanh(float(strict / room) / 4) * (1 + 1e-9)
        advantage = max(advantage, Fraction(repr(_digits(Fraction(needed), ROUND_CEILING))))
    if not 0 < advantage <= MOST_ADVANTAGE:
        return None
    budget = PublishedBudget(advantage)
    spent = total_price(budget, costs)
    if spent is None or not spent.fits(budget.whole):
        return None
    command = registry_command(
        f"set-budget {shortage.log} --reading published --advantage {float(advantage):g}", registry
    )
    return f"{command} ({all_releases(costs)} together: {points(float(advantage))} points, as the article counts)"


def divided_published(shortage: Shortage, cost: Cost, registry: Path | None) -> str | None:
    """The same for this release with its noise calibrated for a smaller part; None if that is no way out either."""
    most = most_left(shortage.releases)
    if cost.advantage is None or most <= 0:
        return None
    for releases in (math.ceil(1 / most), math.ceil(1 / most) + 1):  # the second, if strict costs need room as well
        larger = larger_published(shortage, replace(cost, releases=max(releases, cost.releases)), registry)
        if larger is not None:
            return Message("use {releases:{least}}, and {larger}", least=max(releases, cost.releases), larger=larger)
    return None


def all_releases(costs: Sequence[Cost]) -> str:
    """How many there are, in words."""
    return {1: "this release", 2: "both releases"}.get(len(costs), f"all {len(costs)} releases")


def _digits(value: Fraction, rounding: str) -> float:
    """Three significant digits."""
    return float(Context(prec=3, rounding=rounding).divide(Decimal(value.numerator), Decimal(value.denominator)))
