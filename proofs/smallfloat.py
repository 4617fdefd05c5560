"""A binary floating-point format small enough to try every number: round to nearest, ties to even."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction


class SmallFloat:
    __slots__ = ("bits", "value")

    def __init__(self, value: Fraction, bits: int) -> None:
        self.bits = bits
        self.value = rounded(value, bits)

    def __add__(self, other: SmallFloat) -> SmallFloat:
        return SmallFloat(self.value + other.value, self.bits)

    def __sub__(self, other: SmallFloat) -> SmallFloat:
        return SmallFloat(self.value - other.value, self.bits)

    def __rsub__(self, other: float) -> SmallFloat:
        return SmallFloat(Fraction(other) - self.value, self.bits)


def rounded(value: Fraction, bits: int) -> Fraction:
    if value == 0:
        return value
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** (exponent - bits + 1)
    return round(value / step) * step  # Fraction rounds ties to even


def small_floats(bits: int, lowest: int) -> Iterator[SmallFloat]:
    """Every number of the format between 2^lowest and 1."""
    for exponent in range(lowest, 0):
        for digits in range(2 ** (bits - 1), 2**bits):
            yield SmallFloat(Fraction(digits) * Fraction(2) ** (exponent - bits + 1), bits)
