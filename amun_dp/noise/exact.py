"""Discrete Laplace noise in integer arithmetic, many draws with different scales at once.

The sampler of Canonne, Kamath and Steinke ("The Discrete Gaussian for Differential Privacy", 2020, Algorithms 1 and 2),
column by column: every step asks the same question of all rows that still need an answer. It is a function of the
random bits that it is given and of nothing else; where these come from is decided in ``sources``. Everything random is
made of ``below``, and a float is never rounded: it is taken for the fraction that it is. Why each step has exactly the
stated law: docs/exact-noise.md. The discrete Gaussian (``exact_gaussian``) is made of the same blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp.errors import ParameterError

Words = npt.NDArray[np.uint64]
Bits = Callable[[int], Words]
"""n → n independent uniform 64-bit numbers."""
Naturals = npt.NDArray[Any]
"""Whole numbers that are not negative: unsigned words or, where those are too narrow, Python's integers (object)."""

_MANTISSA = 53
"""Bits of a float64. Scales below 2⁵³ have a numerator of that many bits, which leaves ten of int64 to multiply."""
_MOST_TURNS = (1 << (63 - _MANTISSA)) - 1
"""Up to here turns·numerator + remainder fits int64."""
END = 1 << 63
"""Magnitudes saturate here: the lower end of int64; the upper one is one less."""
_ROWS = 1 << 17
"""Rows drawn together: enough to make the last rounds, which few rows need, cheap; few enough for small columns."""


def discrete_laplace(scales: FloatArray, bits: Bits) -> IntArray:
    """One independent draw for each scale b, P(k) ∝ exp(-|k|/b); saturating at the ends of int64. b = 0 gives 0."""
    return draws_of_fractions(scales, laplace_draws, bits)


def draws_of_fractions(
    scales: FloatArray,
    draws: Callable[[Naturals, IntArray, Bits], IntArray],
    bits: Bits,
    most_shift: int = np.iinfo(np.int64).max,
) -> IntArray:
    """What ``draws`` gives for each scale as the fraction numerator/2^shift that it is; 0 for the scale 0.

    Numerators are words of 53 bits while 0 ≤ shift ≤ ``most_shift``. From 2⁵³ on (in milliseconds, 285,000 years), and
    below what the largest shift allows, the same steps are done on Python's integers.
    """
    check_scales(scales)
    result = np.zeros(len(scales), dtype=np.int64)
    mantissa, exponent = np.frexp(scales)
    numerator = np.ldexp(mantissa, _MANTISSA).astype(np.uint64)  # exact: a mantissa has no more bits than that
    shift = _MANTISSA - exponent.astype(np.int64)  # the scale is numerator / 2^shift
    narrow = (shift >= 0) & (shift <= most_shift)
    for rows in _blocks((numerator > 0) & narrow):
        result[rows] = draws(numerator[rows], shift[rows], bits)
    for rows in _blocks((numerator > 0) & ~narrow):
        whole = numerator[rows].astype(object) << np.maximum(-shift[rows], 0).astype(object)
        result[rows] = draws(whole, np.maximum(shift[rows], 0), bits)
    return result


def check_scales(scales: FloatArray) -> None:
    """Refuse what is not a scale, before any row goes without noise for it."""
    if not np.isfinite(scales).all() or (scales < 0).any():
        raise ParameterError("The scale of noise is a finite number that is not negative.")


def _blocks(chosen: BoolArray) -> list[IntArray]:
    rows = np.flatnonzero(chosen)
    return [rows[at : at + _ROWS] for at in range(0, len(rows), _ROWS)]


def laplace_draws(numerator: Naturals, shift: IntArray, bits: Bits) -> IntArray:
    """One draw for each scale numerator/2^shift: a magnitude with a random sign, and again where that makes -0."""
    result = np.zeros(len(numerator), dtype=np.int64)
    open_ = np.arange(len(numerator))
    while len(open_):
        magnitude = geometric_draws(numerator[open_], shift[open_], bits)
        negative = one_in(2, len(open_), bits)
        result[open_] = signed(magnitude, negative)
        open_ = open_[negative & (magnitude == 0)]
    return result


def geometric_draws(numerator: Naturals, shift: IntArray, bits: Bits) -> Words:
    """P(k) ∝ exp(-k/b), k ≥ 0, for each scale b = numerator/2^shift; saturating at 2⁶³.

    remainder + turns·numerator has that law for the scale ``numerator``, and its quotient by 2^shift for b.
    """
    remainder = remainders(numerator, bits)
    turns = whole_turns(len(numerator), bits)
    if numerator.dtype == object or (turns > _MOST_TURNS).any():
        total = (remainder.astype(object) + turns.astype(object) * numerator) >> shift.astype(object)
        magnitude: Words = np.minimum(total, END).astype(np.uint64)
        return magnitude
    quotient: Words = (remainder + turns * numerator) >> np.minimum(shift, 63).astype(np.uint64)
    return quotient


