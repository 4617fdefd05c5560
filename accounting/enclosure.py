"""Numbers known to lie between two decimals: every operation rounds its lower end down and its upper end up.

That is interval arithmetic on Python's ``decimal``, whose + - × ÷ obey the rounding of their context exactly and whose
exp and square root are rounded to the nearest (here a step wider on both sides). So an end is never on the wrong side,
whatever was computed; how far apart the ends are is visible, and more digits bring them closer. Exponents are
practically unlimited: a tail of 10⁻¹⁰⁰⁰⁰⁰⁰ keeps all its digits.

Decimals are combined by the methods of a context only. Python's operators, also the signs and ``abs``, would round to
the precision that happens to be set in the program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache

Exact = int | Fraction | Decimal
"""A number without rounding."""
_SMALL = 10**20
"""Whole numbers below it are exact in as few digits as are ever carried."""


@cache
def contexts(digits: int) -> tuple[Context, Context]:
    """Arithmetic with so many digits that rounds down, and the same that rounds up."""
    down, up = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    return down, up


@dataclass(frozen=True, slots=True)
class Enclosure:
    """All that is known of a number is that it lies from ``low`` to ``high``; ``digits`` is how many are carried."""

    low: Decimal
    high: Decimal
    digits: int

    @classmethod
    def of(cls, value: Exact | float, digits: int) -> Enclosure:
        """Around an exact ``value``, with so many ``digits``; a float is the fraction that it is."""
        if isinstance(value, int) and -_SMALL < value < _SMALL:
            whole = Decimal(value)
            return cls(whole, whole, digits)
        exact = value if isinstance(value, Fraction) else Fraction(value)
        down, up = contexts(digits)
        parts = Decimal(exact.numerator), Decimal(exact.denominator)
        return cls(down.divide(*parts), up.divide(*parts), digits)

    def _operand(self, other: Enclosure | Exact) -> Enclosure:
        return other if isinstance(other, Enclosure) else Enclosure.of(other, self.digits)

    def __add__(self, other: Enclosure | Exact) -> Enclosure:
        right, (down, up) = self._operand(other), contexts(self.digits)
        return Enclosure(down.add(self.low, right.low), up.add(self.high, right.high), self.digits)

    __radd__ = __add__

    def __neg__(self) -> Enclosure:
        return Enclosure(self.high.copy_negate(), self.low.copy_negate(), self.digits)

    def __sub__(self, other: Enclosure | Exact) -> Enclosure:
        right, (down, up) = self._operand(other), contexts(self.digits)
        return Enclosure(down.subtract(self.low, right.high), up.subtract(self.high, right.low), self.digits)

    def __rsub__(self, other: Exact) -> Enclosure:
        return self._operand(other) - self

    def __mul__(self, other: Enclosure | Exact) -> Enclosure:
        right, (down, up) = self._operand(other), contexts(self.digits)
        if self.low >= 0 <= right.low:  # most often, and then it is quicker
            return Enclosure(down.multiply(self.low, right.low), up.multiply(self.high, right.high), self.digits)
        pairs = [(one, two) for one in (self.low, self.high) for two in (right.low, right.high)]
        low, high = (min(down.multiply(*pair) for pair in pairs), max(up.multiply(*pair) for pair in pairs))
        return Enclosure(low, high, self.digits)

    __rmul__ = __mul__

    def __truediv__(self, other: Enclosure | Exact) -> Enclosure:
        right, (down, up) = self._operand(other), contexts(self.digits)
        if right.low <= 0 <= right.high:
            raise ZeroDivisionError("a divisor may be 0")
        if self.low >= 0 < right.low:
            return Enclosure(down.divide(self.low, right.high), up.divide(self.high, right.low), self.digits)
        pairs = [(one, two) for one in (self.low, self.high) for two in (right.low, right.high)]
        low, high = (min(down.divide(*pair) for pair in pairs), max(up.divide(*pair) for pair in pairs))
        return Enclosure(low, high, self.digits)

    def __rtruediv__(self, other: Exact) -> Enclosure:
        return self._operand(other) / self

    def __pow__(self, exponent: int) -> Enclosure:
        if exponent < 1:
            raise ValueError("only a positive whole power is a product")
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def exp(self) -> Enclosure:
        """e to this power."""
        down, up = contexts(self.digits)
        low, high = down.next_minus(down.exp(self.low)), up.next_plus(up.exp(self.high))
        return Enclosure(max(low, Decimal(0)), high, self.digits)

    def sqrt(self) -> Enclosure:
        """Of a number that is not negative."""
        if self.high == 0:
            return self
        down, up = contexts(self.digits)
        low, high = down.next_minus(down.sqrt(max(self.low, Decimal(0)))), up.next_plus(up.sqrt(self.high))
        return Enclosure(max(low, Decimal(0)), high, self.digits)

    @property
    def size(self) -> Enclosure:
        """The absolute value."""
        ends = self.low.copy_abs(), self.high.copy_abs()
        around_zero = self.low <= 0 <= self.high
        return Enclosure(Decimal(0) if around_zero else min(ends), max(ends), self.digits)

    def hull(self, other: Enclosure) -> Enclosure:
        """From the lowest to the highest end of both."""
        return Enclosure(min(self.low, other.low), max(self.high, other.high), self.digits)

    def within(self, low: Exact, high: Exact) -> Enclosure:
        """The same number, known to lie from ``low`` to ``high`` as well."""
        least, most = Enclosure.of(low, self.digits).low, Enclosure.of(high, self.digits).high
        return Enclosure(max(self.low, least), min(self.high, most), self.digits)

    def below(self, other: Enclosure | Exact) -> bool:
        """Whether it is certainly at most the other."""
        return self.high <= self._operand(other).low

    @property
    def relative_width(self) -> Decimal:
        """How far apart the ends are, in proportion to the larger one."""
        size = max(self.low.copy_abs(), self.high.copy_abs())
        _, up = contexts(self.digits)
        return up.divide(up.subtract(self.high, self.low), size) if size else Decimal(0)


def float_up(value: Decimal) -> float:
    """The smallest float that is not below a decimal."""
    near = float(value)
    return near if near == math.inf or Decimal(near) >= value else math.nextafter(near, math.inf)


def float_down(value: Decimal) -> float:
    """The largest float that is not above a decimal."""
    near = float(value)
    return near if near == -math.inf or Decimal(near) <= value else math.nextafter(near, -math.inf)
