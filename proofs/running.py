"""Running error analysis on a box: a range of values and how far a computed one may be from the exact one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from flint import arb

from proofs.intervals import LIBRARY, UNIT
from proofs.registry import CheckFailed


class Running:
    """``range`` encloses the exact values (for all arguments in the box), ``error`` bounds |computed - exact|."""

    __slots__ = ("ends", "error", "range")

    def __init__(self, values: Any, error: Any = 0, ends: tuple[Any, Any] | None = None) -> None:
        self.range, self.error = arb(values), arb(error).upper()
        self.ends = ends or (self.range.lower(), self.range.upper())
        """The exact ends, where known: a ball is a little wider."""

    @property
    def size(self) -> Any:
        """Largest exact or computed magnitude."""
        return (abs(self.range).upper() + self.error).upper()

    def __add__(self, other: Any) -> Running:
        right = running(other)
        return rounded(self.range + right.range, self.error + right.error)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Running:
        return self + -running(other)

    def __rsub__(self, other: Any) -> Running:
        return running(other) + -self

    def __neg__(self) -> Running:
        return Running(-self.range, self.error)

    def __mul__(self, other: Any) -> Running:
        right = running(other)
        carried = self.size * right.error + right.size * self.error
        if isinstance(other, int | float) and other in (2, -2):
            return Running(self.range * right.range, carried)  # doubling is exact
        return rounded(self.range * right.range, carried)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Running:
        right = running(other)
        divisor = (abs(right.range).lower() - right.error).lower()
        if not divisor > 0:
            raise CheckFailed("a divisor may be 0")
        quotient = self.range / right.range
        return rounded(quotient, (self.error + abs(quotient).upper() * right.error) / divisor)

    def __pow__(self, exponent: int) -> Running:
        carried = exponent * self.size ** (exponent - 1) * self.error
        # numpy squares by a product; other powers are library calls.
        return rounded(self.range**exponent, carried, UNIT if exponent == 2 else LIBRARY)

    def __lt__(self, other: float) -> bool:
        """Of exact arguments, as in a choice between formulas: both sides of a box's end give the same answer."""
        if self.ends[1] <= other:
            return True
        if self.ends[0] >= other:
            return False
        raise CheckFailed("a comparison is not decided over the whole box")


def running(value: Any) -> Running:
    return value if isinstance(value, Running) else Running(arb(value))


def rounded(values: Any, carried: Any, unit: Any = UNIT) -> Running:
    """The result of an operation on computed arguments: what they carried, and its own rounding."""
    return Running(values, carried + unit * (abs(values).upper() + carried))


def span(low: Any, high: Any) -> Any:
    return arb(low).union(arb(high))


def _sqrt(value: Any) -> Running:
    one = running(value)
    low = (one.range.lower() - one.error).lower()
    if not low > 0:
        raise CheckFailed("a radicand may be 0")
    return rounded(one.range.sqrt(), one.error / (2 * low.sqrt()))  # IEEE 754 rounds the square root correctly


def _cbrt(value: Any) -> Running:
    one = running(value)
    low = (one.range.lower() - one.error).lower()
    if not low > 0:
        raise CheckFailed("a radicand may be 0")
    return rounded(one.range.root(3), one.error / (3 * low.root(3) ** 2), LIBRARY)


def _log(value: Running) -> Running:
    low = (value.range.lower() - value.error).lower()
    if not low > 0:
        raise CheckFailed("a logarithm of 0")
    return rounded(value.range.log(), value.error / low, LIBRARY)


def _log1p(value: Running) -> Running:
    low = (1 + value.range.lower() - value.error).lower()
    if not low > 0:
        raise CheckFailed("a logarithm of 0")
    return rounded(value.range.log1p(), value.error / low, LIBRARY)


def _minimum(value: Running, limit: float) -> Running:
    # Only where the limit is out of reach, or where the other branch is taken anyway.
    return (
        value if value.range.upper() + value.error < limit else Running(span(value.range.lower(), limit), value.error)
    )


LIBRARY_OF_ERRORS = SimpleNamespace(
    sqrt=_sqrt,
    cbrt=_cbrt,
    log=_log,
    log1p=_log1p,
    minimum=_minimum,
    where=lambda condition, chosen, other: chosen if condition else other,
)
"""Stands in for numpy in the pieces of ``oversampling_epsilon``."""
