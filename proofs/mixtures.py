"""Histograms with weights and mixtures (the certified method) as questions to an SMT solver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proofs.query import Query
from proofs.rules import together
from proofs.terms import Term, between, either, size


def mixture_queries(algebra: Any, quantities: Any) -> Iterator[Query]:
    P, x, t, y = (Term(name) for name in ("P", "x", "t", "y"))  # noqa: N806 -- P as in the article
    prior, ratio = between(0, P, 1), between(0, x, 1)
    right, wrong, kept = Term("l1"), Term("l0"), 1 - t
    yield Query(
        "mixture-advantage",
        "draw",
        "given a draw of the part of probability 1-t, with likelihoods l0 ≥ x²·l1 in it, no prior gains more than "
        "(1-x)/(1+x).",
        ("P", "x", "t", "l1", "l0"),
        (
            prior,
            ratio,
            t >= 0,
            t < 1,
            right > 0,
            wrong >= x**2 * right,
            P * kept * right / (P * kept * right + (1 - P) * kept * wrong) - P > algebra.worst_advantage(x),
        ),
    )
    yield Query(
        "mixture-advantage",
        "success",
        "who succeeds with at most P + (1-x)/(1+x) in the part of probability 1-t, and always in the other, succeeds "
        "with at most (1-t)·(P + (1-x)/(1+x)) + t.",
        ("P", "x", "t", "s"),
        (
            prior,
            ratio,
            t >= 0,
            t <= 1,
            Term("s") <= P + algebra.worst_advantage(x),
            kept * Term("s") + t * 1 > kept * (P + algebra.worst_advantage(x)) + t,
        ),
    )
    first, second = Term("m1"), Term("m0")  # the other part, of probability t
    bound = P + algebra.worst_advantage(x)
    pure = P * right + (1 - P) * wrong
    rest = P * first + (1 - P) * second
    yield Query(
        "mixture-excess",
        "output",
        "of each output, with likelihoods l0 ≥ x²·l1 in the part of probability 1-t and any in the other, the mass of "
        "being right exceeds P + (1-x)/(1+x) of its mass by at most t·(1 - P - (1-x)/(1+x)) of the other part's mass; "
        "summed over all outputs, by at most t·(1 - P - (1-x)/(1+x)).",
        ("P", "x", "t", "l1", "l0", "m1", "m0"),
        (
            prior,
            ratio,
            t >= 0,
            t < 1,
            right >= 0,
            wrong >= x**2 * right,
            first >= 0,
            second >= 0,
            bound <= 1,
            P * (kept * right + t * first) - bound * (kept * pure + t * rest) > t * (1 - bound) * rest,
        ),
    )
    step, missed = Term("q"), Term("p")
    yield Query(
        "threshold-known-others",
        "unseen",
        "where no cell of the unit alone is seen, which a unit with such cells misses with probability p ≤ t ≤ 1-q "
        "and whose ratio then is x²/q, no prior gains more than (1-x)/(1+x).",
        ("P", "x", "t", "l1", "l0", "q", "p"),
        (
            prior,
            ratio,
            between(0, step, 1),
            t >= 0,
            t <= 1 - step,
            missed >= 0,
            missed <= t,
            right > 0,
            step * wrong >= x**2 * right,
            P * right / (P * right + (1 - P) * (1 - missed) * wrong) - P > algebra.worst_advantage(x),
        ),
    )
    a, b, c, d, m, e, f = (Term(name) for name in ("a", "b", "c", "d", "m", "E", "F"))
    masses = tuple(mass >= 0 for mass in (a, b, c, d, m))
    yield Query(
        "mixture-composition",
        "pure",
        "a mixture (1-t)·a + t·m, with a ≤ E·b, followed by a release with c ≤ F·d, contains a part (1-t)·a·c that "
        "keeps the ratio E·F, and what is left of it is not negative.",
        ("a", "b", "c", "d", "m", "E", "F", "t"),
        (
            *masses,
            e >= 1,
            f >= 1,
            t >= 0,
            t <= 1,
            a <= e * b,
            c <= f * d,
            either(
                (1 - t) * a * c > together(quantities, e, f) * ((1 - t) * b * d),
                ((1 - t) * a + t * m) * c < (1 - t) * a * c,
            ),
        ),
    )
    yield Query(
        "mixture-composition",
        "deltas",
        "two mixtures with δ = t and δ = y leave at least 1-t-y for the part in which neither fails.",
        ("t", "y"),
        (t >= 0, t <= 1, y >= 0, y <= 1, (1 - t) * (1 - y) < 1 - t - y),
    )
    score, rival, other_score, other_rival, noise = (Term(name) for name in ("s", "r", "u", "w", "z"))
    yield Query(
        "noisy-max",
        "threshold",
        "what a score must reach to win against a rival with noise z moves by at most 2·D if both scores move by at "
        "most D; so does the largest of several.",
        ("s", "r", "u", "w", "z", "D"),
        (
            size(score - other_score) <= Term("D"),
            size(rival - other_rival) <= Term("D"),
            (other_rival + noise - other_score) - (rival + noise - score) > 2 * Term("D"),
        ),
        logic="QF_LIA",
    )
    cells = [tuple(Term(f"{name}{cell}") for name in ("o", "v", "w")) for cell in (1, 2, 3)]
    moved = [size(before - after) for _, before, after in cells]
    exponents = [size(output - after) - size(output - before) for output, before, after in cells]
    most = Term("W")
    yield Query(
        "weighted-histogram",
        "triangle",
        "whatever is released, the exponents of three cells that change by at most W in total differ by at most W; by "
        "induction so do those of any number.",
        (*(f"{name}{cell}" for cell in (1, 2, 3) for name in ("o", "v", "w")), "W"),
        (moved[0] + moved[1] + moved[2] <= most, exponents[0] + exponents[1] + exponents[2] > most),
        logic="QF_LIA",
    )