def remainders(bound: Naturals, bits: Bits) -> Naturals:
    """P(u) ∝ exp(-u/bound) on 0 ≤ u < bound: uniform ones, of which each is kept with that probability."""
    result = np.zeros_like(bound)
    open_ = np.arange(len(bound))
    while len(open_):
        proposed = below(bound[open_], bits)
        result[open_] = proposed
        open_ = open_[~with_probability_exp(proposed, bound[open_], bits)]
    return result


def whole_turns(n: int, bits: Bits) -> Words:
    """P(v) = (1-1/e)·exp(-v): how often in a row an event of probability exp(-1) happens."""
    ones = np.ones(n, dtype=np.uint64)
    return _in_a_row(ones, ones, bits)


def half_turns(n: int, bits: Bits) -> Words:
    """P(v) ∝ exp(-v/2): how often in a row an event of probability exp(-1/2) happens."""
    ones = np.ones(n, dtype=np.uint8)  # bytes are enough to ask for a half
    return _in_a_row(ones, ones + ones, bits)


def _in_a_row(part: Naturals, whole: Naturals, bits: Bits) -> Words:
    result = np.zeros(len(part), dtype=np.uint64)
    open_ = np.arange(len(part))
    while len(open_):
        open_ = open_[with_probability_exp(part[open_], whole[open_], bits)]
        result[open_] += np.uint64(1)
    return result


def with_probability_exp(part: Naturals, whole: Naturals, bits: Bits) -> BoolArray:
    """True with probability exp(-part/whole), 0 ≤ part ≤ whole, row by row.

    Step k = 1, 2, … succeeds with probability part/(k·whole), as two independent events so that no product can
    overflow. The first k that fails is odd with probability Σ (-part/whole)^j/j!, which is what is wanted.
    """
    result = np.zeros(len(part), dtype=np.bool_)
    open_ = np.arange(len(part))
    k = 0
    while len(open_):
        k += 1
        result[open_] = k % 2 == 1  # stands for those that fail now
        open_ = open_[one_in(k, len(open_), bits)]
        open_ = open_[_fraction(part[open_], whole[open_], bits)]
    return result


def with_probability_exp_half_square(part: Naturals, whole: Naturals, bits: Bits) -> BoolArray:
    """True with probability exp(-(part/whole)²/2), 0 ≤ part ≤ whole, row by row.

    As ``with_probability_exp``, with steps that succeed with probability (part/whole)²/(2k): three independent events.
    """
    result = np.zeros(len(part), dtype=np.bool_)
    open_ = np.arange(len(part))
    step = 0
    while len(open_):
        step += 1
        result[open_] = step % 2 == 1
        open_ = open_[one_in(2 * step, len(open_), bits)]
        for _ in range(2):
            open_ = open_[_fraction(part[open_], whole[open_], bits)]
    return result


def _fraction(part: Naturals, whole: Naturals, bits: Bits) -> BoolArray:
    """True with probability part/whole; certain where they are equal, without asking."""
    if (part == whole).all():
        return np.ones(len(part), dtype=np.bool_)
    chosen: BoolArray = below(whole, bits) < part
    return chosen


def one_in(k: int, n: int, bits: Bits) -> BoolArray:
    """n times true with probability 1/k."""
    if k == 1:
        return np.ones(n, dtype=np.bool_)
    chosen: BoolArray = below(np.full(n, k, dtype=np.uint8 if k < 1 << 8 else np.uint64), bits) == 0
    return chosen


def below(bound: Naturals, bits: Bits) -> Naturals:
    """A uniform integer in [0, bound) for each row: a word modulo the bound, words of the last, incomplete round
    rejected (they would favour small numbers)."""
    result = np.zeros_like(bound)
    open_ = np.arange(len(bound))
    while len(open_):
        limit = bound[open_]
        drawn, last_fair = _wide_words(limit, bits) if bound.dtype == object else _words(limit, bits)
        result[open_] = drawn % limit
        open_ = open_[drawn > last_fair]
    return result


def _words(bound: Naturals, bits: Bits) -> tuple[Naturals, Naturals]:
    """A word a row, of the w bits that the bounds have, and the last one before the incomplete round:
    2^w - 1 - (2^w mod bound), where unsigned -bound is 2^w - bound."""
    size = bound.dtype.itemsize
    return bits(-(-len(bound) * size // 8)).view(bound.dtype)[: len(bound)], ~(np.negative(bound) % bound)


def _wide_words(bound: Naturals, bits: Bits) -> tuple[Naturals, Naturals]:
    """The same with words of as many times 64 bits as the largest bound has, and once more so that few are rejected."""
    span = 1
    drawn = np.zeros(len(bound), dtype=object)
    while span >> 64 < int(bound.max()):
        drawn = (drawn << 64) + bits(len(bound)).astype(object)
        span <<= 64
    return drawn, span - 1 - span % bound


def signed(magnitude: Words, negative: BoolArray) -> IntArray:
    """±magnitude in int64. Unsigned negation is that of two's complement, so 2⁶³ becomes the lower end."""
    return np.where(negative, np.negative(magnitude), np.minimum(magnitude, np.uint64(END - 1))).view(np.int64)
