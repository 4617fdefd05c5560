"""Sequences of activities, and case variants: the distinct sequences of a log.

Arrow finds and matches sequences as byte strings ("words"): linear in the events, plus a sort of the variants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from accounting.arrow import to_arrow, to_numpy
from amun_dp._base.arrays import BoolArray, IntArray, offsets_of, ragged_positions
from amun_dp.eventlog.log import EventLog, once_per_log

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


@dataclass(frozen=True, slots=True, eq=False)
class Variants(Sequences):
    """Distinct sequences in lexicographic order of their codes, and which of them each case follows."""

    of_case: IntArray
    """Variant of each case."""

    @property
    def sequences(self) -> Sequences:
        """The variants alone, without a word about cases."""
        return Sequences(self.activity, self.offsets)

    def cases(self, weights: IntArray | None = None) -> IntArray:
        """How many cases follow each variant (each case counted ``weights`` times, if given)."""
        if weights is None:
            return np.bincount(self.of_case, minlength=self.count)
        result = np.zeros(self.count, dtype=np.int64)
        np.add.at(result, self.of_case, weights)
        return result


def flow_of(log: EventLog) -> Sequences:
    """The sequence of each case."""
    return Sequences(log.activity, log.offsets)


@once_per_log
def find_variants(log: EventLog) -> Variants:
    """The cases of a log, grouped by their sequence of activities."""
    return distinct(flow_of(log), len(log.activities))


def distinct(sequences: Sequences, activities: int) -> Variants:
    """The distinct sequences, in an order that depends on themselves alone, and which of them each given one is."""
    encoded = words_of(sequences, activities).dictionary_encode()
    order = word_order(encoded.dictionary)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    found = spelled(encoded.dictionary.take(to_arrow(order)), activities)
    return Variants(found.activity, found.offsets, rank[to_numpy(encoded.indices)])


def match(sequences: Sequences, known: Sequences, activities: int) -> IntArray:
    """Which of the known sequences each one is; -1 where it is none of them."""
    import pyarrow.compute as pc

    found = pc.index_in(words_of(sequences, activities), value_set=words_of(known, activities))
    result: IntArray = to_numpy(found).astype(np.int64)
    if found.null_count:
        result[to_numpy(found.is_null())] = -1
    return result


def words_of(sequences: Sequences, activities: int) -> pa.LargeBinaryArray:
    """Each sequence as a byte string: big-endian codes of fixed width, so that bytes compare as codes do."""
    import pyarrow as pa

    width = _code_type(activities)
    codes = np.ascontiguousarray(sequences.activity.astype(width))
    byte_offsets = np.ascontiguousarray(sequences.offsets * width.itemsize)
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), sequences.count, [None, pa.py_buffer(byte_offsets), pa.py_buffer(codes)]
    )


def word_order(words: pa.LargeBinaryArray) -> IntArray:
    """The order in which variants are numbered."""
    import pyarrow.compute as pc

    order: IntArray = to_numpy(pc.sort_indices(words)).astype(np.int64)
    return order


def spelled(words: pa.LargeBinaryArray, activities: int) -> Sequences:
    """The sequences that ``words_of`` was given."""
    width = _code_type(activities)
    _, byte_offsets, codes = words.buffers()
    ends = np.frombuffer(byte_offsets, dtype=np.int64)[words.offset : words.offset + len(words) + 1]
    text = np.frombuffer(codes, dtype=np.uint8)[int(ends[0]) : int(ends[-1])].view(width)
    return Sequences(text.astype(np.int64), (ends - ends[0]) // width.itemsize)


def _code_type(activities: int) -> np.dtype[np.unsignedinteger]:
    """The narrowest big-endian unsigned type that holds the codes."""
    return np.dtype("u1" if activities <= 1 << 8 else ">u2" if activities <= 1 << 16 else ">u4")
