"""What is in a log, and how exposed its people are. Nothing is released; every figure is confidential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from accounting.confidential import Confidential
from amun_dp._base.arrays import IntArray
from amun_dp._base.progress import Progress, silent
from amun_dp._base.units import DAY
from amun_dp.article.conventions import Conventions, conventions_named
from amun_dp.article.step1_annotation import annotate
from amun_dp.article.step2_prior import find_windows
from amun_dp.article.step3_filtering import filter_cases
from amun_dp.eventlog.cases_per_individual import CasesPerIndividual, cases_per_individual
from amun_dp.eventlog.log import EventLog
from amun_dp.reading.as_event_log import LogLike, as_event_log

if TYPE_CHECKING:
    pass

ADVANTAGES = (0.1, 0.2, 0.3, 0.4, 0.5)
KNOWN_EVENTS = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Exposure:
    """How many cases an attacker can single out by knowing the first events of a case. Confidential."""

    known_events: int
    """How many events the attacker knows, from the beginning of the case (all of them, if it has fewer)."""
    by_activities: int
    """Cases that are singled out by the activities of these events."""
    by_activities_and_days: int
    """Cases that are singled out by the activities of these events and the day of each."""


@dataclass(frozen=True, slots=True)
class FilteringPreview:
    """What the method ``filtering`` would remove at one advantage. Confidential."""

    advantage: float
    filtered_cases: int
    """Cases that would be removed."""
    lost_variants: int
    """Variants that would lose all their cases."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What ``inspect`` found in a log. Every figure describes the original: none of it may be published."""

    cases: int
    events: int
    activities: int
    variants: int
    """Distinct sequences of activities."""
    states: int
    transitions: int
    """Transitions of the article's automaton (DAFSA); ``states`` counts its states."""
    shortest_case: int
    median_case: float
    longest_case: int
    """Events of the longest case; ``shortest_case`` and ``median_case`` count events, too."""
    first_time: str
    last_time: str
    """Time of the last event, as text in UTC; ``first_time`` is that of the first."""
    cases_with_own_variant: int
    """Cases whose sequence of activities no other case has."""
    cases_alone_on_start_day: int
    """Cases that start on a day on which no other case starts."""
    exposure: tuple[Exposure, ...]
    """Cases that can be singled out, for several numbers of known events."""
    filtering: tuple[FilteringPreview, ...]
    """What ``filtering`` would remove, for several advantages."""
    individuals: CasesPerIndividual | None
    """Cases per person; None where no column names them."""


def inspect(
    log: LogLike, conventions: str | Conventions = "corrected", *, progress: Progress = silent
) -> Confidential[Inspection]:
    """Look at a log: its size, how many cases are one of a kind, what each advantage would filter, and, if the log was
    read with ``individual``, how many cases people have.

    Returns an ``Inspection`` wrapped as confidential: its figures are exact and have no noise. Nothing is published, so
    no budget is spent. ``conventions`` say how priors are estimated for filtering (``corrected``, ``article``, or a
    ``Conventions``); ``progress`` is called with the name of each step. Raises ``InputError`` if the log cannot be
    read, ``ParameterError`` for unknown conventions.
    """
    events = as_event_log(log)
    rules = conventions_named(conventions)
    progress("building the automaton")
    annotated = annotate(events)
    variants = annotated.dafsa.variants
    of_variant = variants.cases()
    progress("looking for cases that are one of a kind")
    exposure = tuple(_exposure(events, known) for known in KNOWN_EVENTS)
    progress("trying advantages")
    windows = find_windows(annotated, rules)
    previews = []
    for advantage in ADVANTAGES:
        kept = filter_cases(annotated, windows, advantage, rules).kept_case
        left = np.count_nonzero(variants.cases(kept.astype(np.int64)))
        previews.append(FilteringPreview(advantage, int(np.count_nonzero(~kept)), int(variants.count - left)))
    return Confidential(
        Inspection(
            cases=events.n_cases,
            events=events.n_events,
            activities=len(events.activities),
            variants=variants.count,
            states=annotated.dafsa.n_states,
            transitions=annotated.dafsa.n_transitions,
            shortest_case=int(events.lengths.min()),
            median_case=float(np.median(events.lengths)),
            longest_case=int(events.lengths.max()),
            first_time=_as_text(int(events.time.min())),
            last_time=_as_text(int(events.time.max())),
            cases_with_own_variant=int(np.count_nonzero(of_variant == 1)),
            cases_alone_on_start_day=_alone(events.starts // DAY),
            exposure=exposure,
            filtering=tuple(previews),
            individuals=cases_per_individual(events),
        )
    )


def _exposure(log: EventLog, known: int) -> Exposure:
    """Cases that no other case resembles in its first ``known`` events (all of them, if it has fewer)."""
    activities = np.zeros(log.n_cases, dtype=np.int64)
    with_days = np.zeros(log.n_cases, dtype=np.int64)
    days = log.time // DAY
    for position in range(known):
        reaches = log.lengths > position
        row = np.where(reaches, log.offsets[:-1] + position, 0)
        label = np.where(reaches, log.activity[row], -1)  # an ended case differs from one that goes on
        activities = _intern(activities, label)
        with_days = _intern(_intern(with_days, label), np.where(reaches, days[row], -1))
    return Exposure(known, _alone(activities), _alone(with_days))


def _intern(left: IntArray, right: IntArray) -> IntArray:
    """A code for each distinct pair of codes."""
    right = np.unique(right, return_inverse=True)[1]
    pair = left * (int(right.max(initial=0)) + 1) + right
    codes: IntArray = np.unique(pair, return_inverse=True)[1].astype(np.int64, copy=False)
    return codes


def _alone(codes: IntArray) -> int:
    """How many entries have a code that no other entry has."""
    return int(np.count_nonzero(np.unique(codes, return_counts=True)[1] == 1))


def _as_text(milliseconds: int) -> str:
    return str(np.datetime64(milliseconds, "ms")) + "Z"
