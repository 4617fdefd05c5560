"""What cases add to the cells of a tally, case by case, so that the stated sensitivity is checked and not believed.

The premise of every stated ε (or μ) is a bound on what one case adds. A tally that breaks it is a defect of this
software; it is found here, in every run, before the sums meet noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import BoolArray, IntArray
from amun_dp.mechanisms.histograms import weighted_cells

LARGEST_NORM = 1 << 31
"""Squares of numbers up to here fit 63 bits."""
_DIGIT = 31
"""Bits of a lower digit of a square: 2³² of them are summed without overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Amounts that cases add to cells, one row per amount, in the order of the cases."""

    cell: IntArray
    amount: IntArray | None = None
    """None: 1 each."""
    offsets: IntArray | None = None
    """The rows of case c are offsets[c] … offsets[c + 1] - 1. None: one row per case."""

    @property
    def amounts(self) -> IntArray:
        return np.broadcast_to(np.int64(1), len(self.cell)) if self.amount is None else self.amount

    @property
    def bounds(self) -> IntArray:
        return np.arange(len(self.cell) + 1) if self.offsets is None else self.offsets

    def of_cases(self, numbers: type) -> IntArray:
        """What each case adds in all, as numbers of a type that holds the sum of all rows. One number stands for cases
        that all add the same."""
        if self.offsets is None:
            return (self.amounts[:1] if self.amount is None else self.amount).astype(numbers, copy=False)
        if self.amount is None:
            return np.diff(self.offsets).astype(numbers, copy=False)
        running: IntArray = np.empty(len(self.amount) + 1, dtype=numbers)
        running[0] = 0
        np.cumsum(self.amount.astype(numbers, copy=False), out=running[1:])
        return np.diff(running.take(self.offsets))


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """All that the cases of a part add to so many cells; a cell that a case has in several rows gets their sum."""

    cells: int
    rows: tuple[Rows, ...]

    def totals(self) -> IntArray:
        """What they add up to, cell by cell."""
        result = np.zeros(self.cells, dtype=np.int64)
        for rows in self.rows:
            if rows.amount is None:
                result += np.bincount(rows.cell, minlength=self.cells)
            else:
                result += weighted_cells(rows.cell, rows.amount, self.cells)
        return result


def kept_rows(kept: BoolArray, offsets: IntArray | None = None) -> IntArray:
    """Offsets of the rows that are kept, of those that had these offsets (None: one row per case)."""
    narrow = np.int32 if len(kept) < 1 << 31 else np.int64  # which numpy adds up ten times as fast
    before = np.concatenate(([0], np.cumsum(kept.view(np.int8), dtype=narrow)))
    return before if offsets is None else before.take(offsets)


def within_weight(added: Added, weight: int) -> bool:
    """Whether no amount is negative, and no case adds more than the weight to all cells together."""
    if not all(_belong_to_cases(rows) and _between(rows, 0, weight) for rows in added.rows):
        return False
    fits = weight * sum(len(rows.cell) for rows in added.rows) < 1 << 63
    sums: IntArray | int = 0
    for rows in added.rows:
        sums = sums + rows.of_cases(np.int64 if fits else object)
    return int(np.max(sums, initial=0)) <= weight


def within_norm(added: Added, norm: int, centred: bool) -> bool:
    """Whether the vector of no case has an L2 norm above this one, and, unless it is centred, a negative entry.

    In whole numbers, exactly. What a case adds to the same cell in several rows is one entry.
    """
    if norm > LARGEST_NORM or not all(
        _belong_to_cases(rows) and _between(rows, -norm if centred else 0, norm) and _are_cells(rows, added.cells)
        for rows in added.rows
    ):
        return False
    case, entries = _entries(added)
    if not len(entries) or int(np.abs(entries).max()) > norm:
        return not len(entries)
    squares, firsts = entries * entries, np.flatnonzero(np.diff(case, prepend=-1))
    lower = np.add.reduceat(squares & ((1 << _DIGIT) - 1), firsts)
    upper = np.add.reduceat(squares >> _DIGIT, firsts) + (lower >> _DIGIT)
    lower &= (1 << _DIGIT) - 1
    most_upper, most_lower = divmod(norm * norm, 1 << _DIGIT)
    return not ((upper > most_upper) | ((upper == most_upper) & (lower > most_lower))).any()


def _entries(added: Added) -> tuple[IntArray, IntArray]:
    """The sums of each case and cell that has a row, by case: case and sum."""
    if not added.rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    case = np.concatenate([np.repeat(np.arange(len(rows.bounds) - 1), np.diff(rows.bounds)) for rows in added.rows])
    key = case * added.cells + np.concatenate([rows.cell for rows in added.rows])
    amount = np.concatenate([rows.amounts for rows in added.rows])
    if (key[1:] > key[:-1]).all():
        return case, amount
    order = np.argsort(key, kind="stable")
    firsts = np.flatnonzero(np.diff(key[order], prepend=-1))
    return case[order][firsts], np.add.reduceat(amount[order], firsts) if len(firsts) else amount


def _belong_to_cases(rows: Rows) -> bool:
    """Whether every row is one of some case."""
    if rows.amount is not None and len(rows.amount) != len(rows.cell):
        return False
    if rows.offsets is None:
        return True
    ends = int(rows.offsets[0]), int(rows.offsets[-1])
    return ends == (0, len(rows.cell)) and bool((rows.offsets[1:] >= rows.offsets[:-1]).all())


def _are_cells(rows: Rows, cells: int) -> bool:
    return not len(rows.cell) or (int(rows.cell.min()) >= 0 and int(rows.cell.max()) < cells)


def _between(rows: Rows, least: int, most: int) -> bool:
    if rows.amount is None:
        return most >= 1 or not len(rows.cell)
    return int(rows.amount.min(initial=0)) >= least and int(rows.amount.max(initial=0)) <= most
