"""Case variants: the distinct sequences of activities in a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from accounting.arrow import to_arrow, to_numpy
from amun_dp.eventlog import EventLog, IntArray

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Variants:
    """Distinct activity sequences in lexicographic order of their codes, concatenated."""

    activity: IntArray
    """Activity codes of all variants, one after the other."""
    offsets: IntArray
    """Variant v is activity[offsets[v]:offsets[v+1]]."""
    of_case: IntArray
    """Variant of each case."""

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    def cases(self, weights: npt.NDArray[np.int64] | None = None) -> IntArray:
        """How many cases follow each variant (each case counted ``weights`` times, if given)."""
        if weights is None:
            return np.bincount(self.of_case, minlength=self.count)
        result = np.zeros(self.count, dtype=np.int64)
        np.add.at(result, self.of_case, weights)
        return result


def find_variants(log: EventLog) -> Variants:
    """Group the cases by their sequence of activities. Linear in the events, plus a sort of the variants.

    Arrow's dictionary encoding finds the distinct words.
    """
    symbols = len(log.activities)
    encoded = case_words(log.activity, log.offsets, symbols).dictionary_encode()
    order = word_order(encoded.dictionary)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    of_case = rank[to_numpy(encoded.indices)]
    return variants_of_words(encoded.dictionary.take(to_arrow(order)), symbols, of_case)


def case_words(activity: IntArray, offsets: IntArray, symbols: int) -> pa.LargeBinaryArray:
    """Each case as a byte string: big-endian codes of fixed width, so that bytes compare as codes do."""
    import pyarrow as pa

    width = _code_type(symbols)
    codes = np.ascontiguousarray(activity.astype(width))
    byte_offsets = np.ascontiguousarray(offsets * width.itemsize)
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(byte_offsets), pa.py_buffer(codes)]
    )


def word_order(words: pa.LargeBinaryArray) -> IntArray:
    """The order in which variants are numbered."""
    import pyarrow.compute as pc

    order: IntArray = to_numpy(pc.sort_indices(words)).astype(np.int64)
    return order


def variants_of_words(words: pa.LargeBinaryArray, symbols: int, of_case: IntArray) -> Variants:
    """The variants that distinct words in ``word_order`` spell."""
    activity, offsets = spelled(words, symbols)
    return Variants(activity=activity, offsets=offsets, of_case=of_case)


def spelled(words: pa.LargeBinaryArray, symbols: int) -> tuple[IntArray, IntArray]:
    """Activity codes of the words, one after the other, and where each begins: what ``case_words`` was given."""
    width = _code_type(symbols)
    _, byte_offsets, codes = words.buffers()
    ends = np.frombuffer(byte_offsets, dtype=np.int64)[words.offset : words.offset + len(words) + 1]
    text = np.frombuffer(codes, dtype=np.uint8)[int(ends[0]) : int(ends[-1])].view(width)
    return text.astype(np.int64), (ends - ends[0]) // width.itemsize


def ragged_positions(starts: IntArray, lengths: IntArray) -> IntArray:
    """starts[0], starts[0]+1, … (lengths[0] of them), starts[1], …: the rows of many slices at once."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    shift = np.repeat(starts - (ends - lengths), lengths)
    positions: IntArray = np.arange(total, dtype=np.int64) + shift
    return positions


def _code_type(symbols: int) -> np.dtype[np.unsignedinteger]:
    """The narrowest big-endian unsigned type that holds the codes."""
    return np.dtype("u1" if symbols <= 1 << 8 else ">u2" if symbols <= 1 << 16 else ">u4")
