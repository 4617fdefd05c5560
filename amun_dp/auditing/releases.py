"""What many runs of a mechanism released, as columns: one row per event, cases of one run together, runs in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray, offsets_of
from amun_dp.auditing.goals import Goal
from amun_dp.eventlog.log import EventLog


@dataclass(frozen=True, slots=True, eq=False)
class Releases:
    """Released logs of ``runs`` independent runs. A run that released nothing has no cases."""

    runs: int
    run: IntArray
    """Run of each released case, not decreasing."""
    offsets: IntArray
    """Events of released case c are rows offsets[c] … offsets[c+1]-1."""
    activity: IntArray
    """Activity of each released event, as an index into ``activities``."""
    time: IntArray
    """Milliseconds since 1970-01-01 UTC, of each released event."""
    activities: tuple[str, ...]
    """Labels of the activities, sorted."""
    inside: Mapping[Goal, FloatArray] = field(default_factory=dict)
    """Scores of what a release does not show but a claim is about: by goal, one score per run."""

    @property
    def cases(self) -> IntArray:
        """Number of released cases of each run."""
        return np.bincount(self.run, minlength=self.runs)

    def with_labels(self, labels: tuple[str, ...]) -> Releases:
        """The same releases over a sorted alphabet that holds these labels, too."""
        wanted = tuple(sorted({*labels, *self.activities}))
        if wanted == self.activities:
            return self
        code = {label: number for number, label in enumerate(wanted)}
        recode = np.array([code[label] for label in self.activities], dtype=np.int64)
        return replace(self, activity=recode[self.activity], activities=wanted)


def releases_of(logs: Sequence[EventLog | None]) -> Releases:
    """Collect the logs that single runs released, one log per run; None stands for a run that released nothing."""
    activities = tuple(sorted({label for log in logs if log is not None for label in log.activities}))
    code = {label: number for number, label in enumerate(activities)}
    made = [(number, log) for number, log in enumerate(logs) if log is not None and log.n_cases]
    empty = np.empty(0, dtype=np.int64)
    return Releases(
        runs=len(logs),
        run=np.repeat([number for number, _ in made], [log.n_cases for _, log in made]).astype(np.int64),
        offsets=offsets_of(np.concatenate([empty, *(log.lengths for _, log in made)])),
        activity=np.concatenate(
            [
                empty,
                *(np.array([code[label] for label in log.activities], dtype=np.int64)[log.activity] for _, log in made),
            ]
        ),
        time=np.concatenate([empty, *(log.time for _, log in made)]),
        activities=activities,
    )
