"""A release that a budget has no room for: why, and what can be done."""

from __future__ import annotations

from math import ceil
from pathlib import Path

from accounting.guarantee import Scope
from accounting.registry import (
    AverageBudget,
    Cost,
    PublishedBudget,
    Shortage,
    StrictBudget,
)
from accounting.registry.views import PUBLISHED_FACT, UNIT_TEXT, amount_text, budget_text
from amun_dp._base.messages import Message, joined
from amun_dp.budgets.advice import divided_published, larger_published, raised, smaller
from amun_dp.budgets.on_average import (
    NO_EPSILON,
    is_average,
    raised_on_average,
    reasons_it_is_dear,
    smaller_on_average,
)


def shortage_text(shortage: Shortage, cost: Cost, registry: Path | None) -> str:
    match shortage.budget:
        case PublishedBudget() as budget:
            return joined(" ", (_published_shortage(shortage, budget, cost, registry), PUBLISHED_FACT))
        case StrictBudget() as budget if shortage.asked is not None:
            return _too_dear(shortage, budget, cost, registry)
        case StrictBudget() as budget:
            return _no_strict_bound(shortage, budget, cost, registry)
        case AverageBudget() as budget:
            return _average_shortage(shortage, budget, cost, registry)


def _of(shortage: Shortage) -> str:
    return f"The budget of {shortage.log} ({budget_text(shortage.budget)})"


def _too_much(shortage: Shortage) -> str:
    left, asked = shortage.left, amount_text(shortage.budget, shortage.asked)
    has = amount_text(shortage.budget, left, down=True) if left.value > 0 else "nothing"
    return f"{_of(shortage)} has {has} left, and this release would spend {asked}; nothing was drawn."


def below_what_is_spent(shortage: Shortage) -> str:
    """A budget was to be set."""
    if shortage.asked is not None:
        spent = amount_text(shortage.budget, shortage.asked)
        return (
            f"{_of(shortage)} would not hold what {shortage.log} has spent already ({spent}). A budget is never less "
            "than that."
        )
    if isinstance(shortage.budget, AverageBudget):
        reason = (
            f"a release of it bounds nothing on average for {UNIT_TEXT[shortage.budget.unit]}, so that no such budget "
            "holds it, however large"
        )
    elif isinstance(shortage.budget, StrictBudget):
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


def _too_dear(shortage: Shortage, budget: StrictBudget, cost: Cost, registry: Path | None) -> str:
    said = [_too_much(shortage)]
    fits = smaller(shortage, cost)
    if fits is not None:
        said.append(_fits(fits))
    larger = raised(shortage, cost, budget.unit, registry)
    if larger is not None:
        said.append(f"To allow this one as well, raise the budget: {larger}.")
    elif fits is None:
        said.append(_no_way_but_what_is_there(shortage))
    return joined(" ", said)


def _fits(options: Message) -> Message:
    return Message("With {smaller} it fits what is left.", smaller=options)


def _no_strict_bound(shortage: Shortage, budget: StrictBudget, cost: Cost, registry: Path | None) -> str:
    if budget.unit is Scope.INDIVIDUAL and cost.strictly_bounded:
        return _nobody_said_how_many_cases(shortage, cost, registry)
    if is_average(cost, budget.unit):
        said = f"{_of(shortage)} does not hold this release, and nothing was drawn: {NO_EPSILON}."
        larger = raised_on_average(shortage, cost, budget.unit, registry)
        return said if larger is None else f"{said} Or hold the budget on average, which promises less: {larger}."
    said = Message(
        "{budget} holds no release without a strict bound, and this one has none; nothing was drawn. Use a method that "
        "has one: {method:certified}.",
        budget=_of(shortage),
    )
    more = _count_as_the_article_does(shortage, cost, registry)
    return said if more is None else joined(" ", (said, more))


def _count_as_the_article_does(shortage: Shortage, cost: Cost, registry: Path | None) -> str | None:
    """Whether another kind of budget would hold a release without a strict bound."""
    if cost.advantage is None:
        return None
    if any(one.case.replace.delta for one in shortage.releases):
        return "To count as the article does is no way out: an earlier release is approximate (δ > 0)."
    way = larger_published(shortage, cost, registry) or divided_published(shortage, cost, registry)
    if way is None:
        return "To count as the article does is no way out: what was released leaves nothing of such a budget."
    return Message("Or count as the article does: {way}. {fact}", way=way, fact=PUBLISHED_FACT)


