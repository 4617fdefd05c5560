"""Lengths of what cases add to a table, by enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from accounting.guarantee import Verdict
from proofs.registry import checker, require
from proofs.subject import Subject

_SMALL = list(product(range(4), repeat=3))
_SIGNED = list(product(range(-2, 3), repeat=3))


def _square(vector: tuple[int, ...]) -> int:
    return sum(entry * entry for entry in vector)


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return _square(tuple(a - b for a, b in zip(one, other, strict=True)))


@checker("norm-nonnegative", "exact")
def _nonnegative(subject: Subject) -> str:
    bound = subject.average_algebra.replaced_square
    for one, other in product(_SMALL, repeat=2):
        require(_apart(one, other) <= bound(max(_square(one), _square(other))), f"{one} and {other}")
    require(_apart((3, 0, 0), (0, 3, 0)) == bound(9), "the bound is not attained")
    return f"{len(_SMALL) ** 2} pairs of vectors of three cells; attained by cases that share no cell"


@checker("norm-centred", "exact")
def _centred(subject: Subject) -> str:
    bound = subject.average_algebra.replaced_square_centred
    for one, other in product(_SIGNED, repeat=2):
        require(_apart(one, other) <= bound(max(_square(one), _square(other))), f"{one} and {other}")
    require(_apart((2, 0, 0), (-2, 0, 0)) == bound(4), "the bound is not attained")
    return f"{len(_SIGNED) ** 2} pairs of vectors of three cells; attained by opposite ones"


@checker("norm-group", "exact")
def _group(subject: Subject) -> str:
    bound, count = subject.average_algebra.group_square, 0
    few = [vector for vector in _SIGNED if _square(vector) <= 3]
    for members in (1, 2, 3):
        for vectors in product(few, repeat=members):
            total = tuple(sum(entries) for entries in zip(*vectors, strict=True))
            require(_square(total) <= bound(max(map(_square, vectors)), members), f"{vectors}")
            count += 1
        require(_square((2 * members, 0, 0)) == bound(4, members), "the bound is not attained")
    return f"{count} groups of up to three vectors; attained by equal ones"


@checker("norm-clipped", "exact")
def _clipped(subject: Subject) -> str:
    whole_units, count = subject.norms.whole_units, 0
    for units, limit in product((1, 7, 1000), (Fraction(1), Fraction(2), Fraction(9, 4), Fraction(50))):
        for squares in (*range(40), 10**6, 10**12 + 1):
            t = whole_units(units, limit, squares)
            require(0 <= t <= units, f"{t} units of {units}")
            require(t * t * squares <= limit * units**2, f"U = {units}, R² = {limit}, Σc² = {squares}: too long")
            require(
                t == units or (t + 1) ** 2 * squares > limit * units**2,
                f"U = {units}, Σc² = {squares}: {t + 1} would do",
            )
            count += 1
    return f"{count} clipped cases: never longer than R·U, and one more unit would be"


@checker("norm-of-events", "exact", Verdict.REFUTED)
def _events(subject: Subject) -> str:
    """Clipping by the number of events instead of the sum of squares lets a case through that is too long."""
    visits = (2, 0, 0)
    by_events = subject.norms.whole_units(1000, Fraction(2), sum(visits))
    by_squares = subject.norms.whole_units(1000, Fraction(2), _square(visits))
    limit = 2 * 1000**2
    require(_square(tuple(by_events * v for v in visits)) > limit, "two events in one cell are within the bound")
    require(_square(tuple(by_squares * v for v in visits)) <= limit, "the summed vector is too long")
    return "two events in one cell, R² = 2: clipped by their number the squared length is twice the bound"
