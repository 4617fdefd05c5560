"""Logs, budgets and amounts as text for people and as data for machines. Spent is rounded up, left is rounded down."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

from accounting.guarantee import Relation, Scope
from accounting.losses import Loss
from accounting.parts import implied_advantage
from accounting.quantities import Epsilon
from accounting.registry.budgets import (
    ROOM_FOR_ROUNDING,
    Amount,
    AverageBudget,
    Budget,
    PublishedBudget,
    StrictBudget,
    stated,
)
from accounting.registry.chain import Entry
from accounting.registry.costs import UNITS, Cost, UnitLoss
from accounting.registry.decisions import Charge
from accounting.registry.state import RegisteredLog, RegisteredRelease

SCHEMA = "amun-dp/registry-export/2"
PLAIN_DENOMINATOR = 10_000
"""Shares up to this denominator are shown as fractions."""

PUBLISHED_FACT = (
    "The published reading counts as the article does. The strict cost of its methods is unbounded: no ε bounds what "
    "their releases reveal about a whole case."
)
UNCONFIRMED = "reserved, not confirmed: counted as spent"
UNIT_TEXT = {Scope.CASE: "a whole case", Scope.INDIVIDUAL: "an individual with all their cases"}


def state_text(release: RegisteredRelease) -> str:
    """What has become of a release."""
    if release.voided_at is not None:
        return f"voided {release.voided_at}, not counted: {release.void_reason}"
    if release.published_at is not None:
        return f"published {release.published_at}"
    if release.cleaned_at is not None:
        return f"{UNCONFIRMED}, for good; what a killed run had left of it was removed {release.cleaned_at}"
    return UNCONFIRMED if release.can_be_voided else f"{UNCONFIRMED}, for good"


def loss_text(loss: Loss) -> str:
    """What releases cost a unit together, and what that means for a guess."""
    if loss.epsilon.value is None:
        return "unbounded"
    delta = f", δ {stated(loss.delta):g}" if loss.delta else ""
    gain = implied_advantage(loss, Scope.CASE, Relation.REPLACE)
    return f"ε {loss.epsilon}{delta}" + ("" if gain is None else f" (advantage {gain:g})")


def cost_text(log: RegisteredLog, unit: Scope) -> str:
    """What all releases of a log cost a unit together: after every output, or else on average over the noise."""
    loss, average = log.cost_of(unit), log.average_of(unit)
    if loss.epsilon.bounded or average is None:
        return loss_text(loss)
    held = AverageBudget(average.value, Fraction(0) if average.delta <= ROOM_FOR_ROUNDING else average.delta, unit)
    return f"{amount_text(held, average)} on average (advantage {held.advantage:g})"


def budget_text(budget: Budget) -> str:
    match budget:
        case PublishedBudget():
            return f"advantage {stated(budget.advantage, down=True):g}, published reading"
        case AverageBudget():
            delta = f", δ {stated(budget.delta, down=True):g}" if budget.delta else ""
            square = f"μ² {stated(budget.mu_squared, down=True):g}{delta}"
            return f"{square} (advantage {budget.advantage:g}), average reading for {UNIT_TEXT[budget.unit]}"
        case StrictBudget():
            delta = f", δ {stated(budget.delta, down=True):g}" if budget.delta else ""
            advantage = strict_advantage(budget)
            allows = "" if advantage is None else f" (advantage {advantage:g})"
            unit = UNIT_TEXT[budget.unit]
            return f"ε {stated(budget.epsilon, down=True):g}{delta}{allows}, strict reading for {unit}"


def amount_text(budget: Budget, amount: Amount | None, *, down: bool = False) -> str:
    """Part of a budget; None is unbounded."""
    if amount is None:
        return "unbounded"
    if isinstance(budget, PublishedBudget):
        return _share(amount.value, down)
    shown = amount.delta > (ROOM_FOR_ROUNDING if isinstance(budget, AverageBudget) else 0)
    delta = f", δ {stated(amount.delta, down=down):g}" if shown else ""
    return f"{'μ²' if isinstance(budget, AverageBudget) else 'ε'} {stated(amount.value, down=down):g}{delta}"


def _share(share: Fraction, down: bool) -> str:
    if share == 0:
        return "nothing"
    if share == 1:
        return "all of it"
    if share.denominator <= PLAIN_DENOMINATOR:
        return f"{share} of it"
    return f"{stated(share, down=down):g} of it"


def budget_as_dict(budget: Budget) -> dict[str, Any]:
    match budget:
        case PublishedBudget():
            return {"reading": "published", "advantage": stated(budget.advantage, down=True)}
        case AverageBudget():
            return {
                "reading": "average",
                "scope": budget.unit.value,
                "relation": Relation.LEAVE_OUT.value,
                "mu_squared": stated(budget.mu_squared, down=True),
                "delta": stated(budget.delta, down=True),
                "advantage": budget.advantage,
            }
        case StrictBudget():
            return {
                "reading": "strict",
                "scope": budget.unit.value,
                "relation": "replace",
                "epsilon": stated(budget.epsilon, down=True),
                "delta": stated(budget.delta, down=True),
                "advantage": strict_advantage(budget),
            }


def strict_advantage(budget: StrictBudget) -> float | None:
    """The largest guessing advantage that the budget allows, rounded up; where there is a δ, none is stated."""
    if budget.delta:
        return None
    return implied_advantage(Loss(Epsilon(budget.epsilon)), budget.unit, Relation.REPLACE)


def amount_as_dict(budget: Budget, amount: Amount | None, *, down: bool = False) -> dict[str, Any] | None:
    if amount is None:
        return None
    if isinstance(budget, PublishedBudget):
        return {"share": stated(amount.value, down=down), "exactly": str(amount.value)}
    name = "mu_squared" if isinstance(budget, AverageBudget) else "epsilon"
    return {name: stated(amount.value, down=down), "delta": stated(amount.delta, down=down)}


def charge_as_dict(charge: Charge) -> dict[str, Any]:
    budget = charge.budget
    return {
        "log": charge.log,
        "budget": budget_as_dict(budget),
        "budget_set_by_this_release": charge.set_now,
        "left_before": amount_as_dict(budget, charge.before, down=True),
        "spent": amount_as_dict(budget, charge.price),
        "left": amount_as_dict(budget, charge.after, down=True),
        "strictly_bounded": charge.strictly_bounded,
    }


def log_as_dict(log: RegisteredLog) -> dict[str, Any]:
    budget = log.budget
    return {
        "log": log.log,
        "registered_at": log.registered_at,
        "cases": log.cases,
        "declared_other_people": [asdict(other) for other in log.others],
        "budget": None if budget is None else budget_as_dict(budget),
        "budget_set_at": log.budget_set_at,
        "budget_set_by": log.budget_set_by,
        "spent": None if budget is None else amount_as_dict(budget, log.spent),
        "left": None if budget is None else amount_as_dict(budget, log.left, down=True),
        "strictly_bounded": log.strictly_bounded if log.counted else None,
        "cost_at_each_unit": {unit.value: _loss_as_dict(log.cost_of(unit)) for unit in UNITS},
        "average_at_each_unit": {unit.value: _average_as_dict(log.average_of(unit)) for unit in UNITS},
        "releases": [_release_as_dict(release, budget) for release in log.releases],
    }


def _release_as_dict(release: RegisteredRelease, budget: Budget | None) -> dict[str, Any]:
    return {
        "release": release.release,
        "logs": list(release.logs),
        "state": _state(release),
        "reserved_at": release.reserved_at,
        "published_at": release.published_at,
        "exposed_at": release.exposed_at,
        "exposed_by": release.exposed_by,
        "voided_at": release.voided_at,
        "void_reason": release.void_reason,
        "cleaned_at": release.cleaned_at,
        "can_be_voided": release.can_be_voided,
        "spent": None if budget is None else amount_as_dict(budget, budget.price(release.cost)),
        "cost": _cost_as_dict(release.cost),
        "parameters": dict(release.details),
        "at_each_scope": [dict(line) for line in release.lines],
    }


def _state(release: RegisteredRelease) -> str:
    if not release.counts:
        return "voided"
    return "published" if release.published_at is not None else UNCONFIRMED


def _cost_as_dict(cost: Cost) -> dict[str, Any]:
    return {
        "units": {unit.value: _unit_as_dict(cost.at(unit)) for unit in UNITS},
        "unit": cost.unit.value,
        "strictly_bounded": cost.strictly_bounded,
        "advantage": None if cost.advantage is None else stated(cost.advantage),
        "releases": cost.releases,
    }


def _unit_as_dict(unit: UnitLoss) -> dict[str, Any]:
    return {
        "replace": _loss_as_dict(unit.replace),
        "add-remove": _loss_as_dict(unit.add_remove),
        "leave-out": _loss_as_dict(unit.leave_out),
        "average": _average_as_dict(None if unit.on_average is None else Amount(*unit.on_average)),
    }


def _average_as_dict(amount: Amount | None) -> dict[str, Any] | None:
    """None: no bound."""
    return None if amount is None else {"mu_squared": stated(amount.value), "delta": stated(amount.delta)}


def _loss_as_dict(loss: Loss) -> dict[str, Any] | None:
    """None: no bound."""
    if loss.epsilon.value is None:
        return None
    return {"epsilon": loss.epsilon.stated(), "delta": stated(loss.delta)}


def export(entries: list[Entry], logs: tuple[RegisteredLog, ...]) -> dict[str, Any]:
    """The logs, and everything that led there; without the hashes, which say nothing outside their registry."""
    return {
        "schema": SCHEMA,
        "logs": [log_as_dict(log) for log in logs],
        "entries": [
            {
                "entry": number,
                "kind": one.kind,
                **{name: value for name, value in one.content.items() if name != "whole"},
                **({} if one.secret is None else one.secret.figures),
            }
            for number, one in enumerate(entries, start=1)
        ],
    }
