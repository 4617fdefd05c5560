"""How many bytes a row of a CSV file has: where a row ends depends on the quotations before it."""

from __future__ import annotations

import numpy as np

_LINE_FEED, _RETURN, _QUOTE = b'\n\r"'


class RowLengths:
    """A file a piece at a time. A row within one piece is not measured: it is no longer than the piece."""

    def __init__(self) -> None:
        self.quoted = False
        """Whether the next byte stands within a quotation."""
        self.since_end = 0
        """Bytes after the last end of a row."""

    def read(self, data: bytes) -> int:
        """The length of the longest row that the piece ends or goes on with, as far as it is known."""
        first, last = self._ends(data)
        self.quoted ^= data.count(b'"') % 2 == 1
        if first is None or last is None:
            self.since_end += len(data)
            return self.since_end
        longest = max(self.since_end + first, len(data) - last - 1)
        self.since_end = len(data) - last - 1
        return longest

    def _ends(self, data: bytes) -> tuple[int | None, int | None]:
        """The first and the last end of a row: a line break outside of quotations."""
        if b'"' not in data:
            if self.quoted:
                return None, None
            found = [place for place in (data.find(b"\n"), data.find(b"\r")) if place >= 0]
            return (min(found), max(data.rfind(b"\n"), data.rfind(b"\r"))) if found else (None, None)
        content = np.frombuffer(data, np.uint8)
        breaks = np.flatnonzero((content == _LINE_FEED) | (content == _RETURN))
        marks = np.searchsorted(np.flatnonzero(content == _QUOTE), breaks)
        ends = breaks[(marks + self.quoted) % 2 == 0]
        return (int(ends[0]), int(ends[-1])) if len(ends) else (None, None)
