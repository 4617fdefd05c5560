"""Wrong formulas that the checkers must notice: a proof that accepts them would be no proof.

Each mutation says which checkers must find something else than the recorded verdict when the shipped function is
replaced. Tests run them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from accounting import algebra, quantities
from accounting.formulas import MARGIN, Rounding, _rounded
from proofs.average_mutations import AVERAGE_FREE_STANDING, average_mutations
from proofs.mutation import Mutation
from proofs.mutation import by as _by
from proofs.subject import SHIPPED


def _algebra() -> Iterable[Mutation]:
    def of(name: str, by: frozenset[tuple[str, str]], **substitute: Any) -> Mutation:
        return Mutation(name, SHIPPED.with_algebra(**substitute), by)

    def root_with(radicand: int, power: int, sign: int) -> Any:
        def root(a: Any, sqrt: Any, cbrt: Any) -> Any:
            c = cbrt(6)
            b = cbrt(sqrt(3) * sqrt(2 * a**3 + 21 * a**2 - 48 * a + radicand) - 9 * a + 9)
            return b / c**power - sign * (a - 1) / (c * b)

        return root

    both = "sympy z3"
    yield of(
        "posterior with P and 1-P swapped",
        _by("sympy z3 cvc5", "posterior-bound", "prior-inverse", "requirement-r2")
        | _by(both, "worst-loss", "any-prior-advantage")
        | _by("sympy", "group-advantage", "monotonicity")
        | _by("exact", "count-table", "relation")
        | _by("flint", "numeric-advantage"),
        posterior=lambda p, y: 1 / (1 + y * p / (1 - p)),
    )
    yield of(
        "posterior with 2 for 1",
        _by(both, "posterior-bound", "prior-inverse", "requirement-r2"),
        posterior=lambda p, y: 1 / (2 + y * (1 - p) / p),
    )
    yield of(
        "posterior with arguments swapped",
        _by(both, "prior-inverse", "posterior-bound"),
        posterior=lambda p, y: algebra.posterior(y, p),
    )
    yield of(
        "likelihood ratio with +1 for -1",
        _by("sympy z3 cvc5", "prior-inverse", "loss-twin", "worst-prior", "requirement-r2")
        | _by("coq", "prior-inverse", "worst-prior")
        | _by("sympy z3 cvc5", "loss-derivative")
        | _by("flint", "numeric-loss", "event-time-any-prior")
        | _by("exact", "event-time-any-prior"),
        likelihood_ratio=lambda p, a: p / (1 - p) * (1 / (a + p) + 1),
    )
    yield of(
        "likelihood ratio with arguments swapped",
        _by(both, "prior-inverse", "loss-twin"),
        likelihood_ratio=lambda p, a: algebra.likelihood_ratio(a, p),
    )
    yield of(
        "worst prior (1+A)/2",
        _by("sympy z3 cvc5", "worst-prior", "worst-loss")
        | _by("sympy", "loss-derivative", "any-prior-advantage")
        | _by("exact", "count-table"),
        worst_prior=lambda a: (1 + a) / 2,
    )
    yield of(
        "worst ratio without its square",
        _by("sympy z3 cvc5 coq", "worst-prior", "worst-loss")
        | _by("sympy", "monotonicity", "group-advantage")
        | _by("exact", "count-table")
        | _by("flint", "numeric-worst-loss", "worst-loss"),
        worst_ratio=lambda a: (1 - a) / (1 + a),
    )
    yield of(
        "worst ratio upside down",
        _by("sympy z3 cvc5", "monotonicity") | _by(both, "worst-prior"),
        worst_ratio=lambda a: ((1 + a) / (1 - a)) ** 2,
    )
    yield of(
        "worst advantage too small",
        _by("sympy z3 cvc5", "any-prior-advantage", "group-advantage")
        | _by("z3 cvc5", "mixture-advantage")
        | _by("z3 cvc5 exact", "mixture-excess", "threshold-known-others")
        | _by("exact", "mixture-exception")
        | _by("flint", "numeric-advantage"),
        worst_advantage=lambda x: (1 - x) / (2 + x),
    )
    yield of(
        "worst advantage with the sign flipped",
        _by("sympy z3 cvc5", "monotonicity")
        | _by("exact", "event-time-any-prior", "relation")
        | _by("sympy", "any-prior-advantage"),
        worst_advantage=lambda x: (1 + x) / (1 - x),
    )
    yield of(
        "one-sided advantage without its square",
        _by("sympy z3 cvc5", "one-sided-cubic"),
        one_sided_advantage=lambda x: x * algebra.worst_advantage(x) + 1 - x,
    )
    yield of(
        "cubic with 3 for 2",
        _by("sympy z3 cvc5", "one-sided-cubic")
        | _by("sympy", "cubic-root-unique", "oversampling-closed-form")
        | _by("flint", "numeric-oversampling"),
        oversampling_polynomial=lambda x, a: 3 * x**3 + (a - 1) * x + (a - 1),
    )
    yield of(
        "cubic with two roots between 0 and 1",
        _by("sympy z3 cvc5 coq", "cubic-root-unique"),
        oversampling_polynomial=lambda x, a: (2 * x - a) * (3 * x - a) * (1 + x),
    )
    for name, mutant in (
        ("radicand 26", root_with(26, 2, 1)),
        ("c for c²", root_with(25, 1, 1)),
        ("sign flipped", root_with(25, 2, -1)),
    ):
        yield of(f"closed form with {name}", _by("sympy flint", "oversampling-closed-form"), oversampling_root=mutant)
    yield of(
        "Laplace mass not normalised",
        _by("sympy", "laplace-law", "laplace-tail", "geometric-law", "threshold-delta"),
        laplace_mass=lambda q, k: (1 - q) * q**k,
    )
    yield of(
        "Laplace mass falling twice as fast",
        _by("sympy", "laplace-ratio", "folded-law", "laplace-law")
        | _by("exact", "count-cell", "count-table", "count-table-composed")
        | _by("exact", "event-time-public-scale", "case-times", "relation", "event-time", "copies")
        | _by("exact", "parallel-composition", "parallel-replace", "parallel-replace-maximum", "add-remove-to-replace")
        | _by("exact", "cases-of-an-individual", "post-processing")
        | _by("exact", "weighted-histogram", "threshold-mixture", "noisy-max")
        | _by("coq", "weighted-histogram")
        | _by("exact", "mixture-excess", "threshold-known-others"),
        laplace_mass=lambda q, k: (1 - q**2) / (1 + q**2) * q ** (2 * k),
    )
    yield of(
        "Laplace mass that ignores the scale in its tail",
        _by("sympy", "event-time", "individuals-from-the-log")
        | _by("exact", "event-time", "personalised-dp", "selection-of-groups", "released-counts"),
        laplace_mass=lambda q, k: (1 - q) / (1 + q) * Fraction(1, 2) ** k,
    )
    yield of(
        "Laplace tail one step too far",
        _by("sympy", "laplace-tail", "threshold-delta", "geometric-law")
        | _by("exact", "threshold-mixture", "threshold-known-others", "mixture-exception")
        | _by("flint", "numeric-threshold"),
        laplace_tail=lambda q, t: q ** (t + 1) / (1 + q),
    )
    yield of(
        "geometric mass without its factor",
        _by("sympy", "geometric-law", "one-sided-count") | _by("exact", "one-sided-count"),
        geometric_mass=lambda q, k: q**k,
    )


class _Forgetful(quantities.Epsilon):
    """A loss that counts once, however often it is incurred."""

    __slots__ = ()

    def __mul__(self, times: int) -> quantities.Epsilon:
        return self


def _rules() -> Iterable[Mutation]:
    def of(name: str, by: frozenset[tuple[str, str]], **substitute: Any) -> Mutation:
        return Mutation(name, SHIPPED.with_quantities(**substitute), by)

    def first(losses: Any) -> Any:
        return next(iter(losses))

    yield of(
        "a sum that takes the first",
        _by("z3 cvc5 exact", "sequential-composition", "approximate-composition")
        | _by("coq", "sequential-composition")
        | _by("z3 cvc5", "parallel-replace", "cases-of-an-individual", "add-remove-to-replace", "mixture-composition")
        | _by("exact", "repeated-releases", "unbounded-absorbs"),
        total=first,
    )
    yield of(
        "a largest that takes the first",
        _by("exact", "parallel-composition", "unbounded-absorbs"),
        largest=first,
    )
    yield of(
        "a largest that sums",
        _by("exact", "parallel-composition", "parallel-replace-maximum"),
        largest=quantities.total,
    )
    yield of(
        "two largest that take one",
        _by("exact", "parallel-replace"),
        two_largest=quantities.largest,
    )
    yield of(
        "multiples that count once",
        _by("exact", "replication", "cases-of-an-individual", "add-remove-to-replace", "copies"),
        Epsilon=_Forgetful,
    )
    yield of(
        "unbounded as a large number",
        _by("exact", "unbounded-absorbs"),
        UNBOUNDED=quantities.Epsilon(Fraction(10**9)),
    )


def _flipped(values: Any, rounding: str) -> Any:
    return values * (1.0 - 4 * MARGIN if rounding == "up" else 1.0 + MARGIN)


def _naive_headroom(prior: Any, advantage: Any) -> Any:
    return 1.0 - (prior + advantage)


def _unraised_loss(sensitivity: Any, scale: Any) -> Any:
    return np.asarray(sensitivity, dtype=np.float64) / np.asarray(scale, dtype=np.float64)


def _unraised_group(loss: Any, members: int) -> Any:
    return np.asarray(loss, dtype=np.float64) * members


def _half_the_loss(advantage: Any, rounding: Rounding = "down") -> Any:
    a = np.asarray(advantage, dtype=np.float64)
    return _rounded(np.log1p(2.0 * a / (1.0 - a)), rounding)


def _one_newton_step_wrong(advantage: Any, rounding: Rounding = "down") -> Any:
    a = np.asarray(advantage, dtype=np.float64)
    b = np.cbrt(np.sqrt(3.0) * np.sqrt((1 - a) ** 2 * (2 * a + 25)) + 9 * (1 - a))
    c = np.cbrt(6.0)
    x = b / c**2 + (1 - a) / (c * b)
    h = 1.0 - x
    for _ in range(3):
        x = x + (2 * x**3 - (1 - a) * (1 + x)) / (6 * x**2 - (1 - a))
        h = h - (2 * a - h * ((5 + a) - h * (6 - 2 * h))) / (12 * h - 6 * h**2 - (5 + a))
    return _rounded(-2.0 * np.where(a < 0.5, np.log1p(-np.minimum(h, 0.99)), np.log(x)), rounding)


def _numbers() -> Iterable[Mutation]:
    def of(name: str, by: frozenset[tuple[str, str]], **substitute: Any) -> Mutation:
        return Mutation(name, SHIPPED.with_formulas(**substitute), by)

    rounded = ("numeric-loss", "numeric-worst-loss", "numeric-advantage", "numeric-oversampling", "numeric-threshold")
    yield of("no margin", _by("flint", *rounded), MARGIN=0.0)
    yield of("a margin of one rounding", _by("flint", *rounded), MARGIN=2.0**-53)
    yield of("rounding flipped", _by("flint", *rounded), _rounded=_flipped)
    yield of("1-A-P with cancellation", _by("exact", "numeric-headroom"), headroom=_naive_headroom)
    yield of("a loss that is not rounded up", _by("flint", "numeric-laplace-loss"), laplace_loss=_unraised_loss)
    yield of("a group's loss that is not rounded up", _by("flint", "numeric-advantage"), group_loss=_unraised_group)
    yield of("half the worst loss", _by("flint", "numeric-worst-loss"), worst_case_loss=_half_the_loss)
    yield of(
        "a Newton step in the wrong direction",
        _by("flint", "numeric-oversampling"),
        oversampling_epsilon=_one_newton_step_wrong,
    )


def mutations() -> list[Mutation]:
    return [*_algebra(), *_rules(), *_numbers(), *average_mutations()]


FREE_STANDING = {
    *AVERAGE_FREE_STANDING,
    ("selection-of-variants", "exact"),
    ("selection-of-cases", "exact"),
    ("approximate-advantage", "exact"),
    *_by(
        "z3 cvc5",
        "laplace-ratio",
        "numeric-headroom",
        "count-cell",
        "event-time-public-scale",
        "parallel-composition",
        "post-processing",
        "weighted-histogram",
        "noisy-max",
    ),
}
"""Checkers that call no shipped function: explicit examples, and questions that tests weaken until they are ``sat``."""
