"""What is taken as public: given from outside the log, or read off it, rounded outward, and named as such.

Noise, cells, budgets and branches of a certified release depend on these facts, on the choices and on noisy outputs
only. A log that does not fit them is no error: ``preparing`` drops and clamps, case by case.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from amun_dp._base.arrays import IntArray, offsets_of
from amun_dp._base.units import DAY, EARLIEST, LATEST
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Sequences, distinct, find_variants

_UNWRITABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")
MOST_CASES = 10**8
"""Of a public number of cases; beyond it memory ends before the release does."""
LARGEST_TIME = 1 << 52
"""Milliseconds from 1970 (140,000 years): differences of two such times are exact in floating point, too."""


@dataclass(frozen=True, slots=True)
class GivenFacts:
    """What is known from outside the log; None is not given. Times and durations in milliseconds."""

    activities: tuple[str, ...] | None = None
    """All labels that there can be."""
    first: int | None = None
    """No event is earlier."""
    last: int | None = None
    """No event is later."""
    longest: int | None = None
    """No case takes longer."""
    cases: int | None = None
    """Number of cases."""
    individuals: int | None = None
    """Number of individuals; it sets the default of δ and nothing else."""
    variants: tuple[tuple[str, ...], ...] | None = None
    """All sequences of activities that there can be."""
    from_log: bool = False
    """Declared: they were read off the log that is released. They then count as taken from it, as its own would."""
    log: EventLog | None = field(default=None, compare=False, repr=False)
    """The log that they were read from, if it was one: it is compared with the log that is released."""

    def __post_init__(self) -> None:
        for name in ("cases", "individuals"):
            number = getattr(self, name)
            if number is not None and not 1 <= number <= MOST_CASES:
                raise ParameterError(f"A public number of {name} lies between 1 and {MOST_CASES:,}.")
        if self.activities is not None and not self.activities:
            raise ParameterError("A public set of activities has at least one.")
        if self.variants is not None and (not self.variants or not all(self.variants)):
            raise ParameterError("A public set of variants has at least one, and none of them is empty.")
        if self.variants is not None and self.activities is not None:
            unknown = {label for variant in self.variants for label in variant} - set(self.activities)
            if unknown:
                raise ParameterError(f"The public variants have {len(unknown)} labels that no public activity has.")
        if any(time is not None and not EARLIEST <= time <= LATEST for time in (self.first, self.last)):
            raise ParameterError("A public time frame lies in the years 1 to 9999: no other can be written.")
        if any(_UNWRITABLE.search(label) or not label for label in self.labels or ()):
            raise ParameterError("Some public label is empty or has a character that no released log can hold.")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise ParameterError("The public time frame ends before it begins.")
        if self.longest is not None and self.longest < 1:
            raise ParameterError("The public longest duration is positive.")

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The given activities, or else those of the given variants."""
        if self.activities is None and self.variants is not None:
            return tuple(sorted({label for variant in self.variants for label in variant}))
        return None if self.activities is None else tuple(sorted(set(self.activities)))


