"""Whole cases in two logs: how long they last, and how many are open at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp._base.units import HOUR
from amun_dp.evaluation.wasserstein import wasserstein
from amun_dp.eventlog.log import EventLog


@dataclass(frozen=True, slots=True)
class CycleTimes:
    """From first to last event of a case, in hours; pairs are before and after."""

    mean: tuple[float, float]
    median: tuple[float, float]
    ninth_decile: tuple[float, float]
    """Nine of ten cases last no longer."""
    distance: float
    """Wasserstein distance of the two distributions."""


@dataclass(frozen=True, slots=True)
class ActiveDifference:
    """Cases that have begun and not yet ended, over time."""

    most: tuple[int, int]
    """The largest number at one time, before and after."""
    difference: float
    """Area between the two curves, relative to the one under the original's; infinite if that has none."""


def cycle_times(original: EventLog, released: EventLog) -> CycleTimes:
    durations = tuple(_ends(log) - log.starts for log in (original, released))

    def both(quantile: float) -> tuple[float, float]:
        before, after = (float(np.quantile(each, quantile)) / HOUR for each in durations)
        return before, after

    return CycleTimes(
        mean=(float(durations[0].mean()) / HOUR, float(durations[1].mean()) / HOUR),
        median=both(0.5),
        ninth_decile=both(0.9),
        distance=wasserstein(*durations) / HOUR,
    )


def active_difference(original: EventLog, released: EventLog) -> ActiveDifference:
    """Exact, whatever the width of bins on a chart: the curves change where a case begins or ends, and only there."""
    (times, change), (times_after, change_after) = (_changes(log) for log in (original, released))
    apart = _area(np.concatenate((times, times_after)), np.concatenate((change, -change_after)))
    whole = _area(times, change)
    return ActiveDifference(
        most=(_most(times, change), _most(times_after, change_after)),
        difference=apart / whole if whole else 0.0 if not apart else float("inf"),
    )


def _ends(log: EventLog) -> IntArray:
    return log.time[log.offsets[1:] - 1]


def _changes(log: EventLog) -> tuple[IntArray, IntArray]:
    """When the number of active cases changes, and by how much."""
    return np.concatenate((log.starts, _ends(log))), np.repeat(np.array([1, -1]), log.n_cases)


def _area(times: IntArray, change: IntArray) -> float:
    order = np.argsort(times)
    height = np.abs(np.cumsum(change[order]))[:-1].astype(np.float64)
    return float(height @ np.diff(times[order]))


def _most(times: IntArray, change: IntArray) -> int:
    # A case is still active at the instant of its end: at equal times the begins come first.
    return int(np.cumsum(change[np.lexsort((-change, times))]).max())
