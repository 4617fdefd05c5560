"""What a release spends of its log's budget: reserved before any noise is drawn, confirmed when it is in place.

The registry itself is ``accounting.registry``; here it meets logs, plans and releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, Protocol

from accounting.accountant import Account, public_account
from accounting.events import Parallel, PrivacyEvent, RepeatedRelease, Replicated, Sequential, SharedByIndividual
from accounting.guarantee import Reading, Relation, Scope
from accounting.losses import View, strict_loss
from accounting.publication import public_tree
from accounting.registry import (
    Amount,
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
from accounting.registry.budgets import most_left, total_price
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from accounting.registry.views import PUBLISHED_FACT, amount_text, budget_text
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused

ROUNDED_UP = 2e-6
"""By how much a stated advantage may exceed what the noise was calibrated for: it has six digits, rounded up."""


class SameLogQuestion(BudgetError):  # noqa: N818
    """The log shares cases with registered logs; somebody must say whether it is about the same people."""

    def __init__(self, overlaps: tuple[Overlap, ...]) -> None:
        self.overlaps = overlaps
        shared = " ".join(f"{overlap_text(one)}." for one in overlaps)
        flags = " ".join(f"--same-log-as {one.log}" for one in overlaps)
        contained = any(one.contained for one in overlaps)
        super().__init__(
            f"{shared} Releases about the same people can be compared, so they share a budget; nothing was drawn. If "
            f"it is the same log, grown or cut, use {flags}."
            + ("" if contained else " If the people are others, use --new-log, which is recorded.")
        )


def overlap_text(overlap: Overlap) -> str:
    """How many cases are in both, and of how many."""
    number = overlap.cases
    what = (
        f"Every case of this log ({number:,})"
        if overlap.common == number
        else f"{overlap.common:,} of the {number:,} cases of this log"
    )
    verb = "are" if overlap.common > 1 and overlap.common < number else "is"
    likeness = "" if overlap.certain == overlap.common else ", some of them by likeness"
    if not overlap.certain:
        likeness = ", by likeness"
    return f"{what} {verb} in {overlap.log} ({cases_text(overlap.registered)}){likeness}"


def cases_text(number: int) -> str:
    return "1 case" if number == 1 else f"{number:,} cases"


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


class Chargeable(Protocol):
    """A plan, of whatever engine, whose release can be charged to a budget."""

    @property
    def cost(self) -> Cost:
        """What the release will cost."""

    @property
    def details(self) -> dict[str, Any]:
        """Its public parameters."""

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        """What a registry knows the log by."""


Reserve = Callable[[Chargeable, str], Spending]
"""Called with the plan and the name of the release, before any noise is drawn; raises if no budget holds it."""


def open_registry(path: str | Path | None = None, *, create: bool = True) -> Registry:
    """A registry of budgets, made if it is not there; without a path the user's own.

    Without ``create`` a registry that is not there is an error.
    """
    with registry_errors():
        return store.open_registry(default_registry() if path is None else path, create=create)


def default_registry() -> Path:
    """Where the user's registry is."""
    from platformdirs import user_data_path

    return user_data_path("amun-dp", appauthor=False) / "registry.sqlite"


def reserve(
    registry: Registry,
    known: Fingerprint,
    cost: Cost,
    release: str,
    details: Mapping[str, Any],
    declared: Declared,
) -> Spending:
    """Charge a release to its log. On return it is on the disk, and stays spent whatever happens next."""
    with registry_errors(cost):
        return Spending(registry, registry.reserve(known, cost, release, details, declared))


def reserve_plan(registry: Registry, plan: Chargeable, release: str, *, declared: Declared) -> Spending:
    """``reserve`` for a release that was planned."""
    return reserve(registry, plan.fingerprint(registry.hasher), plan.cost, release, plan.details, declared)


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
    if cost is None:
        return _below_what_is_spent(shortage)
    if isinstance(shortage.budget, PublishedBudget):
        return f"{_published_shortage(shortage, shortage.budget, cost)} {PUBLISHED_FACT}"
    if shortage.asked is None:
        return _no_strict_bound(shortage, cost)
    return f"{_too_much(shortage)} Use a smaller ε, or raise the budget with amun-dp registry set-budget."


def _of(shortage: Shortage) -> str:
    return f"The budget of {shortage.log} ({budget_text(shortage.budget)})"


