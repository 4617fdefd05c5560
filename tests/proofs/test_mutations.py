"""Each checker fails on a wrong formula."""

from __future__ import annotations

import pytest

pytest.importorskip("sympy")

from proofs.mutation import Mutation
from proofs.mutations import FREE_STANDING, mutations
from proofs.registry import checkers, run

CASES = [(mutation, *who) for mutation in mutations() for who in sorted(mutation.noticed_by)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # a wrong formula may divide by zero before it is found out
@pytest.mark.parametrize(
    ("mutation", "claim", "tool"), CASES, ids=[f"{mutation.name}-{claim}-{tool}" for mutation, claim, tool in CASES]
)
def test_a_wrong_formula_changes_the_verdict(mutation: Mutation, claim: str, tool: str) -> None:
    [one] = [one for one in checkers([claim]) if one.tool == tool]
    outcome = run(one, mutation.subject)
    if outcome.skipped:
        pytest.skip(outcome.detail)
    assert not outcome.agrees
    assert outcome.verdict is None


def test_every_checker_is_failed_by_some_mutation() -> None:
    noticed = {who for mutation in mutations() for who in mutation.noticed_by}
    everyone = {(one.claim, one.tool) for one in checkers()}
    assert everyone - noticed == FREE_STANDING
    assert noticed <= everyone
