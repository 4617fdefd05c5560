"""What is looked at before anything is reserved or drawn: whether the log is large enough, and whose facts are public.

Some of it is decided by looking at the log. What is said here is for the publisher and nobody else.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from amun_dp._base.messages import Message
from amun_dp.errors import PublisherWarning, ReleaseError

if TYPE_CHECKING:
    from amun_dp.certified.plan import Certifiable
    from amun_dp.release.too_small import ArticlePlan

_INSIST = Message(
    "Nothing was drawn or spent. Release a larger log, or insist with {allow_too_small}: no published file tells that "
    "you did."
)
_MORE_IS_KEPT = Message(
    "{variants:generated} needs no frequent variants; a larger advantage lowers the threshold, a smaller {dp_delta} "
    "raises it. (A form or an advantage that is chosen for what this log has depends on it; the label's promise "
    "assumes that no single case decided it.)"
)
SMALL_SHARE = 0.5
"""If a threshold is expected to keep a smaller share of the cases, the publisher is warned."""


def warn_publisher(note: str) -> None:
    """Issue a Python warning of its own category, ``PublisherWarning``: anyone who turned it off has read it."""
    warnings.warn(note, PublisherWarning, stacklevel=3)


def check_article(plan: ArticlePlan, allow_too_small: bool) -> tuple[str, ...]:
    """Refuse (``ReleaseError``) a plan of the article's methods whose log is too small, unless ``allow_too_small``.
    Returns no notes: there is nothing else to warn of."""
    from amun_dp.release.too_small import LARGEST_CHANCE, coming_through, least_cases

    if allow_too_small:
        return ()
    cases, least = int(plan.variants.kept.sum()), least_cases(plan)
    if cases < least:
        raise ReleaseError(
            Message(
                "{cases} would be released, and at this advantage the method {chosen} cannot protect fewer than "
                "{least:,}: they have nobody to hide among. {insist}",
                cases=_so_many(cases),
                chosen=plan.method.name,
                least=least,
                insist=_INSIST,
            )
        )
    found = coming_through(plan)
    if found.chance > LARGEST_CHANCE:
        raise ReleaseError(
            Message(
                "{variants_alone:,} of {cases} have a variant of their own that noise can hardly remove, because few "
                "of its steps are those of others: with a probability of at least {chance:.0%} all of these are "
                "released as they are. To guess that somebody has one of them gains more than the advantage. {insist}",
                variants_alone=found.variants,
                cases=_so_many(found.of),
                chance=found.chance,
                insist=_INSIST,
            )
        )
    return ()


def check_certified(plan: Certifiable, allow_too_small: bool) -> tuple[str, ...]:
    """Refuse (``ReleaseError``) a plan of the certified method that takes the log's own facts as public without saying
    so, or, unless ``allow_too_small``, whose log is too small or whose threshold would keep next to nothing. Returns
    what the publisher should know: variants that are disclosed, and cases that the threshold drops."""
    from amun_dp.certified.cases import variant_of
    from amun_dp.certified.draft import kept_share
    from amun_dp.release.own_facts import cases_alone, refuse_own_facts
    from amun_dp.release.too_small import LARGEST_CHANCE, SMALLEST_SHARE, chance_of_nothing, least_certified_cases

    refuse_own_facts(plan)
    division, notes = plan.plan, []
    if "variants" in plan.facts.from_log:
        alone = cases_alone(plan.original.language())
        notes.append(f"the log's variants are taken as public, which discloses them: {alone} (confidential).")
    least = least_certified_cases(division)
    if division.cases < least and not allow_too_small:
        raise ReleaseError(
            Message(
                "There are {cases:,} cases, fewer than the {least:,} by which noise alone moves a count at this "
                "advantage: nothing but noise would be released. A larger advantage needs fewer. {insist}",
                cases=division.cases,
                least=least,
                insist=_INSIST,
            )
        )
    if division.threshold is not None:
        _, counts = plan.population().histogram(variant_of)
        chance, kept = chance_of_nothing(counts, division), kept_share(counts, division.cases, division)
        if chance > LARGEST_CHANCE and not allow_too_small:
            raise ReleaseError(
                Message(
                    "With a probability of {chance:.0%} no variant would reach the threshold of {threshold:,} cases: "
                    "the budget would be spent on an empty release. {more} {insist}",
                    chance=chance,
                    threshold=division.threshold,
                    more=_MORE_IS_KEPT,
                    insist=_INSIST,
                )
            )
        if kept < SMALLEST_SHARE and not allow_too_small:
            raise ReleaseError(
                Message(
                    "The threshold of {threshold:,} cases is expected to keep {kept:.1%} of {cases:,} cases, less than "
                    "{least:.0%}: the budget would be spent on a release that hardly any case counts in. {more} "
                    "{insist}",
                    threshold=division.threshold,
                    kept=kept,
                    cases=division.cases,
                    least=SMALLEST_SHARE,
                    more=_MORE_IS_KEPT,
                    insist=_INSIST,
                )
            )
        if kept < SMALL_SHARE:
            notes.append(f"the threshold is expected to keep {kept:.1%} of the cases (confidential).")
    return tuple(notes)


def _so_many(cases: int) -> str:
    return f"{cases:,} case{'' if cases == 1 else 's'}"
