"""What a page is made of: charts with the table behind each, and labels of the log that are shortened when shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from amun_dp.drawing.numbers import in_full, shorten
from amun_dp.drawing.svg import Drawing

LONGEST_TABLE = 50
"""Rows of a table behind a chart. What is left out is counted in its last row, so that no log makes a page large."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text that came from a log: shown short, whole as a tooltip."""

    text: str
    columns: int = 60

    @property
    def short(self) -> str:
        return shorten(self.text, self.columns)

    @property
    def full(self) -> str:
        """The tooltip; empty where nothing was left out."""
        return "" if self.short == self.text else in_full(self.text)


Cell = str | Label


@dataclass(frozen=True, slots=True)
class Table:
    """The figures behind a chart. The first column names the row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    words: int = 1
    """How many of the first columns hold words; the others hold numbers, aligned to the right."""
    note: str = ""
    """What was left out, if anything."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A finding in a word, with a symbol (colour alone says nothing) and a class."""

    words: str
    symbol: str
    css: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, a sentence that says how to read it, and its figures as a table."""

    id: str
    title: str
    reading: str
    drawing: Drawing
    shows: str
    """What is drawn, for those who do not see it."""
    table: Table
    wide: bool = False
    tall: bool = False
    note: str = ""
    """What the picture leaves out, if anything."""
    badge: Badge | None = None
    """What the picture found, if it is one of a finding."""

    @property
    def css(self) -> str:
        return "wide" if self.wide else "tall" if self.tall else "plain"

    @property
    def svg(self) -> Markup:
        return self.drawing.markup(self.id, self.title, self.shows)


def top(sizes: Sequence[int], most: int) -> list[int]:
    """Positions of the largest, largest first; ties in their given order, so that a page is the same every time."""
    import numpy as np

    order = np.argsort(-np.asarray(sizes, dtype=np.int64), kind="stable")
    return [int(position) for position in order[:most]]
