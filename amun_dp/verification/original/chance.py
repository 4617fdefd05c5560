"""How much chance explains: tail bounds that hold for every size of log, so that no alarm is due to a small sample."""

from __future__ import annotations

import math

import numpy as np

from accounting.algebra import laplace_tail
from amun_dp._base.arrays import BoolArray, FloatArray

FALSE_ALARM = 1e-9
"""Largest probability with which a statistical check fails a release that is in order. There are five such checks; one
that makes several tests divides it among them."""


def most_by_chance(probabilities: FloatArray, false_alarm: float = FALSE_ALARM) -> int:
    """The largest number of independent events that may occur without an alarm.

    P(S ≥ k) ≤ exp(-n·KL(k/n ‖ p)) for a sum of n independent indicators with mean probability p (Hoeffding 1963,
    also where the probabilities differ). The result is the largest k for which that exceeds ``false_alarm``.
    """
    n = len(probabilities)
    if n == 0:
        return 0
    mean = min(1.0, float(probabilities.mean()))
    limit = -math.log(false_alarm)
    low, high = math.floor(n * mean), n
    if mean == 0.0:
        return 0
    while low < high:  # the divergence rises above the mean
        middle = (low + high + 1) // 2
        if n * _divergence(middle / n, mean) < limit:
            low = middle
        else:
            high = middle - 1
    return low


def improbability(happened: BoolArray, probabilities: FloatArray) -> float:
    """Of rare independent events some happened: a bound on the probability of that, or of something as strange.

    An event weighs the more the rarer it is: T = Σ ln(1 + w/(n·pᵢ)) over those that happened. E[exp T] ≤ exp(w), so
    by Markov's inequality exp(w - T) is below a with probability at most a. Any w that is fixed beforehand will do;
    this one is about the best for events of equal probability.
    """
    weight = 1 + math.sqrt(-2 * float(probabilities.sum()) * math.log(FALSE_ALARM))
    with np.errstate(divide="ignore"):  # what cannot happen by chance weighs infinitely
        told = np.log1p(weight / (len(probabilities) * probabilities[happened])).sum()
    return math.exp(min(0.0, weight - float(told)))  # first the smaller: the weight of a large log is beyond exp


def _divergence(x: float, p: float) -> float:
    """Of two coins, in nats."""
    first = x * math.log(x / p) if x > 0 else 0.0
    second = (1 - x) * math.log((1 - x) / (1 - p)) if x < 1 and p < 1 else 0.0
    return first + second


def ratio(scale: FloatArray) -> FloatArray:
    """q of discrete Laplace noise of each scale."""
    result: FloatArray = np.exp(-1.0 / scale)
    return result


def chance_of_none(scale: FloatArray) -> FloatArray:
    """P(Z = 0)."""
    # (1-q)/(1+q), written so that it does not cancel where the scale is large.
    result: FloatArray = np.tanh(0.5 / scale)
    return result


def chance_between(scale: FloatArray, below: FloatArray, above: FloatArray) -> FloatArray:
    """P(-below ≤ Z ≤ above) for whole numbers that are not negative."""
    q = ratio(scale)
    result: FloatArray = 1.0 - laplace_tail(q, below + 1) - laplace_tail(q, above + 1)
    return np.clip(result, 0.0, 1.0)


def chance_of_fold(scale: FloatArray, value: FloatArray, reach: FloatArray, width: float) -> FloatArray:
    """P(|fold(x + Z) - x| ≤ reach) at most, for x in [0, width] and reflection into that interval.

    The y that are folded near x lie around x and around -x, and 2·width apart from there on: two in every period, of
    which all but the one around x are tails of the noise that form a geometric series.
    """
    low, high = np.maximum(value - reach, 0.0), np.minimum(value + reach, width)
    q, periods = ratio(scale), -np.expm1(-2.0 * width / scale)

    def beyond(first: FloatArray, last: FloatArray) -> FloatArray:
        """Σ P(first ≤ Z - 2k·width ≤ last) over k ≥ 0, for 0 ≤ first ≤ last."""
        result: FloatArray = np.exp(-first / scale) * -np.expm1(-(last - first + 1.0) / scale) / ((1.0 + q) * periods)
        return result

    around = chance_between(scale, value - low, high - value)
    others = (
        beyond(low - value + 2 * width, high - value + 2 * width)
        + beyond(value - high + 2 * width, value - low + 2 * width)
        + beyond(value + low, value + high)
        + beyond(2 * width - high - value, 2 * width - low - value)
    )
    return np.minimum(1.0, around + others)


def chance_of_range(scale: FloatArray, first: FloatArray, last: FloatArray) -> FloatArray:
    """P(first ≤ Z ≤ last) at most, for whole numbers 0 ≤ first ≤ last."""
    # As many values as there are, each at most as likely as the first; or the whole tail.
    tail = np.exp(-first / scale)
    return np.minimum((last - first + 1) * chance_of_none(scale), 1.0) * tail


def balance_limit(bits: int, false_alarm: float = FALSE_ALARM) -> float:
    """How far the number of ones among fair independent bits may be from half of them (Hoeffding)."""
    return math.sqrt(bits * math.log(2 / false_alarm) / 2)
