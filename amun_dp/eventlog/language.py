"""The variants of two logs and how often each occurs: their stochastic languages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Sequences, distinct, find_variants


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """The variants of one log as codes of its activities, each once, and how many cases have each."""

    activities: tuple[str, ...]
    variants: Sequences
    cases: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Languages:
    """Every variant of either log, with its cases in both."""

    activities: tuple[str, ...]
    variants: Sequences
    before: IntArray
    after: IntArray

    def labels(self, variant: int) -> tuple[str, ...]:
        start, end = self.variants.offsets[variant : variant + 2]
        return tuple(self.activities[code] for code in self.variants.activity[start:end].tolist())


def language_of(log: EventLog) -> Language:
    """The variants of a log, and how often each occurs."""
    found = find_variants(log)
    return Language(log.activities, found.sequences, found.cases())


def languages_of(original: EventLog, released: EventLog) -> Languages:
    """The variants of two logs."""
    return both_languages(language_of(original), language_of(released))


def both_languages(before: Language, after: Language) -> Languages:
    labels = sorted({*before.activities, *after.activities})
    code = {label: number for number, label in enumerate(labels)}
    both = (before, after)
    shared = [np.array([code[name] for name in each.activities], dtype=np.int64) for each in both]
    activity = np.concatenate([codes[each.variants.activity] for codes, each in zip(shared, both, strict=True)])
    ends = before.variants.offsets, len(before.variants.activity) + after.variants.offsets[1:]
    variants = distinct(Sequences(activity, np.concatenate(ends)), len(labels))
    first, second = np.split(variants.of_case, [before.variants.count])
    counts = np.zeros((2, variants.count), dtype=np.int64)
    counts[0, first], counts[1, second] = before.cases, after.cases
    return Languages(tuple(labels), variants.sequences, counts[0], counts[1])
