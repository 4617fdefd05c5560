"""Numbers, times and labels as people read them.

An activity label may be anything: 5,000 characters, markup, marks that turn the direction of writing. It is made
printable here, once, and escaped where it is printed.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from accounting.quantities import Epsilon, rounded_up
from amun_dp._base.units import DAY, HOUR, MINUTE, SECOND, YEAR

ELLIPSIS = "…"
LONGEST_TITLE = 200
"""Characters of a label that are given in full where its short form is shown; more would swell the page."""
_MOST_MARKS = 2
"""Combining marks on one character; more of them run over the lines above and below."""
_UNSEEN = "\u200c\u200d\u200e"
"""Allowed though they do not show: joiners, with which Persian and Hindi are written, and the harmless mark below."""
ARROW = " \u200e→\u200e "
"""From one label to the next. The marks keep that order on the page where labels are written from right to left."""
_MOST_STEPS = 12
"""Steps of a variant that are looked at one by one."""
_LEAST_ROOM = 10
"""Columns in which the first and the last step of a variant can still be told."""
_BROAD = frozenset("&@%#WMmw…→—")


def printable(label: str) -> str:
    """The label with every character that would not show, or would change what others show, spelt out."""
    if label.isascii() and label.isprintable():
        return label
    shown, marks = [], 0
    for character in label[: 4 * LONGEST_TITLE]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MOST_MARKS:
            continue
        visible = character.isprintable() or character in _UNSEEN
        shown.append(character if visible else f"⟨U+{ord(character):04X}⟩")
    return "".join(shown)


def width_of(text: str) -> float:
    """Width in columns, each as wide as a small letter, on the generous side: no font of the reader's is known here."""
    return sum(map(_COLUMNS.__getitem__, text))


class _Columns(dict[str, float]):
    """The width of every character met so far: pages measure the same labels again and again."""

    def __missing__(self, character: str) -> float:
        wide = character > "\u10ff" and unicodedata.east_asian_width(character) in "WF"
        narrow = 1.5 if character in _BROAD else 1.15 if character.isupper() else 1.0
        self[character] = 0.0 if character in _UNSEEN else 2.0 if wide else narrow
        return self[character]


_COLUMNS = _Columns()


def shorten(label: str, columns: int) -> str:
    """At most so many columns. What is left out is left out of the middle: labels differ at either end."""
    text = printable(label)
    if not text.strip():
        return "(blank)"
    if len(text) <= 2 * columns and width_of(text) <= columns:
        return text
    room = columns - width_of(ELLIPSIS)
    head, tail = _taking(text, room * 2 / 3), _taking(text[::-1], room / 3)[::-1]
    return f"{head.rstrip()}{ELLIPSIS}{tail.lstrip()}"


def _taking(text: str, columns: float) -> str:
    end, used = 0, 0.0
    for character in text:
        used += _COLUMNS[character]
        if used > columns:
            break
        end += 1
    return text[:end]


def in_full(label: str) -> str:
    """The label for a tooltip: all of it, unless that would swell the page."""
    text = printable(label)
    if len(text) <= LONGEST_TITLE and len(label) <= LONGEST_TITLE:
        return text
    return f"{text[:LONGEST_TITLE]}{ELLIPSIS} ({len(label):,} characters in all)"


