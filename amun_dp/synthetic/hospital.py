"""The example log: an emergency department, invented."""

from __future__ import annotations

from datetime import date

import numpy as np

from amun_dp._base.arrays import offsets_of
from amun_dp._base.units import MINUTE, SECOND
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.synthetic.play import Process, case_starts, play

# Letter: label, median duration in minutes, spread of its logarithm.
_EMERGENCY = {
    "R": ("Register", 6, 0.4),
    "T": ("Triage", 25, 0.7),
    "B": ("Blood test", 50, 0.4),
    "X": ("X-ray", 35, 0.5),
    "S": ("CT scan", 70, 0.5),
    "C": ("Consultation", 20, 0.5),
    "E": ("Specialist consultation", 45, 0.6),
    "H": ("Treat", 40, 0.7),
    "O": ("Observe", 5 * 60, 0.4),
    "I": ("Transfer to intensive care", 2 * 24 * 60, 0.6),
    "W": ("Admit to ward", 3 * 24 * 60, 0.7),
    "D": ("Discharge", 5, 0.1),
}
# Ways through the department, with how common they are …
_COMMON = {
    "RTCHD": 60,
    "RTCD": 36,
    "RTBCHD": 30,
    "RTXCHD": 28,
    "RTBCD": 18,
    "RTCXCHD": 16,
    "RTBXCHD": 14,
    "RTBCHWD": 12,
    "RTCBCHOD": 10,
    "RTBSEHWD": 8,
    "RTXCD": 7,
    "RTBCOCD": 6,
    "RTCEHD": 5,
    "RTBSEWD": 4,
    "RTHBCWD": 3,
    "RTXEHWD": 3,
}
# … and ways that one patient went: in a log published as it is, these single people out.
_UNIQUE = ("RHISEWD", "RTBBSECHIWD", "RTD", "RTCXSEHOWD", "RTBCOBCOBCD")


def hospital_log(cases: int = 300, seed: int = 7) -> EventLog:
    """A small log of an emergency department, spring 2024; with 21 cases or more it has 21 variants."""
    if cases < 1:
        raise ParameterError(f"cases is {cases}; it must be at least 1.")
    if seed < 0:
        raise ParameterError(f"seed is {seed}; it must not be negative.")
    rng = np.random.default_rng(seed)
    paths = (*_COMMON, *_UNIQUE)
    weights = np.array(list(_COMMON.values()), dtype=np.float64)
    counts = (np.arange(len(paths)) < cases).astype(np.int64)
    counts[: len(_COMMON)] += rng.multinomial(max(0, cases - len(paths)), weights / weights.sum())

    code = {letter: number for number, letter in enumerate(_EMERGENCY)}
    flow = np.array([code[letter] for path in paths for letter in path], dtype=np.int64)
    offsets = offsets_of(np.array([len(path) for path in paths], dtype=np.int64))
    labels, minutes, spreads = zip(*_EMERGENCY.values(), strict=True)
    starts = case_starts(date(2024, 3, 1), 90, cases, rng)
    medians = np.array(minutes, dtype=np.float64) * MINUTE
    process = Process(flow, offsets, counts, np.array(labels, dtype=object), medians, np.array(spreads))
    return play(process, starts, SECOND, rng)
