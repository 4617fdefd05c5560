"""What follows two activities, where the noisy flow shows that a pair is frequent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.events import PrivacyEvent
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.certified.cases import Cases
from amun_dp.certified.contributions import Added, Rows, kept_rows
from amun_dp.certified.estimators import COUNT_SPREAD, shrink
from amun_dp.certified.flow.walk import Model
from amun_dp.certified.flow.weighting import WeightedCases
from amun_dp.certified.population import Population
from amun_dp.mechanisms.histograms import UNITS, noisy_counts, not_taken
from amun_dp.noise.sources import NoiseSource

_CLEAR = 4
"""A pair is split off if its noisy flow is so many times the noise."""


@dataclass(frozen=True, slots=True, eq=False)
class _AfterPairs:
    """What follows each split pair, by weight. An event adds to one cell at most."""

    state_after: IntArray
    pairs: int
    """How many are split: their states are 1 … pairs."""
    weight: int

    def __call__(self, cases: WeightedCases) -> Added:
        state, following = _states(cases.cases, self.state_after)
        nodes, split = cases.cases.activities + 1, state <= self.pairs
        cell = (state[split] - 1) * nodes + following[split]
        return Added(
            self.pairs * nodes, (Rows(cell, cases.of_event[split], kept_rows(split, cases.cases.flow.offsets)),)
        )


def second_order(
    cases: Population[WeightedCases], flow: FloatArray, cap: int, epsilon: Fraction, source: NoiseSource
) -> tuple[Model, list[PrivacyEvent]]:
    """An activity after a frequent predecessor becomes a state of its own, with what follows it measured.

    Sensitivity: which pairs are split follows from the noisy flow. Each event adds its weight to one cell at most, so
    a case adds at most cap·UNITS: weight cap·UNITS. The result is fitted to the flow, so counts of pairs stay its.
    States: the start, the split pairs, then each activity after any other predecessor.
    """
    nodes = len(flow)
    activities = nodes - 1
    split = flow >= _CLEAR * float(2 * cap / epsilon)
    split[:, -1] = False
    pairs = np.flatnonzero(split.ravel())
    k = len(pairs)
    state_after = np.tile(1 + k + np.arange(nodes), (nodes, 1))
    state_after.ravel()[pairs] = 1 + np.arange(k)

    follows = flow[:-1] / np.maximum(flow[:-1].sum(axis=1, keepdims=True), 1e-12)
    others = np.where(split, 0.0, flow)[:, :-1].sum(axis=0)
    table, activity, total = others[:, None] * follows, np.arange(activities), others
    events: list[PrivacyEvent] = [] if k else [not_taken(cap * UNITS, epsilon, "control flow")]
    if k:
        tally = _AfterPairs(state_after, k, cap * UNITS)
        (after,) = cases.totals(tally)
        measured = noisy_counts(after, tally.weight, epsilon, "control flow", source)
        events.append(measured.event)
        middle, of_pair = pairs % nodes, flow.ravel()[pairs]
        prior = np.maximum(of_pair[:, None] * follows[middle], 1e-9).ravel()
        estimate, _ = shrink(measured.values / UNITS, measured.scale / UNITS, prior, COUNT_SPREAD)
        table = np.vstack((estimate.reshape(k, nodes), table))
        activity, total = np.append(middle, activity), np.append(of_pair, total)
    table = _fitted(np.maximum(table, 1e-9), activity, total, flow[:-1])
    return Model(np.vstack((flow[-1], table)), np.append(activities, activity), state_after), events


def _states(cases: Cases, state_after: IntArray) -> tuple[IntArray, IntArray]:
    """State and following node of every event."""
    flow, outside = cases.flow, cases.activities
    previous = np.append(outside, flow.activity[:-1])
    previous[flow.offsets[:-1]] = outside
    following = np.append(flow.activity[1:], outside)
    following[flow.offsets[1:] - 1] = outside
    return state_after[previous[: len(flow.activity)], flow.activity], following[: len(flow.activity)]


def _fitted(table: FloatArray, activity: IntArray, total: FloatArray, flow: FloatArray) -> FloatArray:
    """Iterative proportional fitting: each state is left as often as it is entered, and steps sum to the flow's."""
    for _ in range(40):
        table = table * (total / np.maximum(table.sum(axis=1), 1e-12))[:, None]
        summed = np.zeros_like(flow)
        np.add.at(summed, activity, table)
        table = table * (flow / np.maximum(summed, 1e-12))[activity]
    return table
