"""Step 2: prior knowledge, what an attacker can guess of an event's relative time before the release (Eq. 1).

All groups at once: relative times are laid end to end on one integer axis, group after group with room for the
window on both sides, so that one sort and two binary searches find every window. The windows are found once; each
later estimate (filtering re-estimates until it is stable) is a prefix sum over the events still kept, O(n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from accounting.algebra import worst_prior
from amun_dp._base.arrays import BoolArray, FloatArray, IntArray, offsets_of
from amun_dp.article.conventions import Conventions
from amun_dp.article.step1_annotation import START_GROUP, AnnotatedLog

_AXIS_LIMIT = 1 << 61
"""Longest stretch of the common axis that is searched at once; beyond it (absurd dates) the groups go in blocks."""


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Events sorted by group and relative time, with the rows in reach of each one's window."""

    order: IntArray
    """Sorted row → event."""
    group: IntArray
    value: IntArray
    low: IntArray
    """First row counted in the window of each sorted row."""
    high: IntArray
    """Row after the last one counted."""
    run_end: IntArray
    """Row after the last one with the same group and value."""
    group_start: IntArray
    """Rows of group g are group_start[g] … group_start[g+1]-1."""


@dataclass(frozen=True, slots=True, eq=False)
class PriorKnowledge:
    """Per event, in the order of the log. Meaningless (NaN, 0) for events that are not kept."""

    prior: FloatArray
    value_range: IntArray
    """r of the event's group under the conventions (milliseconds)."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupFacts:
    """What all events of a group share. One entry a group; 0 for a group without events."""

    size: IntArray
    minimum: IntArray
    maximum: IntArray

    def value_range(self, conventions: Conventions) -> IntArray:
        """r of each group (milliseconds)."""
        if conventions.value_range == "spread":
            return self.maximum - self.minimum
        return np.maximum(self.maximum, half_widths(len(self.size), conventions))

    def prior(self, in_window: IntArray, group: IntArray, advantage: float) -> FloatArray:
        """Eq. 1, given how many events of its group lie in each event's window."""
        prior: FloatArray = in_window / np.maximum(self.size, 1)[group]
        # One distinct value: there is no distribution to learn from (Eq. 2).
        prior[(self.minimum == self.maximum)[group]] = worst_prior(advantage)
        return prior


def half_widths(n_groups: int, conventions: Conventions) -> IntArray:
    """Half the width of the window of each group."""
    window = np.full(n_groups, conventions.window, dtype=np.int64)
    window[START_GROUP] = conventions.start_window
    return window


def find_windows(annotated: AnnotatedLog, conventions: Conventions) -> Windows:
    """Sort the events by group and value and find each one's window. O(n log n)."""
    n, n_groups = len(annotated.group), annotated.n_groups
    starts = offsets_of(np.bincount(annotated.group, minlength=n_groups))
    present = np.flatnonzero(np.diff(starts) > 0)
    window = half_widths(n_groups, conventions)
    smallest, largest = _extremes(annotated.group, annotated.relative_time, n_groups, present)
    room = np.zeros(n_groups, dtype=np.int64)
    room[present] = (largest - smallest + 2 * window + 2)[present]

    blocks = _blocks(room, present)
    origin, block = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    for number, (first, last) in enumerate(blocks):
        groups = slice(first, last + 1)
        origin[groups] = np.cumsum(room[groups]) - room[groups] + window[groups] - smallest[groups]
        block[groups] = number
    place = origin[annotated.group] + annotated.relative_time
    # On the axis groups lie one after the other, so one key sorts by group and value.
    order = np.argsort(place, kind="stable") if len(blocks) < 2 else np.lexsort((place, block[annotated.group]))
    group, value, place = annotated.group[order], annotated.relative_time[order], place[order]

    # The article's F(t-w) counts values up to and including t-w, so the lower end is open; the mended window is closed.
    lower_side: Literal["left", "right"] = "right" if conventions.prior == "clamped-cdf" else "left"
    low, high = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for first, last in blocks:
        rows = slice(starts[first], starts[last + 1])
        reach = window[group[rows]]
        low[rows] = starts[first] + np.searchsorted(place[rows], place[rows] - reach, side=lower_side)
        high[rows] = starts[first] + np.searchsorted(place[rows], place[rows] + reach, side="right")

    last_of_run = np.ones(n, dtype=np.bool_)
    last_of_run[:-1] = (group[1:] != group[:-1]) | (value[1:] != value[:-1])
    ends = np.flatnonzero(last_of_run) + 1
    run_end = ends[np.cumsum(last_of_run) - last_of_run]
    return Windows(order.astype(np.int64, copy=False), group, value, low, high, run_end, starts)


def _extremes(group: IntArray, value: IntArray, n_groups: int, present: IntArray) -> tuple[IntArray, IntArray]:
    """Smallest and largest value of each group; 0 where it has none."""
    smallest, largest = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    smallest[present], largest[present] = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    np.minimum.at(smallest, group, value)
    np.maximum.at(largest, group, value)
    return smallest, largest


def _blocks(room: IntArray, present: IntArray) -> list[tuple[int, int]]:
    """Ranges of groups whose stretch of the axis stays within the limit: one block for any real log."""
    if not len(present):
        return []
    # In floats, because the exact sum is what might overflow; half the limit leaves room for the rounding.
    block = (np.cumsum(room[present], dtype=np.float64) // (_AXIS_LIMIT / 2)).astype(np.int64)
    edges = np.flatnonzero(np.diff(block)) + 1
    firsts = present[np.concatenate(([0], edges))]
    lasts = present[np.concatenate((edges, [len(present)])) - 1]
    return [(int(first), int(last)) for first, last in zip(firsts, lasts, strict=True)]


def estimate_prior(windows: Windows, kept: BoolArray, advantage: float, conventions: Conventions) -> PriorKnowledge:
    """Prior guessing probability and value range of every kept event. O(n)."""
    kept_row = kept[windows.order]
    kept_before = np.concatenate(([0], np.cumsum(kept_row)))
    kept_rows = np.flatnonzero(kept_row)
    size = np.diff(kept_before[windows.group_start])
    present = np.flatnonzero(size)
    minimum_row = np.zeros(len(size), dtype=np.int64)
    maximum_row = np.zeros(len(size), dtype=np.int64)
    minimum_row[present] = kept_rows[kept_before[windows.group_start[present]]]
    maximum_row[present] = kept_rows[kept_before[windows.group_start[present + 1]] - 1]
    facts = GroupFacts(size, windows.value[minimum_row], windows.value[maximum_row])

    group = windows.group
    low = windows.low
    if conventions.prior == "clamped-cdf":
        # The lower term never falls below F(min), so the mass at the minimum is always subtracted (not for starts).
        clamped = np.maximum(low, windows.run_end[minimum_row][group])
        low = np.where(group == START_GROUP, low, clamped)
    in_window = np.maximum(kept_before[windows.high] - kept_before[low], 0)
    prior = facts.prior(in_window, group, advantage)
    value_range = facts.value_range(conventions)

    by_event = PriorKnowledge(np.empty(len(group)), np.empty(len(group), dtype=np.int64))
    by_event.prior[windows.order] = np.where(kept_row, prior, np.nan)
    by_event.value_range[windows.order] = np.where(kept_row, value_range[group], 0)
    return by_event
