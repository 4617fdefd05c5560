"""ε and μ² as quantities: exact, possibly unbounded, and never mixed with a quantity of another kind.

An ``Epsilon`` is dimensionless. An ``EpsilonPerMillisecond`` bounds the loss per unit of time; it becomes an
``Epsilon`` only over a stated range. Adding the one to the other does not type-check, and raises. Sums are exact
(fractions) and rounded once, upward, when they are shown.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from accounting.average_algebra import group_square
from accounting.errors import AccountingError

DIGITS = 6
"""Significant digits of a stated figure."""


@dataclass(frozen=True, slots=True, order=False)
class Epsilon:
    """A privacy loss: an exact non-negative number, or unbounded (``value`` None)."""

    value: Fraction | None

    def __post_init__(self) -> None:
        if self.value is not None and self.value < 0:
            raise AccountingError("an ε is not negative.")

    @classmethod
    def of(cls, value: float | int | Fraction) -> Epsilon:
        """Exactly this number; infinity is unbounded, NaN is refused."""
        if isinstance(value, float):
            if math.isnan(value) or value == -math.inf:
                raise AccountingError("an ε is a number and not negative.")
            if value == math.inf:
                return UNBOUNDED
        return cls(Fraction(value))

    @property
    def bounded(self) -> bool:
        """Whether it is a number."""
        return self.value is not None

    def __add__(self, other: Epsilon) -> Epsilon:
        if not isinstance(other, Epsilon):
            return NotImplemented
        if self.value is None or other.value is None:
            return UNBOUNDED
        return Epsilon(self.value + other.value)

    def __mul__(self, times: int) -> Epsilon:
        """That many times the same loss; none of an unbounded one is none."""
        if not isinstance(times, int) or isinstance(times, bool):
            return NotImplemented
        if times < 0:
            raise AccountingError("a loss is not counted a negative number of times.")
        if times == 0:
            return ZERO
        return UNBOUNDED if self.value is None else Epsilon(self.value * times)

    def __truediv__(self, share: int) -> Epsilon:
        """An equal share of the loss."""
        if not isinstance(share, int) or isinstance(share, bool):
            return NotImplemented
        if share < 1:
            raise AccountingError("a loss is shared among at least one.")
        return UNBOUNDED if self.value is None else Epsilon(self.value / share)

    def __le__(self, other: Epsilon) -> bool:
        if not isinstance(other, Epsilon):
            return NotImplemented
        if other.value is None:
            return True
        return self.value is not None and self.value <= other.value

    def __lt__(self, other: Epsilon) -> bool:
        return self <= other and self != other

    def stated(self) -> float | None:
        """Rounded up to six significant digits, for people and reports; None if unbounded (or beyond the floats)."""
        if self.value is None:
            return None
        stated = rounded_up(self.value)
        return None if math.isinf(stated) else stated

    def rounded(self) -> Epsilon:
        """The stated figure as a quantity: what the public account carries, so that no last bit tells more."""
        stated = self.stated()
        return UNBOUNDED if stated is None else Epsilon(Fraction(stated))

    def __str__(self) -> str:
        stated = self.stated()
        return "unbounded" if stated is None else f"{stated:g}"


ZERO = Epsilon(Fraction(0))
"""No loss."""
UNBOUNDED = Epsilon(None)
"""No number bounds the loss."""


@dataclass(frozen=True, slots=True, order=False)
class MuSquared:
    """The square of a μ of Gaussian differential privacy: an exact non-negative number, or unbounded (``value`` None).

    Squares and not roots, because squares add up (Dong, Roth, Su, Gaussian Differential Privacy, Corollary 3.3) and
    stay fractions. Never added to an ε.
    """

    value: Fraction | None

    def __post_init__(self) -> None:
        if self.value is not None and self.value < 0:
            raise AccountingError("a μ² is not negative.")

    @property
    def bounded(self) -> bool:
        """Whether it is a number."""
        return self.value is not None

    def __add__(self, other: MuSquared) -> MuSquared:
        if not isinstance(other, MuSquared):
            return NotImplemented
        if self.value is None or other.value is None:
            return NO_MU
        return MuSquared(self.value + other.value)

    def __mul__(self, times: int) -> MuSquared:
        """That many releases of the same loss; none of an unbounded one is none."""
        if not isinstance(times, int) or isinstance(times, bool):
            return NotImplemented
        if times < 0:
            raise AccountingError("a loss is not counted a negative number of times.")
        if times == 0:
            return ZERO_MU
        return NO_MU if self.value is None else MuSquared(self.value * times)

    def of_group(self, members: int) -> MuSquared:
        """For so many units at once: g·μ, hence g²·μ² (``average-group``)."""
        return self if self.value is None else MuSquared(group_square(self.value, members))

    def __le__(self, other: MuSquared) -> bool:
        if not isinstance(other, MuSquared):
            return NotImplemented
        if other.value is None:
            return True
        return self.value is not None and self.value <= other.value

    def __lt__(self, other: MuSquared) -> bool:
        return self <= other and self != other


ZERO_MU = MuSquared(Fraction(0))
"""No loss."""
NO_MU = MuSquared(None)
"""No Gaussian curve bounds the loss."""


def total(losses: Iterable[Epsilon]) -> Epsilon:
    """The exact sum; nothing costs nothing."""
    result = ZERO
    for loss in losses:
        result = result + loss
    return result


def largest(losses: Iterable[Epsilon]) -> Epsilon:
    """The largest; of nothing, zero."""
    result = ZERO
    for loss in losses:
        result = max(loss, result)
    return result


def two_largest(losses: Iterable[Epsilon]) -> Epsilon:
    """The sum of the two largest: what a replaced case costs that may change its part of a partition."""
    first = second = ZERO
    for loss in losses:
        if first <= loss:
            first, second = loss, first
        elif second <= loss:
            second = loss
    return first + second


@dataclass(frozen=True, slots=True)
class EpsilonPerMillisecond:
    """A privacy loss per millisecond by which a time may differ."""

    value: Fraction
    """Exact."""

    def __post_init__(self) -> None:
        if self.value < 0:
            raise AccountingError("an ε is not negative.")

    def __add__(self, other: EpsilonPerMillisecond) -> EpsilonPerMillisecond:
        if not isinstance(other, EpsilonPerMillisecond):
            return NotImplemented
        return EpsilonPerMillisecond(self.value + other.value)

    def over(self, milliseconds: int) -> Epsilon:
        """The loss for a time that may differ by this much."""
        if milliseconds < 0:
            raise AccountingError("a range is not negative.")
        return Epsilon(self.value * milliseconds)


def rounded_up(value: Fraction, digits: int = DIGITS) -> float:
    """The value rounded up to significant digits: what is stated is never smaller than what is true.

    A number that has so few digits already is itself, so that rounding twice changes nothing.
    """
    if value > Fraction(sys.float_info.max):
        return math.inf
    near = float(f"{float(value):.{digits}g}")
    # The float next to it is what a number becomes whose decimal form no float reaches from below (3/25).
    for already in (near, math.nextafter(near, math.inf)):
        if Fraction(already) == value:
            return already
    context = Context(prec=digits, rounding=ROUND_CEILING)
    stated = float(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
    return stated if Fraction(stated) >= value else math.nextafter(stated, math.inf)
