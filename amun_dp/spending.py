"""What a release spends of its log's budget: reserved before any noise is drawn, confirmed when it is in place.

The registry itself is ``accounting.registry``; here it meets logs, plans and releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.accountant import Account, public_account
from accounting.events import Parallel, PrivacyEvent, RepeatedRelease, Replicated, Sequential, SharedByIndividual
from accounting.guarantee import Reading, Relation, Scope
from accounting.losses import View, strict_loss
from accounting.publication import public_tree
from accounting.quantities import UNBOUNDED
from accounting.registry import (
    BudgetExceeded,
    Cost,
    Declared,
    Overlap,
    PublishedBudget,
    Registry,
    RegistryError,
    Reservation,
    Shortage,
    UndecidedLog,
    UnknownLog,
    store,
)
from accounting.registry.budgets import exactly
from accounting.registry.views import PUBLISHED_FACT, amount_text, budget_text
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused
from amun_dp.eventlog import EventLog
from amun_dp.fingerprint import fingerprint

if TYPE_CHECKING:
    from amun_dp.planning import Plan


ROUNDED_UP = 2e-6
"""By how much a stated advantage may exceed what the noise was calibrated for: it has six digits, rounded up."""


class SameLogQuestion(BudgetError):  # noqa: N818
    """The log shares cases with registered logs; somebody must say whether it is about the same people."""

    def __init__(self, overlaps: tuple[Overlap, ...]) -> None:
        self.overlaps = overlaps
        shared = ", ".join(f"{one.log} ({one.common:,} of {one.cases:,} cases)" for one in overlaps)
        flags = " ".join(f"--same-log-as {one.log}" for one in overlaps)
        super().__init__(
            f"This log shares cases with logs of the registry: {shared}. Releases about the same people can be "
            f"compared, so they share a budget; nothing was drawn. If it is the same log, grown or cut, use {flags}. "
            "If the people are others, use --new-log, which is recorded."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """A release that is charged to its log's budget."""

    registry: Registry
    reservation: Reservation

    def check(self, tree: PrivacyEvent, accounted: Account) -> None:
        """Refuse a release that turned out to cost more than was reserved (a method from outside may)."""
        reserved = self.reservation.cost
        loss = strict_loss(alone(tree), Scope.CASE, Relation.REPLACE, View.PUBLIC)
        dearer = reserved.epsilon.bounded and (not loss.epsilon <= reserved.epsilon or loss.delta > reserved.delta)
        if reserved.advantage is not None and not _as_claimed(accounted, float(reserved.advantage)):
            dearer = True
        if dearer:
            raise BudgetError(
                "The release costs more than was reserved for it: a step of the method is not known to the accountant, "
                "or has less noise than the method's parameters promise. Nothing was written; what was reserved stays "
                "spent."
            )

    def before_saving(self) -> None:
        """Refuse to put a release in place that the registry does not have."""
        with registry_errors():
            self.registry.check_reserved(self.reservation.release)

    def confirm(self, directory: str | Path, tree: PrivacyEvent) -> None:
        """Note that the release is in place, with what it spent, by itself, at each scope."""
        lines = [
            {
                "reading": line.reading.value,
                "scope": line.scope.value,
                "relation": line.relation.value,
                "epsilon": line.epsilon.stated(),
                "delta": line.delta,
                "advantage": line.advantage,
                "bounded": None if line.withheld else line.epsilon.bounded,
                "withheld": line.withheld,
            }
            for line in public_account(public_tree(alone(tree)))
            if line.claim == "whole-release"
        ]
        try:
            self.registry.confirm(self.reservation.release, lines)
        except RegistryError as error:
            raise RegistryRefused(
                f"The release was made and is in {directory}, but the registry could not note that; there it stays "
                f"reserved, which counts as spent. Do not release again. {error}"
            ) from error


Reserve = Callable[["Plan", str], Spending]
"""Called with the plan and the name of the release, before any noise is drawn; raises if no budget holds it."""


def open_registry(path: str | Path | None = None, *, create: bool = True) -> Registry:
    """A registry of budgets, made if it is not there; without a path the user's own."""
    with registry_errors():
        return store.open_registry(default_registry() if path is None else path, create=create)


def default_registry() -> Path:
    """Where the user's registry is."""
    from platformdirs import user_data_path

    return user_data_path("amun-dp", appauthor=False) / "registry.sqlite"


def planned_cost(plan: Plan) -> Cost:
    """What a planned release will cost. The article's methods have no strict bound."""
    return Cost(UNBOUNDED, advantage=exactly(plan.parameters.advantage), releases=plan.parameters.releases)


