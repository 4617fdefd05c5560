"""The composition rules as questions to an SMT solver: masses of single outputs, and the shipped sum of losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proofs.query import Query
from proofs.terms import Term


class _Loss:
    """A loss ln E, known by the term E. The shipped sum of losses then writes the product of the ratios."""

    def __init__(self, ratio: Term) -> None:
        self.ratio = ratio

    def __add__(self, other: _Loss) -> _Loss:
        return _Loss(self.ratio * other.ratio)

    def __radd__(self, nothing: Any) -> _Loss:
        if nothing.value != 0:
            raise TypeError("only nothing is added to a loss that is a symbol")
        return self


def together(quantities: Any, *ratios: Term) -> Term:
    """The ratio of the summed losses, written by the shipped sum."""
    summed: _Loss = quantities.total([_Loss(ratio) for ratio in ratios])
    return summed.ratio


def composition_queries(quantities: Any) -> Iterator[Query]:
    a, b, c, d, e, f, m = (Term(name) for name in ("a", "b", "c", "d", "E", "F", "m"))

    def total(*ratios: Term) -> Term:
        return together(quantities, *ratios)

    masses = tuple(mass >= 0 for mass in (a, b, c, d))
    ratios = (e >= 1, f >= 1)
    yield Query(
        "sequential-composition",
        "product",
        "masses a ≤ E·b of a first output and c ≤ F·d of a second given the first never give a·c > E·F·b·d.",
        ("a", "b", "c", "d", "E", "F"),
        (*masses, *ratios, a <= e * b, c <= f * d, a * c > total(e, f) * b * d),
    )
    yield Query(
        "parallel-composition",
        "one-part",
        "if only one of two disjoint parts changes, the pair's masses keep the ratio E of that part.",
        ("a", "b", "c", "E"),
        (a >= 0, b >= 0, c >= 0, e >= 1, a <= e * b, a * c > e * (b * c)),
    )
    yield Query(
        "parallel-replace",
        "two-parts",
        "if two of three disjoint parts change, the masses keep the product of their ratios.",
        ("a", "b", "c", "d", "m", "E", "F"),
        (*masses, m >= 0, *ratios, a <= e * b, c <= f * d, a * c * m > total(e, f) * b * d * m),
    )
    yield Query(
        "cases-of-an-individual",
        "step",
        "one more neighbouring log in the chain multiplies the ratio F so far by at most E.",
        ("a", "b", "m", "E", "F"),
        (a >= 0, b >= 0, m >= 0, *ratios, a <= f * m, m <= e * b, a > total(e, f) * b),
    )
    yield Query(
        "post-processing",
        "weights",
        "two outputs that keep the ratio E keep it after being weighted and merged; by induction any number does.",
        ("a", "b", "c", "d", "E", "v", "w"),
        (
            *masses,
            e >= 1,
            Term("v") >= 0,
            Term("w") >= 0,
            a <= e * b,
            c <= e * d,
            Term("v") * a + Term("w") * c > e * (Term("v") * b + Term("w") * d),
        ),
    )
    yield Query(
        "add-remove-to-replace",
        "twice",
        "removing (a ≤ E·m) and adding (m ≤ E·b) never give more than E².",
        ("a", "b", "m", "E"),
        (a >= 0, b >= 0, m >= 0, e >= 1, a <= e * m, m <= e * b, a > total(e, e) * b),
    )
    excess, delta = Term("x"), Term("t")
    yield Query(
        "approximate-composition",
        "pointwise",
        "with a ≤ E·b + x for an output (x its excess, Σx ≤ δ1) and c ≤ F·d + t for any set of second outputs "
        "(t = δ2), always a·c ≤ E·F·b·d + a·t + x. Summed over the first outputs that is δ2 + δ1.",
        ("a", "b", "c", "d", "E", "F", "x", "t"),
        (
            *masses,
            *ratios,
            excess >= 0,
            excess <= a,
            delta >= 0,
            c <= 1,
            a <= e * b + excess,
            c <= f * d + delta,
            a * c > total(e, f) * b * d + a * delta + excess,
        ),
    )
