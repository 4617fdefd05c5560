"""Sorting in linear time: by codes, and random words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from amun_dp._base.arrays import IntArray

_DIGIT = 16
_BLOCK = 1 << 15
"""Words that are compared with each other: few enough for the processor's cache."""


def order_of_codes(codes: IntArray, below: int) -> IntArray:
    """The stable order of codes in [0, below).

    numpy sorts numbers of 16 bits by counting them, and longer ones by comparing: so digit by digit, the last first.
    """
    order = _by_digit(codes & ((1 << _DIGIT) - 1) if below > 1 << _DIGIT else codes)
    shift = _DIGIT
    while below > 1 << shift:
        order = order[_by_digit((codes[order] >> shift) & ((1 << _DIGIT) - 1))]
        shift += _DIGIT
    return order


def order_of_words(words: npt.NDArray[np.uint64]) -> IntArray:
    """The stable order of 64-bit numbers; fast if they are spread evenly, as random ones are.

    By their first digit, which is counted, and then a block of neighbours at a time: twice as fast as comparing all.
    """
    if len(words) <= _BLOCK:
        return np.argsort(words, kind="stable").astype(np.int64, copy=False)
    digit = words >> np.uint64(64 - _DIGIT)
    order = _by_digit(digit)
    ends = np.cumsum(np.bincount(digit.astype(np.int64), minlength=1 << _DIGIT))  # words of one digit stay together
    cuts = np.unique(np.append(ends[np.searchsorted(ends, np.arange(0, len(words), _BLOCK))], len(words)))
    for start, end in zip([0, *cuts[:-1].tolist()], cuts.tolist(), strict=True):
        block = order[start:end]
        order[start:end] = block[np.argsort(words[block], kind="stable")]
    return order


def _by_digit(digits: npt.NDArray[np.int64] | npt.NDArray[np.uint64]) -> IntArray:
    return np.argsort(digits.astype(np.uint16), kind="stable").astype(np.int64, copy=False)
