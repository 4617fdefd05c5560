"""Synthetic logs of any shape: so many cases, variants and activities, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from amun_dp._base.arrays import IntArray, offsets_of
from amun_dp._base.units import MINUTE
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.synthetic.play import Process, case_starts, play


@dataclass(frozen=True, slots=True)
class LogShape:
    """What a generated log looks like. Numbers of cases, variants and activities are met exactly."""

    cases: int = 1000
    variants: int = 100
    activities: int = 20
    mean_length: float = 8.0
    """Events of a case, about; longer if the variants or activities would not fit otherwise."""
    max_length: int = 100
    start: str = "2024-01-01"
    """ISO date of the first day on which a case can start."""
    days: int = 365
    """Cases start within this many days; they may end later."""
    skew: float = 1.0
    """Exponent of the Zipf law of variant frequencies; 0 makes all about equally frequent."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("cases", "variants", "activities", "max_length", "days"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if not 1 <= self.mean_length <= self.max_length:
            raise ParameterError(
                f"mean_length is {self.mean_length}; it must be between 1 and max_length ({self.max_length})."
            )
        if not 0 <= self.skew <= 10:
            raise ParameterError(f"skew is {self.skew}; it must lie between 0 and 10.")
        if self.seed < 0:
            raise ParameterError(f"seed is {self.seed}; it must not be negative.")
        _start_of(self)
        self._check_feasible()

    def _check_feasible(self) -> None:
        if self.variants > self.cases:
            raise ParameterError(
                f"{self.variants} variants need at least as many cases, but there are {self.cases}. "
                "Ask for fewer variants or more cases."
            )
        possible = 0
        for length in range(1, self.max_length + 1):
            possible += self.activities**length
            if possible >= self.variants:
                break
        if possible < self.variants:
            raise ParameterError(
                f"{self.activities} activities make only {possible} sequences of at most {self.max_length} "
                f"events, fewer than the {self.variants} variants asked for. "
                "Ask for fewer variants, more activities or longer cases."
            )
        if self.activities > self.variants * self.max_length:
            raise ParameterError(
                f"{self.variants} variants of at most {self.max_length} events have no room for "
                f"{self.activities} activities. Ask for fewer activities, more variants or longer cases."
            )


def generate_log(shape: LogShape) -> EventLog:
    """A log of the given shape. O(events); nothing runs in Python once an event or once a variant."""
    rng = np.random.default_rng(shape.seed)
    lengths = _variant_lengths(shape, rng)
    offsets = offsets_of(lengths)
    flow = _variant_activities(shape, lengths, offsets, rng)

    weights = np.arange(1, shape.variants + 1, dtype=np.float64) ** -shape.skew
    counts = 1 + rng.multinomial(shape.cases - shape.variants, weights / weights.sum())
    medians = np.exp(rng.normal(np.log(45 * MINUTE), 1.0, shape.activities))
    spreads = rng.uniform(0.3, 0.9, shape.activities)
    width = max(2, len(str(shape.activities)))
    labels = np.array([f"Activity {a:0{width}d}" for a in range(1, shape.activities + 1)], dtype=object)
    starts = case_starts(_start_of(shape), shape.days, shape.cases, rng)
    return play(Process(flow, offsets, counts, labels, medians, spreads), starts, 1, rng)


def _variant_lengths(shape: LogShape, rng: np.random.Generator) -> IntArray:
    """Length of each variant, the most frequent first."""
    share = (shape.mean_length - 1) / max(shape.max_length - 1, 1)
    # Beta-binomial between 1 and max_length: the mean is exact, the standard deviation about half of it.
    if 0 < share < 1:
        concentration = max(4 * (1 - share) / share, 10)
        shares = rng.beta(concentration * share, concentration * (1 - share), shape.variants)
    else:
        shares = np.full(shape.variants, share)
    lengths = 1 + rng.binomial(shape.max_length - 1, shares)
    counts = np.bincount(lengths, minlength=shape.max_length + 1)
    _respect_capacity(counts, shape)
    lengths = np.repeat(np.arange(shape.max_length + 1), counts)

    room = shape.max_length - lengths
    lacking = shape.activities - int(lengths.sum())
    if lacking > 0:  # too short for all activities: lengthen in proportion to the room left
        grown = room * lacking // int(room.sum())
        spare = np.flatnonzero(grown < room)[: lacking - int(grown.sum())]
        grown[spare] += 1
        lengths = lengths + grown
    # Frequent variants have the usual length; otherwise chance would decide how many events the log has.
    return lengths[np.argsort(np.abs(lengths - shape.mean_length), kind="stable")].astype(np.int64, copy=False)


