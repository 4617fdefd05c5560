"""Every claim that this project makes or denies, with its verdict: the one place that reports, docs and proofs cite.

A claim is data. What establishes its verdict is a checker in ``proofs`` (``amun-dp prove`` runs them all and fails if
any finds another verdict than the one recorded here). The accountant chooses claims by what a release did; it takes
their verdicts from here and has none of its own.

A researcher adds claims of their own with ``register_claim``, each with the function that checks it.
"""

from __future__ import annotations

from collections.abc import Callable

from accounting.claims.article import ARTICLE_CLAIMS
from accounting.claims.average import AVERAGE_CLAIMS
from accounting.claims.certified import CERTIFIED_CLAIMS
from accounting.claims.claim import Claim
from accounting.claims.composition import COMPOSITION_CLAIMS
from accounting.claims.formulas import FORMULA_CLAIMS
from accounting.claims.gaussian import GAUSSIAN_CLAIMS
from accounting.errors import AccountingError

CLAIMS: dict[str, Claim] = {}
"""Every claim by its identifier."""
for _claim in (
    *FORMULA_CLAIMS,
    *COMPOSITION_CLAIMS,
    *CERTIFIED_CLAIMS,
    *AVERAGE_CLAIMS,
    *GAUSSIAN_CLAIMS,
    *ARTICLE_CLAIMS,
):
    if CLAIMS.setdefault(_claim.id, _claim) is not _claim:
        raise AccountingError(f"two claims are called '{_claim.id}'.")


def claim(identifier: str) -> Claim:
    """The claim of that name."""
    if identifier not in CLAIMS:
        raise AccountingError(f"there is no claim called '{identifier}'.")
    return CLAIMS[identifier]


Check = Callable[[], str]
"""Returns what it checked, in a sentence, or raises."""
_OWN: frozenset[str] = frozenset(CLAIMS)
_CHECKS: dict[str, Check] = {}


def register_claim(added: Claim, check: Check | None = None) -> Claim:
    """Add a claim from outside the package (``added``), with the function that checks it; a taken identifier is
    refused.

    The accountant takes the verdict that is recorded, and only if there is a ``check``: without one the claim counts as
    not proved, whatever it says. ``amun-dp prove`` runs the checks.
    """
    if added.id in CLAIMS:
        raise AccountingError(f"a claim called '{added.id}' is registered already.")
    CLAIMS[added.id] = added
    if check is not None:
        _CHECKS[added.id] = check
    return added


def unregister_claim(identifier: str) -> None:
    """Forget a claim from outside the package (for notebooks that define one again, and for tests)."""
    if identifier in _OWN:
        raise AccountingError(f"'{identifier}' is a claim of this package and stays.")
    CLAIMS.pop(identifier, None)
    _CHECKS.pop(identifier, None)


def checked_by_its_author(identifier: str) -> bool:
    """Whether a claim from outside the package came with a check."""
    return identifier in _CHECKS


def checks_from_outside() -> dict[str, Check]:
    """The checks of claims from outside the package, by claim."""
    return dict(_CHECKS)


__all__ = [
    "CLAIMS",
    "Check",
    "Claim",
    "checked_by_its_author",
    "checks_from_outside",
    "claim",
    "register_claim",
    "unregister_claim",
]
