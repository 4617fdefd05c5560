"""Distances between the directly-follows graphs of two logs: the article's, and edge by edge.

The article's "Earth Movers' Distance" is what its published prototype computes: the Wasserstein distance of the two
lists of edge *values* (counts, or total durations), whichever edge a value belongs to. It is blind to which edge moved,
so two different graphs can be at distance 0; it is kept for comparison with the article's tables. The edge-matched
distances compare each edge with itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp._base.units import HOUR
from amun_dp.eventlog.log import EventLog

HOURS_PER_MONTH = 720.0
"""The prototype sums hours, the article prints months. 720 and not 730: with it the table's cells for releases that
lost everything (PRIPEL on Sepsis, BPIC15) come out."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Every step from an event to the next of its case, in two logs. Edges to the start and the end are not counted."""

    activities: tuple[str, ...]
    """Sorted labels of both logs."""
    source: IntArray
    """First activity of each edge that occurs in either log."""
    target: IntArray
    edge: tuple[IntArray, IntArray]
    """Number of the edge of each step, before and after."""
    gap: tuple[IntArray, IntArray]
    """Duration of each step in milliseconds."""

    @property
    def edges(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTable:
    """Each edge of either graph with its values in both."""

    count: tuple[FloatArray, FloatArray]
    """How often the pair of activities follows directly, before and after."""
    hours: tuple[FloatArray, FloatArray]
    """Sum of the durations between the two, each cut to whole hours, as the prototype has it."""
    duration: tuple[FloatArray, FloatArray]
    """Total duration of each edge in hours, exact, before and after."""


@dataclass(frozen=True, slots=True)
class Distances:
    frequency_emd: float
    """Article's: mean difference of the sorted edge counts."""
    time_emd: float
    """Article's: mean difference of the sorted total durations of the edges, in months."""
    frequency_by_edge: float
    """Mean difference of the counts of an edge."""
    time_by_edge: float
    """Mean difference of the total durations of an edge, in months."""
    frequency_error: float
    """Σ |difference of counts| relative to the original's total."""
    time_error: float
    """Σ |difference of durations| relative to the original's total; 0 if there is none in either."""


def distances_between(table: EdgeTable) -> Distances:
    return Distances(
        frequency_emd=_sorted_distance(*table.count),
        time_emd=_sorted_distance(*table.hours) / HOURS_PER_MONTH,
        frequency_by_edge=_mean_difference(*table.count),
        time_by_edge=_mean_difference(*table.duration) / HOURS_PER_MONTH,
        frequency_error=relative_difference(*table.count),
        time_error=relative_difference(*table.duration),
    )


def steps_of(original: EventLog, released: EventLog) -> Steps:
    """The steps of both logs; O(n) for each log but for sorting its distinct edges."""
    labels = sorted({*original.activities, *released.activities})
    code = {label: number for number, label in enumerate(labels)}
    (before, gap_before), (after, gap_after) = (_coded_steps(log, code) for log in (original, released))
    edges = np.union1d(before, after)
    return Steps(
        activities=tuple(labels),
        source=edges // max(len(labels), 1),
        target=edges % max(len(labels), 1),
        edge=(np.searchsorted(edges, before), np.searchsorted(edges, after)),
        gap=(gap_before, gap_after),
    )


def edge_table(steps: Steps) -> EdgeTable:
    def summed(weights: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
        before, after = (
            np.bincount(edge, weights=weight, minlength=steps.edges).astype(np.float64)
            for edge, weight in zip(steps.edge, weights, strict=True)
        )
        return before, after

    return EdgeTable(
        count=summed([np.ones(len(gap)) for gap in steps.gap]),
        hours=summed([(gap // HOUR).astype(np.float64) for gap in steps.gap]),
        duration=summed([gap / HOUR for gap in steps.gap]),
    )


def _coded_steps(log: EventLog, code: dict[str, int]) -> tuple[IntArray, IntArray]:
    """Edge as one number, source · labels + target, and duration (ms) of every step."""
    shared = np.array([code[label] for label in log.activities], dtype=np.int64)[log.activity]
    inside = log.case[1:] == log.case[:-1]
    return (shared[:-1] * len(code) + shared[1:])[inside], np.diff(log.time)[inside]


def _sorted_distance(before: FloatArray, after: FloatArray) -> float:
    """Wasserstein distance of two lists of the same length: the mean distance of their sorted values."""
    return _mean_difference(np.sort(before), np.sort(after))


def _mean_difference(before: FloatArray, after: FloatArray) -> float:
    return float(np.abs(before - after).mean()) if len(before) else 0.0


def relative_difference(before: FloatArray | IntArray, after: FloatArray | IntArray) -> float:
    """Σ |difference| relative to the total before; 0 where there is nothing in either, infinite where only before."""
    difference, whole = float(np.abs(before - after).sum()), float(before.sum())
    if whole == 0:
        return 0.0 if difference == 0 else float("inf")
    return difference / whole
