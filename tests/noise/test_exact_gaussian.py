"""The exact sampler of the discrete Gaussian: every building block enumerated against its law in fractions.

As in test_exact.py, which shows the laws of the blocks that are shared with the Laplace sampler: nothing here can fail
by chance. The whole, by its draws: test_gaussian_draws.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from amun_dp._base.arrays import IntArray
from amun_dp.errors import ParameterError
from amun_dp.noise import exact_gaussian
from amun_dp.noise.sources import ExactNoise
from tests.noise.enumeration import Choose
from tests.noise.ideal_blocks import (
    SLACK,
    SMALL,
    Column,
    Ideal,
    enumerated,
    exp,
    ideal_below,
    ideal_chance,
    ideal_exp,
    ideal_half_square,
    ideal_number,
    ideal_one_in,
    no_bits,
    truncated_geometric,
    with_mistake,
    words,
)

LEAST = Fraction(1, 10_000)
"""Paths less likely than this are given up; for two rows, which have many more paths, sooner."""
SIGMAS = (*SMALL, (3, 3))
"""Also 3/8: most bands have no whole number."""


@cache
def total_of_bands() -> Fraction:
    """Σ exp(-k²/2) over k ≥ 0; what is left out is less than 1e-36."""
    return sum((exp(-Fraction(k * k, 2)) for k in range(7)), Fraction(0)) + sum(
        (exp(-Fraction(k * k, 8)) ** 4 for k in range(7, 13)), Fraction(0)
    )


@cache
def band_masses() -> list[Fraction]:
    """As many as are worth choosing among; the rest counts as unexplored."""
    return [exp(-Fraction(k * k, 2)) / total_of_bands() for k in range(6)]


def bell(i: int, sigma: Fraction) -> Fraction:
    """exp(-i²/2σ²), by a square root of exponents that the series is good for."""
    return exp(-Fraction(i * i) / (8 * sigma**2)) ** 4


@cache
def gaussian_mass(k: int, sigma: Fraction) -> Fraction:
    total = 1 + 2 * sum((bell(i, sigma) for i in range(1, math.ceil(12 * sigma) + 1)), Fraction(0))
    return bell(k, sigma) / total


def fraction_of(row: tuple[int, int]) -> Fraction:
    return Fraction(row[0], 1 << row[1])


# --- what is to be shown of a sampler: the shipped one, or one with a mistake in it ---------------------------------


def bands_have_their_law(sampler: ModuleType) -> None:
    """Also of two rows together: their joint law is the product."""
    blocks = {
        "half_turns": ideal_number(lambda: truncated_geometric(Fraction(2))),
        "whole_turns": ideal_number(lambda: truncated_geometric(Fraction(1))),
    }
    for n in (1, 2):

        def draw(n: int = n) -> Hashable:
            return tuple(sampler.bands(n, no_bits).tolist())

        law = enumerated(sampler, blocks, draw, LEAST / 3 if n == 1 else 2 * LEAST)
        for outcome in np.ndindex(*(4 for _ in range(n))):
            due = math.prod((band_masses()[k] for k in outcome), start=Fraction(1))
            assert law.allows(outcome, due, SLACK)
        assert law.unexplored < Fraction(1, 20 if n == 1 else 3)


def what_is_kept_falls_off(sampler: ModuleType) -> None:
    blocks = {"with_probability_exp": ideal_exp, "with_probability_exp_half_square": ideal_half_square}
    rows = [(part, whole, band) for part, whole in ((1, 2), (0, 1), (2, 3), (5, 7)) for band in (0, 1, 2, 5)]
    for together in (*((row,) for row in rows), ((1, 2, 2), (2, 3, 0)), ((2, 3, 1), (1, 2, 3))):
        columns = [words(column) for column in zip(*together, strict=True)]

        def draw(columns: list[Column] = columns) -> Hashable:
            return tuple(sampler.falls_off(*columns, no_bits).tolist())

        law = enumerated(sampler, blocks, draw)
        chances = [
            exp(-Fraction(part, whole) * band - Fraction(part, whole) ** 2 / 2) for part, whole, band in together
        ]
        for answers in np.ndindex(*(2 for _ in together)):
            due = math.prod((p if yes else 1 - p for p, yes in zip(chances, answers, strict=True)), start=Fraction(1))
            assert law.allows(tuple(map(bool, answers)), due, SLACK)
        assert law.unexplored < SLACK


def each_number_is_proposed_once(sampler: ModuleType) -> None:
    """Every i ≥ 0 is kept with the same multiple of exp(-i²/2σ²): one over ⌈σ⌉ and the sum over bands."""
    blocks = {
        "bands": ideal_number(band_masses),
        "below": ideal_below,
        "falls_off": ideal_chance(
            lambda part, whole, band: exp(-Fraction(part, whole) * band - Fraction(part, whole) ** 2 / 2)
        ),
    }
    for numerator, shift in SIGMAS:
        sigma = Fraction(numerator, 1 << shift)

        def draw(numerator: int = numerator, shift: int = shift) -> Hashable:
            magnitude, kept = sampler.proposals(words([numerator]), np.array([shift]), no_bits)
            return int(magnitude[0]) if kept[0] else None

        law = enumerated(sampler, blocks, draw)
        for i in range(math.ceil(4 * sigma)):
            assert law.allows(i, bell(i, sigma) / total_of_bands() / math.ceil(sigma), SLACK)
        assert law.unexplored < Fraction(1, 100)


@cache
def kept_masses(sigma: Fraction) -> list[Fraction]:
    heights = [bell(i, sigma) for i in range(math.ceil(4 * sigma))]
    return [Fraction(8, 9) * height / sum(heights) for height in heights]


def ideal_proposals(choose: Choose) -> Callable[..., tuple[Column, Column]]:
    """Eight times in nine a number i < 4σ, P(i) ∝ exp(-i²/2σ²), is kept; what is not kept is a 1."""

    def proposals(numerator: Column, shift: Column, bits: Any) -> tuple[Column, Column]:
        sigmas = [fraction_of(row) for row in zip(numerator.tolist(), shift.tolist(), strict=True)]
        drawn = [choose([*kept_masses(sigma), Fraction(1, 9)]) for sigma in sigmas]
        kept = [i < len(kept_masses(sigma)) for i, sigma in zip(drawn, sigmas, strict=True)]
        return words(i if yes else 1 for i, yes in zip(drawn, kept, strict=True)), np.array(kept, dtype=np.bool_)

    return proposals


def signs_make_it_gaussian(sampler: ModuleType) -> None:
    for row in SIGMAS:
        assert _unexplored(sampler, row) < Fraction(1, 25)


def rows_are_independent(sampler: ModuleType) -> None:
    """The joint law of two rows with different σ is the product."""
    for rows in (((1, 0), (1, 1)), ((3, 1), (1, 1))):
        assert _unexplored(sampler, *rows) < Fraction(1, 4)


def _unexplored(sampler: ModuleType, *rows: tuple[int, int]) -> Fraction:
    """Every outcome has the probability that it should; but what lies beyond 4σ (1e-4) is left out of the ideal
    proposals, which raises everything else by that share."""
    numerator, shift = words(row[0] for row in rows), np.array([row[1] for row in rows])

    def draw() -> Hashable:
        return tuple(sampler.gaussian_draws(numerator, shift, no_bits).tolist())

    blocks: dict[str, Ideal] = {"proposals": ideal_proposals, "one_in": ideal_one_in}
    law = enumerated(sampler, blocks, draw, LEAST * len(rows) ** 2)
    for places in np.ndindex(*(5 for _ in rows)):
        outcome = tuple(place - 2 for place in places)
        due = math.prod(
            (gaussian_mass(k, fraction_of(row)) for k, row in zip(outcome, rows, strict=True)), start=Fraction(1)
        )
        assert law.allows(outcome, due, due / 2_000)
    return law.unexplored


def places_are_those_of_fractions(sampler: ModuleType) -> None:
    """Number and part of a proposal by Python's fractions; also where 64 bits are too few."""
    numbers = (1, 3, 5, 1 << 52, (1 << 53) - 1)
    rows = [
        (m, shift, band, place)
        for m in numbers
        for shift in (0, 1, 2, 51, 52, 53, 61, 62)
        for band in (0, 1, 2, 3, 40, 510, 511)
        for place in {0, math.ceil(fraction_of((m, shift))) // 2, math.ceil(fraction_of((m, shift))) - 1}
    ]
    many = [(m, shift, band, place) for m, shift, _, place in rows for band in (512, 5_000, 1 << 40)]
    wide = [(m << 900, 0, band, place << 20) for m, _, band, place in rows]
    fine = [(m, shift + 800, band, 0) for m, shift, band, _ in rows]
    for some, dtype in ((rows, np.uint64), (rows + many, np.uint64), (rows + many + wide + fine, object)):
        band, place = words(row[2] for row in some), [row[3] for row in some]
        asked: list[tuple[int, int, int]] = []

        def falls_off(
            part: Column, whole: Column, band: Column, bits: Any, asked: list[tuple[int, int, int]] = asked
        ) -> Column:
            asked += zip(part.tolist(), whole.tolist(), band.tolist(), strict=True)
            return np.ones(len(part), dtype=np.bool_)

        def below(bound: Column, bits: Any, place: list[int] = place, some: Any = some) -> Column:
            assert bound.tolist() == [math.ceil(fraction_of(row[:2])) for row in some]
            return np.array(place, dtype=bound.dtype)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sampler, "bands", lambda n, bits, band=band: band)
            patch.setattr(sampler, "below", below)
            patch.setattr(sampler, "falls_off", falls_off)
            magnitude, kept = sampler.proposals(
                np.array([row[0] for row in some], dtype=dtype), np.array([row[1] for row in some]), no_bits
            )
        sigmas = [fraction_of(row[:2]) for row in some]
        whole = [math.ceil(row[2] * sigma) + row[3] for row, sigma in zip(some, sigmas, strict=True)]
        x = [i / sigma - row[2] for i, sigma, row in zip(whole, sigmas, some, strict=True)]
        assert magnitude.dtype == np.uint64
        assert magnitude.tolist() == [min(i, 1 << 63) for i in whole]
        assert kept.tolist() == [each < 1 for each in x]
        inside = [(each, row[2]) for each, row in zip(x, some, strict=True) if each < 1]
        assert [(Fraction(part, of), band) for part, of, band in asked] == inside