def _respect_capacity(counts: IntArray, shape: LogShape) -> None:
    """Move variants to other lengths (in place) until no length has more of them than it has sequences."""
    limited = [0]  # capacity of lengths 0, 1, 2, … as long as it can be exceeded
    while len(limited) < len(counts) and shape.activities ** len(limited) < shape.variants:
        limited.append(shape.activities ** len(limited))
    for length in range(1, len(limited)):
        if length + 1 < len(counts):
            excess = max(0, int(counts[length]) - limited[length])
            counts[length] -= excess
            counts[length + 1] += excess
    if len(limited) == len(counts):  # even the longest can overflow; what does not fit there goes back down
        for length in range(len(counts) - 1, 1, -1):
            excess = max(0, int(counts[length]) - limited[length])
            counts[length] -= excess
            counts[length - 1] += excess


def _variant_activities(shape: LogShape, lengths: IntArray, offsets: IntArray, rng: np.random.Generator) -> IntArray:
    """Distinct activity sequences of the given lengths, one after the other, using every activity.

    A variant is a walk on the ring of activities: mostly to the next one, sometimes it stays, skips or goes
    back. A walk and its steps determine each other, so it is enough to make the steps distinct: variants of
    one length get distinct numbers, and some of their steps are the digits of that number. The base is as
    small as it can be, because small digits mean small steps.
    """
    total = int(offsets[-1])
    usual = np.minimum(rng.geometric(0.75, total) - 1, shape.activities - 1)
    digits = np.where(rng.random(total) < 0.01, rng.integers(shape.activities, size=total), usual)
    by_length = np.argsort(lengths, kind="stable")
    found, firsts, sizes = np.unique(lengths[by_length], return_index=True, return_counts=True)
    for length, first, size in zip(found.tolist(), firsts.tolist(), sizes.tolist(), strict=True):
        base, places = _numbering(length, size, shape.activities)
        if places:
            numbers = rng.choice(base**places, size, replace=False)
            columns = rng.choice(length, places, replace=False)
            code = numbers[:, None] // base ** np.arange(places) % base
            digits[offsets[by_length[first : first + size], None] + columns] = code

    steps = np.where(digits % 2 == 0, 1 + digits // 2, -(digits // 2))  # 1, 0, 2, -1, 3, -2, …
    walked = np.cumsum(steps)
    before = (walked - steps)[offsets[:-1]]
    activity = (walked - np.repeat(before, lengths) - 1) % shape.activities
    return _using_every_activity(activity, shape.activities, rng)


def _numbering(length: int, size: int, activities: int) -> tuple[int, int]:
    """Base and number of places that tell ``size`` variants of one length apart, with numbers to spare."""
    if size == 1:
        return 1, 0
    length = min(length, 64)  # more places are never needed
    wanted = min(4 * size, activities**length)
    base = 2
    while base**length < wanted:
        base += 1
    places = 1
    while base**places < wanted:
        places += 1
    return base, places


def _using_every_activity(activity: IntArray, activities: int, rng: np.random.Generator) -> IntArray:
    """Put each activity that is missing in place of one that occurs elsewhere too.

    Sequences stay distinct: a changed one holds an activity that no other sequence has.
    """
    order = rng.permutation(len(activity))
    used, first = np.unique(activity[order], return_index=True)
    missing = np.setdiff1d(np.arange(activities), used, assume_unique=True)
    spare = np.delete(order, first)
    activity[spare[: len(missing)]] = missing
    return activity


def _start_of(shape: LogShape) -> date:
    try:
        first = date.fromisoformat(shape.start)
    except ValueError as error:
        raise ParameterError(f"start is {shape.start!r}; it must be a date such as 2024-01-31.") from error
    if first.toordinal() + shape.days > date.max.toordinal():
        raise ParameterError(f"{shape.days} days from {shape.start} reach beyond the year 9999; take fewer.")
    return first
