"""What a release takes of a budget, in words: the same in the terminal and on the local page."""

from __future__ import annotations

from collections.abc import Sequence

from accounting.registry import Charge, PublishedBudget
from accounting.registry.views import (
    PUBLISHED_FACT,
    amount_text,
    budget_text,
)
from amun_dp._base.messages import Message


def describe_charges(charges: Sequence[Charge], would: bool = False) -> list[str]:
    """The budget of a release before and after it."""
    lines: list[str] = []
    for charge in charges:
        budget = charge.budget
        before, after = (amount_text(budget, amount, down=True) for amount in (charge.before, charge.after))
        price = amount_text(budget, charge.price)
        said = (
            f"{before} is left, this release would spend {price} and leave {after}."
            if would
            else f"{before} was left, this release spent {price}, {after} is left."
        )
        first = would and charge.set_now
        lines.append(_first_charge(charge) if first else f"Budget of {charge.log} ({budget_text(budget)}): {said}")
    if any(isinstance(charge.budget, PublishedBudget) and not charge.strictly_bounded for charge in charges):
        lines.append(PUBLISHED_FACT)
    return ["", *lines] if lines else []


def _first_charge(charge: Charge) -> str:
    """Of a log that is not registered yet."""
    size, _, reading = budget_text(charge.budget).rpartition(", ")
    return Message(
        "Budget: a new log. This release would set its budget to {size} ({reading}) and spend {price}{keep}.",
        size=size,
        reading=reading,
        price=amount_text(charge.budget, charge.price),
        keep="" if charge.after.value > 0 else Message("; {releases:N} keeps some"),
    )
