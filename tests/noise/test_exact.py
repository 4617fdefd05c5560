"""The exact sampler: every building block enumerated against its law in fractions.

Enumeration replaces chance by all that can happen, so no test can fail by chance. Each block is enumerated with the
blocks that it calls replaced by ideal ones, whose own law another test shows; at the bottom all 8-bit words are tried.
The whole, by its draws: test_exact_draws.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from amun_dp._base.arrays import IntArray
from amun_dp.errors import ParameterError
from amun_dp.noise import exact
from amun_dp.noise.sources import ExactNoise
from tests.noise.enumeration import Choose
from tests.noise.ideal_blocks import (
    SLACK,
    SMALL,
    Column,
    enumerated,
    exp,
    ideal_below,
    ideal_exp,
    no_bits,
    truncated_geometric,
    with_mistake,
    words,
)


def laplace_mass(k: int, scale: Fraction) -> Fraction:
    """P(k) = (1-q)/(1+q)·q^|k|, q = exp(-1/scale)."""
    q = exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(k)


def ideal_geometric(choose: Choose) -> Callable[..., Column]:
    def geometric_draws(numerator: Column, shift: Column, bits: Any) -> Column:
        scales = [Fraction(a, 1 << b) for a, b in zip(numerator.tolist(), shift.tolist(), strict=True)]
        return words(choose(truncated_geometric(scale)) for scale in scales)

    return geometric_draws


# --- what is to be shown of a sampler: the shipped one, or one with a mistake in it ---------------------------------


def below_is_uniform(sampler: ModuleType) -> None:
    """All 256 words of 8 bits, for every bound: each number below it comes from equally many; the rest asks again."""
    for bound in range(1, 256):
        calls: list[int] = []

        def bits(n: int, calls: list[int] = calls) -> exact.Words:
            calls.append(n)
            return np.arange(256, dtype=np.uint8).view(np.uint64) if len(calls) == 1 else np.zeros(n, dtype=np.uint64)

        drawn = sampler.below(np.full(256, bound, dtype=np.uint8), bits)
        expected = np.full(bound, 256 // bound)
        expected[0] += 256 % bound  # those that asked again and were answered 0
        assert np.bincount(drawn, minlength=bound).tolist() == expected.tolist()
        assert len(calls) == 1 + (256 % bound > 0)


def exp_has_its_probability(sampler: ModuleType) -> None:
    for part, whole in ((1, 2), (0, 1), (1, 1), (0, 3), (1, 3), (2, 3), (3, 4), (4, 5)):

        def draw(part: int = part, whole: int = whole) -> bool:
            return bool(sampler.with_probability_exp(words([part]), words([whole]), no_bits)[0])

        law = enumerated(sampler, {"below": ideal_below}, draw)
        assert law.allows(True, exp(-Fraction(part, whole)), SLACK)
        assert law.allows(False, 1 - exp(-Fraction(part, whole)), SLACK)
        assert law.unexplored < Fraction(1, 50)


def half_square_has_its_probability(sampler: ModuleType) -> None:
    for part, whole in ((1, 2), (0, 1), (1, 1), (1, 3), (2, 3), (3, 4)):

        def draw(part: int = part, whole: int = whole) -> bool:
            return bool(sampler.with_probability_exp_half_square(words([part]), words([whole]), no_bits)[0])

        law = enumerated(sampler, {"below": ideal_below}, draw)
        assert law.allows(True, exp(-(Fraction(part, whole) ** 2) / 2), SLACK)
        assert law.allows(False, 1 - exp(-(Fraction(part, whole) ** 2) / 2), SLACK)
        assert law.unexplored < Fraction(1, 50)


def turns_are_geometric(sampler: ModuleType) -> None:
    for turns, scale in ((sampler.whole_turns, Fraction(1)), (sampler.half_turns, Fraction(2))):

        def draw(turns: Callable[..., Column] = turns) -> Hashable:
            return tuple(turns(2, no_bits).tolist())

        law = enumerated(sampler, {"with_probability_exp": ideal_exp}, draw)
        single = truncated_geometric(scale)
        assert all(law.allows((v, w), single[v] * single[w], SLACK) for v in range(4) for w in range(4))
        assert law.unexplored < Fraction(1, 50)


def remainders_have_their_law(sampler: ModuleType) -> None:
    for bounds in ((2,), (1,), (3,), (7,), (2, 3)):

        def draw(bounds: tuple[int, ...] = bounds) -> Hashable:
            return tuple(sampler.remainders(words(bounds), no_bits).tolist())

        law = enumerated(sampler, {"below": ideal_below, "with_probability_exp": ideal_exp}, draw)
        for outcome in np.ndindex(*bounds):
            due = Fraction(1)
            for u, bound in zip(outcome, bounds, strict=True):
                due *= exp(-Fraction(u, bound)) / sum(exp(-Fraction(v, bound)) for v in range(bound))
            assert law.allows(outcome, due, SLACK)
        assert law.unexplored < Fraction(1, 50)


def signs_make_it_laplace(sampler: ModuleType) -> None:
    """Also of two rows of different scales together: their joint law is the product."""
    for rows in (*((row,) for row in SMALL), ((1, 0), (1, 1)), ((3, 1), (1, 1))):
        numerator, shift = words(row[0] for row in rows), np.array([row[1] for row in rows])

        def draw(numerator: Column = numerator, shift: IntArray = shift) -> Hashable:
            return tuple(sampler.laplace_draws(numerator, shift, no_bits).tolist())

        law = enumerated(sampler, {"geometric_draws": ideal_geometric, "below": ideal_below}, draw)
        for places in np.ndindex(*(5 for _ in rows)):
            outcome = tuple(place - 2 for place in places)
            due = Fraction(1)
            for k, row in zip(outcome, rows, strict=True):
                due *= laplace_mass(k, Fraction(row[0], 1 << row[1]))
            assert law.allows(outcome, due, SLACK)
        assert law.unexplored < Fraction(1, 15)


def quotients_are_those_of_python(sampler: ModuleType) -> None:
    """remainder + turns·numerator, shifted, with Python's integers; also where 64 bits are too few."""
    numbers = (1, 3, 1 << 52, (1 << 53) - 1)
    rows = [
        (t, shift, u, v)
        for t in numbers
        for shift in (0, 1, 52, 62, 63, 64, 1074)
        for u in {0, t // 2, t - 1}
        for v in (0, 1, 40, 1022, 1023)
    ]
    large = [(t, shift, u, v) for t, shift, u, _ in rows for v in (1024, 5000, 1 << 40)]
    wide = [(t << 900, 0, u << 20, v) for t, _, u, _ in rows for v in (0, 1, 1023)]
    for some, dtype in ((rows, np.uint64), (rows + large, np.uint64), (rows + wide, object)):
        t, u = (np.array([row[column] for row in some], dtype=dtype) for column in (0, 2))
        v = words(row[3] for row in some)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sampler, "remainders", lambda bound, bits, u=u: u)
            patch.setattr(sampler, "whole_turns", lambda n, bits, v=v: v)
            found = sampler.geometric_draws(t, np.array([row[1] for row in some]), no_bits)
        assert found.dtype == np.uint64
        assert found.tolist() == [min((u + v * t) >> shift, 1 << 63) for t, shift, u, v in some]


