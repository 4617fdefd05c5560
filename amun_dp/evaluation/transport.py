"""The cheapest way to turn one distribution into another: the transport problem, solved exactly.

Successive shortest paths (Edmonds and Karp, 1972): from each row with something left to send, the cheapest path to a
column that still needs something, forth along any arc and back along arcs that are in use. Prices of rows and columns
keep every arc's cost, less the prices at its ends, at or above 0, so that paths are found by Dijkstra's algorithm; and
at any time they prove a lower bound (duality), so that work which is broken off still gives an answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray

MOST_EFFORT = 1_000_000_000
"""Arcs looked at before it is broken off; some seconds."""
_TIE = 1e-12
"""Columns that are equally far but for rounding are settled together, as columns of a matrix: there are many."""


@dataclass(frozen=True, slots=True, eq=False)
class Shipment:
    """A plan: so much from a row to a column."""

    row: IntArray
    column: IntArray
    amount: IntArray
    cheapest: bool
    """False if the work was broken off: then a cheaper one may exist."""
    low: float
    """No plan costs less."""

    def cost(self, cost: FloatArray) -> float:
        return float((self.amount * cost[self.row, self.column]).sum())


@dataclass(slots=True, eq=False)
class _State:
    """What is sent so far, and the prices."""

    cost: FloatArray
    left: IntArray
    need: IntArray
    row_price: FloatArray
    column_price: FloatArray
    flow: list[dict[int, int]]
    """Of each column: what it gets from which row."""
    effort: int = 0


@dataclass(slots=True, eq=False)
class _Search:
    """Cheapest paths from one row, as far as they were looked for; the last settled column is where they lead."""

    distance: FloatArray
    """Of each column; final for those that are settled."""
    came_from: IntArray
    """The row before each column."""
    rows: dict[int, float]
    """Distance of the rows that were reached."""
    entered_by: dict[int, int] = field(default_factory=dict)
    """The column before each of them but the first."""
    settled: list[int] = field(default_factory=list)


def cheapest_shipment(
    supply: IntArray,
    demand: IntArray,
    cost: FloatArray,
    stay: tuple[IntArray, IntArray] | None = None,
    most_effort: int = MOST_EFFORT,
) -> Shipment:
    """Send all of the supply (of rows) to the demand (of columns), which have the same sum; no cost is negative.

    ``stay`` are rows and columns, each once, between which sending costs 0: at first that is done as far as possible.
    Later paths may lead back along it, so that the plan is the cheapest of all whether or not costs are a metric.
    """
    rows, columns = cost.shape
    flow: list[dict[int, int]] = [{} for _ in range(columns)]
    state = _State(cost, supply.copy(), demand.copy(), np.zeros(rows), np.zeros(columns), flow)
    if stay is not None:
        for row, column in zip(stay[0].tolist(), stay[1].tolist(), strict=True):
            _send(state, row, column, int(min(state.left[row], state.need[column])))
    for row in np.argsort(-state.left, kind="stable").tolist():
        while state.left[row] and state.effort < most_effort:
            found = _search(state, row)
            _augment(state, row, found)
            _reprice(state, found)
    return _shipment(state, supply, demand)


def _search(state: _State, source: int) -> _Search:
    """Settle columns, the nearest first, until one needs something."""
    direct = np.maximum(state.cost[source] - state.row_price[source] - state.column_price, 0.0)
    found = _Search(distance=direct, came_from=np.full(len(direct), source), rows={source: 0.0})
    pending = direct.copy()
    while True:
        at = float(pending.min())
        level = np.flatnonzero(pending <= at + _TIE)
        needing = level[state.need[level] > 0]
        if len(needing):
            found.settled.append(int(needing[0]))
            return found
        pending[level] = np.inf
        found.settled += level.tolist()
        if reached := _reach(state, found, level, at):
            through = state.cost[reached] - state.row_price[reached][:, None]
            best = through.argmin(axis=0)
            # Rounding may leave an arc just below 0, on which a search would go in circles.
            distance = np.maximum(through[best, np.arange(len(best))] - state.column_price, 0.0) + at
            better = np.flatnonzero((distance < found.distance) & (pending < np.inf))
            found.distance[better] = pending[better] = distance[better]
            found.came_from[better] = np.array(reached)[best[better]]


def _reach(state: _State, found: _Search, level: IntArray, at: float) -> list[int]:
    """Rows that send to one of the columns, and were not reached before."""
    reached = []
    for column in level.tolist():
        for row in state.flow[column]:
            if row not in found.rows:
                found.rows[row], found.entered_by[row] = at, column
                reached.append(row)
    state.effort += (1 + len(reached)) * len(state.need)
    return reached


def _augment(state: _State, source: int, found: _Search) -> None:
    """Send along the path what its source, its arcs in use and its end allow."""
    end = column = found.settled[-1]
    forth, back = [(int(found.came_from[column]), column)], []
    while (row := forth[-1][0]) != source:
        column = found.entered_by[row]
        back.append((row, column))
        forth.append((int(found.came_from[column]), column))
    allowed = [int(state.left[source]), int(state.need[end])]
    amount = min(allowed + [state.flow[column][row] for row, column in back])
    # A step back takes from a row what the next step forth gives it again: only the ends of the path change.
    for row, column in back:
        _send(state, row, column, -amount)
    for row, column in forth:
        _send(state, row, column, amount)


def _send(state: _State, row: int, column: int, amount: int) -> None:
    state.left[row] -= amount
    state.need[column] -= amount
    sent = state.flow[column].get(row, 0) + amount
    if sent:
        state.flow[column][row] = sent
    else:
        state.flow[column].pop(row, None)


def _reprice(state: _State, found: _Search) -> None:
    """Prices that make the path free and leave no arc negative."""
    end = found.distance[found.settled[-1]]
    state.row_price[list(found.rows)] += end - np.array(list(found.rows.values()))
    state.column_price[found.settled] -= end - found.distance[found.settled]


def _shipment(state: _State, supply: IntArray, demand: IntArray) -> Shipment:
    arcs = [(row, column, amount) for column, rows in enumerate(state.flow) for row, amount in rows.items()]
    rest = _in_order(state.left, state.need)
    row, column, amount = np.concatenate((np.array(arcs, dtype=np.int64).reshape(-1, 3), rest)).T
    # The best prices that rows can have beside those of the columns.
    row_price = (state.cost - state.column_price).min(axis=1)
    low = float(supply @ row_price + demand @ state.column_price)
    return Shipment(row, column, amount, cheapest=not len(rest), low=max(low, 0.0))


def _in_order(left: IntArray, need: IntArray) -> IntArray:
    """Some plan for what is left: the first rows to the first columns. One line an arc."""
    sent, got = np.cumsum(left), np.cumsum(need)
    ends = np.setdiff1d(np.union1d(sent, got), [0])
    starts = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1]))[: len(ends)]
    row, column = (np.searchsorted(side, starts, side="right") for side in (sent, got))
    return np.stack((row, column, ends - starts), axis=1)
