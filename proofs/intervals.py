"""Closed intervals of positive numbers with ends computed outward: ratios of computed to exact values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, ctx

from proofs.balls import PRECISION

ctx.prec = PRECISION

UNIT = arb(2) ** -53
"""Relative error of one correctly rounded operation."""
LIBRARY = 32 * UNIT
"""16 units in the last place: the assumed accuracy of the math library."""


@dataclass(frozen=True, slots=True)
class Ratio:
    low: Any
    high: Any

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio((self.low * other.low).lower(), (self.high * other.high).upper())

    def __truediv__(self, other: Ratio) -> Ratio:
        return Ratio((self.low / other.high).lower(), (self.high / other.low).upper())

    def with_one(self) -> Ratio:
        """Enlarged to contain 1."""
        return Ratio(least(self.low, arb(1)), most(self.high, arb(1)))

    def shared(self, share: Any) -> Ratio:
        """Of a summand that is at most this share of a sum: its deviation from 1 counts that much, or less."""
        around_one = self.with_one()
        return Ratio((1 + share * (around_one.low - 1)).lower(), (1 + share * (around_one.high - 1)).upper())

    @property
    def exact(self) -> bool:
        return bool(self.low == 1 and self.high == 1)


EXACT = Ratio(arb(1), arb(1))


def within(error: Any) -> Ratio:
    """1 ± error."""
    return Ratio((1 - error).lower(), (1 + error).upper())


def least(*ends: Any) -> Any:
    result = ends[0].lower()
    for end in ends[1:]:
        result = min(result, end.lower())
    return result


def most(*ends: Any) -> Any:
    result = ends[0].upper()
    for end in ends[1:]:
        result = max(result, end.upper())
    return result