PROPERTIES = (
    below_is_uniform,
    exp_has_its_probability,
    half_square_has_its_probability,
    turns_are_geometric,
    remainders_have_their_law,
    signs_make_it_laplace,
    quotients_are_those_of_python,
)


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_a_building_block_has_exactly_its_law_whatever_is_drawn(holds: Callable[[ModuleType], None]) -> None:
    holds(exact)


MISTAKES: dict[str, tuple[str, str, Callable[[ModuleType], None]]] = {
    "zero is not drawn again": ("negative & (magnitude == 0)", "negative & (magnitude < 0)", signs_make_it_laplace),
    "zero is always drawn again": ("negative & (magnitude == 0)", "magnitude == 0", signs_make_it_laplace),
    "one is drawn again too": ("(magnitude == 0)", "(magnitude <= 1)", signs_make_it_laplace),
    "no sign": ("signed(magnitude, negative)", "signed(magnitude, negative & False)", signs_make_it_laplace),
    "a sign in three": ("one_in(2, len", "one_in(3, len", signs_make_it_laplace),
    "draws again with the first scale": (
        "numerator[open_], shift",
        "numerator[: len(open_)], shift",
        signs_make_it_laplace,
    ),
    "even steps": ("k % 2 == 1", "k % 2 == 0", exp_has_its_probability),
    "steps from the second on": ("    k = 0\n", "    k = 1\n", exp_has_its_probability),
    "at most the part": ("below(whole, bits) < part", "below(whole, bits) <= part", exp_has_its_probability),
    "no factorial": ("one_in(k, len(open_)", "one_in(1, len(open_)", exp_has_its_probability),
    "no half": ("one_in(2 * step", "one_in(step", half_square_has_its_probability),
    "even steps of a square": ("step % 2 == 1", "step % 2 == 0", half_square_has_its_probability),
    "no square": ("for _ in range(2)", "for _ in range(1)", half_square_has_its_probability),
    "half turns are whole": ("_in_a_row(ones, ones + ones", "_in_a_row(ones, ones", turns_are_geometric),
    "one turn too many": (
        "result = np.zeros(len(part), dtype=np.uint64)",
        "result = np.ones(len(part), dtype=np.uint64)",
        turns_are_geometric,
    ),
    "nothing rejected": (
        "open_[~with_probability_exp",
        "open_[:0] if True else open_[with_probability_exp",
        remainders_have_their_law,
    ),
    "the kept drawn again": ("open_[~with_probability_exp", "open_[with_probability_exp", remainders_have_their_law),
    "the last round not rejected": ("drawn > last_fair", "drawn > drawn", below_is_uniform),
    "a word too many accepted": (
        "~(np.negative(bound) % bound)",
        "~(np.negative(bound) % bound) + 1",
        below_is_uniform,
    ),
    "a word too few accepted": ("~(np.negative(bound) % bound)", "~(np.negative(bound) % bound) - 1", below_is_uniform),
    "a wide product wraps": ("(turns > _MOST_TURNS).any()", "False", quotients_are_those_of_python),
    "a wide shift wraps": ("np.minimum(shift, 63)", "(shift % 64)", quotients_are_those_of_python),
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_building_block_is_found(mistake: str) -> None:
    old, new, holds = MISTAKES[mistake]
    with pytest.raises((AssertionError, IndexError, ValueError)):
        holds(with_mistake(exact, old, new))


# --- words of 64 bits and more, and scales as fractions -------------------------------------------------------------


def drawn_from(dtype: Any, bound: int, numbers: Iterable[int]) -> tuple[int, int]:
    """One number below the bound from a queue of words, and how many of them are left."""
    queue = list(numbers)

    def bits(n: int) -> exact.Words:
        return words(queue.pop(0) for _ in range(n))

    return int(exact.below(np.array([bound], dtype=dtype), bits)[0]), len(queue)


@given(bound=st.integers(1, (1 << 64) - 1), word=st.integers(0, (1 << 64) - 1))
@example(bound=1, word=(1 << 64) - 1)
@example(bound=(1 << 63) + 1, word=(1 << 63) + 1)
@example(bound=(1 << 64) - 1, word=(1 << 64) - 1)
def test_a_word_is_reduced_or_rejected_as_python_does_it(bound: int, word: int) -> None:
    rounds = (1 << 64) - (1 << 64) % bound
    for tried in {word, rounds - 1, min(rounds, (1 << 64) - 1)}:
        expected = (tried % bound, 1) if tried < rounds else (0, 0)
        assert drawn_from(np.uint64, bound, [tried, 0]) == expected


@given(bound=st.integers(1 << 53, 1 << 1024), offset=st.integers(-2, 1))
def test_a_wide_word_is_reduced_or_rejected_as_python_does_it(bound: int, offset: int) -> None:
    parts = 1
    while 1 << 64 * (parts - 1) < bound:
        parts += 1
    span = 1 << 64 * parts
    rounds = span - span % bound
    tried = min(rounds + offset, span - 1)
    queue = [tried >> 64 * place & ((1 << 64) - 1) for place in reversed(range(parts))]
    expected = (tried % bound, parts) if tried < rounds else (0, 0)
    assert drawn_from(object, bound, queue + [0] * parts) == expected


@given(scale=st.floats(0, allow_nan=False, allow_infinity=False, exclude_min=True))
@example(scale=5e-324)
@example(scale=float.fromhex("0x1.fffffffffffffp+52"))
@example(scale=2.0**53)
@example(scale=1.7976931348623157e308)
def test_a_scale_is_the_fraction_that_the_float_is(scale: float) -> None:
    seen: list[Fraction] = []

    def laplace_draws(numerator: Column, shift: IntArray, bits: Any) -> IntArray:
        seen.append(Fraction(int(numerator[0]), 1 << int(shift[0])))
        assert numerator.dtype == object or int(numerator[0]) < 1 << 53
        return np.array([7])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "laplace_draws", laplace_draws)
        drawn = exact.discrete_laplace(np.array([0.0, scale, 0.0]), no_bits)
    assert seen == [Fraction(scale)]
    assert drawn.tolist() == [0, 7, 0]


