"""Durations of the steps of a released control flow, from a private model of each directly-follows pair.

Only pairs of the released control flow are measured, and only cases that count; other steps of a case are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.events import NoisyMax, PrivacyEvent
from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp.certified.cases import TimedCases
from amun_dp.certified.estimators import TIME_SPREAD, combine, shrink, to_total
from amun_dp.certified.flow.generated import public_offsets
from amun_dp.certified.population import Population
from amun_dp.certified.public_facts import PublicFacts
from amun_dp.certified.times.shapes import Shapes, bin_edges, drawn, tilted
from amun_dp.certified.times.steps import (
    BinsOfLog,
    BinsOfPairs,
    GrandTotal,
    InBins,
    InUnitsOf,
    LongCases,
    MeasuredSteps,
    OfPairs,
    PairTotals,
)
from amun_dp.certified.totals import Estimate, noisy_total
from amun_dp.eventlog.variants import Sequences
from amun_dp.mechanisms.histograms import UNITS, choice_not_made, noisy_choice, noisy_counts, not_taken
from amun_dp.noise.sources import NoiseSource

SHARES = {
    "cap on durations": Fraction(8, 100),
    "total durations": Fraction(80, 100),
    "durations of the log": Fraction(6, 100),
    "durations of pairs": Fraction(6, 100),
}
_GRAND = Fraction(15, 100)
"""Of the share of totals, for the grand total, once there are so many pairs that summing theirs is worse."""
_MANY_PAIRS = 64
_CAPS = 24
_CAP_FACTOR, _CAP_TAIL, _CAP_KNOWN = 4, 20, 0.8
_TOTAL_WORTH_MEASURING = 0.01
_SHAPE_WORTH_MEASURING = 0.25
"""Pairs whose total, or whose steps, are expected below this share of the noise are not measured: no outcome would lift
them out of it. Decided by the released control flow."""
_LOG_SPREAD = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class _Released:
    """The steps that need a duration."""

    pairs: IntArray
    """Codes of the distinct pairs."""
    pair: IntArray
    """Index of the pair of each step."""
    count: FloatArray
    """Steps of each pair."""


def durations(
    cases: Population[TimedCases],
    flow: Sequences,
    facts: PublicFacts,
    number: Estimate,
    epsilon: Fraction,
    source: NoiseSource,
) -> tuple[IntArray, list[PrivacyEvent]]:
    """Milliseconds from the event before, for each event of the released flow (0 for the first of a case).

    1. The cap D on what a case adds, a noisy choice: scores in ranks, a case moves each by at most 1.
    2. Total duration of each pair, of all pairs if there are many. A case longer than D is scaled down to D; in units
       of D/UNITS, rounded down, it adds at most UNITS: weight UNITS each.
    3. Histograms of durations over public bins, of the log and of pairs. Each of the m steps of a case weighs
       UNITS/m, rounded down: weight UNITS each.
    """
    gaps, longest = np.zeros(len(flow.activity), dtype=np.int64), facts.longest
    released = _released_steps(flow, len(facts.activities))
    share = {part: epsilon * of for part, of in SHARES.items()}
    if not len(released.pairs):
        choice = choice_not_made(LongCases.weight, share.pop("cap on durations"), "times")
        return gaps, [choice, *(not_taken(UNITS, whole, "times") for whole in share.values())]
    measured = cases.each(OfPairs(released.pairs, longest))
    cap, chosen = duration_cap(measured, flow.count, longest, share["cap on durations"], source)
    total, totalled = _totals(measured, released, cap, longest, flow.count, number, share["total durations"], source)
    shapes, shaped = _shapes(measured, released, flow, longest, share, source)
    shapes = tilted(shapes, np.minimum(total / released.count, cap), cap)
    gaps[flow.later] = drawn(shapes, released.pair, total, cap, source)
    return gaps, [chosen, *totalled, *shaped]


def _released_steps(flow: Sequences, activities: int) -> _Released:
    steps = flow.pairs(activities)
    pairs = np.unique(steps)
    pair = np.searchsorted(pairs, steps).astype(np.int64, copy=False)  # faster than the inverse, which sorts rows
    return _Released(pairs, pair, np.bincount(pair, minlength=len(pairs)).astype(np.float64))


def duration_cap(
    measured: Population[MeasuredSteps], number: int, longest: int, epsilon: Fraction, source: NoiseSource
) -> tuple[int, NoisyMax]:
    """D such that one case in 20 lasts longer than D/4, among longest/2^(j/2).

    The score is minus the distance in ranks from that goal. The public base measure is mostly around longest/2, where
    it should be if few cases say anything else.
    """
    caps = (longest / 2.0 ** (np.arange(_CAPS) / 2)).astype(np.int64) + 1
    tally = LongCases((caps // _CAP_FACTOR)[::-1])  # caps decrease
    (cells,) = measured.totals(tally)
    above = np.cumsum(cells[::-1])[:-1]
    near = np.exp(-3 * np.abs(np.log(2 * caps / longest)))
    base = np.log(_CAP_KNOWN * near / near.sum() + (1 - _CAP_KNOWN) / _CAPS)
    scores = -np.abs(above - round(number / _CAP_TAIL)).astype(np.int64)
    index, event = noisy_choice(scores, public_offsets(base, epsilon), tally.weight, epsilon, "times", source)
    return int(caps[index]), event


def _totals(
    measured: Population[MeasuredSteps],
    released: _Released,
    cap: int,
    longest: int,
    cases: int,
    number: Estimate,
    epsilon: Fraction,
    source: NoiseSource,
) -> tuple[FloatArray, list[PrivacyEvent]]:
    """Total duration (ms) of the released steps of each pair: posterior medians around count times mean."""
    pairs = len(released.pairs)
    many = pairs >= _MANY_PAIRS
    epsilon_of_pairs = epsilon * (1 - _GRAND) if many else epsilon
    worth = _worth_measuring(released.count, cases, epsilon_of_pairs) if many else np.ones(pairs, dtype=np.bool_)
    of_pair, of_all = PairTotals(pairs), GrandTotal()
    found, *grand_total = measured.each(InUnitsOf(cap, longest)).totals(of_pair, *([of_all] if many else []))
    sums = noisy_counts(found[worth], of_pair.weight, epsilon_of_pairs, "times", source)
    unit = cap / UNITS
    scale = sums.scale * unit
    noisy = np.zeros(pairs)
    noisy[worth] = sums.values * unit
    grand, variance = float(noisy.sum()), 2.0 * max(1, int(worth.sum())) * scale**2
    events: list[PrivacyEvent] = [sums.event]
    if many:
        total, event = noisy_total(grand_total[0], of_all.weight, number, epsilon * _GRAND, "times", source)
        both, left = combine(
            np.array([grand]),
            np.array([variance]),
            np.array([total.value * unit]),
            np.array([total.variance * unit**2]),
        )
        grand, variance = float(both[0]), float(left[0])
        events.append(event)
    steps = released.count.sum()
    expected = released.count / steps * max(grand, scale / 5)
    most = float(cap * steps / max(grand, scale / 5))
    estimate, left = shrink(noisy, scale, expected, TIME_SPREAD, most=most, median=True)
    if many:
        known = left.sum() / (left.sum() + variance)
        estimate = to_total(estimate, left + 1e-9, estimate.sum() + (grand - estimate.sum()) * known)
    return np.clip(estimate, 0.0, released.count * cap), events


def _worth_measuring(count: FloatArray, cases: int, epsilon: Fraction) -> BoolArray:
    """A pair with a share s of the steps is expected to have s · cases units of weight at most, in noise of 2/ε."""
    result: BoolArray = count / count.sum() * cases >= _TOTAL_WORTH_MEASURING * float(2 / epsilon)
    return result


def _shapes(
    measured: Population[MeasuredSteps],
    released: _Released,
    flow: Sequences,
    longest: int,
    share: dict[str, Fraction],
    source: NoiseSource,
) -> tuple[Shapes, list[PrivacyEvent]]:
    """How the durations of each pair are spread over the bins: each pair's shrunk towards the whole log's."""
    edges = bin_edges(longest)
    bins, pairs = len(edges) - 1, len(released.pairs)
    # What the released cases would add by the same rule: how much of each pair's own shape is to be seen.
    steps = flow.steps_of_each
    mass = np.bincount(released.pair, np.repeat(1.0 / np.maximum(steps, 1), steps), pairs)
    worth = mass >= _SHAPE_WORTH_MEASURING * float(2 / share["durations of pairs"])
    of_log, of_pairs = BinsOfLog(bins), BinsOfPairs(bins, np.where(worth, np.cumsum(worth) - 1, -1))
    of_bin, *of_pair = measured.each(InBins(edges)).totals(of_log, *([of_pairs] if worth.any() else []))

    log = noisy_counts(of_bin, of_log.weight, share["durations of the log"], "times", source)
    whole, _ = shrink(log.values / UNITS, log.scale / UNITS, flow.count / bins, _LOG_SPREAD)
    whole /= whole.sum()
    prior = mass[:, None] * whole + 1e-9
    events: list[PrivacyEvent] = [log.event]
    if worth.any():
        found = noisy_counts(of_pair[0], of_pairs.weight, share["durations of pairs"], "times", source)
        estimate, _ = shrink(found.values / UNITS, found.scale / UNITS, prior[worth].ravel(), TIME_SPREAD)
        prior[worth] = estimate.reshape(-1, bins)
        events.append(found.event)
    else:
        events.append(not_taken(UNITS, share["durations of pairs"], "times"))
    return Shapes(edges, prior), events
