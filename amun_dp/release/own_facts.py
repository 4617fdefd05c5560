"""Facts that are given as public although they are the log's own: how they are recognised, and what they would
disclose.

What is found here decides whether a release is made, and it is found by looking at the log: a refusal is for the
publisher's eyes only. If a release is made all the same, that shows that nothing was found, which no ε covers. A
publisher who knows where the facts come from says so beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.registry.keys import KEY_BYTES, Hasher
from amun_dp._base.messages import Message
from amun_dp.budgets.fingerprint import own_tokens
from amun_dp.certified.plan import Certifiable
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.language import Language
from amun_dp.release.listed_variants import MOST_ERRORS, Listed, listed_of

_NOTHING_IS_KEPT = Hasher(bytes(KEY_BYTES))
"""Tokens of two logs are compared and forgotten, so their key need not be a secret."""


@dataclass(frozen=True, slots=True)
class Alone:
    """How many cases have a variant that no other case has, ``of`` how many. Confidential."""

    cases: int
    of: int

    def __str__(self) -> str:
        return f"{self.cases:,} of {self.of:,} cases have a variant of their own"


def cases_alone(language: Language) -> Alone:
    """Count the cases whose variant no other case has. Confidential."""
    return Alone(int(np.count_nonzero(language.cases == 1)), int(language.cases.sum()))


def common_cases(plan: Certifiable) -> int:
    """How many cases of the log are in the given public log, too, compared by the tokens by which a registry recognises
    a case."""
    public = plan.parameters.given.log
    if public is None:
        return 0
    tokens = plan.fingerprint(_NOTHING_IS_KEPT).tokens
    known = np.isin(tokens, own_tokens(public, _NOTHING_IS_KEPT))
    return int(np.count_nonzero(known.any(axis=1)))


def refuse_own_facts(plan: Certifiable) -> None:
    """Refuse (``ReleaseError``) facts "from outside" that are the log's own, unless the publisher declared that they
    are."""
    given, facts = plan.parameters.given, plan.facts
    if given.from_log:
        return
    common = common_cases(plan)
    if common:
        raise ReleaseError(
            Message(
                "Cases of the log are in the public log as well ({common:,}), so its facts do not come from outside: "
                "they depend on the people who are to be protected. Nothing was drawn or spent. {way_out}",
                common=common,
                way_out=_WAY_OUT,
            )
        )
    if given.variants is None and not ("variants" in facts.from_log and not plan.parameters.variants_from_log):
        return
    own = plan.original.language()
    if given.variants is None:
        raise ReleaseError(
            Message(
                "{alone}: to take the log's own variants as public discloses each of them. Nothing was drawn or spent. "
                "Give variants that are known for reasons outside the log ({public:FILE}), choose another form "
                "({variants:generated}), or say that it is meant: {variants_from_log}. The label then promises "
                "something about counts and times only.",
                alone=cases_alone(own),
            )
        )
    listed = listed_of(given.variants, own, facts.activities)
    if listed.from_the_log:
        raise ReleaseError(
            Message(
                "{found} Nothing was drawn or spent. {way_out}",
                found=_found(listed, cases_alone(own)),
                way_out=_WAY_OUT,
            )
        )


def _found(listed: Listed, alone: Alone) -> str:
    if listed.equal:
        return (
            "The public variants are those of the log, all of them and no others: a list that was made from the log "
            f"discloses every variant that one case alone has ({alone})."
        )
    return (
        f"Of the public variants {listed.by_one:,} are those of one case of the log alone, which has {listed.alone:,} "
        f"of them; {listed.by_two:,} have two cases, {listed.by_none:,} none. A list that does not depend on the log "
        f"has so many of one case at most once in {round(1 / MOST_ERRORS)} times, so this one was probably made from "
        "it, and would disclose each of these cases."
    )


_WAY_OUT = Message(
    "Give facts that are known for reasons outside the log, or declare with {public_from_log} that these count as "
    "taken from it, which the label then says."
)
