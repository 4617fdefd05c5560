"""Types of the columns, and columns of slices one after the other (lists of lists as two arrays)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
TextArray = npt.NDArray[np.object_]


def offsets_of(lengths: IntArray) -> IntArray:
    """Where slices of these lengths begin, one after the other, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64, copy=False)


def ragged_positions(starts: IntArray, lengths: IntArray) -> IntArray:
    """starts[0], starts[0]+1, … (lengths[0] of them), starts[1], …: the rows of many slices at once."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    shift = np.repeat(starts - (ends - lengths), lengths)
    positions: IntArray = np.arange(total, dtype=np.int64) + shift
    return positions
