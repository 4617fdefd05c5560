"""The budget in ``anonymize`` and ``plan``: reserving, asking whose log it is, and saying what is left."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from accounting.registry import Charge, Declared, NoRegistry, Overlap, PublishedBudget, Registry, RegistryError
from accounting.registry.views import amount_text, budget_text
from amun_dp.budgets.preview import Preview, preview
from amun_dp.budgets.refusals import SameLogQuestion, overlap_text
from amun_dp.budgets.registry_file import registry_command
from amun_dp.budgets.spending import Chargeable, Spending, open_registry, reserve_plan
from amun_dp.cli.watch import leave
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused

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


class Reserver:
    """Reserves when a release asks for it, and knows afterwards whether it did."""

    def __init__(self, options: argparse.Namespace, say: Say) -> None:
        self._options, self._say = options, say
        self.spending: Spending | None = None

    def __call__(self, plan: Chargeable, release: str) -> Spending:
        registry, said = open_registry(self._options.registry), declared(self._options)
        while self.spending is None:
            try:
                self.spending = reserve_plan(registry, plan, release, declared=said)
            except SameLogQuestion as question:
                if not (sys.stdin.isatty() and sys.stderr.isatty()):
                    raise
                said = self._answers(question, said)
        leave(
            release=release,
            registry=str(registry.path),
            spent=_texts_after(self.spending, voidable=False),
            voidable=_texts_after(self.spending, voidable=True),
        )
        for other in self.spending.reservation.others:
            self._say(f"warning: {declaration_text(other)}")
        for charge in self.spending.reservation.charges:
            if charge.set_now and not self._options.quiet:
                self._say(f"note: {_first_release(charge)}")
        return self.spending

    def _answers(self, question: SameLogQuestion, said: Declared) -> Declared:
        for overlap in question.overlaps:
            if self._is_the_same(overlap):
                said = replace(said, same_as=(*said.same_as, overlap.log))
            else:
                said = replace(said, different_from=(*said.different_from, overlap.log))
        return said

    def _is_the_same(self, overlap: Overlap) -> bool:
        """Ask until there is an answer; the end of the input is one, too."""
        # Part of a log is about the same people: other people are no answer then.
        answers = "[s]ame log / [q]uit" if overlap.contained else "[s]ame log / [o]ther people / [q]uit"
        while True:
            self._say(f"{overlap_text(overlap)}. {answers}")
            line = sys.stdin.readline()
            answer = line.strip().lower()
            if answer in ("s", "same"):
                return True
            if answer in ("o", "other") and not overlap.contained:
                return False
            if answer in ("q", "quit") or not line:
                raise BudgetError("Whose log it is was left open, so nothing was drawn and nothing is spent.")

    def after_a_failure(self) -> None:
        """Say what has become of what was reserved, although no release came of it."""
        if self.spending is None:
            return
        found = standing(self.spending.registry, self.spending.reservation.release)
        if found is not Standing.VOIDED:  # which the refusal says
            for text in _texts_after(self.spending, voidable=found is Standing.VOIDABLE):
                self._say(f"note: {text}")


class Standing(Enum):
    """What has become of a reservation."""

    SPENT = "spent"
    VOIDABLE = "voidable"
    VOIDED = "voided"


def standing(registry: Registry, release: str) -> Standing:
    """What has become of what was reserved for a release that was not made."""
    try:
        found = registry.release(release)
    except RegistryError:  # gone or damaged: whatever made the run fail has said so, and it cannot be given back
        return Standing.SPENT
    if not found.counts:
        return Standing.VOIDED
    return Standing.VOIDABLE if found.can_be_voided else Standing.SPENT


def _texts_after(spending: Spending, voidable: bool) -> list[str]:
    """What to say of each charge. Voidable: nothing of the release can have been seen."""
    reservation = spending.reservation
    back = registry_command(f'void {reservation.release} --reason "interrupted"', spending.registry.path)
    return [_after(charge, back if voidable else None) for charge in reservation.charges]


def _after(charge: Charge, back: str | None) -> str:
    """``back`` is the command that gives an amount back, if nothing of the release can have been seen."""
    price, left = amount_text(charge.budget, charge.price), amount_text(charge.budget, charge.after, down=True)
    said = f"no release was made, but what was reserved for it of the budget of {charge.log} ({price})"
    if back is not None:
        return (
            f"{said} counts as spent. Nothing of it was written or shown, so it can be given back, which is recorded: "
            f"{back}"
        )
    said = f"{said} stays spent, because something of it may have been seen; {left} is left."
    if charge.after.value > 0:
        return f"{said} Fix the cause first (a full disk: free space); the next attempt spends again."
    if isinstance(charge.budget, PublishedBudget):
        return f"{said} Nothing gives it back. Next time, --releases N keeps some for another attempt."
    return (
        f"{said} Nothing gives it back; amun-dp plan says what a further attempt costs, and with which command it is "
        "allowed."
    )


def declaration_text(other: Overlap) -> str:
    """The word that somebody gives with --new-log."""
    return f"{overlap_text(other)}; you declare that the people are others, which is recorded."


def _first_release(charge: Charge) -> str:
    said = (
        f"first release of this log: it is {charge.log} from now on, and its budget is set to "
        f"{budget_text(charge.budget)}, as this release needs it;"
    )
    left = amount_text(charge.budget, charge.after, down=True)
    if not isinstance(charge.budget, PublishedBudget):
        return f"{said} {left} is left. amun-dp registry set-budget can raise it."
    if charge.after.value <= 0:
        return f"{said} all of it is spent, and no further release fits a budget in this reading, however large."
    return f"{said} {left} is left. amun-dp registry set-budget can allow a larger advantage, but gives no part back."


def previewed(options: argparse.Namespace, plan: Chargeable) -> Preview | None:
    """What a plan would spend of its log's budget; None with --no-registry."""
    return None if options.no_registry else preview(plan, options.registry, declared(options))
