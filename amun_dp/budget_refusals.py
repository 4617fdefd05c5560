"""What a registry refuses, in the words of the command line: why, and what can be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path

from accounting.guarantee import Scope
from accounting.registry import (
    BudgetExceeded,
    Cost,
    NotVoidable,
    Overlap,
    PublishedBudget,
    RegistryError,
    Shortage,
    StrictBudget,
    UndecidedLog,
    UnknownLog,
    UnknownRelease,
    VoidedRelease,
)
from accounting.registry.views import PUBLISHED_FACT, UNIT_TEXT, amount_text, budget_text
from amun_dp.budget_advice import divided_published, larger_published, raised, smaller
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
def registry_errors(cost: Cost | None = None, registry: Path | None = None) -> Iterator[None]:
    """What a registry refuses, in the words of the command line. ``cost`` is that of the release that is asked for;
    ``registry`` the file, for the commands that help."""
    try:
        yield
    except BudgetExceeded as error:
        shortage = error.shortage
        said = _below_what_is_spent(shortage) if cost is None else _refusal(shortage, cost, registry)
        raise BudgetError(said) from error
    except UndecidedLog as error:
        raise SameLogQuestion(error.overlaps) from error
    except (NotVoidable, VoidedRelease) as error:
        raise BudgetError(str(error)) from error
    except (UnknownLog, UnknownRelease) as error:
        raise ParameterError(str(error)) from error
    except RegistryError as error:
        raise RegistryRefused(str(error)) from error


def _refusal(shortage: Shortage, cost: Cost, registry: Path | None) -> str:
    match shortage.budget:
        case PublishedBudget() as budget:
            return f"{_published_shortage(shortage, budget, cost, registry)} {PUBLISHED_FACT}"
        case StrictBudget() as budget if shortage.asked is not None:
            return _too_dear(shortage, budget, cost, registry)
        case StrictBudget() as budget:
            return _no_strict_bound(shortage, budget, cost, registry)


def _of(shortage: Shortage) -> str:
    return f"The budget of {shortage.log} ({budget_text(shortage.budget)})"


def _too_much(shortage: Shortage) -> str:
    left, asked = shortage.left, amount_text(shortage.budget, shortage.asked)
    has = amount_text(shortage.budget, left, down=True) if left.value > 0 else "nothing"
    return f"{_of(shortage)} has {has} left, and this release would spend {asked}; nothing was drawn."


def _below_what_is_spent(shortage: Shortage) -> str:
    """A budget was to be set."""
    if shortage.asked is not None:
        spent = amount_text(shortage.budget, shortage.asked)
        return (
            f"{_of(shortage)} would not hold what {shortage.log} has spent already ({spent}). A budget is never less "
            "than that."
        )
    if isinstance(shortage.budget, StrictBudget):
        reason = (
            f"a release of it has no strict bound for {UNIT_TEXT[shortage.budget.unit]}, so that no such budget holds "
            "it, however large"
        )
    elif any(one.advantage is None for one in shortage.releases):
        reason = "a release of it is approximate (δ > 0), which bounds no advantage"
    else:
        highest = max(one.advantage for one in shortage.releases if one.advantage is not None)
        reason = (
            f"a release of it was calibrated for advantage {float(highest):g}, and a budget in the published reading "
            "is never less than that"
        )
    return f"{_of(shortage)} was not set: {reason}."


# --- a budget in the strict reading ---------------------------------------------------------------------------------


def _too_dear(shortage: Shortage, budget: StrictBudget, cost: Cost, registry: Path | None) -> str:
    said = [_too_much(shortage)]
    fits = smaller(shortage, cost)
    if fits is not None:
        said.append(f"With {fits} it fits what is left.")
    larger = raised(shortage, cost, budget.unit, registry)
    if larger is not None:
        said.append(f"To allow this one as well, raise the budget: {larger}.")
    elif fits is None:
        said.append(_no_way_but_what_is_there(shortage))
    return " ".join(said)


def _no_strict_bound(shortage: Shortage, budget: StrictBudget, cost: Cost, registry: Path | None) -> str:
    if budget.unit is Scope.INDIVIDUAL and cost.strictly_bounded:
        return _nobody_said_how_many_cases(shortage, cost, registry)
    said = (
        f"{_of(shortage)} holds no release without a strict bound, and this one has none; nothing was drawn. "
        "Use a method that has one: --method certified."
    )
    if cost.advantage is None:
        return said
    if any(one.case.replace.delta for one in shortage.releases):
        return f"{said} To count as the article does is no way out: an earlier release is approximate (δ > 0)."
    larger = larger_published(shortage, cost, registry)
    if larger is not None:
        return f"{said} Or count as the article does: {larger}. {PUBLISHED_FACT}"
    divided = divided_published(shortage, cost, registry)
    if divided is not None:
        return f"{said} Or count as the article does: {divided}. {PUBLISHED_FACT}"
    return f"{said} To count as the article does is no way out: what was released leaves nothing of such a budget."


def _nobody_said_how_many_cases(shortage: Shortage, cost: Cost, registry: Path | None) -> str:
    said = (
        f"{_of(shortage)} does not hold this release, and nothing was drawn: it protects a case, and how many cases "
        "an individual may have was not declared, or are more than its threshold hides, so that nothing bounds what "
        "it costs an individual. Use --scope individual --max-cases-per-individual C, where C cases of each count."
    )
    larger = raised(shortage, cost, Scope.CASE, registry)
    if larger is None:
        return said
    return f"{said} Or give up the bound for individuals and count cases from now on: {larger}."


# --- a budget in the published reading ------------------------------------------------------------------------------


def _published_shortage(shortage: Shortage, budget: PublishedBudget, cost: Cost, registry: Path | None) -> str:
    if shortage.left.value <= 0:
        said = f"{_of(shortage)} has nothing left; nothing was drawn."
        return f"{said} {_after_the_last(shortage, cost, registry)}"
    divided = f"--releases {ceil(1 / shortage.left.value)}"
    if shortage.asked is not None:
        if cost.advantage is not None:
            return f"{_too_much(shortage)} Divide further: {divided}."
        fits = smaller(shortage, cost)
        said = _too_much(shortage) + ("" if fits is None else f" With {fits} it fits what is left.")
        return f"{said} {_after_the_last(shortage, cost, registry)}"
    said = f"{_of(shortage)} does not hold this release, and nothing was drawn:"
    if cost.advantage is not None:
        larger = larger_published(shortage, cost, registry) or divided_published(shortage, cost, registry)
        return (
            f"{said} its noise is calibrated for advantage {float(cost.advantage):g}, more than all releases together "
            f"may have. Use --advantage {float(budget.advantage):g} or less with {divided} or more"
            + (f", or raise the budget: {larger}." if larger is not None else ".")
        )
    said = f"{said} it is approximate (δ > 0), which bounds no advantage."
    strict = raised(shortage, cost, Scope.CASE, registry)
    if strict is not None:
        return f"{said} Use a budget in the strict reading: {strict}."
    return (
        f"{said} Nor would a budget in the strict reading: an earlier release has no strict bound. Use a form that has "
        "no δ: --variants generated or public."
    )


def _after_the_last(shortage: Shortage, cost: Cost, registry: Path | None) -> str:
    """What can be done when what is left of a budget in the published reading is too little."""
    strict = raised(shortage, cost, Scope.CASE, registry)
    if strict is not None:
        return f"All releases have a strict bound, and a budget in that reading can hold more: {strict}."
    larger = larger_published(shortage, cost, registry)
    if larger is not None:
        return (
            f"A larger budget leaves some again: {larger}. The part of a release that has a strict bound shrinks then, "
            "that of the others does not."
        )
    divided = divided_published(shortage, cost, registry)
    if divided is not None:
        return f"A larger budget leaves some again, for a smaller part: {divided}."
    return _no_way_but_what_is_there(shortage)


def _no_way_but_what_is_there(shortage: Shortage) -> str:
    return (
        f"{shortage.log} cannot be released again like this: no larger budget and no smaller advantage gives anything "
        "back (docs/registry.md). What can still be done: use the releases that there are (amun-dp registry show "
        f"{shortage.log}), or release cases of people who are in none of them, as a log of their own."
    )
