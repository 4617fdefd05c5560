"""The figures that the pages draw, computed from one log as columns: linear in its events, and no loop over them.

Whether they may be published depends on the log: those of a released log may, those of the original are confidential.
``figures_of`` does not know which it is given; ``amun_dp.report.page`` takes a ``PublicLog`` or its ``PublicFigures``
and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp._base.units import DAY, HOUR, MINUTE, SECOND, YEAR
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.eventlog.variants import find_variants

DURATION_EDGES: tuple[int, ...] = (
    *(number * SECOND for number in (1, 3, 10, 30)),
    *(number * MINUTE for number in (1, 3, 10, 30)),
    *(number * HOUR for number in (1, 3, 10)),
    *(number * DAY for number in (1, 3, 10, 30, 100)),
    *(number * YEAR for number in (1, 3, 10, 30, 100)),
)
"""Upper ends of the duration bins (milliseconds), about evenly spaced on a log scale and all of them round. Fixed,
so that two logs share them and they say nothing about a log. Before them a bin for zero, after them one without end."""

_BIN_WIDTHS: tuple[int, ...] = (
    1,
    *(number * SECOND for number in (1, 5, 15)),
    *(number * MINUTE for number in (1, 5, 15, 30)),
    *(number * HOUR for number in (1, 3, 6, 12)),
    *(number * DAY for number in (1, 2, 7, 14, 28, 91, 182)),
    *(YEAR << doubling for doubling in range(24)),
)
"""Widths of the time bins: those that a person has a word for."""
MOST_BINS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Follows:
    """The directly-follows graph: one row an edge, ordered by source and target."""

    source: IntArray
    target: IntArray
    count: IntArray
    starts: IntArray
    """How many cases start with each activity."""
    ends: IntArray
    """How many cases end with each activity."""


@dataclass(frozen=True, slots=True, eq=False)
class ActiveCases:
    """How many cases have begun and not yet ended, bin by bin. A case counts in every bin that it touches."""

    start: int
    """Begin of the first bin (milliseconds since the epoch); a whole multiple of the width."""
    width: int
    cases: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class LogFigures:
    """Figures of one log."""

    cases: int
    events: int
    variants: int
    activities: tuple[str, ...]
    activity_events: IntArray
    """Events of each activity."""
    follows: Follows
    durations: IntArray
    """Cases by time from first to last event: zero, then up to each of ``DURATION_EDGES``, then longer ones."""
    active: ActiveCases
    first_time: int
    last_time: int


def figures_of(log: EventLog, span: tuple[int, int] | None = None) -> LogFigures:
    """The figures of a log. ``span`` (first and last time) sets the time bins, so that two logs can share them."""
    lasts = log.time[log.offsets[1:] - 1]
    first_time = int(log.starts.min()) if log.n_cases else 0
    last_time = int(lasts.max()) if log.n_cases else 0
    return LogFigures(
        cases=log.n_cases,
        events=log.n_events,
        variants=find_variants(log).count,
        activities=log.activities,
        activity_events=np.bincount(log.activity, minlength=len(log.activities)),
        follows=_follows(log),
        durations=_durations(lasts - log.starts),
        active=_active(log.starts, lasts, *(span or (first_time, last_time))),
        first_time=first_time,
        last_time=last_time,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PublicFigures(LogFigures):
    """Figures of a released log: the only kind that a public page takes. Made by ``public_figures`` and by adding."""


def public_figures(log: PublicLog, span: tuple[int, int] | None = None) -> PublicFigures:
    """The figures of a released log, or of some of its cases (then with the ``span`` of the whole log)."""
    found = figures_of(log, span)
    return PublicFigures(**{field.name: getattr(found, field.name) for field in fields(LogFigures)})


_Figures = TypeVar("_Figures", bound=LogFigures)


def added_figures(parts: Iterable[_Figures], variants: int) -> _Figures:
    """The figures of a log from those of its parts, all with the same span: sums, but for the variants, which are
    given because parts may share them. Public figures and others are never added."""
    first, *others = parts
    for part in others:
        first = _added(first, part)
    return replace(first, variants=variants)


def _added(one: _Figures, other: _Figures) -> _Figures:
    if type(one) is not type(other):  # a sum with a confidential part would pass for public
        raise TypeError("public figures and figures that are not are never added.")
    labels = tuple(sorted({*one.activities, *other.activities}))
    place = {label: number for number, label in enumerate(labels)}
    size = len(labels)
    activity_events, starts, ends = (np.zeros(size, dtype=np.int64) for _ in range(3))
    keys, counts = [], []
    for part in (one, other):
        code = np.array([place[label] for label in part.activities], dtype=np.int64)
        activity_events[code] += part.activity_events
        starts[code] += part.follows.starts
        ends[code] += part.follows.ends
        keys.append(code[part.follows.source] * size + code[part.follows.target])
        counts.append(part.follows.count)
    edges, which = np.unique(np.concatenate(keys), return_inverse=True)
    count = np.zeros(len(edges), dtype=np.int64)
    np.add.at(count, which, np.concatenate(counts))
    return replace(
        one,
        cases=one.cases + other.cases,
        events=one.events + other.events,
        variants=0,
        activities=labels,
        activity_events=activity_events,
        follows=Follows(edges // max(size, 1), edges % max(size, 1), count, starts, ends),
        durations=one.durations + other.durations,
        active=replace(one.active, cases=one.active.cases + other.active.cases),
        first_time=min(one.first_time, other.first_time),
        last_time=max(one.last_time, other.last_time),
    )


def _follows(log: EventLog) -> Follows:
    n = len(log.activities)
    within = ~log.first_of_case[1:]
    keys = log.activity[:-1][within] * n + log.activity[1:][within]
    edges, counts = np.unique(keys, return_counts=True)
    return Follows(
        source=edges // max(n, 1),
        target=edges % max(n, 1),
        count=counts.astype(np.int64, copy=False),
        starts=np.bincount(log.activity[log.offsets[:-1]], minlength=n),
        ends=np.bincount(log.activity[log.offsets[1:] - 1], minlength=n),
    )


def _durations(durations: IntArray) -> IntArray:
    # Bin 0 is zero alone; an edge belongs to the bin that it ends.
    edges = np.array((0, *DURATION_EDGES), dtype=np.int64)
    return np.bincount(np.searchsorted(edges, durations, side="left"), minlength=len(edges) + 1)


def _active(starts: IntArray, ends: IntArray, first: int, last: int) -> ActiveCases:
    width = bin_width(first, last)
    origin = first // width * width
    n = (last - origin) // width + 1
    # One more where a case begins, one less in the bin after the one where it ends.
    begun = np.bincount(np.clip((starts - origin) // width, 0, n), minlength=n + 1)
    ended = np.bincount(np.clip((ends - origin) // width + 1, 0, n), minlength=n + 1)
    return ActiveCases(start=origin, width=width, cases=np.cumsum(begun - ended)[:n])


def bin_width(first: int, last: int) -> int:
    """The smallest width that a person has a word for and that needs no more than ``MOST_BINS`` bins."""
    return next(width for width in _BIN_WIDTHS if last // width - first // width < MOST_BINS)
