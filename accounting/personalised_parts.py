"""Personalised accounting of rows that come some cases at a time: what ``accounting.personalised`` finds, without all
rows at hand. What is kept of a part grows with its cases, not with its rows.

An account looks at the largest losses only. The rows of a few original cases and individuals, the *telling* ones, have
all of them: an account of these rows is the account of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from accounting.errors import AccountingError
from accounting.events import PerEventNoise
from accounting.personalised import (
    QUANTILES,
    IntArray,
    LossSummary,
    PartialSums,
    PersonalisedAccount,
    added,
    epsilon_of,
    event_losses,
    loss_units,
    partial_sums,
    rank_of,
    summarise,
)

_LAST = np.iinfo(np.int64).max
"""Where a loss without bound stands among the others."""


@dataclass(frozen=True, slots=True, eq=False)
class LossesOfPart:
    """What is kept of the rows of some released cases."""

    rows: int
    places: IntArray
    """The different losses of single events, in ascending order, those without a bound last; and how many have each."""
    counts: IntArray
    worst_row: int
    """Row of the part whose event loses most, the last one of several."""
    worst_origin: int
    fastest: tuple[float, int]
    """The largest D/b, infinite without noise, and the original case that has it."""
    longest: tuple[int, int]
    """Most events of a released case, and the original of one with so many."""
    cases: PartialSums
    individuals: PartialSums
    origin: IntArray
    """Of each released case its original, and how many copies of that there are at least."""
    copies: IntArray


def losses_of_part(columns: PerEventNoise, rows: int) -> LossesOfPart:
    """``columns`` are those of whole released cases, numbered from 0 on in the order of their rows; ``rows`` are those
    of all parts together."""
    if (np.diff(columns.case) < 0).any():
        raise AccountingError("the rows of a part are in the order of the released cases.")
    units = event_losses(columns)
    place = np.where(units < 0, _LAST, units)
    places, counts = np.unique(place, return_counts=True)
    worst = len(place) - 1 - int(np.argmax(place[::-1]))
    with np.errstate(divide="ignore"):
        rate = columns.copies / columns.scale
    fastest = int(np.argmax(rate))
    firsts = np.flatnonzero(np.diff(columns.case, prepend=-1))
    lengths = np.diff(np.append(firsts, len(columns.case)))
    longest = int(np.argmax(lengths))
    own = loss_units(columns.value_range, 1, columns.scale)
    cases = partial_sums(columns.origin, own, rows)
    alone = np.array_equal(columns.individual, columns.origin)
    return LossesOfPart(
        rows=len(units),
        places=places,
        counts=counts,
        worst_row=worst,
        worst_origin=int(columns.origin[worst]),
        fastest=(float(rate[fastest]), int(columns.origin[fastest])),
        longest=(int(lengths[longest]), int(columns.origin[firsts[longest]])),
        cases=cases,
        individuals=cases if alone else partial_sums(columns.individual, own, rows),
        origin=columns.origin[firsts],
        copies=np.minimum.reduceat(columns.copies, firsts),
    )


@dataclass(frozen=True, slots=True)
class JoinedLosses:
    """Losses of all parts, and whose rows are telling. Confidential."""

    account: PersonalisedAccount
    origins: tuple[int, ...]
    individuals: tuple[int, ...]

    def telling(self, origin: IntArray, individual: IntArray) -> npt.NDArray[np.bool_]:
        """Marks the telling ones among rows of these original cases and individuals."""
        found: npt.NDArray[np.bool_] = np.isin(origin, self.origins) | np.isin(individual, self.individuals)
        return found


def join_losses(parts: Sequence[LossesOfPart]) -> JoinedLosses:
    """What the parts have together, in their order."""
    _check_copies(parts)
    by_case, by_individual = added([part.cases for part in parts]), added([part.individuals for part in parts])
    cases, individuals = summarise(by_case[1], by_case[0]), summarise(by_individual[1], by_individual[0])
    firsts = np.cumsum([0, *(part.rows for part in parts)])
    worst = max(range(len(parts)), key=lambda number: (int(parts[number].places[-1]), number))
    row = int(firsts[worst]) + parts[worst].worst_row
    fastest, longest = max(part.fastest for part in parts), max(part.longest for part in parts)
    return JoinedLosses(
        account=PersonalisedAccount(_summary_of_events(parts, row), cases, individuals),
        origins=tuple(sorted({parts[worst].worst_origin, fastest[1], longest[1], cases.worst})),
        individuals=(individuals.worst,),
    )


def _check_copies(parts: Sequence[LossesOfPart]) -> None:
    """As the columns themselves are checked where all of them are at hand."""
    origin = np.concatenate([part.origin for part in parts])
    _, position, released = np.unique(origin, return_inverse=True, return_counts=True)
    if (np.concatenate([part.copies for part in parts]) < released[position]).any():
        raise AccountingError("an original case is released no more often than its copies say.")


def _summary_of_events(parts: Sequence[LossesOfPart], worst: int) -> LossSummary:
    places, position = np.unique(np.concatenate([part.places for part in parts]), return_inverse=True)
    counts = np.zeros(len(places), dtype=np.int64)
    np.add.at(counts, position, np.concatenate([part.counts for part in parts]))
    ends = np.cumsum(counts)
    events = int(ends[-1])
    at = [int(places[np.searchsorted(ends, rank_of(share, events), side="right")]) for share in QUANTILES]
    smallest, median, upper_quartile, ninety_ninth, largest = (
        epsilon_of(-1 if place == _LAST else place) for place in at
    )
    unbounded = int(counts[places == _LAST].sum())
    return LossSummary(events, unbounded, smallest, median, upper_quartile, ninety_ninth, largest, worst)
