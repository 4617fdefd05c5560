"""What is asked of the SMT solvers: each query says that a claim fails somewhere; ``unsat`` means that it does nowhere.

Division by zero is an arbitrary number in SMT-LIB, so ``unsat`` covers every value that it might take.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proofs.average_queries import average_queries
from proofs.mixtures import mixture_queries
from proofs.query import Query
from proofs.rules import composition_queries
from proofs.subject import Subject
from proofs.terms import Term, between, different, equal, size

P, A, x, y, z = (Term(name) for name in ("P", "A", "x", "y", "z"))
_INSIDE = (between(0, P, 1), between(0, A, 1), P + A < 1)
_PRIOR = between(0, P, 1)


def queries(subject: Subject) -> Iterator[Query]:
    algebra = subject.algebra
    yield from _posterior(algebra)
    yield from _worst(algebra)
    yield from _cubic(algebra)
    yield from _noise()
    yield from _headroom()
    yield from composition_queries(subject.quantities)
    yield from mixture_queries(algebra, subject.quantities)
    yield from average_queries(subject.average_algebra)


def _posterior(algebra: Any) -> Iterator[Query]:
    right, wrong = Term("l1"), Term("l0")
    bayes = P * right / (P * right + (1 - P) * wrong)
    yield Query(
        "posterior-bound",
        "bayes",
        "no prior and no likelihoods l1 (guess right) and l0 ≥ y·l1 (guess wrong) give a posterior above the bound.",
        ("P", "y", "l1", "l0"),
        (_PRIOR, y > 0, right > 0, wrong >= y * right, bayes > algebra.posterior(P, y)),
    )
    yield Query(
        "posterior-bound",
        "mixture",
        "likelihoods that keep the ratio y to both of two values keep it to every mixture w of the two.",
        ("y", "l1", "a", "b", "w"),
        (
            y > 0,
            right > 0,
            Term("a") >= y * right,
            Term("b") >= y * right,
            Term("w") >= 0,
            Term("w") <= 1,
            Term("w") * Term("a") + (1 - Term("w")) * Term("b") < y * right,
        ),
    )
    yield Query(
        "posterior-bound",
        "mixture-of-guesses",
        "a likelihood l0 that keeps the ratio y to both of two values keeps it to every mixture w of the two.",
        ("y", "l0", "a", "b", "w"),
        (
            y > 0,
            wrong >= y * Term("a"),
            wrong >= y * Term("b"),
            Term("w") >= 0,
            Term("w") <= 1,
            wrong < y * (Term("w") * Term("a") + (1 - Term("w")) * Term("b")),
        ),
    )
    yield Query(
        "prior-inverse",
        "there",
        "the posterior at the permitted ratio is always prior + advantage.",
        ("P", "A"),
        (*_INSIDE, different(algebra.posterior(P, algebra.likelihood_ratio(P, A)), P + A)),
    )
    yield Query(
        "prior-inverse",
        "back",
        "the permitted ratio at the advantage that a ratio causes is always that ratio.",
        ("P", "y"),
        (_PRIOR, between(0, y, 1), different(algebra.likelihood_ratio(P, algebra.posterior(P, y) - P), y)),
    )
    yield Query(
        "loss-twin",
        "identity",
        "1/y* is always 1 + A/(P(1-A-P)).",
        ("P", "A"),
        (*_INSIDE, different(1 / algebra.likelihood_ratio(P, A), 1 + A / (P * (1 - A - P)))),
    )
    yield Query(
        "requirement-r2",
        "largest",
        "no ratio below y* (a larger ε) keeps the posterior within prior + advantage.",
        ("P", "A", "y"),
        (*_INSIDE, y > 0, y < algebra.likelihood_ratio(P, A), algebra.posterior(P, y) <= P + A),
    )


def _worst(algebra: Any) -> Iterator[Query]:
    other = Term("Q")
    for name, order in (
        ("falls", (other > P, other <= algebra.worst_prior(A))),
        ("rises", (other < P, other >= algebra.worst_prior(A))),
    ):
        yield Query(
            "loss-derivative",
            name,
            f"towards the worst prior the permitted ratio only grows, so that ε {name} on that side.",
            ("P", "Q", "A"),
            (
                *_INSIDE,
                between(0, other, 1),
                other + A < 1,
                *order,
                algebra.likelihood_ratio(P, A) >= algebra.likelihood_ratio(other, A),
            ),
        )
    yield Query(
        "worst-prior",
        "minimum",
        "no prior permits a larger ratio (a smaller ε) than the worst one.",
        ("P", "A"),
        (*_INSIDE, algebra.likelihood_ratio(P, A) > algebra.worst_ratio(A)),
    )
    yield Query(
        "worst-prior",
        "only",
        "no other prior than (1-A)/2 reaches the minimum.",
        ("P", "A"),
        (
            *_INSIDE,
            different(P, algebra.worst_prior(A)),
            equal(algebra.likelihood_ratio(P, A), algebra.worst_ratio(A)),
        ),
    )
    yield Query(
        "worst-prior",
        "reached",
        "the prior (1-A)/2 reaches the minimum.",
        ("A",),
        (between(0, A, 1), different(algebra.likelihood_ratio(algebra.worst_prior(A), A), algebra.worst_ratio(A))),
    )
    yield Query(
        "worst-loss",
        "kept",
        "with likelihood ratios of at least ((1-A)/(1+A))² no prior gains more than A.",
        ("P", "A", "y"),
        (_PRIOR, between(0, A, 1), y >= algebra.worst_ratio(A), algebra.posterior(P, y) - P > A),
    )
    yield Query(
        "worst-loss",
        "largest",
        "every larger loss gives more than A at the worst prior.",
        ("A", "y"),
        (
            between(0, A, 1),
            y > 0,
            y < algebra.worst_ratio(A),
            algebra.posterior(algebra.worst_prior(A), y) - algebra.worst_prior(A) <= A,
        ),
    )
    yield Query(
        "any-prior-advantage",
        "bound",
        "no prior gains more than (1-x)/(1+x) from likelihood ratios of at least x².",
        ("P", "x"),
        (_PRIOR, between(0, x, 1), algebra.posterior(P, x**2) - P > algebra.worst_advantage(x)),
    )
    yield Query(
        "any-prior-advantage",
        "attained",
        "the prior x/(1+x) gains exactly that.",
        ("x",),
        (
            between(0, x, 1),
            different(algebra.posterior(x / (1 + x), x**2) - x / (1 + x), algebra.worst_advantage(x)),
        ),
    )
    yield Query(
        "group-advantage",
        "chain",
        "two replacements with ratios of at least x² each never gain more than (1-x²)/(1+x²) = tanh(2·ε/4).",
        ("P", "x", "l1", "m", "l0"),
        (
            _PRIOR,
            between(0, x, 1),
            Term("l1") > 0,
            Term("m") >= x**2 * Term("l1"),
            Term("l0") >= x**2 * Term("m"),
            P * Term("l1") / (P * Term("l1") + (1 - P) * Term("l0")) - P > algebra.worst_advantage(x**2),
        ),
    )
    rising = (between(0, A, 1), between(0, Term("B"), 1), Term("B") > A)
    yield Query(
        "monotonicity",
        "loss",
        "a larger advantage never permits a larger or equal ratio (a smaller or equal loss).",
        ("A", "B"),
        (*rising, algebra.worst_ratio(Term("B")) >= algebra.worst_ratio(A)),
    )
    yield Query(
        "monotonicity",
        "advantage",
        "a larger loss (smaller x) never permits a smaller or equal advantage.",
        ("A", "B"),
        (*rising, algebra.worst_advantage(Term("B")) >= algebra.worst_advantage(A)),
    )
    yield Query(
        "monotonicity",
        "posterior",
        "a larger ratio never permits a larger or equal posterior.",
        ("P", "A", "B"),
        (_PRIOR, *rising, algebra.posterior(P, Term("B")) >= algebra.posterior(P, A)),
    )


def _cubic(algebra: Any) -> Iterator[Query]:
    domain = (between(0, A, 1), between(0, x, 1))
    vanishes = equal(algebra.oversampling_polynomial(x, A), 0)
    reached = equal(algebra.one_sided_advantage(x), A)
    yield Query(
        "one-sided-cubic",
        "equivalent",
        "the one-sided advantage is A exactly where the cubic vanishes.",
        ("A", "x"),
        (*domain, f"(xor {vanishes} {reached})"),
    )
    yield Query(
        "cubic-root-unique",
        "one",
        "the cubic never has two roots between 0 and 1.",
        ("A", "x", "z"),
        (*domain, between(0, z, 1), x < z, vanishes, equal(algebra.oversampling_polynomial(z, A), 0)),
    )
    yield Query(
        "cubic-root-unique",
        "falls",
        "of two advantages the larger never has the larger or equal root.",
        ("A", "B", "x", "z"),
        (
            *domain,
            between(0, z, 1),
            between(0, Term("B"), 1),
            Term("B") > A,
            vanishes,
            equal(algebra.oversampling_polynomial(z, Term("B")), 0),
            z >= x,
        ),
    )


def _noise() -> Iterator[Query]:
    k, left, right, most = (Term(name) for name in ("k", "v", "w", "D"))
    for claim in ("laplace-ratio", "count-cell", "event-time-public-scale"):
        yield Query(
            claim,
            "triangle",
            "whatever is released, the exponents |k-v| and |k-w| of two values that differ by at most D differ by at "
            "most D.",
            ("k", "v", "w", "D"),
            (size(left - right) <= most, size(k - right) - size(k - left) > most),
            logic="QF_LIA",
        )


def _headroom() -> Iterator[Query]:
    total, lost, first, second = (Term(name) for name in ("t", "l", "d", "e"))
    unit = Fraction(1, 2**53)
    true = 1 - total - lost
    computed = ((1 - total) * (1 + first) - lost) * (1 + second)
    error = size(computed - true) > 2 * unit * (1 + 2 * unit) * true
    rounded = (size(lost) <= unit * total, size(second) <= unit, total > 0, true > 0)
    yield Query(
        "numeric-headroom",
        "below-half",
        "for a sum t < 1/2 with error l, rounded at 1-t (d) and at (1-t)-l (e), the relative error stays in bounds.",
        ("t", "l", "d", "e"),
        (*rounded, size(first) <= unit, total < Fraction(1, 2), error),
    )
    yield Query(
        "numeric-headroom",
        "from-half",
        "for a sum t ≥ 1/2, where 1-t is exact (d = 0, Sterbenz), the relative error stays in bounds.",
        ("t", "l", "d", "e"),
        (*rounded, equal(first, 0), total >= Fraction(1, 2), error),
    )
