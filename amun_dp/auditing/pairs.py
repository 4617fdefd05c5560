"""Neighbouring logs: what an attacker tries to tell apart, and how a log is changed into its neighbour.

A pair knows who the victim is and from which log each side takes its public facts. Held fixed, both take them from the
left one; derived again, each from its own, which shows what reading facts off a log costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from accounting.guarantee import Relation
from amun_dp._base.arrays import IntArray, ragged_positions
from amun_dp.auditing.statistics import Side
from amun_dp.eventlog.case_lists import CaseEvents
from amun_dp.eventlog.log import EventLog, build_event_log


class Kind(Enum):
    """What a pair probes."""

    CASE = "a case, of variants that both logs have"
    OWN_VARIANT = "a variant that one log alone has"
    FILTER = "a case that decides whether others are filtered"
    GROUPS = "a case that decides how others are grouped"
    TIME = "one duration"


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two neighbouring logs and the victim in each: its cases by number, none where it is absent."""

    name: str
    """Short, for tables."""
    says: str
    """What differs, in words."""
    left: EventLog
    """The one log, from which both sides take public facts unless ``rederived``."""
    right: EventLog
    """Its neighbour."""
    relation: Relation
    """How the two logs are neighbours."""
    kind: Kind
    """What the pair probes."""
    victim: tuple[int | None, int | None]
    """One case of the victim in each log."""
    place: int | None = None
    """Event of the victim whose relative time differs, where only that does."""
    everything: bool = False
    """Whether as much as possible of the victim differs: variant, start and durations."""
    worst_case: bool = False
    """Whether the logs were made up for this and do not come from the given one."""
    individuals: bool = False
    """Whether all cases of an individual differ, not just one case."""
    rederived: bool = False
    """Whether each side takes public facts from its own log."""

    def log(self, side: Side) -> EventLog:
        """The log of a side: 0 is left, 1 is right."""
        return self.left if side == 0 else self.right

    def public(self, side: Side) -> EventLog:
        """The log from which this side takes what is public."""
        return self.log(side) if self.rederived else self.left

    def path(self, side: Side) -> tuple[str, ...] | None:
        """What the victim did; None where it is absent."""
        log, case = self.log(side), self.victim[side]
        if case is None:
            return None
        return tuple(log.activities[code] for code in log.activity[log.offsets[case] : log.offsets[case + 1]])

    def duration(self, side: Side) -> int:
        """The relative time that differs (milliseconds)."""
        log, case = self.log(side), self.victim[side]
        assert case is not None
        assert self.place is not None
        row = int(log.offsets[case]) + self.place
        return int(log.time[row] - log.time[row - 1])

    @property
    def activities(self) -> tuple[str, ...]:
        """All labels of both logs."""
        return tuple(sorted({*self.left.activities, *self.right.activities}))

    def with_rederived_facts(self) -> Pair:
        """The same logs, with each side's public facts taken from its own."""
        return replace(self, name=f"{self.name}, facts of each log", rederived=True)


def without(log: EventLog, case: int) -> EventLog:
    """The log without one case."""
    kept = np.flatnonzero(np.arange(log.n_cases) != case)
    return _with_cases(log, kept, [])


def with_case(log: EventLog, events: CaseEvents) -> EventLog:
    """The log with one case more, the last one."""
    return _with_cases(log, np.arange(log.n_cases), [events])


def replaced(log: EventLog, changes: dict[int, CaseEvents]) -> EventLog:
    """The log with the events of some cases replaced; the cases keep their place, name and individual."""
    return _with_cases(log, np.arange(log.n_cases), [], changes)


def _with_cases(
    log: EventLog, kept: IntArray, more: Sequence[CaseEvents], changes: dict[int, CaseEvents] | None = None
) -> EventLog:
    changes = changes or {}
    same = np.array([case for case in kept.tolist() if case not in changes], dtype=np.int64)
    place = np.full(log.n_cases, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    rows = ragged_positions(log.offsets[same], log.lengths[same])
    new = [(int(place[case]), events) for case, events in changes.items()]
    new += [(len(kept) + number, events) for number, events in enumerate(more)]
    labels = sorted({*log.activities, *(label for _, events in new for label, _ in events)})
    code = {label: number for number, label in enumerate(labels)}
    old_code = np.array([code[label] for label in log.activities], dtype=np.int64)
    case = [place[log.case[rows]], *(np.full(len(events), number) for number, events in new)]
    activity = [old_code[log.activity[rows]], *(np.array([code[label] for label, _ in events]) for _, events in new)]
    time = [log.time[rows], *(np.array([at for _, at in events], dtype=np.int64) for _, events in new)]
    # Positions in the input decide ties and which cases of an individual count: a case keeps the place that it had.
    first = np.minimum.reduceat(log.sequence, log.offsets[:-1])
    after = int(log.sequence.max(initial=-1)) + 1
    stride = max((len(events) for _, events in new), default=0) + 1
    sequence = [log.sequence[rows] * stride]
    for number, events in new:
        begin = int(first[kept[number]]) if number < len(kept) else after + number
        sequence.append(begin * stride + np.arange(len(events)))
    names = [*log.case_names[kept].tolist(), *(f"added {number}" for number in range(len(more)))]
    individual = None
    if log.individual is not None:
        newest = int(log.individual.max(initial=-1)) + 1
        individual = np.concatenate((log.individual[kept], newest + np.arange(len(more)))).astype(np.int64)
    return build_event_log(
        case=np.concatenate(case).astype(np.int64),
        case_names=np.array(names, dtype=object),
        activity=np.concatenate(activity).astype(np.int64),
        labels=np.array(labels, dtype=object),
        time=np.concatenate(time).astype(np.int64),
        sequence=np.concatenate(sequence).astype(np.int64),
        individual=individual,
        facts=log.facts,
    )
