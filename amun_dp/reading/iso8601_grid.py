"""Times in the usual layouts of ISO 8601, read as a grid of characters: one row per text, one column per place.

The layouts: ``2024-01-31T23:59:59`` (or a space instead of the T), optionally a fraction (``.123``, up to nine
digits), then nothing, ``Z`` or an offset (``+01:00``). A text that is anything else, or not a date of the calendar, is
not read here, which says nothing about it: the parser of all of ISO 8601 in ``timestamps`` decides. Why not Arrow's
cast: docs/adr/0011-fast-xes.md.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from accounting.arrow import to_numpy
from amun_dp._base.arrays import BoolArray, IntArray
from amun_dp._base.units import DAY, HOUR, MINUTE, SECOND

_ROWS = 1 << 15
"""At a time: what one step writes is still in the cache when the next reads it."""
_SHORTEST, _LONGEST = 19, 35
_ZONE_LENGTHS = (0, 1, 6)
_ENDS = {_SHORTEST, *range(_SHORTEST + 2, _SHORTEST + 11)}
"""Where the zone may begin: behind the seconds, or behind one to nine digits of a fraction."""
_FIXED = {4: "-", 7: "-", 10: "T ", 13: ":", 16: ":"}
"""Places that hold no digit, and the characters that each may hold."""
_PLACES_OF_DIGITS = [place for place in range(_SHORTEST) if place not in _FIXED]

_Grid = npt.NDArray[np.uint8]


def parse_grid(text: Any) -> tuple[IntArray, BoolArray, BoolArray]:
    """Milliseconds of a pyarrow array of text, which of them were read, and which of these have no offset."""
    import pyarrow as pa

    number = len(text)
    milliseconds = np.zeros(number, dtype=np.int64)
    read, naive = np.zeros(number, dtype=np.bool_), np.zeros(number, dtype=np.bool_)
    text = text.cast(pa.large_string())
    _, offsets, values = text.buffers()
    if not number or values is None:
        return milliseconds, read, naive
    bounds = np.frombuffer(offsets, np.int64)[text.offset : text.offset + number + 1]
    characters = np.frombuffer(values, np.uint8)
    lengths = np.where(to_numpy(text.is_valid()), np.diff(bounds), 0)
    months = _first_days()
    for length in range(_SHORTEST, _LONGEST + 1):
        of_length = np.flatnonzero(lengths == length)
        for first in range(0, len(of_length), _ROWS):
            rows = of_length[first : first + _ROWS]
            windows = np.lib.stride_tricks.sliding_window_view(characters, length)
            grid = np.ascontiguousarray(windows[bounds[rows]].T)
            milliseconds[rows], read[rows], naive[rows] = _parse_block(grid, months)
    return milliseconds, read, naive


@cache
def _first_days() -> IntArray:
    """The first day of each month from the year 0 to the year 10000."""
    return np.arange(-1970 * 12, 8030 * 12 + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _parse_block(grid: _Grid, months: IntArray) -> tuple[IntArray, BoolArray, BoolArray]:
    """Texts of one length, given ``_first_days``."""
    digits = grid - np.uint8(ord("0"))  # what is not a digit becomes more than nine
    month, day = _two(digits, 5), _two(digits, 8)
    hour, minute, second = _two(digits, 11), _two(digits, 14), _two(digits, 17)
    index = np.minimum(100 * _two(digits, 0) + _two(digits, 2), 9999) * 12 + np.clip(month, 1, 12) - 1
    regular = (
        (digits[_PLACES_OF_DIGITS] <= 9).all(axis=0)
        & np.logical_and.reduce([_is_one_of(grid[place], signs) for place, signs in _FIXED.items()])
        & ((month >= 1) & (month <= 12) & (day >= 1) & (day <= months[index + 1] - months[index]))
        & ((hour <= 23) & (minute <= 59) & (second <= 59))
    )
    local = (months[index] + day - 1) * DAY + hour * HOUR + minute * MINUTE + second * SECOND

    milliseconds = np.zeros(len(local), dtype=np.int64)
    read, naive = np.zeros(len(local), dtype=np.bool_), np.zeros(len(local), dtype=np.bool_)
    for zone_length in _ZONE_LENGTHS:
        end = len(grid) - zone_length
        if end not in _ENDS:
            continue
        offset, has_zone = _zone(grid[end:], digits[end:])
        fraction, has_fraction = _fraction(grid[_SHORTEST:end], digits[_SHORTEST:end])
        instant = local + fraction - offset
        in_range = (instant >= months[12] * DAY) & (instant < months[-1] * DAY)
        found = regular & has_zone & has_fraction & in_range
        milliseconds[found] = instant[found]
        read |= found
        if not zone_length:
            naive |= found
    return milliseconds, read, naive


def _is_one_of(characters: _Grid, signs: str) -> BoolArray:
    found: BoolArray = np.logical_or.reduce([characters == ord(sign) for sign in signs])
    return found


def _zone(grid: _Grid, digits: _Grid) -> tuple[IntArray, BoolArray]:
    """The offset in milliseconds, and whether the last characters are that: none, one or six of them."""
    number = grid.shape[1]
    if not len(grid):
        return np.zeros(number, dtype=np.int64), np.ones(number, dtype=np.bool_)
    if len(grid) == 1:
        return np.zeros(number, dtype=np.int64), grid[0] == ord("Z")
    hour, minute = _two(digits, 1), _two(digits, 4)
    behind = grid[0] == ord("-")
    found = (
        ((grid[0] == ord("+")) | behind)
        & (grid[3] == ord(":"))
        & ((digits[[1, 2, 4, 5]] <= 9).all(axis=0) & (hour <= 23) & (minute <= 59))
    )
    return np.where(behind, -1, 1) * (hour * HOUR + minute * MINUTE), found


def _fraction(grid: _Grid, digits: _Grid) -> tuple[IntArray, BoolArray]:
    """Whole milliseconds (the rest is cut off), and whether the characters are a fraction, or none at all."""
    milliseconds = np.zeros(grid.shape[1], dtype=np.int64)
    if not len(grid):
        return milliseconds, np.ones(grid.shape[1], dtype=np.bool_)
    for digit, worth in zip(digits[1:4], (100, 10, 1), strict=False):
        milliseconds += digit * np.int64(worth)
    found: BoolArray = (grid[0] == ord(".")) & (digits[1:] <= 9).all(axis=0)
    return milliseconds, found


def _two(digits: _Grid, place: int) -> IntArray:
    number: IntArray = (digits[place] * np.uint8(10) + digits[place + 1]).astype(np.int64)
    return number
