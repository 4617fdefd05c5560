"""What a registry refuses, in the words of the command line: why, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil

from accounting.registry import (
    Amount,
    BudgetExceeded,
    Cost,
    Overlap,
    PublishedBudget,
    RegistryError,
    Shortage,
    UndecidedLog,
    UnknownLog,
)
from accounting.registry.budgets import most_left, total_price
from accounting.registry.views import PUBLISHED_FACT, amount_text, budget_text
from amun_dp.errors import BudgetError, ParameterError, RegistryRefused


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