PROPERTIES = (
    bands_have_their_law,
    what_is_kept_falls_off,
    each_number_is_proposed_once,
    signs_make_it_gaussian,
    pytest.param(rows_are_independent, marks=pytest.mark.slow, id="rows_are_independent"),
    places_are_those_of_fractions,
)


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_a_building_block_has_exactly_its_law_whatever_is_drawn(holds: Callable[[ModuleType], None]) -> None:
    holds(exact_gaussian)


MISTAKES: dict[str, tuple[str, str, Callable[[ModuleType], None]]] = {
    "-0 is kept": ("kept &= ~(negative & (magnitude == 0))", "kept &= True", signs_make_it_gaussian),
    "0 is never kept": ("~(negative & (magnitude == 0))", "magnitude != 0", signs_make_it_gaussian),
    "everything is kept": ("open_[~kept]", "open_[:0]", signs_make_it_gaussian),
    "no sign": ("signed(magnitude, negative)", "signed(magnitude, negative & False)", signs_make_it_gaussian),
    "a sign in three": ("one_in(2, len(open_)", "one_in(3, len(open_)", signs_make_it_gaussian),
    "draws again with the first σ": (
        "proposals(numerator[open_], shift[open_]",
        "proposals(numerator[: len(open_)], shift[: len(open_)]",
        rows_are_independent,
    ),
    "bands rounded down": (
        "magnitude = _whole(begin, shift) + place",
        "magnitude = (begin >> shift) + place",
        places_are_those_of_fractions,
    ),
    "a place too few": (
        "below(_whole(numerator, shift), bits)",
        "below(np.maximum(numerator >> shift, 1).astype(numerator.dtype), bits)",
        each_number_is_proposed_once,
    ),
    "a place too many": (
        "below(_whole(numerator, shift), bits)",
        "below(_whole(numerator, shift) + np.ones_like(numerator), bits)",
        each_number_is_proposed_once,
    ),
    "beyond the band": ("part < numerator)", "part <= numerator)", each_number_is_proposed_once),
    "a wide product wraps": ("(band > _MOST_BANDS).any()", "False", places_are_those_of_fractions),
    "every band kept": ("bits) < missing", "bits) < missing - missing", bands_have_their_law),
    "a band too strict": ("bits) < missing", "bits) <= missing", bands_have_their_law),
    "no half of a band": ("// np.uint64(2)", "// np.uint64(1)", bands_have_their_law),
    "two bands are certain": ("proposed > 1)", "proposed > 2)", bands_have_their_law),
    "one turn too few": ("(band[open_] > asked)", "(band[open_] > asked + 1)", what_is_kept_falls_off),
    "one turn too many": ("(band[open_] > asked)", "(band[open_] >= asked)", what_is_kept_falls_off),
    "no half square": (
        "result = with_probability_exp_half_square(part, whole, bits)",
        "result = np.ones(len(part), dtype=np.bool_)",
        what_is_kept_falls_off,
    ),
    "those that fell are kept": ("result[open_[~still]] = False", "pass", what_is_kept_falls_off),
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_building_block_is_found(mistake: str) -> None:
    old, new, holds = MISTAKES[mistake]
    with pytest.raises((AssertionError, IndexError, ValueError)):
        holds(with_mistake(exact_gaussian, old, new))


@given(sigma=st.floats(0, allow_nan=False, allow_infinity=False, exclude_min=True))
@example(sigma=5e-324)
@example(sigma=2.0**-10)
@example(sigma=float.fromhex("0x1.fffffffffffffp-10"))
@example(sigma=2.0**-9)
@example(sigma=float.fromhex("0x1.fffffffffffffp+52"))
@example(sigma=2.0**53)
@example(sigma=1.7976931348623157e308)
def test_sigma_is_the_fraction_that_the_float_is(sigma: float) -> None:
    seen: list[Fraction] = []

    def gaussian_draws(numerator: Column, shift: IntArray, bits: Any) -> IntArray:
        seen.append(Fraction(int(numerator[0]), 1 << int(shift[0])))
        assert numerator.dtype == object or (int(numerator[0]) < 1 << 53 and int(shift[0]) <= 62)
        return np.array([7])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_gaussian, "gaussian_draws", gaussian_draws)
        drawn = exact_gaussian.discrete_gaussian(np.array([0.0, sigma, 0.0]), no_bits)
    assert seen == [Fraction(sigma)]
    assert drawn.tolist() == [0, 7, 0]


