"""Synthetic event logs of any size, for tests, benchmarks and the example.

Seeded: the same shape gives the same log. None of this randomness protects anybody; it only makes logs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path

import numpy as np

from amun_dp.errors import AmunError, ParameterError
from amun_dp.eventlog import EventLog, FloatArray, IntArray, TextArray, build_event_log

_SECOND = 1000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


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
    offsets = _offsets(lengths)
    flow = _variant_activities(shape, lengths, offsets, rng)

    weights = np.arange(1, shape.variants + 1, dtype=np.float64) ** -shape.skew
    counts = 1 + rng.multinomial(shape.cases - shape.variants, weights / weights.sum())
    medians = np.exp(rng.normal(np.log(45 * _MINUTE), 1.0, shape.activities))
    spreads = rng.uniform(0.3, 0.9, shape.activities)
    width = max(2, len(str(shape.activities)))
    labels = np.array([f"Activity {a:0{width}d}" for a in range(1, shape.activities + 1)], dtype=object)
    starts = _case_starts(_start_of(shape), shape.days, shape.cases, rng)
    return _play(_Process(flow, offsets, counts, labels, medians, spreads), starts, 1, rng)


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


@dataclass(frozen=True, slots=True)
class _Process:
    """Variant v is ``flow[offsets[v] : offsets[v + 1]]`` and has ``counts[v]`` cases."""

    flow: IntArray
    offsets: IntArray
    counts: IntArray
    labels: TextArray
    durations: FloatArray
    """Median duration of each activity in milliseconds; durations are log-normal."""
    spreads: FloatArray
    """Standard deviation of the logarithm of the duration of each activity."""


def _play(process: _Process, starts: IntArray, unit: int, rng: np.random.Generator) -> EventLog:
    """Give each case a variant and its events times, in multiples of ``unit`` milliseconds.

    An event happens when the activities before it have ended.
    """
    variant = rng.permutation(np.repeat(np.arange(len(process.counts)), process.counts))
    lengths = np.diff(process.offsets)[variant]
    case_offsets = _offsets(lengths)
    total = int(case_offsets[-1])
    shifts = np.repeat(process.offsets[variant] - case_offsets[:-1], lengths)
    activity = process.flow[np.arange(total) + shifts]

    deviation = np.clip(rng.standard_normal(total), -3, 3)  # without its tails, which would last for years
    durations = process.durations[activity] * np.exp(process.spreads[activity] * deviation)
    durations = np.maximum(1, np.rint(durations / unit)).astype(np.int64) * unit
    elapsed = np.cumsum(durations) - durations
    time = elapsed + np.repeat(starts // unit * unit - elapsed[case_offsets[:-1]], lengths)

    width = max(4, len(str(len(starts))))
    names = np.array([f"patient-{c:0{width}d}" for c in range(1, len(starts) + 1)], dtype=object)
    case = np.repeat(np.arange(len(starts)), lengths)
    return build_event_log(case, names, activity, process.labels, time, np.arange(total))


def _case_starts(first: date, days: int, cases: int, rng: np.random.Generator) -> IntArray:
    """Start times in order: any day of the window, mostly around early afternoon, some around the clock."""
    day = rng.integers(days, size=cases)
    by_day = rng.normal(13 * _HOUR, 3.5 * _HOUR, cases)
    clock = np.where(rng.random(cases) < 0.85, by_day, rng.uniform(0, _DAY, cases)).astype(np.int64) % _DAY
    return np.sort((day + (first - date(1970, 1, 1)).days) * _DAY + clock)


def _start_of(shape: LogShape) -> date:
    try:
        first = date.fromisoformat(shape.start)
    except ValueError as error:
        raise ParameterError(f"start is {shape.start!r}; it must be a date such as 2024-01-31.") from error
    if first.toordinal() + shape.days > date.max.toordinal():
        raise ParameterError(f"{shape.days} days from {shape.start} reach beyond the year 9999; take fewer.")
    return first


def _offsets(lengths: IntArray) -> IntArray:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))


# Letter: label, median duration in minutes, spread of its logarithm.
_EMERGENCY = {
    "R": ("Register", 6, 0.4),
    "T": ("Triage", 25, 0.7),
    "B": ("Blood test", 50, 0.4),
    "X": ("X-ray", 35, 0.5),
    "S": ("CT scan", 70, 0.5),
    "C": ("Consultation", 20, 0.5),
    "E": ("Specialist consultation", 45, 0.6),
    "H": ("Treat", 40, 0.7),
    "O": ("Observe", 5 * 60, 0.4),
    "I": ("Transfer to intensive care", 2 * 24 * 60, 0.6),
    "W": ("Admit to ward", 3 * 24 * 60, 0.7),
    "D": ("Discharge", 5, 0.1),
}
# Ways through the department, with how common they are …
_COMMON = {
    "RTCHD": 60,
    "RTCD": 36,
    "RTBCHD": 30,
    "RTXCHD": 28,
    "RTBCD": 18,
    "RTCXCHD": 16,
    "RTBXCHD": 14,
    "RTBCHWD": 12,
    "RTCBCHOD": 10,
    "RTBSEHWD": 8,
    "RTXCD": 7,
    "RTBCOCD": 6,
    "RTCEHD": 5,
    "RTBSEWD": 4,
    "RTHBCWD": 3,
    "RTXEHWD": 3,
}
# … and ways that one patient went: in a log published as it is, these single people out.
_UNIQUE = ("RHISEWD", "RTBBSECHIWD", "RTD", "RTCXSEHOWD", "RTBCOBCOBCD")


def hospital_log(cases: int = 300, seed: int = 7) -> EventLog:
    """A small log of an emergency department, spring 2024; with 21 cases or more it has 21 variants."""
    if cases < 1:
        raise ParameterError(f"cases is {cases}; it must be at least 1.")
    if seed < 0:
        raise ParameterError(f"seed is {seed}; it must not be negative.")
    rng = np.random.default_rng(seed)
    paths = (*_COMMON, *_UNIQUE)
    weights = np.array(list(_COMMON.values()), dtype=np.float64)
    counts = (np.arange(len(paths)) < cases).astype(np.int64)
    counts[: len(_COMMON)] += rng.multinomial(max(0, cases - len(paths)), weights / weights.sum())

    code = {letter: number for number, letter in enumerate(_EMERGENCY)}
    flow = np.array([code[letter] for path in paths for letter in path], dtype=np.int64)
    offsets = _offsets(np.array([len(path) for path in paths], dtype=np.int64))
    labels, minutes, spreads = zip(*_EMERGENCY.values(), strict=True)
    starts = _case_starts(date(2024, 3, 1), 90, cases, rng)
    medians = np.array(minutes, dtype=np.float64) * _MINUTE
    process = _Process(flow, offsets, counts, np.array(labels, dtype=object), medians, np.array(spreads))
    return _play(process, starts, _SECOND, rng)


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m amun_dp.generator``: write a generated log to a file."""
    from amun_dp.writing import write_log

    parser = argparse.ArgumentParser(prog="python -m amun_dp.generator", description="Write a synthetic event log.")
    parser.add_argument("--hospital", action="store_true", help="the emergency department (only --cases, --seed)")
    for field in fields(LogShape):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=type(field.default), default=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, required=True, help="file ending in .xes, .xes.gz, .csv, .parquet, …")
    given = vars(parser.parse_args(arguments))
    out, hospital = given.pop("out"), given.pop("hospital")
    if hospital and not given.keys() <= {"cases", "seed"}:
        parser.error("--hospital has a shape of its own; only --cases and --seed go with it")
    try:
        write_log(hospital_log(**given) if hospital else generate_log(LogShape(**given)), out)
    except AmunError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