@given(
    magnitude=st.integers(0, 1 << 63),
    negative=st.booleans(),
)
@example(magnitude=1 << 63, negative=True)
@example(magnitude=1 << 63, negative=False)
@example(magnitude=(1 << 63) - 1, negative=True)
def test_draws_saturate_at_the_ends_of_int64(magnitude: int, negative: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "geometric_draws", lambda numerator, shift, bits: words([max(magnitude, 1)]))
        patch.setattr(exact, "one_in", lambda k, n, bits: np.array([negative]))
        drawn = exact.laplace_draws(words([1]), np.array([0]), no_bits)
    unlimited = -max(magnitude, 1) if negative else max(magnitude, 1)
    assert drawn.dtype == np.int64
    assert drawn.tolist() == [min(max(unlimited, -(1 << 63)), (1 << 63) - 1)]


@pytest.mark.parametrize("scale", [-1.0, math.inf, math.nan])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    with pytest.raises(ParameterError, match="finite number that is not negative"):
        ExactNoise().discrete_laplace(np.array([1.0, scale]))


@pytest.mark.parametrize("k", [2, 255, 256, 300])
def test_one_in_k_is_as_good_for_a_k_that_a_byte_does_not_hold(k: int) -> None:
    """It takes 256 steps of a factorial to get there, so no statistical test ever will."""
    width = 1 if k < 256 else 8
    numbers = np.array([0, 1, k - 1, 0, 0, 0, 0, 0], dtype=f"u{width}")
    assert exact.one_in(k, 3, lambda n: numbers.view(np.uint64)[:n]).tolist() == [True, False, False]


def test_nothing_is_drawn_for_no_scales_and_for_zeros() -> None:
    assert exact.discrete_laplace(np.zeros(0), no_bits).tolist() == []
    assert exact.discrete_laplace(np.zeros(3), no_bits).tolist() == [0, 0, 0]
