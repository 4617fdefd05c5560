"""Personalised accounting: the loss of every event (the vector Φ), by case and by individual.

These losses depend on private data: whoever sees that one person lost more than another learns something about both.
Everything here is for the confidential side.

Losses D·r/b are turned into fixed point (multiples of 2⁻⁴⁰), rounded up once an entry, and summed as integers: exact,
independent of order and grouping, and never below the truth. Ten million entries are a few columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from accounting.blocks import in_blocks
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import PerEventNoise
from accounting.quantities import UNBOUNDED, Epsilon, EpsilonPerMillisecond

IntArray = npt.NDArray[np.int64]

UNIT_BITS = 40
_HALF = 20
_LARGEST = 1 << 58
"""Largest loss of one event in units; beyond it (a loss of 262,144) it counts as unbounded."""
_NO_BOUND = -1
_LAST = int(np.iinfo(np.int64).max)
"""Where a loss without bound stands among the others."""


def event_losses(columns: PerEventNoise) -> IntArray:
    """Loss of each released event over all copies, D·r/b in units of 2⁻⁴⁰, rounded up; -1 where it has no bound."""
    return loss_units(columns.value_range, columns.copies, columns.scale)


def loss_units(value_range: IntArray, copies: IntArray | int, scale: npt.NDArray[np.float64]) -> IntArray:
    """D·r/b of rows in units of 2⁻⁴⁰, rounded up; -1 where it has no bound."""
    each = np.broadcast_to(copies, value_range.shape)
    return in_blocks(
        lambda moved, times, noise: _units(moved.astype(np.float64) * times, noise), value_range, each, scale
    )


def losses_by(owner: IntArray, columns: PerEventNoise) -> tuple[IntArray, IntArray]:
    """Owners (original cases, or individuals) in ascending order, and the loss of each in units of 2⁻⁴⁰, -1 if
    unbounded.

    Every released row adds its own r/b: the copies of a case are rows of their own.
    """
    return sum_by(owner, loss_units(columns.value_range, 1, columns.scale))


def sum_by(owner: IntArray, units: IntArray) -> tuple[IntArray, IntArray]:
    """Sum of losses by owner; above 2²² a loss counts as unbounded."""
    return added([partial_sums(owner, units, len(units))])


@dataclass(frozen=True, slots=True, eq=False)
class PartialSums:
    """Losses of some rows by owner. Two halves are summed apart, so that nothing wraps."""

    owner: IntArray
    """In ascending order."""
    high: IntArray
    low: IntArray
    unbounded: npt.NDArray[np.bool_]


def partial_sums(owner: IntArray, units: IntArray, rows: int) -> PartialSums:
    """Sums over some of so many ``rows``."""
    found, position = _numbered(owner)
    without_bound = (units < 0) | (units > min(_LARGEST, ((1 << 62) // rows) << _HALF))
    halves = []
    for half in (units >> _HALF, units & ((1 << _HALF) - 1)):
        sums = np.zeros(len(found), dtype=np.int64)
        np.add.at(sums, position, np.where(without_bound, 0, half))
        halves.append(sums)
    unbounded = np.zeros(len(found), dtype=np.bool_)
    unbounded[position[without_bound]] = True
    return PartialSums(found, halves[0], halves[1], unbounded)


def added(parts: Sequence[PartialSums]) -> tuple[IntArray, IntArray]:
    """Owners in ascending order, and what all parts add up to for each; -1 if unbounded."""
    whole = parts[0] if len(parts) == 1 else _joined(parts)
    high = whole.high + (whole.low >> _HALF)
    bounded = ~whole.unbounded & (high < 1 << 42)
    return whole.owner, np.where(bounded, (high << _HALF) + (whole.low & ((1 << _HALF) - 1)), _NO_BOUND)


def _joined(parts: Sequence[PartialSums]) -> PartialSums:
    found, position = _numbered(np.concatenate([part.owner for part in parts]))
    high, low = np.zeros(len(found), dtype=np.int64), np.zeros(len(found), dtype=np.int64)
    np.add.at(high, position, np.concatenate([part.high for part in parts]))
    np.add.at(low, position, np.concatenate([part.low for part in parts]))
    unbounded = np.zeros(len(found), dtype=np.bool_)
    unbounded[position[np.concatenate([part.unbounded for part in parts])]] = True
    return PartialSums(found, high, low, unbounded)


def _numbered(owner: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct owners in ascending order, and the place of each row's among them."""
    lowest = int(owner.min())
    width = int(owner.max()) - lowest + 1
    if width > 4 * len(owner):
        found, position = np.unique(owner, return_inverse=True)
        return found, position.astype(np.int64, copy=False)
    # Owners are mostly numbered without large gaps: a table instead of a sort.
    shifted = owner - lowest
    there = np.zeros(width, dtype=np.bool_)
    there[shifted] = True
    return np.flatnonzero(there) + lowest, (np.cumsum(there) - 1)[shifted]


def units_of(losses: npt.NDArray[np.float64]) -> IntArray:
    """Losses in units of 2⁻⁴⁰, rounded up; -1 where there is no bound."""
    return _units(losses, np.ones(len(losses)))


