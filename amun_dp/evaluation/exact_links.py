"""What a release has of the original's times to the millisecond: the linkage attack in its simplest form.

It needs neither the noise nor who is who, so it can be played against any release, also somebody else's. The attacker
has the original log. A released case is *linked* if exactly one original case has the same activities with the same
times between them; equal times by chance are possible where a log knows days only, and rare where it knows
milliseconds. A step is *unchanged* if some original step between the same activities took exactly as long.

Cases are told apart by two 64-bit sums of mixed numbers. Two that differ could be taken for equal; were the mixing
random, with probability 2⁻¹²⁸.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from amun_dp._base.arrays import BoolArray, IntArray
from amun_dp.evaluation.distances import Steps
from amun_dp.eventlog.log import EventLog

_Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class ExactLinks:
    """Shares of what could be attacked: cases and steps with some time between events. None where there is nothing."""

    steps_unchanged: float | None
    cases_linked: float | None


def exact_links(original: EventLog, released: EventLog, steps: Steps) -> ExactLinks:
    """``steps`` are those of the two logs; linear but for sorting."""
    before, after = (
        np.stack((_mixed(edge, 1) ^ _mixed(gap, 2), _mixed(edge, 3) + _mixed(gap, 5)), axis=1)
        for edge, gap in zip(steps.edge, steps.gap, strict=True)
    )
    timed = steps.gap[1] > 0
    known = _found(after[timed], np.unique(before[steps.gap[0] > 0], axis=0))
    theirs, _ = _of_cases(original, before, steps.gap[0])
    ours, attackable = _of_cases(released, after, steps.gap[1])
    single, times = np.unique(theirs, axis=0, return_counts=True)
    linked = _found(ours[attackable], single[times == 1])
    return ExactLinks(_share(known), _share(linked))


def _of_cases(log: EventLog, of_step: _Words, gap: IntArray) -> tuple[_Words, BoolArray]:
    """One row for each case with two events at least, and whether any time passes in it."""
    lengths = log.lengths - 1
    inside = lengths > 0
    bounds = np.cumsum(np.concatenate(([0], lengths[inside])))[:-1]
    place = np.arange(len(gap)) - np.repeat(bounds, lengths[inside])
    rows = np.stack([_mixed(of_step[:, side].view(np.int64) + place, 7 + side) for side in (0, 1)], axis=1)
    if not len(bounds):
        return np.zeros((0, 2), dtype=np.uint64), np.zeros(0, dtype=np.bool_)
    return np.add.reduceat(rows, bounds, axis=0), np.add.reduceat(gap, bounds) > 0


def _found(rows: _Words, among: _Words) -> BoolArray:
    """Which rows are among the others (distinct ones)."""
    both, code = np.unique(np.concatenate((among, rows)), axis=0, return_inverse=True)
    there = np.zeros(len(both), dtype=np.bool_)
    code = code.reshape(-1)
    there[code[: len(among)]] = True
    found: BoolArray = there[code[len(among) :]]
    return found


def _mixed(values: IntArray, salt: int) -> _Words:
    """Numbers of 64 bits in which every bit depends on all of the value (splitmix64's finaliser)."""
    word = values.astype(np.uint64) + np.uint64(salt * 0x9E3779B97F4A7C15 % 2**64)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: _Words = word ^ (word >> np.uint64(31))
    return mixed


def _share(found: BoolArray) -> float | None:
    return float(found.mean()) if len(found) else None