@dataclass(frozen=True, slots=True, eq=False)
class PublicFacts:
    """What everybody may know, apart from what is measured with noise."""

    activities: tuple[str, ...]
    """The alphabet, sorted. Under ``threshold`` nothing but the coding depends on it, and it need not be public."""
    first: int
    """No released event is earlier (milliseconds since 1970)."""
    last: int
    """No released event is later."""
    longest: int
    """No released case lasts longer (milliseconds, at least 1); the width of the time frame if nothing is given."""
    cases: int | None
    """N. None where the unit is an individual: the number of cases is then measured with noise."""
    individuals: int | None
    """How many individuals there are, if that was given; it sets the default of δ and nothing else."""
    variants: Sequences | None
    """The public variants as codes of ``activities``, where the choice is to have them public."""
    from_log: frozenset[str]
    """Which of them nobody gave, or gave as the log's own: the accountant's words for them ("labels", …)."""
    given: frozenset[str]
    """Which of them were given and bear on the release."""

    @property
    def width(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """All that facts can be read off a log from."""

    activities: tuple[str, ...]
    """Labels that occur, sorted."""
    first: int
    """Time of the first event (milliseconds since 1970)."""
    last: int
    """Time of the last event."""
    cases: int
    variants: Callable[[], Sequences]
    """The distinct variants, as codes of ``activities``; found when they are asked for."""


def outline_of(log: EventLog) -> Outline:
    first, last = (int(log.time.min()), int(log.time.max())) if log.n_events else (0, 0)
    return Outline(log.activities, first, last, log.n_cases, lambda: find_variants(log).sequences)


def public_facts(
    log: EventLog, given: GivenFacts | None = None, choices: CertifiedChoices | None = None
) -> PublicFacts:
    """What is given, and for the rest what the log says, rounded outward: its times to whole days (UTC).

    The longest duration is never taken from the log: not given, it is the width of the time frame.
    """
    return facts_from(outline_of(log), given or GivenFacts(), choices or CertifiedChoices())


def facts_from(log: Outline, given: GivenFacts, choices: CertifiedChoices) -> PublicFacts:
    """The same of a log of which no more than the outline is at hand."""
    activities = given.labels or log.activities
    first, last = _time_frame(log, given)
    longest = max(1, last - first if given.longest is None else min(given.longest, last - first))
    variants, outside = None, not given.from_log
    used = {"time frame": outside and given.first is not None and given.last is not None}
    if given.longest is not None:
        used["longest duration"] = outside
    if choices.individuals is None:
        used["number of cases"] = outside and given.cases is not None
    # An alphabet that was given leaves events out, and under a threshold cases: it bears on every form. (Of public
    # variants the labels are part of the variants, unless an alphabet of its own was given.)
    alphabet = given.activities if choices.variants == "public" else given.labels
    if choices.variants == "generated" or alphabet is not None:
        used["labels"] = outside and alphabet is not None
    if choices.variants == "threshold" and choices.individuals is not None and given.individuals is not None:
        used["number of individuals"] = outside  # it sets the default of δ, and with that the threshold
    if choices.variants == "public":
        used["variants"] = outside and given.variants is not None
        variants = _coded(given.variants, activities) if given.variants else _own_variants(log, activities)
    return PublicFacts(
        activities=activities,
        first=first,
        last=last,
        longest=longest,
        cases=None if choices.individuals is not None else given.cases or max(1, log.cases),
        individuals=given.individuals,
        variants=variants,
        from_log=frozenset(name for name, elsewhere in used.items() if not elsewhere),
        given=frozenset(name for name, elsewhere in used.items() if elsewhere),
    )


def public_codes(labels: tuple[str, ...], activities: tuple[str, ...]) -> IntArray:
    """The public code of each label of a log; -1 for one that is not public."""
    code = {label: number for number, label in enumerate(activities)}
    return np.array([code.get(label, -1) for label in labels], dtype=np.int64)


def _time_frame(log: Outline, given: GivenFacts) -> tuple[int, int]:
    earliest, latest = (min(max(time, EARLIEST), LATEST) // DAY * DAY for time in (log.first, log.last))
    first = given.first if given.first is not None else earliest
    last = given.last if given.last is not None else latest + DAY - 1
    # One of the two was given and the log lies beyond it: an empty frame would be an error that depends on the log.
    if given.first is None:
        first = min(first, last)
    return first, max(first, last)


def _coded(variants: tuple[tuple[str, ...], ...], activities: tuple[str, ...]) -> Sequences:
    code = {label: number for number, label in enumerate(activities)}
    codes = np.array([code[label] for variant in variants for label in variant], dtype=np.int64)
    lengths = np.array([len(variant) for variant in variants], dtype=np.int64)
    return distinct(Sequences(codes, offsets_of(lengths)), len(activities)).sequences


def _own_variants(log: Outline, activities: tuple[str, ...]) -> Sequences:
    """The variants of the log, but for those with a label that is not public: no new variant arises (R1)."""
    own = log.variants()
    coded = Sequences(public_codes(log.activities, activities)[own.activity], own.offsets)
    unknown = np.add.reduceat(coded.activity < 0, coded.offsets[:-1]) if own.count else np.zeros(0)
    whole = np.flatnonzero(unknown == 0)
    if not len(whole):  # an alphabet from elsewhere: any one label is as public as the alphabet
        return Sequences(np.zeros(1, dtype=np.int64), np.array([0, 1]))
    return distinct(coded.take(whole), len(activities)).sequences
