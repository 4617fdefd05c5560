"""The variants of two logs and how often each occurs: their stochastic languages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp.certified.sequences import Sequences, distinct
from amun_dp.eventlog import EventLog, IntArray


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


def languages_of(original: EventLog, released: EventLog) -> Languages:
    """Linear in the events, plus a sort of the variants."""
    labels = sorted({*original.activities, *released.activities})
    code = {label: number for number, label in enumerate(labels)}
    shared = [np.array([code[name] for name in log.activities], dtype=np.int64) for log in (original, released)]
    activity = np.concatenate([codes[log.activity] for codes, log in zip(shared, (original, released), strict=True)])
    cases = Sequences(activity, np.concatenate((original.offsets, original.n_events + released.offsets[1:])))
    variants, of_case = distinct(cases, len(labels))
    before, after = (
        np.bincount(of_case[part], minlength=variants.count)
        for part in (slice(original.n_cases), slice(original.n_cases, None))
    )
    return Languages(tuple(labels), variants, before, after)
