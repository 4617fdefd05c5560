"""What filtering removed, and which transitions of the automaton were the cause. Confidential."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.article.planned_variants import PlannedVariants

TOP_CAUSES = 50


@dataclass(frozen=True, slots=True)
class Cause:
    """A transition of the automaton with events that could not be protected."""

    activity: str
    source: int
    target: int
    events: int
    """Events on it with P + A ≥ 1 when they were last looked at."""
    cases: int
    """Cases that have such an event there."""
    largest_prior: float


@dataclass(frozen=True, slots=True, eq=False)
class Removed:
    """What filtering removed, and why."""

    cases: int
    events: int
    activity_events: IntArray
    """Removed events of each activity of the original."""
    causes: tuple[Cause, ...]
    """The transitions with most such events, most first."""
    transitions: int
    """How many transitions have such events."""
    unprotectable: int
    """Such events on all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Culprits:
    """Transitions, ascending, with events of removed cases that had P + A ≥ 1 when they were last looked at."""

    transition: IntArray
    events: IntArray
    cases: IntArray
    """Cases with such an event there."""
    largest_prior: FloatArray


def removed_by_filtering(variants: PlannedVariants, culprits: Culprits) -> Removed:
    """What was removed, and why."""
    gone, dafsa = variants.removed, variants.dafsa

    def cause(each: int) -> Cause:
        transition = culprits.transition[each]
        return Cause(
            activity=variants.activities[dafsa.activity[transition]],
            source=int(dafsa.source[transition]),
            target=int(dafsa.target[transition]),
            events=int(culprits.events[each]),
            cases=int(culprits.cases[each]),
            largest_prior=float(culprits.largest_prior[each]),
        )

    most = np.argsort(-culprits.events, kind="stable")[:TOP_CAUSES]
    return Removed(
        cases=int(gone.sum()),
        events=variants.events(gone),
        activity_events=variants.events_by_activity(gone),
        causes=tuple(cause(each) for each in most.tolist()),
        transitions=len(culprits.transition),
        unprotectable=int(culprits.events.sum()),
    )
