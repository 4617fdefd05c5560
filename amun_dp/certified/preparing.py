"""The log, brought within the public facts: the last thing that is done to it before it meets noise.

Every step is a function of one case by itself (or, for truncation, of one individual's cases by themselves), so one
replaced case of the log is at most one replaced, added or removed case here, and sensitivities carry over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.facts import PublicFacts, public_codes
from amun_dp.certified.sequences import Sequences, offsets_of
from amun_dp.eventlog import BoolArray, EventLog, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The cases that are measured: none is empty, all labels and times are public ones."""

    flow: Sequences
    time: IntArray
    """Milliseconds since 1970, within the public time frame, not decreasing within a case."""
    activities: int
    """Size of the public alphabet."""

    @property
    def count(self) -> int:
        return self.flow.count

    @property
    def starts(self) -> IntArray:
        return self.time[self.flow.offsets[:-1]]


def prepare(log: EventLog, facts: PublicFacts, choices: CertifiedChoices) -> Cases:
    """Truncate individuals, drop events with labels that are not public, clamp times into the public time frame.

    A case without a public label is left out. Under ``threshold`` so is a case with any other label: without that
    event it would be a variant that the log may not have (R1).
    """
    code = public_codes(log, facts.activities)[log.activity]
    public = code >= 0
    kept_case = np.ones(log.n_cases, dtype=np.bool_)
    if choices.individuals is not None:
        kept_case &= first_cases(log, choices.individuals)
    if choices.variants == "threshold":
        kept_case[log.case[~public]] = False
    kept = public & kept_case[log.case]
    lengths = np.bincount(log.case[kept], minlength=log.n_cases)
    flow = Sequences(code[kept], offsets_of(lengths[lengths > 0]))
    return Cases(flow, np.clip(log.time[kept], facts.first, facts.last), len(facts.activities))


def first_cases(log: EventLog, most: int) -> BoolArray:
    """Marks so many cases of each individual, at most: the first in the order of the input.

    Not by name: traces without one, or with the same, are told apart by numbers that depend on other people's. Not by
    start: no change of a time may change which cases count, so that control flow stays blind to times.
    """
    position = np.minimum.reduceat(log.sequence, log.offsets[:-1])
    order = np.lexsort((position, log.individuals))
    grouped = log.individuals[order]
    rank = np.arange(len(grouped)) - np.searchsorted(grouped, grouped)
    marked = np.zeros(log.n_cases, dtype=np.bool_)
    marked[order[rank < most]] = True
    return marked
