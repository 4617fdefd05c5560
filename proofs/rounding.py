"""Relative rounding error, bounded over whole ranges at once: what the shipped number functions are run on.

A ``Ranged`` stands for every number in a range together with how far the computed value may be from the exact one:
``ratio`` contains computed/exact. Each operation multiplies it by 1 ± 2⁻⁵³ (IEEE 754), each library function by 1 ± 16
units in the last place. In sums of one sign each error counts by its share; log1p, tanh and -expm1(-·) are concave from
0, so a factor in the argument changes the value by no more than that factor. What cannot be decided, raises.

A factor within 2⁻⁴⁰ of 1 is a rounding margin: it changes the computed value, not the exact one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from flint import arb

from proofs.intervals import EXACT, LIBRARY, UNIT, Ratio, least, most, within
from proofs.registry import CheckFailed

SMALLEST, LARGEST = arb(2) ** -1000, arb(2) ** 1023
"""Outside, numbers lose digits (subnormal) or overflow; nothing is claimed there."""
NEGLIGIBLE = -480
"""exp of anything below is less than 2⁻⁶⁹⁰, also as computed."""


class Ranged:
    __slots__ = ("caps", "high", "low", "nearest", "quotient", "ratio")

    def __init__(self, low: Any, high: Any, ratio: Ratio = EXACT, nearest: bool = False) -> None:
        self.low, self.high, self.ratio = arb(low).lower(), arb(high).upper(), ratio
        self.nearest = nearest
        """It is one correctly rounded operation on exact numbers."""
        self.quotient: tuple[Any, Any] | None = None
        """Known range of the quotient when something that varies is divided by it."""
        self.caps: tuple[Ranged, ...] = ()
        """What it was limited by: the computed value is the smallest of it and these."""
        if not all(end == 0 or SMALLEST < abs(end) < LARGEST for end in (self.low, self.high)):
            raise CheckFailed("a number leaves the range in which rounding errors are relative")

    def __add__(self, other: Any) -> Ranged:
        return _sum(self, ranged(other))

    def __radd__(self, other: Any) -> Ranged:
        return _sum(ranged(other), self)

    def __sub__(self, other: Any) -> Ranged:
        return _sum(self, -ranged(other))

    def __rsub__(self, other: Any) -> Ranged:
        return _sum(ranged(other), -self)

    def __neg__(self) -> Ranged:
        return Ranged(-self.high, -self.low, self.ratio, self.nearest)

    def __mul__(self, other: Any) -> Ranged:
        if isinstance(other, float) and abs(other - 1) < 2**-40:
            margin = Ratio(arb(other), arb(other))
            return _capped(Ranged(self.low, self.high, self.ratio * margin * within(UNIT)), self.caps)
        right = ranged(other)
        ends = [a * b for a in (self.low, self.high) for b in (right.low, right.high)]
        once = EXACT if _power_of_two(self) or _power_of_two(right) else within(UNIT)
        nearest = self.ratio.exact and right.ratio.exact
        return Ranged(least(*ends), most(*ends), self.ratio * right.ratio * once, nearest)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Ranged:
        right = ranged(other)
        if not (right.low > 0 or right.high < 0):
            raise CheckFailed("a divisor may be 0")
        ends = [a / b for a in (self.low, self.high) for b in (right.low, right.high)]
        low, high = least(*ends), most(*ends)
        if right.quotient is not None and self.low != self.high:
            low, high = (-right.quotient[1], -right.quotient[0]) if self.high < 0 else right.quotient
        once = EXACT if _power_of_two(right) else within(UNIT)
        nearest = self.ratio.exact and right.ratio.exact
        return Ranged(low, high, self.ratio / right.ratio * once, nearest)

    def __rtruediv__(self, other: Any) -> Ranged:
        return ranged(other) / self

    def __gt__(self, other: Any) -> bool:
        return _decided(self, ranged(other), lambda a, b: a > b)

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other > 0
        return _decided(ranged(other), self, lambda a, b: a > b)

    def __ge__(self, other: Any) -> bool:
        return _decided(self, ranged(other), lambda a, b: a >= b)

    def __le__(self, other: Any) -> bool:
        return _decided(ranged(other), self, lambda a, b: a >= b)

    def __eq__(self, other: object) -> bool:
        if self > other or self < other:
            return False
        raise CheckFailed("whether two numbers are equal is not decided")

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Ranged:
        return self


def ranged(value: Any) -> Ranged:
    if isinstance(value, Ranged):
        return value
    exact = Fraction(value)
    if exact.denominator & (exact.denominator - 1):
        raise CheckFailed("a constant is not a binary fraction")
    point = arb(exact.numerator) / exact.denominator
    return Ranged(point, point)


def _capped(value: Ranged, caps: tuple[Ranged, ...]) -> Ranged:
    value.caps = caps
    return value


class Negligible(Ranged):
    """Between 0 and a bound so small that, beside what it is added to, it makes no difference, exact or computed."""

    __slots__ = ()

    def __init__(self, bound: Any) -> None:
        super().__init__(0, bound)

    def __mul__(self, other: Any) -> Ranged:
        right = ranged(other)
        if not (right.low >= 0 and right.high <= 1):
            raise CheckFailed("a product with a negligible number may not be negligible")
        return Negligible(self.high)

    __rmul__ = __mul__


def _power_of_two(value: Ranged) -> bool:
    """Multiplying by ±2^n is exact."""
    if not value.ratio.exact or value.low != value.high or value.low == 0:
        return False
    size = Fraction(abs(float(value.low)))
    return all(part & (part - 1) == 0 for part in (size.numerator, size.denominator))


def _sum(left: Ranged, right: Ranged) -> Ranged:
    low, high = (left.low + right.low).lower(), (left.high + right.high).upper()
    if isinstance(right, Negligible):
        if not left.low > 0:
            raise CheckFailed("nothing is negligible beside 0")
        # (l̂ + t̂)/(l + t) with t, t̂ within [0, bound]: one factor for each.
        difference = within(right.high / left.low)
        return Ranged(low, high, left.ratio * difference / difference * within(UNIT))
    if left.ratio.exact and right.ratio.exact:
        return Ranged(low, high, within(UNIT), nearest=True)
    if not (left.low >= 0 and right.low >= 0):
        raise CheckFailed("a difference of rounded numbers may cancel")
    from_left = left.ratio.shared(left.high / (left.high + right.low))
    from_right = right.ratio.shared(right.high / (right.high + left.low))
    together = Ratio(
        (from_left.low + from_right.low - 1).lower(),
        (from_left.high + from_right.high - 1).upper(),
    )
    return Ranged(low, high, together * within(UNIT))


def _decided(left: Ranged, right: Ranged, holds: Callable[[Any, Any], bool]) -> bool:
    def ends(one: Ranged) -> tuple[Any, Any]:
        reached = [end * factor for end in (one.low, one.high) for factor in (one.ratio.low, one.ratio.high)]
        return least(*reached), most(*reached)

    (left_low, left_high), (right_low, right_high) = ends(left), ends(right)
    if holds(left_low, right_high):
        return True
    if not holds(left_high, right_low):
        return False
    raise CheckFailed("a comparison is not decided over the whole range")


def _concave(function: Callable[[Any], Any]) -> Callable[[Ranged], Ranged]:
    """A rising function, concave on [0, ∞), 0 at 0: f(c·z)/f(z) lies between 1 and c."""

    def of(value: Ranged) -> Ranged:
        if not value.low >= 0:
            raise CheckFailed("the argument may be negative")
        ratio = value.ratio.with_one() * within(LIBRARY)
        return Ranged(function(value.low).lower(), function(value.high).upper(), ratio)

    return of


def _expm1(value: Ranged) -> Ranged:
    return -_concave(lambda z: -(-z).expm1())(-value)


def _exp(value: Ranged) -> Ranged:
    if not value.high <= 0:
        raise CheckFailed("only exp of negative numbers is bounded here")
    if value.high < NEGLIGIBLE:
        return Negligible(arb(2) ** -690)  # there the result may lose its digits, or be 0
    # exp(v·c)/exp(v) = exp(v·(c-1)): an error in the argument counts by the size of the argument.
    shifts = [(end * (c - 1)).exp() for end in (value.low, value.high) for c in (value.ratio.low, value.ratio.high)]
    ratio = Ratio(least(*shifts), most(*shifts)) * within(LIBRARY)
    return Ranged(value.low.exp().lower(), value.high.exp().upper(), ratio)


def _nextafter(value: Ranged, towards: Any) -> Ranged:
    if value.low > 0 and float(value.low) >= towards:  # the mirror image: the next number down
        if value.nearest:
            return Ranged(value.low, value.high, Ratio((1 - 3 * UNIT).lower(), arb(1)))
        return Ranged(value.low, value.high, value.ratio * Ratio((1 - 2 * UNIT).lower(), arb(1)))
    if not (value.low > 0 and float(value.high) <= towards):
        raise CheckFailed("the next number is not known to be the next one up")
    if value.nearest:
        # fl(t) ≥ t - ulp/2, hence next(fl(t)) ≥ t + ulp/2, and at most 1.5 ulp above. (1 is its own next towards 1.)
        return Ranged(value.low, value.high, Ratio(arb(1), (1 + 3 * UNIT).upper()))
    return Ranged(value.low, value.high, value.ratio * Ratio(arb(1), (1 + 2 * UNIT).upper()))


def _minimum(left: Ranged, right: Any) -> Ranged:
    """The smaller one if that is decided over the whole range, otherwise the first, capped by the second."""
    try:
        return left if left < right else ranged(right)
    except CheckFailed:
        pass
    return _capped(Ranged(left.low, left.high, left.ratio), (*left.caps, ranged(right)))


def _where(condition: bool, chosen: Any, other: Any) -> Any:
    return chosen if condition else other


def _asarray(value: Any, dtype: Any = None) -> Any:  # noqa: ARG001 -- numpy's signature
    return value


LIBRARY_OF_RANGES = SimpleNamespace(
    asarray=_asarray,
    all=bool,
    isfinite=lambda _: True,
    inf=float("inf"),
    float64=float,
    log1p=_concave(lambda z: z.log1p()),
    tanh=_concave(lambda z: z.tanh()),
    expm1=_expm1,
    exp=_exp,
    nextafter=_nextafter,
    minimum=_minimum,
    where=_where,
    errstate=lambda **_: nullcontext(),
)
"""Stands in for numpy in ``accounting.formulas``."""
