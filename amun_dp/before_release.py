"""What is looked at before anything is reserved or drawn: whether the log is large enough, and whose facts are public.

Some of it is decided by looking at the log. What is said here is for the publisher and nobody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from amun_dp.errors import ReleaseError
from amun_dp.parameters import Parameters

if TYPE_CHECKING:
    from amun_dp.certified.settings import Certifiable
    from amun_dp.too_small import ArticlePlan

_INSIST = (
    "Nothing was drawn or spent. Release a larger log, or insist with --allow-too-small: no published file tells that "
    "you did."
)
SMALL_SHARE = 0.5
"""Of the cases that a threshold is expected to keep; with less it is worth a word."""


def check_release(plan: ArticlePlan | Certifiable, *, allow_too_small: bool = False) -> tuple[str, ...]:
    """Refuse what would disclose or spend more than its publisher can know; otherwise, what they should know.

    ``allow_too_small`` admits logs that are too small. Other refusals are admitted by parameters of the plan, because
    the label tells of them.
    """
    if isinstance(plan.parameters, Parameters):
        return _check_article(plan, allow_too_small)
    return _check_certified(plan, allow_too_small)


def refusal(plan: ArticlePlan | Certifiable, *, allow_too_small: bool = False) -> str | None:
    """What a release of this plan would be refused for; None if it would be made."""
    try:
        check_release(plan, allow_too_small=allow_too_small)
    except ReleaseError as refused:
        return str(refused)
    return None


def _check_article(plan: ArticlePlan, allow_too_small: bool) -> tuple[str, ...]:
    from amun_dp.too_small import LARGEST_CHANCE, chance_of_coming_through, least_cases

    if allow_too_small:
        return ()
    cases, least = int(plan.variants.kept.sum()), least_cases(plan)
    if cases < least:
        raise ReleaseError(
            f"{_so_many(cases)} would be released, and at this advantage the method {plan.method.name} cannot protect "
            f"fewer than {least:,}: they have nobody to hide among. {_INSIST}"
        )
    chance = chance_of_coming_through(plan)
    if chance > LARGEST_CHANCE:
        raise ReleaseError(
            f"So few cases of the log have a step in common that noise can hardly remove any: with a probability of at "
            f"least {chance:.0%} every sequence of activities would be released as it is. {_INSIST}"
        )
    return ()


def _check_certified(plan: Certifiable, allow_too_small: bool) -> tuple[str, ...]:
    from amun_dp.certified.own_facts import cases_alone, refuse_own_facts
    from amun_dp.certified.planning import kept_share
    from amun_dp.certified.preparing import variant_of
    from amun_dp.too_small import LARGEST_CHANCE, chance_of_nothing, least_certified_cases

    refuse_own_facts(plan)
    division, notes = plan.plan, []
    if "variants" in plan.facts.from_log:
        alone = cases_alone(plan.original.language())
        notes.append(f"the log's variants are taken as public, which discloses that {alone} (confidential).")
    least = least_certified_cases(division)
    if division.cases < least and not allow_too_small:
        raise ReleaseError(
            f"There are {division.cases:,} cases, fewer than the {least:,} by which noise alone moves a count at this "
            f"advantage: nothing but noise would be released. A larger advantage needs fewer. {_INSIST}"
        )
    if division.threshold is not None:
        _, counts = plan.population().histogram(variant_of)
        chance, kept = chance_of_nothing(counts, division), kept_share(counts, division.cases, division)
        if chance > LARGEST_CHANCE and not allow_too_small:
            raise ReleaseError(
                f"With a probability of {chance:.0%} no variant would reach the threshold of {division.threshold:,} "
                "cases: the budget would be spent on an empty release. --variants generated needs no frequent "
                f"variants. {_INSIST} (A form that is chosen for what this log has depends on it; the label's promise "
                "assumes that no single case decided it.)"
            )
        if kept < SMALL_SHARE:
            notes.append(f"the threshold is expected to keep {kept:.1%} of the cases (confidential).")
    return tuple(notes)


def _so_many(cases: int) -> str:
    return f"{cases:,} case{'' if cases == 1 else 's'}"
