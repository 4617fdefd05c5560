"""The log, brought within the public facts: the last thing that is done to it before it meets noise.

Every step is a function of one case by itself (or, for truncation, of one individual's cases by themselves), so one
replaced case of the log is at most one replaced, added or removed case here, and sensitivities carry over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from amun_dp._base.arrays import BoolArray, IntArray, offsets_of
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.public_facts import PublicFacts, public_codes
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Sequences, match, words_of

if TYPE_CHECKING:
    import pyarrow as pa


_PART = 1 << 17
"""Events of a part, about: few enough that what is computed on the way from cases to sums stays in the cache."""
_MOST_PARTS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Cases that are measured: none is empty, all labels and times are public ones."""

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


def variant_of(cases: Cases) -> pa.LargeBinaryArray:
    """The activities of each case as a byte string."""
    return words_of(cases.flow, cases.activities)


@dataclass(frozen=True, slots=True, eq=False)
class TimedCases:
    """All cases, and which of them may be measured any further."""

    cases: Cases
    counted: BoolArray | None
    """None: all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class OfVariants:
    """Marks the cases of these variants. Whether a case is one of them depends on that case and on what was
    released."""

    variants: Sequences | None
    """None: whatever variant it has, a case counts."""

    def __call__(self, cases: Cases) -> TimedCases:
        if self.variants is None:
            return TimedCases(cases, None)
        return TimedCases(cases, match(cases.flow, self.variants, cases.activities) >= 0)


def prepare(log: EventLog, facts: PublicFacts, choices: CertifiedChoices) -> Cases:
    """Truncate individuals, then bring every case within the public facts."""
    (cases,) = _parts(log, facts, choices, max(1, log.n_events))
    return cases


def prepare_parts(log: EventLog, facts: PublicFacts, choices: CertifiedChoices) -> tuple[Cases, ...]:
    """The same in parts, at least one. What is done once a part, whatever is in it, must not outweigh what is done with
    its events: so there are not many parts, and none is shorter than what its cases are looked up in (public variants)
    or sorted into (pairs of activities), but for what is left at the end."""
    variants = 0 if facts.variants is None else len(facts.variants.activity)
    pairs = (len(facts.activities) + 1) ** 2
    return tuple(_parts(log, facts, choices, max(_PART, log.n_events // _MOST_PARTS, variants, pairs)))


def _parts(log: EventLog, facts: PublicFacts, choices: CertifiedChoices, events: int) -> Iterator[Cases]:
    kept = None if choices.individuals is None else first_cases(log, choices.individuals)
    codes = public_codes(log.activities, facts.activities)
    firsts = np.unique(np.searchsorted(log.offsets, np.arange(0, max(1, log.n_events), events), side="right") - 1)
    for first, last in pairwise([*firsts.tolist(), log.n_cases]):
        rows = slice(log.offsets[first], log.offsets[last])
        cases = Sequences(codes[log.activity[rows]], log.offsets[first : last + 1] - log.offsets[first])
        yield within_facts(cases, log.time[rows], facts, choices, None if kept is None else kept[first:last])


def within_facts(
    cases: Sequences, time: IntArray, facts: PublicFacts, choices: CertifiedChoices, kept: BoolArray | None = None
) -> Cases:
    """Drop events with labels that are not public (code -1), clamp times into the public time frame. Of the cases only
    those that are ``kept``; None: all.

    A case without a public label is left out. Under ``threshold`` so is a case with any other label: without that
    event it would be a variant that the log may not have (R1).
    """
    public = cases.activity >= 0
    case = np.repeat(np.arange(cases.count), cases.lengths)
    kept_case = np.ones(cases.count, dtype=np.bool_) if kept is None else kept.copy()
    if choices.variants == "threshold":
        kept_case[case[~public]] = False
    chosen = public & kept_case[case]
    lengths = np.bincount(case[chosen], minlength=cases.count)
    flow = Sequences(cases.activity[chosen], offsets_of(lengths[lengths > 0]))
    return Cases(flow, np.clip(time[chosen], facts.first, facts.last), len(facts.activities))


def first_cases(log: EventLog, most: int) -> BoolArray:
    """Marks so many cases of each individual, at most: the first in the order of the input.

    Not by name: traces without one, or with the same, are told apart by numbers that depend on other people's. (Names
    decide between cases of a table whose sequence numbers are the same; those are its own.) Not by start: no change of
    a time may change which cases count, so that control flow stays blind to times.
    """
    position = np.minimum.reduceat(log.sequence, log.offsets[:-1])
    order = np.lexsort((position, log.individuals))
    grouped = log.individuals[order]
    rank = np.arange(len(grouped)) - np.searchsorted(grouped, grouped)
    marked = np.zeros(log.n_cases, dtype=np.bool_)
    marked[order[rank < most]] = True
    return marked