def variant_text(activities: Sequence[str], columns: int) -> str:
    """The first steps and the last one; those between are counted where there is no room for them."""
    steps = [shorten(each, LONGEST_TITLE) for each in activities[:_MOST_STEPS]]
    if len(steps) == len(activities) and width_of(whole := ARROW.join(steps)) <= columns:
        return whole
    last = shorten(activities[-1], LONGEST_TITLE)
    for first in range(min(len(steps), len(activities) - 1), 0, -1):
        text = _some_steps(steps[:first], len(activities) - first - 1, last)
        if width_of(text) <= columns:
            return text
    # Not even the first and the last fit: both are shortened.
    between = max(len(activities) - 2, 0)
    room = columns - math.ceil(width_of(_some_steps([""], between, "")))
    if len(activities) == 1 or room < _LEAST_ROOM:
        return shorten(activities[0], columns)
    return _some_steps([shorten(activities[0], room // 2)], between, shorten(activities[-1], room // 2))


def _some_steps(first: Sequence[str], between: int, last: str) -> str:
    return ARROW.join([*first, *([f"({between:,} more)"] if between else []), last])


# --- numbers --------------------------------------------------------------------------------------------------------


def count(number: int) -> str:
    return f"{number:,}"


def counted(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def and_more(number: int, singular: str, plural: str | None = None, ending: str = "") -> str:
    """A sentence about what is not listed; nothing where everything is."""
    plural = None if plural is None else f"more {plural}"
    return f"And {counted(number, f'more {singular}', plural)}{ending}." if number > 0 else ""


def share(part: int, whole: int) -> str:
    """A percentage that says neither 0 % of something nor 100 % of less than all."""
    if not whole:
        return "0 %"
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    return f"{percent:.3g} %" if percent >= 10 else f"{percent:.2g} %"


def points(advantage: float) -> str:
    """An advantage as percentage points, rounded up to a tenth: a bound is never stated better than it is."""
    return _plain((Decimal(repr(advantage)) * 100).quantize(Decimal("0.1"), ROUND_CEILING))


def number(value: float, digits: int = 3) -> str:
    """A figure for reading, not for calculating: three digits."""
    if math.isinf(value):
        return "unbounded"
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e6:
        return _plain(Decimal(f"{value:.{digits}g}"))
    return f"{value:.{digits}g}"


def at_most(value: float, digits: int = 3) -> str:
    """A figure that something does not exceed, rounded up."""
    return _rounded(value, digits, ROUND_CEILING)


def at_least(value: float, digits: int = 3) -> str:
    """A figure that something does not fall below, rounded down."""
    return _rounded(value, digits, ROUND_FLOOR)


def _rounded(value: float, digits: int, rounding: str) -> str:
    """What lies beyond twelve digits is arithmetic, and rounds nothing."""
    return number(float(Context(digits, rounding).plus(Decimal(f"{value:.12g}"))), digits)


def delta_text(delta: float) -> str:
    """The δ of (ε, δ), rounded up to three digits."""
    return number(rounded_up(Fraction(Decimal(repr(delta))), 3))


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """With a capital and a full stop; nothing stays nothing."""
    return f"{capital(text).rstrip('.')}." if text else ""


def epsilon_text(epsilon: Epsilon, withheld: bool = False) -> str:
    return "withheld" if withheld else str(epsilon)


def _plain(value: Decimal) -> str:
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- times ----------------------------------------------------------------------------------------------------------

_UNITS = ((YEAR, "y"), (DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"), (1, "ms"))
_LONG_UNITS = {"y": "year", "d": "day", "h": "hour", "min": "minute", "s": "second", "ms": "millisecond"}


def duration(milliseconds: int, *, long: bool = False) -> str:
    """In the largest unit that gives at least 1: 90 min are 1.5 h."""
    size, unit = next(((size, unit) for size, unit in _UNITS if milliseconds >= size), _UNITS[-1])
    value = number(milliseconds / size, 2 if milliseconds % size else 3)
    if milliseconds % size == 0:
        value = count(milliseconds // size)
    if not long:
        return f"{value} {unit}"
    return f"{value} {_LONG_UNITS[unit]}{'' if value == '1' else 's'}"


def date(milliseconds: int, *, width: int = DAY) -> str:
    """The date, with the time of day where bins or ticks are narrower than a day. Any year that the log can hold."""
    when = np.datetime64(milliseconds, "ms")
    if width >= DAY:
        return str(np.datetime_as_string(when, unit="D"))
    text = str(np.datetime_as_string(when, unit="m" if width >= MINUTE else "s" if width >= SECOND else "ms"))
    return text.replace("T", " ")
