"""Axes: where a value lies on paper, and which values deserve a mark (1, 2 or 5 times a power of ten; whole dates)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from amun_dp._base.units import DAY, HOUR, MINUTE, SECOND
from amun_dp.drawing.numbers import date


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps [low, high] to [start, end], linearly."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


def nice_step(span: float, most: int) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten that cuts the span into no more than so many pieces."""
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(step * power for step in (1, 2, 5, 10, 20) if span / (step * power) <= most * (1 + 1e-9))


def count_ticks(largest: int, most: int = 5) -> list[int]:
    """Ticks for counts from zero: whole numbers, the last at or above the largest."""
    if largest <= 0:
        return [0, 1]
    step = max(1, round(nice_step(largest, most)))
    return [step * number for number in range(-(-largest // step) + 1)]


def short_count(value: int) -> str:
    """1,500 as 1.5k on an axis; tables have it in full."""
    for size, letter in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= 10 * size or (value >= size and value % size == 0) or (value >= size and value % (size // 10) == 0):
            return f"{value / size:g}{letter}"
    return f"{value:,}"


_TIME_STEPS = (
    *(number * SECOND for number in (1, 5, 15, 30)),
    *(number * MINUTE for number in (1, 5, 15, 30)),
    *(number * HOUR for number in (1, 3, 6, 12)),
    *(number * DAY for number in (1, 2, 7, 14)),
)
_MONTH_STEPS = (1, 3, 6)


def time_ticks(first: int, last: int, most: int = 5) -> list[Tick]:
    """Whole dates or times between first and last (milliseconds), no more than so many."""
    for step in _TIME_STEPS:
        if last // step - first // step <= most:
            # Weeks are counted from a Monday, the fifth day of the epoch.
            shift = 4 * DAY if step % (7 * DAY) == 0 else 0
            inside = range(-(-(first - shift) // step) * step + shift, last + 1, step)
            ticks = [Tick(at, _clock(at, step, place == 0)) for place, at in enumerate(inside)]
            return ticks or [Tick(first, date(first, width=1))]
    for months in _MONTH_STEPS:
        if found := _calendar_ticks(first, last, "M", months, most):
            return found
    power = 1
    while True:
        for years in (power, 2 * power, 5 * power):
            if found := _calendar_ticks(first, last, "Y", years, most):
                return found
        power *= 10


def _clock(at: int, step: int, first: bool) -> str:
    """The time of day alone, except where a reader needs the date: at the first mark and at midnight."""
    text = date(at, width=step)
    return text if step >= DAY or first or at % DAY == 0 else text.split(" ")[-1]


def _calendar_ticks(first: int, last: int, unit: str, step: int, most: int) -> list[Tick]:
    """Every so many months or years; empty if there would be too many or none."""
    low, high = (int(np.datetime64(at, "ms").astype(f"datetime64[{unit}]").astype(np.int64)) for at in (first, last))
    shift = 1970 if unit == "Y" else 0  # so that steps of ten years fall on 1970, 1980, …
    numbers = range(-(-(low + 1 + shift) // step) * step - shift, high + 1, step)
    if not 1 <= len(numbers) <= most:
        return []
    places = [np.datetime64(number, unit) for number in numbers]  # type: ignore[call-overload]
    return [Tick(float(place.astype("datetime64[ms]").astype(np.int64)), str(place)) for place in places]
