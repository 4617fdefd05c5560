"""Costs and budgets as they stand in an entry: JSON, exact fractions as text.

Entries are never rewritten. What was written before a cost was kept for each unit (version 2 of the file) is read as
what it said: an ε for one case, replaced by another, and nothing about individuals or other relations.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from accounting.guarantee import Scope
from accounting.losses import NO_BOUND, Loss
from accounting.quantities import Epsilon
from accounting.registry.budgets import AverageBudget, Budget, PublishedBudget, StrictBudget
from accounting.registry.costs import UNITS, Cost, UnitLoss


def cost_as_json(cost: Cost) -> dict[str, Any]:
    return {
        "units": {unit.value: _unit_as_json(cost.at(unit)) for unit in UNITS},
        "unit": cost.unit.value,
        "advantage": None if cost.advantage is None else str(cost.advantage),
        "releases": cost.releases,
        "window": cost.window,
    }


def cost_from(data: Mapping[str, Any]) -> Cost:
    advantage = None if data["advantage"] is None else Fraction(data["advantage"])
    if "units" not in data:
        return Cost(_of_one_case(data), advantage=advantage, releases=data["releases"])
    units = data["units"]
    return Cost(
        _unit_from(units["case"]),
        _unit_from(units["individual"]),
        Scope(data["unit"]),
        advantage,
        data["releases"],
        data["window"],
    )


def _of_one_case(data: Mapping[str, Any]) -> UnitLoss:
    """Of version 2. Whether a δ was that of a mixture is not recorded there, so no bound on guesses follows from it."""
    if data["strict_epsilon"] is None:
        return UnitLoss()
    delta = Fraction(data["strict_delta"])
    return UnitLoss(Loss(Epsilon(Fraction(data["strict_epsilon"])), delta, mixture=not delta))


def _unit_as_json(unit: UnitLoss) -> dict[str, Any]:
    return {
        "replace": _loss_as_json(unit.replace),
        "add-remove": _loss_as_json(unit.add_remove),
        "leave-out": _loss_as_json(unit.leave_out),
        "mu_squared": None if unit.mu_squared is None else str(unit.mu_squared),
        "set_aside": str(unit.set_aside),
    }


def _unit_from(data: Mapping[str, Any]) -> UnitLoss:
    squared = data["mu_squared"]
    return UnitLoss(
        _loss_from(data["replace"]),
        _loss_from(data["add-remove"]),
        _loss_from(data["leave-out"]),
        None if squared is None else Fraction(squared),
        Fraction(data.get("set_aside", 0)),  # entries from before there were losses on average do not have it
    )


def _loss_as_json(loss: Loss) -> dict[str, Any] | None:
    """None: no bound."""
    if loss.epsilon.value is None:
        return None
    return {"epsilon": str(loss.epsilon.value), "delta": str(loss.delta), "mixture": loss.mixture}


def _loss_from(data: Mapping[str, Any] | None) -> Loss:
    if data is None:
        return NO_BOUND
    return Loss(Epsilon(Fraction(data["epsilon"])), Fraction(data["delta"]), bool(data["mixture"]))


def budget_as_json(budget: Budget) -> dict[str, Any]:
    match budget:
        case StrictBudget():
            return {
                "reading": "strict",
                "unit": budget.unit.value,
                "epsilon": str(budget.epsilon),
                "delta": str(budget.delta),
            }
        case AverageBudget():
            return {
                "reading": "average",
                "unit": budget.unit.value,
                "mu_squared": str(budget.mu_squared),
                "delta": str(budget.delta),
            }
        case PublishedBudget():
            return {"reading": "published", "advantage": str(budget.advantage)}


def budget_from(data: Mapping[str, Any]) -> Budget:
    if data["reading"] == "strict":
        # Version 2 knew budgets for one case only.
        return StrictBudget(Fraction(data["epsilon"]), Fraction(data["delta"]), Scope(data.get("unit", "case")))
    if data["reading"] == "average":
        return AverageBudget(Fraction(data["mu_squared"]), Fraction(data["delta"]), Scope(data["unit"]))
    if data["reading"] == "published":
        return PublishedBudget(Fraction(data["advantage"]))
    raise ValueError(data["reading"])
