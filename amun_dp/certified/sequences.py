"""Sequences of activities as byte strings, so that Arrow finds and matches them: linear in the events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from accounting.arrow import to_numpy
from amun_dp.eventlog import BoolArray, IntArray
from amun_dp.variants import case_words, ragged_positions

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Sequences of activity codes, one after the other."""

    activity: IntArray
    offsets: IntArray
    """Sequence s is activity[offsets[s]:offsets[s+1]]."""

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    def take(self, which: IntArray) -> Sequences:
        """The chosen sequences, in that order, as often as they are named."""
        lengths = self.lengths[which]
        return Sequences(self.activity[ragged_positions(self.offsets[which], lengths)], offsets_of(lengths))

    def repeated(self, times: IntArray) -> Sequences:
        """Each sequence so many times."""
        return self.take(np.repeat(np.arange(self.count), times))

    @property
    def steps_of_each(self) -> IntArray:
        """Number of steps from an event to the next."""
        return np.maximum(self.lengths - 1, 0)

    @property
    def later(self) -> BoolArray:
        """True for all events but the first of each sequence: those that a step leads to."""
        later = np.ones(len(self.activity), dtype=np.bool_)
        later[self.offsets[:-1][self.lengths > 0]] = False
        return later

    def pairs(self, activities: int) -> IntArray:
        """Every step from an event to the next as one number: from · activities + to."""
        return (self.activity[:-1] * activities + self.activity[1:])[self.later[1:]]

    def steps(self, activities: int) -> Steps:
        """Every step, and where it leads to."""
        case = np.repeat(np.arange(self.count), self.steps_of_each)
        return Steps(self.pairs(activities), np.flatnonzero(self.later), case)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Steps inside cases; the first event of a case has none."""

    pair: IntArray
    """from · activities + to."""
    row: IntArray
    """Row of the later event."""
    case: IntArray


def offsets_of(lengths: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def words_of(sequences: Sequences, activities: int) -> pa.LargeBinaryArray:
    return case_words(sequences.activity, sequences.offsets, activities)


def distinct(sequences: Sequences, activities: int) -> tuple[Sequences, IntArray]:
    """The distinct sequences, in an order that depends on themselves alone, and the number of each given one."""
    import pyarrow.compute as pc

    encoded = words_of(sequences, activities).dictionary_encode()
    order = to_numpy(pc.sort_indices(encoded.dictionary)).astype(np.int64)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    of_sequence = rank[to_numpy(encoded.indices)]
    _, example = np.unique(of_sequence, return_index=True)
    return sequences.take(example), of_sequence


def match(sequences: Sequences, known: Sequences, activities: int) -> IntArray:
    """Which of the known sequences each one is; -1 where it is none of them."""
    import pyarrow.compute as pc

    found = pc.index_in(words_of(sequences, activities), value_set=words_of(known, activities))
    result: IntArray = to_numpy(found).astype(np.int64)
    if found.null_count:
        result[to_numpy(found.is_null())] = -1
    return result
