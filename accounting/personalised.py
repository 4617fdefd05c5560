"""Personalised accounting: the loss of every event (the vector Φ), by case and by individual.

These losses depend on private data: whoever sees that one person lost more than another learns something about both.
Everything here is for the confidential side.

Losses D·r/b are turned into fixed point (multiples of 2⁻⁴⁰), rounded up once an entry, and summed as integers: exact,
independent of order and grouping, and never below the truth. Ten million entries are a few columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from accounting.errors import AccountingError
from accounting.events import PerEventNoise
from accounting.quantities import UNBOUNDED, Epsilon, EpsilonPerMillisecond

IntArray = npt.NDArray[np.int64]

UNIT_BITS = 40
_LARGEST = 1 << 50
"""Largest loss of one event in units; beyond it (a loss of a thousand) it counts as unbounded, so that no sum
overflows."""
_NO_BOUND = -1


def event_losses(columns: PerEventNoise) -> IntArray:
    """Loss of each released event over all copies, D·r/b in units of 2⁻⁴⁰, rounded up; -1 where it has no bound."""
    moved = columns.value_range.astype(np.float64) * columns.copies
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Two operations, each right to half a unit in the last place; then one unit of 2⁻⁴⁰ on top of the ceiling.
        units = np.ceil(np.ldexp(moved / columns.scale * (1 + 2.0**-51), UNIT_BITS))
    # A range of 0 says that nothing can move only if the range is public; without noise it is no protection.
    unbounded = (columns.scale == 0) | ~(units < _LARGEST)
    return np.where(unbounded, _NO_BOUND, np.where(unbounded, 0, units)).astype(np.int64)


def losses_by(owner: IntArray, columns: PerEventNoise) -> tuple[IntArray, IntArray]:
    """Owners (original cases, or individuals) in ascending order, and the loss of each in units of 2⁻⁴⁰, -1 if
    unbounded.

    Copies are counted in each event's loss already, so an original event counts once, however many copies were
    released.
    """
    first_copy = _one_copy_each(columns)
    losses, owners = event_losses(columns)[first_copy], owner[first_copy]
    found, position = np.unique(owners, return_inverse=True)
    sums = np.zeros(len(found), dtype=np.int64)
    np.add.at(sums, position, np.maximum(losses, 0))
    sums[position[losses < 0]] = _NO_BOUND
    return found, sums


def _one_copy_each(columns: PerEventNoise) -> npt.NDArray[np.bool_]:
    """Rows of one released copy of each original case."""
    _, first = np.unique(columns.origin, return_index=True)
    chosen = np.zeros(int(columns.case.max()) + 1, dtype=np.bool_)
    chosen[columns.case[first]] = True
    return chosen[columns.case]


def largest_event_loss(columns: PerEventNoise) -> Epsilon:
    return _largest(event_losses(columns))


def largest_rate(columns: PerEventNoise) -> EpsilonPerMillisecond | None:
    """Largest loss per millisecond over all copies, D/b; None if some event has no noise."""
    if (columns.scale == 0).any():
        return None
    # The candidate with the largest quotient, then exactly; a float more covers a tie that rounding decided.
    worst = int(np.argmax(columns.copies / columns.scale))
    exact = Fraction(int(columns.copies[worst])) / Fraction(float(columns.scale[worst]))
    return EpsilonPerMillisecond(exact * (1 + Fraction(1, 2**51)))


def largest_case_loss(columns: PerEventNoise) -> Epsilon:
    return _largest(losses_by(columns.origin, columns)[1])


def largest_individual_loss(columns: PerEventNoise) -> Epsilon:
    return _largest(losses_by(columns.individual, columns)[1])


def _largest(units: IntArray) -> Epsilon:
    return UNBOUNDED if (units < 0).any() else _epsilon(int(units.max()))


def _epsilon(units: int) -> Epsilon:
    return UNBOUNDED if units < 0 else Epsilon(Fraction(units, 1 << UNIT_BITS))


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
    order = np.argsort(np.where(units < 0, np.iinfo(np.int64).max, units), kind="stable")

    def at(share: float) -> Epsilon:
        return _epsilon(int(units[order[min(len(order) - 1, int(share * len(order)))]]))

    return LossSummary(
        owners=len(units),
        unbounded=int(np.count_nonzero(units < 0)),
        smallest=at(0.0),
        median=at(0.5),
        upper_quartile=at(0.75),
        ninety_ninth=at(0.99),
        largest=at(1.0),
        worst=int(owners[order[-1]]),
    )


@dataclass(frozen=True, slots=True)
class PersonalisedAccount:
    """Losses of times by event, by case and by individual."""

    events: LossSummary
    cases: LossSummary
    individuals: LossSummary


def personalised_account(columns: PerEventNoise) -> PersonalisedAccount:
    losses = event_losses(columns)
    by_case, by_individual = losses_by(columns.origin, columns), losses_by(columns.individual, columns)
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
        self.worst = worst
        super().__init__(f"some individual would lose more than the cap of {cap}; nothing was released.")
