"""Whether every quotation mark of a CSV file begins a value, ends it, or is doubled inside of it, and whether a line
ends inside of a quotation."""

from __future__ import annotations

import codecs

import numpy as np

from amun_dp._base.arrays import IntArray

_QUOTE, _LF, _CR = b'"\n\r'


class Quotations:
    """A file a piece at a time. The first mark of a file opens a quotation, the second closes it, and so on; a doubled
    one closes and opens. If each of them has a neighbour that fits, no parser can read the file in another way."""

    def __init__(self, delimiter: str) -> None:
        self._beside = np.zeros(256, dtype=np.bool_)
        """Bytes that may stand outside of a quotation, next to it."""
        self._beside[list(f'{delimiter}\r\n"'.encode())] = True
        self._marks = 0
        self._last: int | None = None
        self.misplaced = False
        """Whether a mark stood elsewhere so far: inside a value, an inch perhaps, which begins no quotation."""
        self.lines = 0
        """Line ends that were read."""
        self.broken_line: int | None = None
        """The first line that ends inside of a quotation, unless marks are misplaced: the value goes on in the next."""

    def read(self, data: bytes) -> None:
        if self._last is None:
            data = data.removeprefix(codecs.BOM_UTF8)
        if not data:
            return
        inside = self._marks % 2 == 1
        if b'"' in data or self._last == _QUOTE:
            before = ord("\n") if self._last is None else self._last  # a file begins as a line does
            around = np.concatenate((np.array([before], dtype=np.uint8), np.frombuffer(data, np.uint8)))
            marks = np.flatnonzero(around == _QUOTE)
            self._look_for_breaks(data, marks[int(before == _QUOTE) :] - 1, inside)
            first = self._marks - (before == _QUOTE)  # the number of the first of them
            opened, closed = marks[first % 2 :: 2], marks[1 - first % 2 :: 2]
            fits_before = self._beside[around[opened[opened > 0] - 1]]
            fits_after = self._beside[around[closed[closed < len(around) - 1] + 1]]
            self.misplaced |= not (fits_before.all() and fits_after.all())
            self._marks = first + len(marks)
        elif inside:
            self._look_for_breaks(data, np.empty(0, dtype=np.int64), inside)
        self._last = data[-1]
        self.lines += data.count(b"\n")

    def irregular(self) -> bool:
        """Whether a mark stands elsewhere, or the last quotation is open."""
        return self.misplaced or self._marks % 2 == 1

    def _look_for_breaks(self, data: bytes, marks: IntArray, inside: bool) -> None:
        """``inside``: the piece begins inside of a quotation."""
        if self.broken_line is not None:
            return
        content = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero((content == _LF) | (content == _CR) if b"\r" in data else content == _LF)
        broken = ends[(np.searchsorted(marks, ends) + inside) % 2 == 1]
        if len(broken):
            self.broken_line = self.lines + data.count(b"\n", 0, int(broken[0])) + 1
