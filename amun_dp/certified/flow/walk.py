"""Cases from a model of control flow: they walk through it together, and use every step once. Post-processing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray, offsets_of
from amun_dp._base.sorting import order_of_codes
from amun_dp.certified.estimators import rows_rounded_at_random
from amun_dp.eventlog.variants import Sequences
from amun_dp.noise.sources import NoiseSource, permutation, shuffled_groups


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """How often each node follows each state. State 0 is the start; the last node is the start and the end."""

    table: FloatArray
    """states × nodes."""
    node: IntArray
    """The node of each state."""
    state_after: IntArray
    """State of a case at a node (second index) after another node (first index)."""


def first_order(flow: FloatArray) -> Model:
    """A state is an activity, whatever came before it."""
    nodes = len(flow)
    states = np.append(nodes - 1, np.arange(nodes - 1))
    return Model(flow[states], states, np.tile(1 + np.arange(nodes), (nodes, 1)))


def walk(model: Model, number: int, source: NoiseSource) -> Sequences:
    """So many cases go from the start to the end, each step of the rounded table at most once, in random order.

    All cases move together, a few array operations a step. A case whose state has no step left ends there; the start
    has a step for each case, and none of them leads to the end, so no case is empty.
    """
    states, nodes = model.table.shape
    table = model.table.copy()
    table[0] *= number / table[0].sum()  # a step for each case exactly, whatever the fitting left open
    rounded = rows_rounded_at_random(table, source)
    available = rounded.sum(axis=1)
    shuffled = shuffled_groups(source, np.repeat(np.arange(states), available))
    entered = np.repeat(np.tile(np.arange(nodes), states), rounded.ravel())[shuffled]
    del shuffled
    first = offsets_of(available)[:-1]
    used = np.zeros(states, dtype=np.int64)
    at, case = np.zeros(number, dtype=np.int64), permutation(source, number)
    lengths = np.zeros(number, dtype=np.int64)
    steps: list[tuple[IntArray, IntArray]] = []
    while len(at):
        order = order_of_codes(at, states)  # cases in one state are exchangeable: the steps are in random order
        at, case = at[order], case[order]
        leaving = np.bincount(at, minlength=states)
        position = (used - np.cumsum(leaving) + leaving)[at] + np.arange(len(at))
        step = np.minimum(first[at] + position, len(entered) - 1)
        following = np.where(position < available[at], entered[step], nodes - 1)
        used += leaving
        goes_on = following != nodes - 1
        case, activity = case[goes_on], following[goes_on]
        at = model.state_after[model.node[at[goes_on]], activity]
        lengths[case] += 1
        steps.append((case, activity))
    firsts = offsets_of(lengths)
    activities = np.empty(firsts[-1], dtype=np.int64)
    for place, (case, activity) in enumerate(steps):
        activities[firsts[case] + place] = activity
    return Sequences(activities, offsets_of(lengths[lengths > 0]))