def planned_details(plan: Plan) -> dict[str, Any]:
    """Its public parameters, for the registry."""
    rules = plan.parameters
    return {
        "method": rules.method,
        "conventions": rules.conventions.name,
        "advantage": rules.advantage,
        "releases": rules.releases,
        "scope": rules.scope,
    }


def reserve(
    registry: Registry,
    log: EventLog,
    cost: Cost,
    release: str,
    details: Mapping[str, Any],
    declared: Declared,
) -> Spending:
    """Charge a release to its log. On return it is on the disk, and stays spent whatever happens next."""
    with registry_errors(cost):
        known = fingerprint(log, registry.hasher)
        return Spending(registry, registry.reserve(known, cost, release, details, declared))


def reserve_plan(registry: Registry, plan: Plan, release: str, *, declared: Declared) -> Spending:
    """``reserve`` for a release by one of the article's methods."""
    return reserve(registry, plan.annotated.log, planned_cost(plan), release, planned_details(plan), declared)


def alone(tree: PrivacyEvent) -> PrivacyEvent:
    """The tree without its repetitions: what this one of several releases does."""
    match tree:
        case RepeatedRelease():
            return alone(tree.part)
        case Sequential() | Parallel():
            return replace(tree, parts=tuple(alone(part) for part in tree.parts))
        case Replicated() | SharedByIndividual():
            return replace(tree, part=alone(tree.part))
        case _:
            return tree


def _as_claimed(accounted: Account, advantage: float) -> bool:
    """Whether the article would claim this advantage of what was really done: for one cell, and for one time."""
    return all(
        line.advantage is not None and line.advantage <= advantage + ROUNDED_UP
        for line in accounted.confidential.reveal()
        if line.claim == "whole-release" and line.reading is Reading.PUBLISHED
        if line.scope in (Scope.CELL, Scope.EVENT)
    )


# --- refusals -------------------------------------------------------------------------------------------------------


@contextmanager
def registry_errors(cost: Cost | None = None) -> Iterator[None]:
    """What a registry refuses, in the words of the command line."""
    try:
        yield
    except BudgetExceeded as error:
        raise BudgetError(_shortage(error.shortage, cost)) from error
    except UndecidedLog as error:
        raise SameLogQuestion(error.overlaps) from error
    except UnknownLog as error:
        raise ParameterError(str(error)) from error
    except RegistryError as error:
        raise RegistryRefused(str(error)) from error


def _shortage(shortage: Shortage, cost: Cost | None) -> str:
    budget, name = shortage.budget, shortage.log
    what = f"The budget of {name} ({budget_text(budget)})"
    if cost is None:  # a budget was to be set
        spent = amount_text(budget, shortage.asked)
        return f"{what} would not hold what {name} has spent already ({spent}). A budget is never less than that."
    published = isinstance(budget, PublishedBudget)
    if shortage.asked is None and published:
        return f"{what} does not hold this release, and nothing was drawn: {_no_share(shortage, cost)}"
    if shortage.asked is None:
        return (
            f"{what} holds no release without a strict bound, and this one has none; nothing was drawn. To count as "
            f"the article does: amun-dp registry set-budget {name} --reading published --advantage "
            f"{'A' if cost.advantage is None else format(float(cost.advantage), 'g')}. {PUBLISHED_FACT}"
        )
    left, asked = amount_text(budget, shortage.left, down=True), amount_text(budget, shortage.asked)
    said = f"{what} has {left} left, and this release would spend {asked}; nothing was drawn."
    if not published:
        return f"{said} Use a smaller ε, or raise the budget with amun-dp registry set-budget."
    if shortage.left.value > 0:
        return f"{said} Divide further: --releases {ceil(1 / shortage.left.value)}. {PUBLISHED_FACT}"
    return (
        f"{said} A larger advantage would not help: every undivided release spends all of a budget in this reading "
        f"(docs/registry.md), so divide beforehand with --releases. {PUBLISHED_FACT}"
    )


def _no_share(shortage: Shortage, cost: Cost) -> str:
    assert isinstance(shortage.budget, PublishedBudget)
    if cost.advantage is not None:
        return (
            f"its noise is calibrated for advantage {float(cost.advantage):g}, more than all releases together may "
            f"have. Use --advantage {float(shortage.budget.advantage):g} or less, or raise the budget with amun-dp "
            f"registry set-budget. {PUBLISHED_FACT}"
        )
    return (
        "it is approximate (δ > 0), which bounds no advantage. Use a budget in the strict reading: amun-dp registry "
        f"set-budget {shortage.log} --reading strict --epsilon E --delta D."
    )
