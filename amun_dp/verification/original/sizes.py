"""The size of the noise on times: whether they lie nearer to their original than noise of the recorded scale puts them.

Half the noise shows in how many times moved by at most half of their scale. Next to none, on few cases, shows in times
that moved by no more than a millisecond, a second or a minute where their noise is wider than that. Of the noised times
y that may stand behind a released one all must be near, so a time is counted only if its noise was really small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp._base.units import MINUTE, SECOND
from amun_dp.article.plan import Plan
from amun_dp.eventlog.log import PublicLog
from amun_dp.verification.checks import require
from amun_dp.verification.original.chance import (
    FALSE_ALARM,
    chance_between,
    chance_of_fold,
    improbability,
    most_by_chance,
)
from amun_dp.verification.original.gaps import Compression, Released, compression_of, released_times
from amun_dp.verification.original.original_checks import Origins

_WIDE = 4.0
"""By how much noise must be wider than a reach, for times within that reach to be few."""
_STARTS = 8.0
"""By how much the window into which starts are folded must be wider than the reach: beyond, all starts are near."""
_REACHES = {1: "1 ms", SECOND: "1 s", MINUTE: "1 min"}
_ALARM = FALSE_ALARM / (2 + len(_REACHES))
"""There are that many tests here."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """How far each relative time was moved."""

    value: IntArray
    """As it was."""
    scale: FloatArray
    released: Released
    how: Compression

    @property
    def folded(self) -> BoolArray:
        """Starts that were reflected into the window."""
        return self.released.first if self.how.folds else np.zeros(len(self.value), dtype=np.bool_)

    def near(self, reach: FloatArray) -> BoolArray:
        """Which times moved by at most that much for certain."""
        rounding = 0 if self.how.folds else 1
        lowest = self.released.value / self.how.most - rounding
        highest = (self.released.value + rounding) / self.how.least + rounding
        inside = (lowest >= self.value - reach) & (highest <= self.value + reach) & self.released.whole
        # A duration of 0 stands for all negative ones; a folded start of 0 is what it is.
        return inside & (self.folded | (self.released.value > 0))

    def chances(self, reach: FloatArray, rows: BoolArray) -> FloatArray:
        """With what probability at most each of these rows is near."""
        value, scale, far = self.value[rows].astype(np.float64), self.scale[rows], reach[rows]
        plain = chance_between(scale, np.minimum(value - 1, far), far)
        if not self.how.folds:
            return plain
        folded = chance_of_fold(scale, value, far, max(1.0, float(self.how.span)))
        return np.where(self.folded[rows], folded, plain)


def noise_size(log: PublicLog, plan: Plan, origins: Origins) -> str:
    """Neither durations nor starts moved less than the recorded scales make them."""
    how = compression_of(log, plan)
    moves = Moves(
        plan.annotated.relative_time[origins.row],
        origins.rows.noise.scale,
        released_times(log, plan.public, how),
        how,
    )
    starts = moves.released.first
    sentences = [_half(moves, ~starts, "durations"), _half(moves, starts, "starts"), *_nearest(moves)]
    return "; ".join(sentences) + f" (false alarm {FALSE_ALARM:g})"


def _half(moves: Moves, rows: BoolArray, what: str) -> str:
    """Those that moved by at most half of their scale; noise of half the scale shows nearly twice as many of them."""
    reach = moves.scale / 2
    if moves.how.folds:
        reach = np.where(moves.folded, np.minimum(reach, moves.how.span / _STARTS), reach)
    reach = np.floor(reach)
    trials = rows & (moves.value > 0) & (moves.scale >= _WIDE) & (reach >= 1)
    chances = moves.chances(reach, trials)
    found, most = int(np.count_nonzero(trials & moves.near(reach))), most_by_chance(chances, _ALARM)
    sentence = (
        f"{found:,} of {len(chances):,} {what} moved by at most half of their scale, and noise explains "
        f"{float(chances.sum()):,.0f} on average, up to {most:,}"
    )
    require(found <= most, sentence)
    return sentence


def _nearest(moves: Moves) -> list[str]:
    """Those that hardly moved at all, which may be few: the rarer, the more each weighs."""
    told = []
    for distance, name in _REACHES.items():
        reach = np.full(len(moves.value), float(distance))
        trials = (moves.value > 0) & (moves.scale >= _WIDE * distance)
        if moves.how.folds:
            trials &= ~moves.folded | (moves.how.span >= _STARTS * distance)
        chances, near = moves.chances(reach, trials), moves.near(reach)[trials]
        sentence = f"{np.count_nonzero(near):,} by at most {name}, and noise explains {float(chances.sum()):.2g}"
        require(
            improbability(near, chances) >= _ALARM,
            f"{np.count_nonzero(near):,} times moved by at most {name}, and noise explains {float(chances.sum()):.2g} "
            f"on average, and these with a probability below {FALSE_ALARM:g}",
        )
        told.append(sentence)
    return told
