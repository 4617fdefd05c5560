"""Small logs as lists of cases, each a list of events: for logs made by hand and for libraries that want them so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from amun_dp.eventlog.log import EventLog, build_event_log

CaseEvents = Sequence[tuple[str, int]]
"""Activities with their times in milliseconds, in order."""


def log_of_cases(cases: Sequence[CaseEvents], individuals: Sequence[int] | None = None) -> EventLog:
    """A log from scratch."""
    labels = sorted({activity for case in cases for activity, _ in case})
    code = {label: number for number, label in enumerate(labels)}
    rows = np.array(
        [(number, code[activity], time) for number, case in enumerate(cases) for activity, time in case], dtype=np.int64
    ).reshape(-1, 3)
    return build_event_log(
        case=rows[:, 0],
        case_names=np.array([str(number) for number in range(len(cases))], dtype=object),
        activity=rows[:, 1],
        labels=np.array(labels, dtype=object),
        time=rows[:, 2],
        sequence=np.arange(len(rows)),
        individual=None if individuals is None else np.array(individuals, dtype=np.int64),
    )


def events_of(log: EventLog, case: int) -> list[tuple[str, int]]:
    rows = slice(int(log.offsets[case]), int(log.offsets[case + 1]))
    return [
        (log.activities[code], time)
        for code, time in zip(log.activity[rows].tolist(), log.time[rows].tolist(), strict=True)
    ]


def cases_of(log: EventLog) -> list[CaseEvents]:
    return [events_of(log, case) for case in range(log.n_cases)]
