"""What a plan would spend of its log's budget, before anybody decides. Writes nothing and makes no registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accounting.registry import Charge, Cost, Declared, Fingerprint, Hasher, NoRegistry, Overlap
from accounting.registry.budgets import budget_of_first_release
from accounting.registry.views import charge_as_dict
from amun_dp.budgets.refusals import SameLogQuestion, registry_errors
from amun_dp.budgets.spending import Chargeable, open_registry
from amun_dp.errors import BudgetError, RegistryRefused


@dataclass(frozen=True, slots=True)
class Preview:
    """What a release would spend, or why it would be refused. A log that is not registered yet has no identifier."""

    charges: tuple[Charge, ...]
    refused: str | None = None
    others: tuple[Overlap, ...] = ()
    """Logs that share cases with this one, and whose people were declared to be others."""
    question: tuple[Overlap, ...] = ()
    """Logs of which somebody must first say whether they are about the same people."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "refused": self.refused,
            "charges": [charge_as_dict(charge) | ({"log": None} if charge.set_now else {}) for charge in self.charges],
        }


def preview(
    plan: Chargeable,
    registry: str | Path | None,
    said: Declared,
    known_by: Callable[[Hasher], Fingerprint] | None = None,
) -> Preview:
    """What a plan would spend; without a path in the user's own registry. ``known_by`` may remember the fingerprint,
    for who asks about one log again and again."""
    cost = plan.cost
    try:
        found = open_registry(registry, create=False)
        with registry_errors(cost, found.path):
            decided = found.would_reserve((known_by or plan.fingerprint)(found.hasher), cost, said)
    except RegistryRefused as error:
        if isinstance(error.__cause__, NoRegistry) and not said.same_as:
            return Preview((_first_charge(cost),))
        raise
    except SameLogQuestion as question:
        return Preview((), question.message, question=question.overlaps)
    except BudgetError as refusal:
        return Preview((), refusal.message)
    return Preview(decided.charges, others=decided.others)


def _first_charge(cost: Cost) -> Charge:
    """Of the first release of the first log."""
    budget = budget_of_first_release(cost)
    price = budget.price(cost)
    assert price is not None  # its own budget has a price for it
    return Charge("", budget, True, budget.whole, price, cost.strictly_bounded)
