"""Whether every quotation mark of a CSV file begins a value, ends it, or is doubled inside of it."""

from __future__ import annotations

import codecs

import numpy as np

_QUOTE = ord('"')


class Quotations:
    """A file a piece at a time. The first mark of a file opens a quotation, the second closes it, and so on; a doubled
    one closes and opens. If each of them has a neighbour that fits, no parser can read the file in another way."""

    def __init__(self, delimiter: str) -> None:
        self._beside = np.zeros(256, dtype=np.bool_)
        """Bytes that may stand outside of a quotation, next to it."""
        self._beside[list(f'{delimiter}\r\n"'.encode())] = True
        self._marks = 0
        self._last: int | None = None
        self._misplaced = False

    def read(self, data: bytes) -> None:
        if self._last is None:
            data = data.removeprefix(codecs.BOM_UTF8)
        if not data:
            return
        if b'"' in data or self._last == _QUOTE:
            content = np.frombuffer(data, np.uint8)
            before = ord("\n") if self._last is None else self._last  # a file begins as a line does
            around = np.concatenate((np.array([before], dtype=np.uint8), content))
            marks = np.flatnonzero(around == _QUOTE)
            first = self._marks - (before == _QUOTE)  # the number of the first of them
            closing = (first + np.arange(len(marks))) % 2 == 1
            opened, closed = marks[~closing], marks[closing]
            fits_before = self._beside[around[opened[opened > 0] - 1]]
            fits_after = self._beside[around[closed[closed < len(around) - 1] + 1]]
            self._misplaced |= not (fits_before.all() and fits_after.all())
            self._marks = first + len(marks)
        self._last = data[-1]

    def irregular(self) -> bool:
        """Whether a mark stands elsewhere, or the last quotation is open."""
        return self._misplaced or self._marks % 2 == 1
