"""Every claim has a checker or a stated reason for having none; every public formula has a claim."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

from accounting import algebra, average, average_algebra, best_guess, formulas, norms
from accounting.claims import CLAIMS
from accounting.guarantee import Verdict

pytest.importorskip("sympy")

from proofs.arguments import ARGUMENT_ONLY
from proofs.page import PAGE, page
from proofs.registry import Checker, checkers, run


def public_functions(module: ModuleType) -> set[str]:
    return {
        name
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and value.__module__ == module.__name__
    }


FORMULAS = (algebra, formulas, average_algebra, average, best_guess, norms)


@pytest.mark.parametrize("module", FORMULAS)
def test_every_public_formula_has_a_claim(module: ModuleType) -> None:
    covered = {name for claim in CLAIMS.values() for name in claim.about}
    assert public_functions(module) - covered == set()


def test_claims_cover_only_functions_that_exist() -> None:
    covered = {name for claim in CLAIMS.values() for name in claim.about}
    assert covered <= set().union(*map(public_functions, FORMULAS))


def test_every_claim_is_checked_or_says_why_not() -> None:
    checked = {one.claim for one in checkers()}
    assert set(CLAIMS) - checked == set(ARGUMENT_ONLY)
    assert not checked & set(ARGUMENT_ONLY)


def test_claims_that_rest_on_argument_alone_are_never_more_than_an_absence_or_a_tested_property() -> None:
    proved = {name for name in ARGUMENT_ONLY if CLAIMS[name].verdict is Verdict.PROVED}
    assert proved == {"requirement-r1"}


@pytest.mark.parametrize("one", checkers(), ids=lambda one: f"{one.claim}-{one.tool}")
def test_the_checker_finds_the_recorded_verdict(one: Checker) -> None:
    outcome = run(one)
    if outcome.skipped:
        pytest.skip(outcome.detail)
    assert outcome.agrees, outcome.detail


def test_the_committed_page_is_the_one_that_the_registry_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m proofs.page"