def _units(moved: npt.NDArray[np.float64], scale: npt.NDArray[np.float64]) -> IntArray:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # At most two operations before, each right to half a unit in the last place; the ceiling comes on top.
        units = np.ceil(moved / scale * (1 + 2.0**-51) * 2.0**UNIT_BITS)
    # A range of 0 says that nothing can move only if the range is public; without noise it is no protection.
    unbounded = (scale == 0) | ~(units < _LARGEST)
    return np.where(unbounded, _NO_BOUND, np.where(unbounded, 0, units)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest losses of a mechanism, by event, by case and by individual."""

    event: Epsilon
    case: Epsilon
    individual: Epsilon


@dataclass(frozen=True, slots=True)
class _Found:
    event: Epsilon
    """The largest loss of an event."""
    cases: tuple[IntArray, IntArray]
    individuals: tuple[IntArray, IntArray]


_FOUND: WeakKeyDictionary[PerEventNoise, _Found] = WeakKeyDictionary()
"""An account asks for the same figures line by line; they are computed once for as long as the columns live."""


def _found(columns: PerEventNoise) -> _Found:
    if columns not in _FOUND:
        cases = losses_by(columns.origin, columns)
        alone = columns.individual is columns.origin or np.array_equal(columns.individual, columns.origin)
        _FOUND[columns] = _Found(
            event=largest_of(event_losses(columns)),
            cases=cases,
            individuals=cases if alone else losses_by(columns.individual, columns),
        )
    return _FOUND[columns]


def largest_losses(columns: PerEventNoise) -> Largest:
    found = _found(columns)
    return Largest(found.event, largest_of(found.cases[1]), largest_of(found.individuals[1]))


def largest_rate(columns: PerEventNoise) -> EpsilonPerMillisecond | None:
    """Largest loss per millisecond over all copies, D/b; None if some event has no noise."""
    if (columns.scale == 0).any():
        return None
    # The candidate with the largest quotient, then exactly; a float more covers a tie that rounding decided.
    worst = int(np.argmax(columns.copies / columns.scale))
    exact = Fraction(int(columns.copies[worst])) / Fraction(float(columns.scale[worst]))
    return EpsilonPerMillisecond(exact * (1 + Fraction(1, 2**51)))


def rank_of(share: float, owners: int) -> int:
    """Which of so many losses, in ascending order, is the quantile."""
    return min(owners - 1, int(share * owners))


def largest_of(units: IntArray) -> Epsilon:
    """The largest of losses in units; unbounded if any is."""
    return UNBOUNDED if (units < 0).any() else epsilon_of(int(units.max()))


def epsilon_of(units: int) -> Epsilon:
    """A loss in units as an ε; unbounded below 0."""
    return UNBOUNDED if units < 0 else Epsilon(Fraction(units, 1 << UNIT_BITS))


QUANTILES = (0.0, 0.5, 0.75, 0.99, 1.0)


@dataclass(frozen=True, slots=True)
class LossSummary:
    """How losses are spread over events, cases or individuals."""

    owners: int
    unbounded: int
    """How many of them have no bound (times without noise)."""
    smallest: Epsilon
    median: Epsilon
    upper_quartile: Epsilon
    ninety_ninth: Epsilon
    largest: Epsilon
    worst: int
    """Index of the owner with the largest loss."""


def summarise(units: IntArray, owners: IntArray) -> LossSummary:
    """Quantiles by rank (an owner's own loss, no interpolation); unbounded ones rank last."""
    if not len(units):
        raise AccountingError("there are no losses to summarise.")
    key = np.where(units < 0, _LAST, units)
    ranks = sorted({rank_of(share, len(key)) for share in QUANTILES})
    ranked = np.partition(key, ranks)

    def at(share: float) -> Epsilon:
        units = int(ranked[rank_of(share, len(key))])
        return epsilon_of(_NO_BOUND if units == _LAST else units)

    return LossSummary(
        owners=len(units),
        unbounded=int(np.count_nonzero(units < 0)),
        smallest=at(QUANTILES[0]),
        median=at(QUANTILES[1]),
        upper_quartile=at(QUANTILES[2]),
        ninety_ninth=at(QUANTILES[3]),
        largest=at(QUANTILES[4]),
        worst=int(owners[len(key) - 1 - int(np.argmax(key[::-1]))]),  # the last of several
    )


@dataclass(frozen=True, slots=True)
class PersonalisedAccount:
    """Losses of times by event, by case and by individual."""

    events: LossSummary
    cases: LossSummary
    individuals: LossSummary


def personalised_account(columns: PerEventNoise) -> PersonalisedAccount:
    found = _found(columns)
    by_case, by_individual = found.cases, found.individuals
    losses = event_losses(columns)
    return PersonalisedAccount(
        events=summarise(losses, np.arange(len(losses))),
        cases=summarise(by_case[1], by_case[0]),
        individuals=summarise(by_individual[1], by_individual[0]),
    )


def refuse_above(cap: Epsilon, worst: Epsilon) -> None:
    """Refuse a release whose worst individual would lose more than the cap."""
    if not worst <= cap:
        raise CapExceededError(cap, worst)


class CapExceededError(AccountingError):
    """The worst individual's loss exceeds the cap. Both are attributes; the loss itself is confidential."""

    def __init__(self, cap: Epsilon, worst: Epsilon) -> None:
        self.cap = cap
        self.worst = Confidential(worst)
        super().__init__(f"some individual would lose more than the cap of {cap}; nothing was released.")
