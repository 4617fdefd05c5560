"""Control flow from a private model over the public alphabet: a noisy directly-follows graph, balanced and walked.

Pure, and no variant is assumed public; but the released variants are the model's own (no R1). The *node* with the
number of activities as its code is the start of a case where steps leave it and its end where they enter it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.events import NoisyMax, PrivacyEvent
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.certified.cases import Cases
from amun_dp.certified.contributions import Added, Rows
from amun_dp.certified.estimators import COUNT_SPREAD, shrink
from amun_dp.certified.flow.released import LARGEST_RELEASE, Flow
from amun_dp.certified.flow.second_order import second_order
from amun_dp.certified.flow.walk import Model, first_order, walk
from amun_dp.certified.flow.weighting import WeightedBySteps, WeightedCases
from amun_dp.certified.population import Population
from amun_dp.certified.totals import Estimate, added_and_left, noisy_total
from amun_dp.mechanisms.histograms import UNITS, noisy_choice, noisy_counts
from amun_dp.noise.sources import NoiseSource

SIZES = np.unique(np.rint(2.0 ** (np.arange(4, 49) / 4)).astype(np.int64))
"""Public candidates for the steps of a case that count in full: 2 … 4096."""
_LONGER = 1000
"""About so many of the longest cases count in part, or half of all cases if these are fewer."""
_WORTH_MEASURING = 4e-3
"""Cells expected below this share of the noise are not measured: no outcome would lift them out of it."""


def shares(number: int, activities: int) -> dict[str, Fraction]:
    """Of the ε of control flow. What follows two activities is worth measuring only for many cases."""
    if number >= 100 * (activities + 1) ** 2:
        percent = {"length of cases": 5, "number of steps": 5, "activities": 5, "steps": 70, "second order": 15}
    else:
        percent = {"length of cases": 5, "number of steps": 10, "activities": 15, "steps": 70}
    return {part: Fraction(share, 100) for part, share in percent.items()}


@dataclass(frozen=True, slots=True)
class _Lengths:
    """Cases by their steps, the last cell for more than the largest size. A case is in one cell."""

    weight = 1

    def __call__(self, cases: Cases) -> Added:
        return Added(len(SIZES) + 1, (Rows(np.searchsorted(SIZES, cases.flow.lengths + 1)),))


@dataclass(frozen=True, slots=True)
class _StepTotal:
    """Steps of all cases, of which at most ``weight`` of one case count."""

    weight: int

    def __call__(self, cases: WeightedCases) -> Added:
        return added_and_left(np.minimum(cases.cases.flow.lengths + 1, self.weight), self.weight)


@dataclass(frozen=True, slots=True)
class _Activities:
    """Events of each activity, by weight."""

    weight: int

    def __call__(self, cases: WeightedCases) -> Added:
        flow = cases.cases.flow
        return Added(cases.cases.activities, (Rows(flow.activity, cases.of_event, flow.offsets),))


@dataclass(frozen=True, slots=True)
class _Steps:
    """Steps from each node to each, by weight."""

    weight: int

    def __call__(self, cases: WeightedCases) -> Added:
        from_start, from_events = _step_cells(cases.cases)
        return Added(
            (cases.cases.activities + 1) ** 2,
            (Rows(from_start, cases.of_case), Rows(from_events, cases.of_event, cases.cases.flow.offsets)),
        )


def generated_flow(
    cases: Population[Cases], activities: int, number: Estimate, epsilon: Fraction, source: NoiseSource
) -> Flow:
    """So many cases walk through a private model.

    A case of n events has m = n + 1 steps, with start and end. Sensitivities:
    1. the cap L, a noisy choice among public sizes: scores in ranks, a case moves each by at most 1;
    2. the number of steps, at most 2·L a case: weight 2·L;
    3. activities, 4. steps, 5. steps after two activities: each step weighs min(1, L/m), rounded down to whole units,
       so a case adds at most L·UNITS to each table: weight L·UNITS.
    The rest is post-processing: steps are shrunk towards what the activities suggest and balanced (what enters an
    activity leaves it).
    """
    whole, nodes = number.whole, activities + 1
    share = {part: epsilon * of for part, of in shares(whole, activities).items()}
    cap, chosen = step_cap(cases, whole, share["length of cases"], source)
    weighted = cases.each(WeightedBySteps(cap))
    tallies = _StepTotal(2 * cap), _Activities(cap * UNITS), _Steps(cap * UNITS)
    step_total, of_activity, of_step = weighted.totals(*tallies)
    total, counted = noisy_total(
        step_total, tallies[0].weight, number, share["number of steps"], "control flow", source
    )
    steps = _plausible_steps(total, whole, cap)

    occurred = noisy_counts(of_activity, tallies[1].weight, share["activities"], "control flow", source)
    mass = min(steps - whole, whole * (cap - 1.0))
    visits, _ = shrink(occurred.values / UNITS, occurred.scale / UNITS, mass / activities, COUNT_SPREAD)
    through = np.append(visits * (mass / visits.sum()), whole)
    prior = np.maximum(np.outer(through, through) / through.sum(), 1e-9).ravel()

    worth = prior >= _WORTH_MEASURING * float(2 * cap / share["steps"])
    measured = noisy_counts(of_step[worth], tallies[2].weight, share["steps"], "control flow", source)
    noisy = np.zeros(nodes**2)
    noisy[worth] = measured.values / UNITS
    estimate, _ = shrink(noisy, measured.scale / UNITS, prior, COUNT_SPREAD)
    flow = _balanced(_scaled(estimate.reshape(nodes, nodes), whole, steps), whole)

    events: list[PrivacyEvent] = [chosen, counted, occurred.event, measured.event]
    model: Model = first_order(flow)
    if "second order" in share:
        model, more = second_order(weighted, flow, cap, share["second order"], source)
        events += more
    return Flow(walk(model, whole, source), tuple(events))


def step_cap(cases: Population[Cases], number: int, epsilon: Fraction, source: NoiseSource) -> tuple[int, NoisyMax]:
    """How many steps of a case count in full: about 1000 cases, or half of them, are longer.

    The score of a size is minus the distance in ranks from that goal. Smaller sizes are preferred a little: the base
    measure 1/size of the exponential mechanism, which this is with Laplace noise.
    """
    tally = _Lengths()
    (lengths,) = cases.totals(tally)
    up_to = np.cumsum(lengths)[:-1]
    below = np.concatenate(([0], up_to[:-1]))
    goal = number - min(_LONGER, number // 2)
    scores = -np.maximum(0, np.maximum(below - goal, goal - up_to)).astype(np.int64)
    offsets = public_offsets(-np.log(SIZES), epsilon)
    index, event = noisy_choice(scores, offsets, tally.weight, epsilon, "control flow", source)
    return int(SIZES[index]), event


def public_offsets(log_base: FloatArray, epsilon: Fraction) -> IntArray:
    """What a public base measure adds to scores of sensitivity 1, in whole numbers."""
    offsets: IntArray = np.rint(np.clip(log_base * float(2 / epsilon), -1e15, 1e15)).astype(np.int64)
    return offsets


def _plausible_steps(total: Estimate, number: int, cap: int) -> float:
    """At least two steps a case, and a few more where noise hides how many; at most 2·cap, and what memory holds."""
    least = 2.0 * number + min(0.2 * number, math.sqrt(total.variance))
    most = min(2.0 * cap * number, max(least, float(LARGEST_RELEASE)))
    return float(np.clip(total.value, least, max(least, most)))


def _step_cells(cases: Cases) -> tuple[IntArray, IntArray]:
    """Cell of every step: those from the start of a case, and those that follow each event."""
    flow, end = cases.flow, cases.activities
    firsts, lasts = flow.offsets[:-1], flow.offsets[1:] - 1
    following = np.append(flow.activity[1:], end)[: len(flow.activity)]
    following[lasts] = end
    return end * (end + 1) + flow.activity[firsts], flow.activity * (end + 1) + following


def _scaled(flow: FloatArray, number: int, steps: float) -> FloatArray:
    """So many starts, so many ends, the rest between activities; nothing from start to end: no case is empty."""
    flow = flow.copy()
    flow[-1, -1] = 0.0
    flow[-1] *= number / flow[-1].sum()
    flow[:-1, -1] *= number / flow[:-1, -1].sum()
    flow[:-1, :-1] *= (steps - 2 * number) / flow[:-1, :-1].sum()
    return flow


def _balanced(flow: FloatArray, number: int, rounds: int = 60) -> FloatArray:
    """Iterative proportional fitting: what enters an activity leaves it, and every case starts and ends."""
    through = (flow.sum(axis=0) + flow.sum(axis=1)) / 2
    through[-1] = number
    for _ in range(rounds):
        flow = flow * (through / np.maximum(flow.sum(axis=1), 1e-12))[:, None]
        flow = flow * (through / np.maximum(flow.sum(axis=0), 1e-12))[None, :]
    return flow