def _too_much(shortage: Shortage) -> str:
    left, asked = amount_text(shortage.budget, shortage.left, down=True), amount_text(shortage.budget, shortage.asked)
    return f"{_of(shortage)} has {left} left, and this release would spend {asked}; nothing was drawn."


def _below_what_is_spent(shortage: Shortage) -> str:
    """A budget was to be set."""
    if shortage.asked is not None:
        spent = amount_text(shortage.budget, shortage.asked)
        return (
            f"{_of(shortage)} would not hold what {shortage.log} has spent already ({spent}). A budget is never less "
            "than that."
        )
    if not isinstance(shortage.budget, PublishedBudget):
        reason = "a release of it has no strict bound, so that no budget in the strict reading holds it, however large"
    elif any(one.advantage is None for one in shortage.releases):
        reason = "a release of it is approximate (δ > 0), which bounds no advantage"
    else:
        highest = max(one.advantage for one in shortage.releases if one.advantage is not None)
        reason = (
            f"a release of it was calibrated for advantage {float(highest):g}, and a budget in the published reading "
            "is never less than that"
        )
    return f"{_of(shortage)} was not set: {reason}."


def _published_shortage(shortage: Shortage, budget: PublishedBudget, cost: Cost) -> str:
    if shortage.left.value <= 0:
        return f"{_of(shortage)} has nothing left; nothing was drawn. {_after_the_last(shortage)}"
    divided = f"--releases {ceil(1 / shortage.left.value)}"
    if shortage.asked is not None:
        return f"{_too_much(shortage)} Divide further: {divided}."
    said = f"{_of(shortage)} does not hold this release, and nothing was drawn:"
    if cost.advantage is not None:
        return (
            f"{said} its noise is calibrated for advantage {float(cost.advantage):g}, more than all releases together "
            f"may have. Use --advantage {float(budget.advantage):g} or less, or raise the budget with amun-dp registry "
            f"set-budget; either way with {divided} or more."
        )
    said = f"{said} it is approximate (δ > 0), which bounds no advantage."
    if all(one.epsilon.bounded for one in shortage.releases):
        return f"{said} Use a budget in the strict reading: {_strict_command(shortage)}."
    return f"{said} Nor would a budget in the strict reading: an earlier release has no strict bound."


def _after_the_last(shortage: Shortage) -> str:
    """What can be done when a budget in the published reading is spent."""
    most = most_left(shortage.releases)
    if all(one.epsilon.bounded for one in shortage.releases):
        return f"Every release so far has a strict bound, and such a budget can hold more: {_strict_command(shortage)}."
    if most > 0:
        return (
            "A larger budget (amun-dp registry set-budget) leaves some again, though never more than "
            f"{amount_text(shortage.budget, Amount(most), down=True)}: the part of a release that has a strict bound "
            "shrinks, that of the others does not."
        )
    return (
        f"{shortage.log} cannot be released again: a larger budget or a smaller advantage gives nothing back in this "
        "reading (docs/registry.md), and no budget in the strict reading holds what was released. What can still be "
        f"done: use the releases that there are (amun-dp registry show {shortage.log}), or release cases of people who "
        "are in none of them, as a log of their own."
    )


def _strict_command(shortage: Shortage) -> str:
    return f"amun-dp registry set-budget {shortage.log} --reading strict --epsilon E --dp-delta D"


def _no_strict_bound(shortage: Shortage, cost: Cost) -> str:
    said = (
        f"{_of(shortage)} holds no release without a strict bound, and this one has none; nothing was drawn. "
        "Use a method that has one."
    )
    if cost.advantage is None:
        return said
    together = total_price(PublishedBudget(cost.advantage), (*shortage.releases, cost))
    if together is not None and together.fits(PublishedBudget(cost.advantage).whole):
        return (
            f"{said} Or count as the article does: amun-dp registry set-budget {shortage.log} --reading published "
            f"--advantage {float(cost.advantage):g}. {PUBLISHED_FACT}"
        )
    if any(one.delta for one in shortage.releases):
        return f"{said} To count as the article does is no way out: an earlier release is approximate (δ > 0)."
    return (
        f"{said} To count as the article does, the budget would have to be larger than advantage "
        f"{float(cost.advantage):g}, and this release divided (--releases): the earlier ones have their part of it. "
        f"{PUBLISHED_FACT}"
    )
