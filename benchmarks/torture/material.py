"""The log that is tortured: small, and every value of a row can be told from all other words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from amun_dp.eventlog.log import EventLog, build_event_log
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.writing import write_log

CASE, ACTIVITY = "Xq7case", "Zv3work"
"""How cases and activities are called. No word of a message contains either."""


def small_log(cases: int = 320) -> EventLog:
    """Few variants, each of many cases, so that every method has something to release."""
    log = generate_log(LogShape(cases=cases, variants=4, activities=6, mean_length=5, max_length=12, skew=0.2, seed=3))
    return build_event_log(
        case=log.case,
        activity=log.activity,
        time=log.time,
        sequence=log.sequence,
        case_names=np.array([f"{CASE}{number:05}" for number in range(log.n_cases)], dtype=object),
        labels=np.array([f"{ACTIVITY}{number}" for number in range(len(log.activities))], dtype=object),
    )


def write_small_log(path: Path) -> Path:
    write_log(small_log(), path)
    return path
