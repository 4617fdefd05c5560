"""Every claim that this project makes or denies, with its verdict: the one place that reports, docs and proofs cite.

A claim is data. What establishes its verdict is a checker in ``proofs`` (``amun-dp prove`` runs them all and fails if
any finds another verdict than the one recorded here). The accountant chooses claims by what a release did; it takes
their verdicts from here and has none of its own.
"""

from __future__ import annotations

from accounting.claims.article import ARTICLE_CLAIMS
from accounting.claims.certified import CERTIFIED_CLAIMS
from accounting.claims.claim import Claim
from accounting.claims.composition import COMPOSITION_CLAIMS
from accounting.claims.formulas import FORMULA_CLAIMS
from accounting.errors import AccountingError

CLAIMS: dict[str, Claim] = {}
"""Every claim by its identifier."""
for _claim in (*FORMULA_CLAIMS, *COMPOSITION_CLAIMS, *CERTIFIED_CLAIMS, *ARTICLE_CLAIMS):
    if CLAIMS.setdefault(_claim.id, _claim) is not _claim:
        raise AccountingError(f"two claims are called '{_claim.id}'.")


def claim(identifier: str) -> Claim:
    """The claim of that name."""
    if identifier not in CLAIMS:
        raise AccountingError(f"there is no claim called '{identifier}'.")
    return CLAIMS[identifier]


__all__ = ["CLAIMS", "Claim", "claim"]
