"""Claims that were registered from outside the package are checked with all others, by the function that came along."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounting.claims import Claim, register_claim, unregister_claim
from accounting.guarantee import Verdict

pytest.importorskip("sympy")

from proofs.registry import checkers, run

CLAIM = Claim("test-from-outside", "It holds.", "", Verdict.PROVED, "somebody says so", "")


@pytest.fixture
def forgotten() -> Iterator[None]:
    yield
    unregister_claim(CLAIM.id)


@pytest.mark.usefixtures("forgotten")
def test_a_check_from_outside_is_run_and_establishes_the_verdict_that_is_recorded() -> None:
    register_claim(CLAIM, lambda: "looked at everything")
    [own] = checkers([CLAIM.id])
    found = run(own)
    assert (own.tool, found.verdict, found.detail) == ("own", Verdict.PROVED, "looked at everything")
    assert found.agrees


@pytest.mark.usefixtures("forgotten")
def test_a_check_from_outside_that_fails_disagrees() -> None:
    def fails() -> str:
        raise ValueError("found something else")

    register_claim(CLAIM, fails)
    [own] = checkers([CLAIM.id])
    assert not run(own).agrees


@pytest.mark.usefixtures("forgotten")
def test_a_claim_without_a_check_has_no_checker() -> None:
    register_claim(CLAIM)
    assert checkers([CLAIM.id]) == []
