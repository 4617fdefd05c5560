"""The budget in ``anonymize`` and ``plan``: reserving, asking whose log it is, and saying what is left."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from accounting.registry import Charge, Declared, NoRegistry
from accounting.registry.views import amount_text, budget_text, charge_as_dict
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused
from amun_dp.fingerprint import fingerprint
from amun_dp.planning import Plan
from amun_dp.spending import (
    SameLogQuestion,
    Spending,
    open_registry,
    planned_cost,
    registry_errors,
    reserve_plan,
)

Say = Callable[[str], None]


def check_registry(options: argparse.Namespace) -> None:
    """Refuse, before the log is read, a registry that could not be used, and what must not be recorded in one."""
    if options.no_registry:
        if options.same_log_as or options.new_log:
            raise ParameterError("--same-log-as and --new-log speak to the registry: leave --no-registry out.")
        return
    if options.seed is not None:
        raise ParameterError(
            "With --seed the noise is repeatable, so the release must not be published and is not recorded: add "
            "--no-registry."
        )
    try:
        open_registry(options.registry, create=False)
    except RegistryRefused as error:
        if not isinstance(error.__cause__, NoRegistry):  # that one the release makes
            raise


def declared(options: argparse.Namespace) -> Declared:
    """What the flags say about the people in the log."""
    return Declared(same_as=tuple(options.same_log_as), new_log=options.new_log)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a release would spend, or why it would be refused."""

    charges: tuple[Charge, ...]
    refused: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"refused": self.refused, "charges": [charge_as_dict(charge) for charge in self.charges]}


class Reserver:
    """Reserves when a release asks for it, and knows afterwards whether it did."""

    def __init__(self, options: argparse.Namespace, say: Say) -> None:
        self._options, self._say = options, say
        self.spending: Spending | None = None

    def __call__(self, plan: Plan, release: str) -> Spending:
        registry, said = open_registry(self._options.registry), declared(self._options)
        while self.spending is None:
            try:
                self.spending = reserve_plan(registry, plan, release, declared=said)
            except SameLogQuestion as question:
                if not (sys.stdin.isatty() and sys.stderr.isatty()):
                    raise
                said = self._answers(question, said)
        for charge in self.spending.reservation.charges:
            if charge.set_now and not self._options.quiet:
                self._say(f"note: {_first_release(charge)}")
        return self.spending

    def _answers(self, question: SameLogQuestion, said: Declared) -> Declared:
        for overlap in question.overlaps:
            self._say(
                f"Is this {overlap.log}, grown or cut? {overlap.common:,} of its {overlap.cases:,} cases are in "
                "both. [y/n]"
            )
            answer = sys.stdin.readline().strip().lower()
            if answer in ("y", "yes"):
                said = replace(said, same_as=(*said.same_as, overlap.log))
            elif answer in ("n", "no"):
                said = replace(said, different_from=(*said.different_from, overlap.log))
            else:
                raise BudgetError(
                    "Neither yes nor no; nothing was drawn. Run again, or use --same-log-as or --new-log."
                )
        return said

    def after_a_failure(self) -> None:
        """Say that what was reserved is gone."""
        for charge in () if self.spending is None else self.spending.reservation.charges:
            self._say(
                f"note: what was reserved of the budget of {charge.log} ({amount_text(charge.budget, charge.price)}) "
                f"stays spent; amun-dp registry show {charge.log} shows it."
            )


def _first_release(charge: Charge) -> str:
    left = amount_text(charge.budget, charge.after, down=True)
    return (
        f"first release of this log: it is {charge.log} from now on, and its budget is set to "
        f"{budget_text(charge.budget)}, as this release needs it; {left} is left. amun-dp registry set-budget changes "
        "that."
    )


def preview(options: argparse.Namespace, plan: Plan) -> Preview | None:
    """What a plan would spend of its log's budget; None without a registry. Writes nothing and makes no registry."""
    if options.no_registry:
        return None
    cost = planned_cost(plan)
    try:
        registry = open_registry(options.registry, create=False)
        with registry_errors(cost):
            found = registry.would_reserve(fingerprint(plan.annotated.log, registry.hasher), cost, declared(options))
    except RegistryRefused as error:
        if isinstance(error.__cause__, NoRegistry):
            return None
        raise
    except BudgetError as refusal:
        return Preview((), str(refusal))
    return Preview(found.charges)
