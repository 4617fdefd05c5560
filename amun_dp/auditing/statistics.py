"""From how often an event was seen in runs on two neighbouring logs to a lower bound on ε.

An event is chosen on some runs and tested on others, so the choice costs nothing. Each frequency has a Clopper–Pearson
bound, which holds for every number of runs; a test uses two of them at half its level. The levels of all tests sum to
one minus the confidence (Bonferroni), so with that confidence *no* bound of an audit exceeds the truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray

Side = Literal[0, 1]
"""Which log of a pair."""
SIDES: tuple[Side, Side] = (0, 1)

_THRESHOLDS = 200
"""Ends of intervals between the tails; beside them every power of two in rank from either end."""
_VALUES = 50
"""Single values that are candidates: the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Event:
    """The score lies in [low, high]; more likely on the log it ``favours``."""

    low: float
    high: float
    favours: Side

    def seen(self, scores: FloatArray) -> int:
        return int(np.count_nonzero((scores >= self.low) & (scores <= self.high)))


@dataclass(frozen=True, slots=True)
class Bound:
    """How often the event was seen on the log that it favours and on the other, and what follows."""

    event: Event
    runs: int
    """Runs on each log that were kept for testing."""
    seen: int
    seen_on_other: int
    likely: float
    """With the given confidence, the event is at least this likely on the log that it favours."""
    unlikely: float
    """With the given confidence, the event is at most this likely on the other log."""
    epsilon_low: float


def lower_bound(seen: IntArray | int, runs: int, alpha: float) -> FloatArray:
    """Clopper–Pearson: a probability below this shows so many or more with probability at most alpha."""
    from scipy.special import betaincinv

    k = np.asarray(seen, dtype=np.float64)
    found: FloatArray = np.where(k > 0, betaincinv(np.maximum(k, 1), runs - k + 1, alpha), 0.0)
    return found


def upper_bound(seen: IntArray | int, runs: int, alpha: float) -> FloatArray:
    """Clopper–Pearson: a probability above this shows so few or fewer with probability at most alpha."""
    from scipy.special import betainccinv

    k = np.asarray(seen, dtype=np.float64)
    found: FloatArray = np.where(k < runs, betainccinv(k + 1, np.maximum(runs - k, 1), alpha), 1.0)
    return found


def epsilon_bound(
    seen: IntArray | int, seen_on_other: IntArray | int, runs: int, alpha: float, delta: float = 0.0
) -> FloatArray:
    """ln((p_low - δ)/q_high), not below 0: with confidence 1 - alpha no (ε, δ) with a smaller ε holds."""
    likely = lower_bound(seen, runs, alpha / 2) - delta
    with np.errstate(divide="ignore"):
        logarithm = np.log(np.maximum(likely, 0.0))
    found: FloatArray = np.maximum(logarithm - np.log(upper_bound(seen_on_other, runs, alpha / 2)), 0.0)
    return found


def choose_event(left: FloatArray, right: FloatArray, alpha: float, delta: float = 0.0) -> Event:
    """The interval and side with the largest bound on these runs, which must not be used for testing.

    Candidates are all scores from some value on, up to it, and single values that occur often.
    """
    low, high = _intervals(np.sort(np.concatenate((left, right))))
    counts = [_counts(np.sort(scores), low, high) for scores in (left, right)]
    runs = min(len(left), len(right))
    bounds = np.stack([epsilon_bound(counts[side], counts[1 - side], runs, alpha, delta) for side in (0, 1)])
    side, at = np.unravel_index(int(np.argmax(bounds)), bounds.shape)
    return Event(float(low[at]), float(high[at]), 0 if side == 0 else 1)


def _counts(ordered: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    inside = np.searchsorted(ordered, high, side="right") - np.searchsorted(ordered, low, side="left")
    return inside.astype(np.int64)


def _intervals(ordered: FloatArray) -> tuple[FloatArray, FloatArray]:
    n = len(ordered)
    middle = np.linspace(0, n - 1, _THRESHOLDS).astype(np.int64)
    ranks = 2 ** np.arange(int(math.log2(n)) + 1)
    ends = np.unique(ordered[np.unique(np.concatenate((middle, ranks - 1, n - ranks)))])
    values, times = np.unique(ordered, return_counts=True)
    single = values[np.argsort(-times, kind="stable")[:_VALUES]]
    endless = np.full(len(ends), np.inf)
    return np.concatenate((ends, -endless, single)), np.concatenate((endless, ends, single))


def bound_on(event: Event, left: FloatArray, right: FloatArray, alpha: float, delta: float = 0.0) -> Bound:
    """Count the event on runs that had no part in choosing it."""
    favoured, other = (left, right) if event.favours == 0 else (right, left)
    if len(left) != len(right):
        raise ValueError("both logs are run equally often")
    runs, seen, elsewhere = len(left), event.seen(favoured), event.seen(other)
    return Bound(
        event=event,
        runs=runs,
        seen=seen,
        seen_on_other=elsewhere,
        likely=float(lower_bound(seen, runs, alpha / 2)),
        unlikely=float(upper_bound(elsewhere, runs, alpha / 2)),
        epsilon_low=float(epsilon_bound(seen, elsewhere, runs, alpha, delta)),
    )


def largest_refutable(runs: int, alpha: float, delta: float = 0.0) -> float:
    """The bound of a test whose event is seen in every run on one log and in none on the other."""
    return float(epsilon_bound(runs, 0, runs, alpha, delta))


def chance_if_true(tested: Bound, claimed: float, delta: float = 0.0) -> float:
    """How likely counts as extreme as these are at most, in one test, if the claimed ε holds; 1 if it is not exceeded.

    The smallest level at which the bound still exceeds the claim, by bisection of its logarithm.
    """

    def exceeds(exponent: float) -> bool:
        bound = epsilon_bound(tested.seen, tested.seen_on_other, tested.runs, math.exp(exponent), delta)
        return bool(bound > claimed)

    high, low = 0.0, -690.0
    if not exceeds(high):
        return 1.0
    if exceeds(low):
        return math.exp(low)
    while high - low > 0.01:
        middle = (high + low) / 2
        high, low = (middle, low) if exceeds(middle) else (high, middle)
    return math.exp(high)


def advantage_at(prior: float, ratio: float) -> float:
    """By how much an output that is so many times likelier under one value raises a guess of that value."""
    return prior * ratio / (prior * ratio + 1 - prior) - prior