_UNDECLARED_CASES = Message(
    "it protects a case, and how many cases an individual may have was not declared, or are more than its threshold "
    "hides, so that nothing bounds what it costs an individual. Use {scope:individual} and "
    "{max_cases_per_individual:C}, where C cases of each count."
)


def _nobody_said_how_many_cases(shortage: Shortage, cost: Cost, registry: Path | None) -> str:
    said = Message(
        "{budget} does not hold this release, and nothing was drawn: {why}",
        budget=_of(shortage),
        why=_UNDECLARED_CASES,
    )
    larger = raised(shortage, cost, Scope.CASE, registry)
    if larger is None:
        return said
    return joined(" ", (said, f"Or give up the bound for individuals and count cases from now on: {larger}."))


def _average_shortage(shortage: Shortage, budget: AverageBudget, cost: Cost, registry: Path | None) -> str:
    if shortage.asked is None:
        if budget.unit is Scope.INDIVIDUAL and cost.case.on_average is not None:
            return Message(
                "{budget} does not hold this release, and nothing was drawn: {why}",
                budget=_of(shortage),
                why=_UNDECLARED_CASES,
            )
        return Message(
            "{budget} holds no release that bounds nothing on average over its noise, and this one does not; nothing "
            "was drawn. Use a method that does: {method:certified}.",
            budget=_of(shortage),
        )
    said = [_too_much(shortage), *reasons_it_is_dear(budget, cost)]
    fits = smaller_on_average(shortage, budget, cost)
    if fits is not None:
        said.append(_fits(fits))
    larger = raised_on_average(shortage, cost, budget.unit, registry)
    if larger is not None:
        said.append(f"To allow this one as well, raise the budget: {larger}.")
    elif fits is None:
        said.append(_no_way_but_what_is_there(shortage))
    return joined(" ", said)


def _published_shortage(shortage: Shortage, budget: PublishedBudget, cost: Cost, registry: Path | None) -> str:
    if shortage.left.value <= 0:
        said = f"{_of(shortage)} has nothing left; nothing was drawn."
        return joined(" ", (said, _after_the_last(shortage, cost, registry)))
    divided = Message("{releases:{least}}", least=ceil(1 / shortage.left.value))
    if shortage.asked is not None:
        if cost.advantage is not None:
            return Message("{why} Divide further: {divided}.", why=_too_much(shortage), divided=divided)
        fits = smaller(shortage, cost)
        ways = [_after_the_last(shortage, cost, registry)]
        if fits is not None:
            ways.insert(0, _fits(fits))
        return joined(" ", (_too_much(shortage), *ways))
    if is_average(cost, Scope.CASE):
        said = f"{_of(shortage)} does not hold this release, and nothing was drawn: {NO_EPSILON}."
        larger = raised_on_average(shortage, cost, Scope.CASE, registry)
        return said if larger is None else f"{said} Hold the budget on average instead: {larger}."
    if cost.advantage is not None:
        larger = larger_published(shortage, cost, registry) or divided_published(shortage, cost, registry)
        return Message(
            "{budget} does not hold this release, and nothing was drawn: its noise is calibrated for advantage "
            "{asked:g}, more than all releases together may have. Use {advantage:{most:g}} or less with {divided} or "
            "more{larger}.",
            budget=_of(shortage),
            asked=float(cost.advantage),
            most=float(budget.advantage),
            divided=divided,
            larger="" if larger is None else Message(", or raise the budget: {larger}", larger=larger),
        )
    return Message(
        "{budget} does not hold this release, and nothing was drawn: it is approximate (δ > 0), which bounds no "
        "advantage. {way}",
        budget=_of(shortage),
        way=_instead_of_an_advantage(raised(shortage, cost, Scope.CASE, registry)),
    )


def _instead_of_an_advantage(strict: str | None) -> str:
    """What holds an approximate release; ``strict`` is the command for a budget that does."""
    if strict is not None:
        return f"Use a budget in the strict reading: {strict}."
    return Message(
        "Nor would a budget in the strict reading: an earlier release has no strict bound. Use a form that has no δ: "
        "{variants:generated} or {variants:public}."
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
        return Message("A larger budget leaves some again, for a smaller part: {divided}.", divided=divided)
    return _no_way_but_what_is_there(shortage)


def _no_way_but_what_is_there(shortage: Shortage) -> str:
    return (
        f"{shortage.log} cannot be released again like this: no larger budget and no smaller advantage gives anything "
        "back (docs/registry.md). What can still be done: use the releases that there are (amun-dp registry show "
        f"{shortage.log}), or release cases of people who are in none of them, as a log of their own."
    )