@given(magnitude=st.integers(1, 1 << 63), negative=st.booleans())
@example(magnitude=1 << 63, negative=True)
@example(magnitude=1 << 63, negative=False)
@example(magnitude=(1 << 63) - 1, negative=True)
def test_draws_saturate_at_the_ends_of_int64(magnitude: int, negative: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_gaussian, "proposals", lambda *_: (words([magnitude]), np.array([True])))
        patch.setattr(exact_gaussian, "one_in", lambda k, n, bits: np.array([negative]))
        drawn = exact_gaussian.gaussian_draws(words([1]), np.array([0]), no_bits)
    unlimited = -magnitude if negative else magnitude
    assert drawn.dtype == np.int64
    assert drawn.tolist() == [min(max(unlimited, -(1 << 63)), (1 << 63) - 1)]


@pytest.mark.parametrize("sigma", [-1.0, math.inf, math.nan])
def test_a_sigma_that_is_none_is_refused(sigma: float) -> None:
    with pytest.raises(ParameterError, match="finite number that is not negative"):
        ExactNoise().discrete_gaussian(np.array([1.0, sigma]))


def test_nothing_is_drawn_for_no_sigmas_and_for_zeros() -> None:
    assert exact_gaussian.discrete_gaussian(np.zeros(0), no_bits).tolist() == []
    assert exact_gaussian.discrete_gaussian(np.zeros(3), no_bits).tolist() == [0, 0, 0]


@pytest.mark.parametrize("sigma", [0.26, 0.5, 1.0, 1.0001, 2.5, 1e3, 2.0**40])
def test_few_rounds_are_enough_at_any_scale(sigma: float) -> None:
    """A proposal is kept with probability θ/(2·⌈σ⌉·Z), θ = Σ exp(-i²/2σ²) ≥ ⌈σ⌉, Z = Σ_{k≥0} exp(-k²/2) < 1.76: at
    least 0.284, so a round leaves at most 0.72 of the rows. Seven standard deviations more are allowed (3e-12)."""
    open_rows: list[int] = []
    whole = exact_gaussian.proposals

    def noting(numerator: Column, shift: IntArray, bits: Any) -> Any:
        open_rows.append(len(numerator))
        return whole(numerator, shift, bits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_gaussian, "proposals", noting)
        ExactNoise().discrete_gaussian(np.full(20_000, sigma))
    for before, after in pairwise(open_rows):
        assert after <= 0.72 * before + 7 * math.sqrt(0.72 * 0.28 * before) + 1
