"""Case variants: the distinct sequences of activities in a log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from amun_dp.eventlog import EventLog, IntArray


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

    A case is a byte string (big-endian codes of fixed width, so that bytes compare as codes do), and Arrow's
    dictionary encoding finds the distinct ones.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    width = _code_type(len(log.activities))
    codes = np.ascontiguousarray(log.activity.astype(width))
    byte_offsets = np.ascontiguousarray(log.offsets * width.itemsize)
    cases = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), log.n_cases, [None, pa.py_buffer(byte_offsets), pa.py_buffer(codes)]
    )
    encoded = cases.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy(zero_copy_only=False).astype(np.int64)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    of_case = rank[encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)]

    # Any case of a variant shows the variant: take the first one.
    _, example = np.unique(of_case, return_index=True)
    lengths = log.lengths[example]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    activity = log.activity[ragged_positions(log.offsets[example], lengths)]
    return Variants(activity=activity, offsets=offsets, of_case=of_case)


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
