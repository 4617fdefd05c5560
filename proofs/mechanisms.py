"""Small mechanisms with exact masses. Losses are counted in units of ln 2, so that every ratio is a power of two."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from proofs.registry import CheckFailed

Law = Mapping[Hashable, Fraction]
"""Output → probability."""


def randomised_response(bit: int, loss: int) -> Law:
    """A bit, told truly with odds 2^loss : 1."""
    odds = Fraction(2) ** loss
    return {bit: odds / (1 + odds), 1 - bit: 1 / (1 + odds)}


def independent(laws: Sequence[Law]) -> Law:
    """All of them released together."""
    joint: dict[Hashable, Fraction] = {}
    for outputs in product(*(law.items() for law in laws)):
        mass = Fraction(1)
        for _, probability in outputs:
            mass *= probability
        joint[tuple(output for output, _ in outputs)] = mass
    return joint


def noisy_counts(algebra: Any, counts: Sequence[int], losses: Sequence[int], reach: int = 4) -> Law:
    """Masses of discrete Laplace noise (loss 1 means q = 1/2) on each count, at the outputs around the counts.

    A window of the outputs suffices: beyond it both exponents move together and no ratio changes any more.
    """
    window = range(-reach, reach + 1)
    masses: dict[Hashable, Fraction] = {}
    for outputs in product(window, repeat=len(counts)):
        mass = Fraction(1)
        for output, count, loss in zip(outputs, counts, losses, strict=True):
            mass *= algebra.laplace_mass(Fraction(1, 2**loss), abs(output - count))
        masses[outputs] = mass
    return masses


def largest_ratio(left: Law, right: Law) -> Fraction:
    """Over the outputs, in both directions."""
    if left.keys() != right.keys():
        raise CheckFailed("an output is possible on one side only")
    return max(max(left[output] / right[output], right[output] / left[output]) for output in left)


def loss(left: Law, right: Law) -> int:
    """In units of ln 2; the mechanisms here have whole losses."""
    ratio = largest_ratio(left, right)
    whole = ratio.numerator.bit_length() - 1
    if ratio != 2**whole:
        raise CheckFailed(f"the ratio {ratio} is no power of two")
    return whole
