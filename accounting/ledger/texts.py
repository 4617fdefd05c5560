"""A column of text. The rows of a ledger repeat a few names, so a name is held once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from accounting.arrow import texts, to_arrow, to_numpy, utf8

_CHUNK: Final = 1 << 18
"""Rows spelled at a time, so that memory stays at a few columns."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TextColumn:
    """Texts, and for each row the index of its own."""

    codes: npt.NDArray[np.integer[Any]]
    """For each row the place of its text."""
    known: tuple[str, ...]
    """The texts, each once."""

    def __len__(self) -> int:
        return len(self.codes)

    def tolist(self) -> list[str]:
        """The texts, row by row."""
        return [self.known[code] for code in self.codes.tolist()]

    def lengths(self) -> Iterator[memoryview]:
        """Characters of each row, as little-endian 64-bit numbers, some rows at a time."""
        length = np.fromiter(map(len, self.known), dtype="<i8", count=len(self.known))
        for codes in self._chunks():
            yield length[codes].data

    def spelled(self) -> Iterator[memoryview]:
        """The texts of all rows on end in UTF-8, some rows at a time."""
        known = texts(self.known)
        for codes in self._chunks():
            yield utf8(known.take(to_arrow(codes)))

    def _chunks(self) -> Iterator[npt.NDArray[np.integer[Any]]]:
        return (self.codes[start : start + _CHUNK] for start in range(0, len(self.codes), _CHUNK))


def text_column(values: Iterable[str]) -> TextColumn:
    """Texts, row by row, as a column."""
    rows = list(values)
    if not all(isinstance(each, str) for each in rows):
        raise TypeError("a column of text has nothing but text.")
    return text_column_of_arrow(texts(rows))


def text_column_of_arrow(array: Any) -> TextColumn:
    """A pyarrow array of text, or a dictionary of it, without nulls."""
    encoded = array if hasattr(array, "dictionary") else array.dictionary_encode()
    if hasattr(encoded, "combine_chunks"):
        encoded = encoded.unify_dictionaries().combine_chunks()
    return TextColumn(to_numpy(encoded.indices), tuple(encoded.dictionary.to_pylist()))


def joined_texts(columns: Sequence[TextColumn]) -> TextColumn:
    """The rows of several columns on end."""
    number: dict[str, int] = {}
    codes = [
        np.array([number.setdefault(text, len(number)) for text in column.known], dtype=np.int64)[column.codes]
        for column in columns
    ]
    return TextColumn(np.concatenate(codes), tuple(number))


def same_texts(one: TextColumn, other: TextColumn) -> bool:
    """Whether two columns have the same text in every row."""
    number: dict[str, int] = {}
    first, second = (
        np.array([number.setdefault(text, len(number)) for text in column.known], dtype=np.int64)[column.codes]
        for column in (one, other)
    )
    return np.array_equal(first, second)
