"""Step 1: annotate every event with its DAFSA transition and its relative time (Def. 6 of the article)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import BoolArray, IntArray, ragged_positions
from amun_dp.article.dafsa import Dafsa, build_dafsa
from amun_dp.eventlog.log import EventLog, once_per_log
from amun_dp.eventlog.variants import find_variants

START_GROUP = 0
"""All first events form one group, whatever their activity: the group of case starts."""


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedLog:
    """A log whose events know their transition, relative time and group (columns parallel to the log's)."""

    log: EventLog
    dafsa: Dafsa
    transition: IntArray
    relative_time: IntArray
    """First events: offset from the first start of the log. Others: time since the predecessor. Milliseconds."""
    group: IntArray
    """0 for first events, 1 + transition for the others: events whose relative times are compared."""

    @property
    def n_groups(self) -> int:
        return self.dafsa.n_transitions + 1

    @property
    def is_start(self) -> BoolArray:
        return np.equal(self.group, START_GROUP)


def annotate(log: EventLog, origin: int | None = None) -> AnnotatedLog:
    """Build the minimal DAFSA of the log and annotate its events. Starts are counted from the log's first one, or from
    ``origin`` where that is a fact from elsewhere."""
    dafsa = _automaton(log)
    transition = transitions_of(dafsa, dafsa.variants.of_case, log.lengths)
    return AnnotatedLog(
        log=log,
        dafsa=dafsa,
        transition=transition,
        relative_time=relative_times(log.time, log.offsets, int(log.starts.min()) if origin is None else origin),
        group=groups_of(transition, log.offsets),
    )


@once_per_log
def _automaton(log: EventLog) -> Dafsa:
    """It depends on no parameter: plans for several advantages share it."""
    return build_dafsa(find_variants(log))


def transitions_of(dafsa: Dafsa, variant: IntArray, lengths: IntArray) -> IntArray:
    """The transitions of cases one after the other, given the variant of each."""
    return dafsa.path[ragged_positions(dafsa.variants.offsets[variant], lengths)]


def groups_of(transition: IntArray, offsets: IntArray) -> IntArray:
    """The group of each event; cases begin at ``offsets``."""
    group = transition + 1
    group[offsets[:-1]] = START_GROUP
    return group


def relative_times(time: IntArray, offsets: IntArray, origin: int) -> IntArray:
    """Time since the predecessor; for a first event, since ``origin``, the first start of the log or a public fact
    (then a start before it counts as at it). Cases begin at ``offsets``.

    The article's text says "successor", its tables (and appendix A.6) use the predecessor.
    """
    firsts = offsets[:-1]
    result = np.diff(time, prepend=time[:1])
    result[firsts] = np.maximum(time[firsts] - origin, 0)
    return result
