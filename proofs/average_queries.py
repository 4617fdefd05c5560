"""The average reading as questions to an SMT solver: guesses, curves, smoothing and lengths.

More than 300 lines, because one question follows the other and they share their terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proofs.query import Query
from proofs.terms import Term, either, equal, size

P, A, D, V = (Term(name) for name in ("P", "A", "D", "V"))


def average_queries(average_algebra: Any) -> Iterator[Query]:
    yield from _guesses(average_algebra)
    yield from _outputs(average_algebra)
    yield from _best_guess(average_algebra)
    yield from _smoothing(average_algebra)
    yield from _lengths(average_algebra)


def _larger(one: Term, other: Term) -> Term:
    return Term(f"(ite (>= {one.text} {other.text}) {one.text} {other.text})")


def _guesses(algebra: Any) -> Iterator[Query]:
    mass, other, share = Term("m"), Term("q"), Term("f")
    yield Query(
        "average-any-guess",
        "share",
        "an output with mass m for a value and q for the reference, at which the guess is right with probability f, "
        "adds at most q·f + (m-q)₊ to the success; summed over outputs, values and other cases that is the theorem.",
        ("m", "q", "f"),
        (
            mass >= 0,
            other >= 0,
            share >= 0,
            share <= 1,
            mass * share > other * share + _larger(mass - other, Term("0")),
        ),
    )
    rights = [[Term(f"f{value}{output}") for output in (1, 2)] for value in (1, 2)]
    one, two = Term("a"), Term("b")
    success = P * (one * rights[0][0] + (1 - one) * rights[0][1]) + (1 - P) * (
        two * rights[1][0] + (1 - two) * rights[1][1]
    )
    found, best = (Term("r"), Term("s")), (Term("c"), Term("d"))
    yield Query(
        "average-any-guess",
        "average",
        "if for each of two values (prior P) the success c or d exceeds that at the reference, r or s, by at most D, "
        "and the average at the reference is at most V, then the average success is at most V + D.",
        ("P", "r", "s", "c", "d", "D", "V"),
        (
            P >= 0,
            P <= 1,
            *(after <= before + D for after, before in zip(best, found, strict=True)),
            P * found[0] + (1 - P) * found[1] <= V,
            P * best[0] + (1 - P) * best[1] > algebra.success_bound(V, D),
        ),
    )
    yield Query(
        "average-replace",
        "two-values",
        "two values with masses a and b of the first of two outputs that differ by at most D, and guesses that before "
        "the release are right with probability at most V: no strategy is right more often than V + D·(1-P), P the "
        "larger prior.",
        ("P", "a", "b", "D", "V", "f11", "f12", "f21", "f22"),
        (
            2 * P >= 1,
            P <= 1,
            *(bound for mass in (one, two) for bound in (mass >= 0, mass <= 1)),
            size(one - two) <= D,
            *(either(equal(right, 0), equal(right, 1)) for row in rights for right in row),
            *(P * rights[0][output] + (1 - P) * rights[1][output] <= V for output in (0, 1)),
            success > algebra.success_bound_replace(V, P, D),
        ),
    )
    yield Query(
        "average-yes-no",
        "two-outputs",
        "laws given yes (prior P of at least 1/2) and no with masses a and b of the first of two outputs: the best "
        "answer is right with probability at most P + |a-b|·(1-P).",
        ("P", "a", "b"),
        (
            2 * P >= 1,
            P <= 1,
            *(bound for mass in (one, two) for bound in (mass >= 0, mass <= 1)),
            _larger(P * one, (1 - P) * two) + _larger(P * (1 - one), (1 - P) * (1 - two))
            > algebra.success_bound_replace(P, P, size(one - two)),
        ),
    )
    slope = Term("z")
    yield Query(
        "average-success",
        "line",
        "tests of two values (prior P) with power a, b and level c, d below the line of slope z and intercept D have "
        "on average a power below the line at a level of at most V.",
        ("P", "a", "b", "c", "d", "z", "D", "V"),
        (
            P >= 0,
            P <= 1,
            slope >= 0,
            D >= 0,
            *(Term(power) <= slope * Term(level) + D for power, level in (("a", "c"), ("b", "d"))),
            P * Term("c") + (1 - P) * Term("d") <= V,
            P * one + (1 - P) * two > algebra.success_line(V, slope, D),
        ),
    )
    part = Term("t")
    up, across = part * D / (D + 1) + 1 - part, part / (D + 1) + 1 - part
    yield Query(
        "pure-step",
        "chords",
        "a concave curve that is 0 at 0, 1 at 1 and D/(D+1) at 1/(D+1) is at least D·V and at least 1 - (1-V)/D where "
        "these are its chords; its distance from the diagonal there is the shipped one.",
        ("D", "V", "A", "t"),
        (
            D > 1,
            part >= 0,
            part <= 1,
            # Concavity on the two chords: V = t/(D+1), or V = t/(D+1) + 1 - t.
            either(_both(part * D / (D + 1) <= A, equal(V, part / (D + 1))), _both(up <= A, equal(V, across))),
            either(
                _smaller(D * V, 1 - (1 - V) / D) > A,
                f"(not {equal(algebra.pure_distance(D), D / (D + 1) - 1 / (D + 1))})",
            ),
        ),
    )


def _both(one: str, other: str) -> str:
    return f"(and {one} {other})"


def _smaller(one: Term, other: Term) -> Term:
    return Term(f"(ite (<= {one.text} {other.text}) {one.text} {other.text})")


def _outputs(algebra: Any) -> Iterator[Query]:
    yes, no, low, high = Term("y"), Term("n"), Term("z"), Term("E")
    yield Query(
        "single-output",
        "event",
        "an event with probability y under the statement and n otherwise, y - z·n ≤ D and y ≥ E·n with E > z ≥ 0, has "
        "y at most D/(1 - z/E).",
        ("y", "n", "z", "E", "D"),
        (
            yes >= 0,
            no >= 0,
            low >= 0,
            high > low,
            yes - low * no <= D,
            yes >= high * no,
            yes > algebra.exception_bound(D, low / high),
        ),
    )
    yield Query(
        "single-output",
        "mixture",
        "if each of two values on one side keeps its excess over z times the other, so does every mixture w of them.",
        ("a", "b", "c", "z", "D", "w"),
        (
            low >= 0,
            Term("w") >= 0,
            Term("w") <= 1,
            *(Term(p) - low * Term("b") <= D for p in ("a", "c")),
            Term("w") * Term("a") + (1 - Term("w")) * Term("c") - low * Term("b") > D,
        ),
    )


def _best_guess(algebra: Any) -> Iterator[Query]:
    right, wrong, before, rest = Term("p1"), Term("p2"), Term("s"), Term("u")
    blind_right, blind_wrong, one, two = Term("r1"), Term("r2"), Term("E"), Term("F")
    inside = (before > 0, rest > 0, before + rest < 1)
    masses = tuple(mass >= 0 for mass in (right, wrong, blind_right, blind_wrong))
    shares = (
        rest * right >= (1 - rest) * wrong,  # right with at least 1 - u of the release
        before * blind_wrong >= (1 - before) * blind_right,  # and with at most s of the reference
    )
    yield Query(
        "best-guess-exception",
        "two-tests",
        "outputs at which a guess is right with at least 1-u of the release (p1, p2) and at most s of the reference "
        "(r1, r2): if p1 < E·r1 and E·F is at most the raised odds, then r2 ≥ F·p2.",
        ("p1", "p2", "r1", "r2", "s", "u", "E", "F"),
        (
            *inside,
            *masses,
            *shares,
            one > 0,
            two > 0,
            one * two <= algebra.raised_odds(before, rest),
            right < one * blind_right,
            blind_wrong < two * wrong,
        ),
    )
    yield Query(
        "best-guess-exception",
        "average",
        "if both tests differ by at most D in probability, outputs at which the guess is raised by at least A have "
        "A·(p1+p2) at most D.",
        ("p1", "p2", "r1", "r2", "s", "A", "D"),
        (
            before >= 0,
            before <= 1,
            *masses,
            before * blind_wrong >= (1 - before) * blind_right,
            right - blind_right <= D,
            blind_wrong - wrong <= D,
            right >= (before + A) * (right + wrong),
            A * (right + wrong) > D,
        ),
    )


def _smoothing(algebra: Any) -> Iterator[Query]:
    theta, own, bell, rounded, discrete = (Term(name) for name in ("t", "u", "g", "p", "q"))
    masses = (
        theta >= 0,
        theta < 1,
        own >= 0,
        own <= theta,
        bell > 0,
        rounded * (1 + theta) >= bell,
        rounded * (1 - theta) <= bell,
        equal(discrete * (1 + own), bell),
    )
    yield Query(
        "discrete-gaussian-smoothing",
        "ratio",
        "of a bell curve g, divided by 1+u with 0 ≤ u ≤ t in the discrete law and by something within t of 1 in the "
        "smoothed one, the two masses are within the factors (1-t)/(1+t) and 1+t.",
        ("t", "u", "g", "p", "q"),
        (
            *masses,
            either(
                discrete > algebra.smoothed_at_most(theta) * rounded,
                discrete < algebra.smoothed_at_least(theta) * rounded,
            ),
        ),
    )
    factor = algebra.smoothed_at_most(theta)
    firsts, seconds = (Term("a"), Term("c")), (Term("b"), Term("d"))
    yield Query(
        "discrete-gaussian-release",
        "two-cells",
        "masses a ≤ (1+t)·b of one cell and c ≤ (1+t)·d of the next give a·c ≤ (1+t)²·b·d.",
        ("t", "a", "b", "c", "d"),
        (
            theta >= 0,
            *(mass >= 0 for mass in (*firsts, *seconds)),
            *(one <= factor * two for one, two in zip(firsts, seconds, strict=True)),
            firsts[0] * firsts[1] > (1 + theta) ** 2 * seconds[0] * seconds[1],
        ),
    )
    yield Query(
        "discrete-gaussian-release",
        "powers",
        "for t ≤ 3/5 the lower factor is at least 1/(1+t)³, and lower over upper at least 1/(1+t)⁴.",
        ("t",),
        (
            theta >= 0,
            theta <= Fraction(3, 5),
            either(
                algebra.smoothed_at_least(theta) * (1 + theta) ** 3 < 1,
                algebra.smoothed_at_least(theta) * (1 + theta) ** 4 < factor,
            ),
        ),
    )


def _lengths(algebra: Any) -> Iterator[Query]:
    v, w, square = Term("v"), Term("w"), Term("S")
    sofar = (Term("a") >= 0, Term("b") >= 0, Term("a") + v**2 <= square, Term("b") + w**2 <= square)
    names = ("v", "w", "a", "b", "m", "S")
    yield Query(
        "norm-nonnegative",
        "one-more-cell",
        "two vectors without negative entries, so far of squared lengths a and b and apart by m ≤ a + b, stay apart by "
        "at most 2S if one more cell keeps both squared lengths within S.",
        names,
        (
            v >= 0,
            w >= 0,
            *sofar,
            Term("m") <= Term("a") + Term("b"),
            Term("m") + (v - w) ** 2 > algebra.replaced_square(square),
        ),
    )
    yield Query(
        "norm-centred",
        "one-more-cell",
        "two vectors, so far of squared lengths a and b and apart by m ≤ 2a + 2b, stay apart by at most 4S if one more "
        "cell keeps both squared lengths within S.",
        names,
        (
            *sofar,
            Term("m") <= 2 * Term("a") + 2 * Term("b"),
            Term("m") + (v - w) ** 2 > algebra.replaced_square_centred(square),
        ),
    )
    yield Query(
        "norm-group",
        "two-cases",
        "two vectors, so far of squared lengths a and b and with a sum of m ≤ 2a + 2b, have a sum of at most 4S if one "
        "more cell keeps both squared lengths within S.",
        names,
        (
            *sofar,
            Term("m") <= 2 * Term("a") + 2 * Term("b"),
            Term("m") + (v + w) ** 2 > algebra.group_square(square, 2),
        ),
    )
    times, floor, limit = Term("t"), Term("k"), Term("L")
    yield Query(
        "norm-clipped",
        "floor",
        "t² ≤ k and k·S ≤ L with S ≥ 0 give t²·S ≤ L; an entry that is rounded towards 0 has no larger square.",
        ("t", "k", "S", "L", "v", "w"),
        (
            square >= 0,
            times >= 0,
            times**2 <= floor,
            floor * square <= limit,
            Term("v") >= 0,
            Term("v") <= Term("w"),
            either(times**2 * square > limit, Term("v") ** 2 > Term("w") ** 2),
        ),
    )
