"""Playing a process: variants with their frequencies, durations and case starts become an event log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray, TextArray, offsets_of, ragged_positions
from amun_dp._base.units import DAY, HOUR
from amun_dp.eventlog.log import EventLog, build_event_log


@dataclass(frozen=True, slots=True)
class Process:
    """Variant v is ``flow[offsets[v] : offsets[v + 1]]`` and has ``counts[v]`` cases."""

    flow: IntArray
    offsets: IntArray
    counts: IntArray
    labels: TextArray
    durations: FloatArray
    """Median duration of each activity in milliseconds; durations are log-normal."""
    spreads: FloatArray
    """Standard deviation of the logarithm of the duration of each activity."""


def play(process: Process, starts: IntArray, unit: int, rng: np.random.Generator) -> EventLog:
    """Give each case a variant and its events times, in multiples of ``unit`` milliseconds.

    An event happens when the activities before it have ended.
    """
    variant = rng.permutation(np.repeat(np.arange(len(process.counts)), process.counts))
    lengths = np.diff(process.offsets)[variant]
    offsets = offsets_of(lengths)
    total = int(offsets[-1])
    activity = process.flow[ragged_positions(process.offsets[variant], lengths)]

    deviation = np.clip(rng.standard_normal(total), -3, 3)  # without its tails, which would last for years
    units = process.durations[activity] * np.exp(process.spreads[activity] * deviation) / unit
    durations: IntArray = np.maximum(1, np.rint(units)).astype(np.int64) * unit
    elapsed = np.cumsum(durations) - durations
    time = elapsed + np.repeat(starts // unit * unit - elapsed[offsets[:-1]], lengths)

    width = max(4, len(str(len(starts))))
    names = np.array([f"patient-{c:0{width}d}" for c in range(1, len(starts) + 1)], dtype=object)
    case = np.repeat(np.arange(len(starts)), lengths)
    return build_event_log(case, names, activity, process.labels, time, np.arange(total))


def case_starts(first: date, days: int, cases: int, rng: np.random.Generator) -> IntArray:
    """Start times in order: any day of the window, mostly around early afternoon, some around the clock."""
    day = rng.integers(days, size=cases)
    by_day = rng.normal(13 * HOUR, 3.5 * HOUR, cases)
    clock = np.where(rng.random(cases) < 0.85, by_day, rng.uniform(0, DAY, cases)).astype(np.int64) % DAY
    return np.sort((day + (first - date(1970, 1, 1)).days) * DAY + clock)
