"""Sorting by codes, in linear time."""

from __future__ import annotations

import numpy as np

from amun_dp.eventlog import IntArray

_DIGIT = 16


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


def _by_digit(digits: IntArray) -> IntArray:
    return np.argsort(digits.astype(np.uint16), kind="stable").astype(np.int64, copy=False)
