"""Facts that are given as public and are the log's own: what tells them, and how much they would disclose.

What is found here decides whether a release is made, and it is found by looking at the log: a refusal is for the
publisher's eyes. That a release was made all the same tells that nothing was found, which no ε covers; a publisher who
knows where the facts come from says so beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.registry.keys import KEY_BYTES, Hasher
from amun_dp.certified.facts import GivenFacts
from amun_dp.certified.sequences import Sequences, offsets_of
from amun_dp.certified.settings import Certifiable
from amun_dp.errors import ReleaseError
from amun_dp.fingerprint import own_tokens
from amun_dp.languages import Language, both_languages

NEARLY = Fraction(9, 10)
"""Of the variants of log and list together, those that both have: an earlier state of a log has about as many."""
_NOTHING_IS_KEPT = Hasher(bytes(KEY_BYTES))
"""Tokens of two logs are compared and forgotten, so their key need not be a secret."""


@dataclass(frozen=True, slots=True)
class Alone:
    """Cases whose variant nobody else has. Confidential."""

    cases: int
    of: int

    def __str__(self) -> str:
        return f"{self.cases:,} of {self.of:,} cases have a variant of their own"


def cases_alone(language: Language) -> Alone:
    return Alone(int(np.count_nonzero(language.cases == 1)), int(language.cases.sum()))


def common_cases(plan: Certifiable) -> int:
    """Cases of the log that the given public log has, too: by the tokens that a registry knows a case by."""
    public = plan.parameters.given.log
    if public is None:
        return 0
    tokens = plan.fingerprint(_NOTHING_IS_KEPT).tokens
    known = np.isin(tokens, own_tokens(public, _NOTHING_IS_KEPT))
    return int(np.count_nonzero(known.any(axis=1)))


def are_own_variants(given: GivenFacts, own: Language) -> bool:
    """Whether the given variants are those of the log, all and no others; or nearly so, one case's alone among them.

    A list of usual variants may be nearly complete by rights. Variants that one case alone has are in no such list.
    """
    if given.variants is None:
        return False
    found = both_languages(own, _language(given.variants))
    common = (found.before > 0) & (found.after > 0)
    if common.all():
        return True
    return int(np.count_nonzero(common)) >= NEARLY * len(common) and bool((common & (found.before == 1)).any())


def refuse_own_facts(plan: Certifiable) -> None:
    """Refuse facts "from outside" that are the log's own, unless the publisher says that they are."""
    given, facts = plan.parameters.given, plan.facts
    if given.from_log:
        return
    common = common_cases(plan)
    if common:
        raise ReleaseError(
            f"Cases of the log are in the public log as well ({common:,}), so its facts do not come from outside: they "
            f"depend on the people who are to be protected. Nothing was drawn or spent. {_WAY_OUT}"
        )
    if given.variants is None and not ("variants" in facts.from_log and not plan.parameters.variants_from_log):
        return
    own = plan.original.language()
    if given.variants is None:
        raise ReleaseError(
            f"{cases_alone(own)}: to take the log's own variants as public discloses each of them. Nothing was drawn "
            "or spent. Give variants that are known for reasons outside the log (--public FILE), choose another form "
            "(--variants generated), or say that it is meant: --variants-from-log. The label then promises something "
            "about counts and times only."
        )
    if are_own_variants(given, own):
        raise ReleaseError(
            "The public variants are those of the log, or all but a few: a list that was made from the log discloses "
            f"every variant that one case alone has ({cases_alone(own)}). Nothing was drawn or spent. {_WAY_OUT}"
        )


_WAY_OUT = (
    "Give facts that are known for reasons outside the log, or declare with --public-from-log that these count as "
    "taken from it, which the label then says."
)


def _language(variants: tuple[tuple[str, ...], ...]) -> Language:
    """A list of variants as a language in which each occurs once."""
    distinct = sorted(set(variants))
    labels = tuple(sorted({label for variant in distinct for label in variant}))
    code = {label: number for number, label in enumerate(labels)}
    codes = np.array([code[label] for variant in distinct for label in variant], dtype=np.int64)
    lengths = np.array([len(variant) for variant in distinct], dtype=np.int64)
    return Language(labels, Sequences(codes, offsets_of(lengths)), np.ones(len(distinct), dtype=np.int64))
