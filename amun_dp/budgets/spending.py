"""What a release spends of its log's budget: reserved before any noise is drawn, confirmed when it is in place.

In between it is *exposed*: the registry notes, before anything of it can leave this process, that something may. Until
then the release can be voided (``amun-dp registry void``), because nobody can have seen anything of it; from then on it
is spent for good. A release that was voided meanwhile is refused at that point. What counts as leaving: its first file,
being handed to a caller, and an error after noise was drawn, because an error is an output, too.

The registry itself is ``accounting.registry``; here it meets logs, plans and releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from accounting.accountant import Account, public_account
from accounting.events import Parallel, PrivacyEvent, RepeatedRelease, Replicated, Sequential, SharedByIndividual
from accounting.guarantee import Reading, Relation, Scope
from accounting.losses import Loss, View, strict_loss
from accounting.publication import public_tree
from accounting.registry import (
    Cost,
    Declared,
    Exposure,
    Registry,
    RegistryError,
    Reservation,
    store,
    unit_loss,
)
from accounting.registry.costs import UNITS
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp.budgets.refusals import registry_errors
from amun_dp.budgets.registry_file import default_registry
from amun_dp.errors import BudgetError, RegistryRefused

ROUNDED_UP = 2e-6
"""By how much a stated advantage may exceed what the noise was calibrated for: it has six digits, rounded up."""


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """A release that is charged to its log's budget."""

    registry: Registry
    reservation: Reservation

    def check(self, tree: PrivacyEvent, accounted: Account) -> None:
        """Refuse a release that turned out to cost more than was reserved (a method from outside may)."""
        reserved, made = self.reservation.cost, alone(tree)
        dearer = any(_dearer(made, unit, reserved) for unit in UNITS)
        if reserved.advantage is not None and not _as_claimed(accounted, float(reserved.advantage)):
            dearer = True
        if dearer:
            raise BudgetError(
                "The release costs more than was reserved for it: a step of the method is not known to the accountant, "
                "or has less noise than the method's parameters promise. Nothing was written; what was reserved stays "
                "spent."
            )

    def expose(self, by: Exposure) -> None:
        """Note that something of the release may be seen from now on. Refused if it was voided, or if the registry
        does not have it any more."""
        with registry_errors():
            self.registry.expose(self.reservation.release, by)

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """While noise is drawn. An error may depend on it, so it is noted before anybody sees it. An interruption (or
        the end of the process) tells nothing of it."""
        try:
            yield
        except Exception:
            self.expose("an error")
            raise

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


def _dearer(tree: PrivacyEvent, unit: Scope, reserved: Cost) -> bool:
    """Whether what was done costs a unit more than was reserved for it, in any relation that has a bound."""
    allowed = reserved.at(unit)
    pairs = (
        (strict_loss(tree, unit, Relation.REPLACE, View.PUBLIC), allowed.replace),
        (strict_loss(tree, unit, Relation.ADD_REMOVE, View.PUBLIC), allowed.add_remove),
        (strict_loss(tree, unit, Relation.LEAVE_OUT, View.PUBLIC), allowed.leave_out),
    )
    if any(most.epsilon.bounded and _exceeds(loss, most) for loss, most in pairs):
        return True
    if allowed.mu_squared is None:
        return False
    made = unit_loss(tree, unit).on_average
    return made is None or made[0] > allowed.mu_squared or made[1] > allowed.set_aside


def _exceeds(loss: Loss, most: Loss) -> bool:
    return not loss.epsilon <= most.epsilon or loss.delta > most.delta or (most.mixture and not loss.mixture)


@contextmanager
def drawing(spending: Spending | None) -> Iterator[None]:
    """``Spending.drawing``, where something was reserved."""
    if spending is None:
        yield
        return
    with spending.drawing():
        yield


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


def reserve(
    registry: Registry,
    known: Fingerprint,
    cost: Cost,
    release: str,
    details: Mapping[str, Any],
    declared: Declared,
) -> Spending:
    """Charge a release to its log. On return it is on the disk, and stays spent unless it is voided."""
    with registry_errors(cost, registry.path):
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
