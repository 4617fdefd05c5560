"""Counterexamples that use no formula are checks too: each fails where the claim would hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

pytest.importorskip("sympy")

from proofs import refutations
from proofs.registry import checkers, run


def any_public_variant(log: Sequence[str]) -> dict[tuple[str, ...], Fraction]:
    """A release in which every variant of a public set may occur, whatever the log."""
    return {("ab",): Fraction(1, 2), ("xyz",): Fraction(1, 2)}


def nobody_filtered(cases: Sequence[tuple[int, int | None]]) -> int:
    """Filtering that depends on no data."""
    return sum(gap is not None for _, gap in cases)


def one_cell_a_case(algebra: Any, q: Fraction, length: int) -> tuple[Fraction, Fraction]:
    """A case is in one cell, as in a histogram of variants: its count changes by the noise of that cell."""
    return algebra.laplace_mass(q, 0), algebra.laplace_mass(q, 1)


def public_groups(cases: Sequence[tuple[str, int]], path: str) -> int:
    """Groups that depend on no case."""
    return 5 * 24 * 60


@pytest.mark.parametrize(
    ("claim", "function", "harmless"),
    [
        ("selection-of-variants", "_released", any_public_variant),
        ("selection-of-cases", "_kept_pairs", nobody_filtered),
        ("released-counts", "_change_of_a_variant", one_cell_a_case),
        ("released-counts", "_ratio_of_losing", lambda algebra, q, frequent: Fraction(9, 4)),
        ("selection-of-groups", "_range_of_second_event", public_groups),
    ],
)
def test_a_counterexample_vanishes_where_the_claim_would_hold(
    claim: str, function: str, harmless: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = [one for one in checkers([claim]) if one.tool == "exact"]
    assert all(run(one).agrees for one in exact)
    monkeypatch.setattr(refutations, function, harmless)
    assert not any(run(one).agrees for one in exact)
