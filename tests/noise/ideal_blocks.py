"""What is common to tests that enumerate a building block of the exact samplers: laws in fractions, and ideal blocks
that a block under test is given in the place of those that it calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from amun_dp.noise import exact
from tests.noise.enumeration import Choose, Law, law_of

SLACK = Fraction(1, 10**30)
"""Of exp as a fraction: 120 terms of its series, rounded to 160 binary places, are this good for arguments to -20."""
LEAST = Fraction(1, 100_000)
SMALL = ((1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (5, 2))
"""Scales as numerator and shift: 1, 2, 3, 1/2, 3/2, 5/4."""

Column = npt.NDArray[Any]
Ideal = Callable[[Choose], Callable[..., Any]]


def no_bits(n: int) -> exact.Words:
    raise AssertionError(f"{n} words were drawn although every draw was replaced")


@cache
def exp(x: Fraction) -> Fraction:
    series = sum((x**j / math.factorial(j) for j in range(120)), Fraction(0))
    return Fraction(round(series * (1 << 160)), 1 << 160)  # short, because products of many are taken


def words(numbers: Iterable[int]) -> npt.NDArray[np.uint64]:
    return np.array(list(numbers), dtype=np.uint64)


@cache
def truncated_geometric(scale: Fraction) -> list[Fraction]:
    q = exp(-1 / scale)
    return [(1 - q) * q**k for k in range(12)]


# --- ideal blocks: each gives what the block of that name should, row by row ----------------------------------------


def ideal_below(choose: Choose) -> Callable[..., Column]:
    def below(bound: Column, bits: Any) -> Column:
        return np.array([choose([Fraction(1, limit)] * limit) for limit in bound.tolist()], dtype=bound.dtype)

    return below


def ideal_one_in(choose: Choose) -> Callable[..., Column]:
    def one_in(k: int, n: int, bits: Any) -> Column:
        return np.array([choose([1 - Fraction(1, k), Fraction(1, k)]) == 1 for _ in range(n)], dtype=np.bool_)

    return one_in


def ideal_chance(probability: Callable[..., Fraction]) -> Ideal:
    """A block that answers yes or no: with which probability, given the numbers of a row."""

    def ideal(choose: Choose) -> Callable[..., Column]:
        def block(*columns: Any) -> Column:
            rows = zip(*(column.tolist() for column in columns[:-1]), strict=True)  # the last argument are the bits
            chances = [probability(*row) for row in rows]
            return np.array([choose([1 - chance, chance]) == 1 for chance in chances], dtype=np.bool_)

        return block

    return ideal


def ideal_number(masses: Callable[[], list[Fraction]]) -> Ideal:
    """A block that gives n numbers of one law."""

    def ideal(choose: Choose) -> Callable[..., Column]:
        return lambda n, bits: words(choose(masses()) for _ in range(n))

    return ideal


ideal_exp = ideal_chance(lambda part, whole: exp(-Fraction(part, whole)))
ideal_half_square = ideal_chance(lambda part, whole: exp(-(Fraction(part, whole) ** 2) / 2))


def enumerated(
    sampler: ModuleType, ideal: dict[str, Ideal], draw: Callable[[], Hashable], least: Fraction = LEAST
) -> Law:
    def run(choose: Choose) -> Hashable:
        for name, block in ideal.items():
            patch.setattr(sampler, name, block(choose))
        return draw()

    with pytest.MonkeyPatch.context() as patch:
        return law_of(run, least)


def with_mistake(module: ModuleType, old: str, new: str) -> ModuleType:
    """A sampler from its source, with one place changed."""
    assert module.__file__ is not None
    source = Path(module.__file__).read_text(encoding="utf-8")
    assert source.count(old) == 1, old
    mistaken = ModuleType("mistaken")
    exec(compile(source.replace(old, new), "mistaken", "exec"), vars(mistaken))
    return mistaken
