"""Layered drawing of a small directed graph (Sugiyama's method): layers from top to bottom, few crossings, short edges.

Deterministic: ties are broken by number, nothing is drawn at random. Meant for some tens of nodes and edges; the
caller chooses the most frequent ones of a large graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SWEEPS = 24
_DUMMY_WIDTH = 22.0
_GAP = 16.0


@dataclass(frozen=True, slots=True)
class Edge:
    source: int
    target: int
    weight: int


@dataclass(frozen=True, slots=True)
class Layout:
    layer: list[int]
    x: list[float]
    """Middle of each node, from 0 on."""
    routes: list[list[tuple[int, float]]]
    """For each edge that is no loop the layers it passes and where, from source to target; for a loop its node."""
    width: float


def arrange(widths: Sequence[float], edges: Sequence[Edge], first: int, last: int) -> Layout:
    """Place nodes of the given widths. ``first`` is on top and ``last`` at the bottom; both must be connected."""
    position = {node: place for place, node in enumerate(_order(len(widths), edges, first, last))}
    downward = [
        (edge.source, edge.target) if position[edge.source] < position[edge.target] else (edge.target, edge.source)
        for edge in edges
        if edge.source != edge.target
    ]
    layer = _layers(len(widths), downward, position, last)

    # A long edge is a chain of unseen nodes, one in each layer that it passes.
    size, level, chains = list(widths), list(layer), []
    for above, below in downward:
        chain = [above]
        for between in range(layer[above] + 1, layer[below]):
            chain.append(len(size))
            size.append(_DUMMY_WIDTH)
            level.append(between)
        chains.append([*chain, below])
    links = [link for chain in chains for link in pairwise(chain)]
    rows = _rows(level, links, position)
    x = _places(rows, size, links, len(widths))
    shift = min(x[node] - size[node] / 2 for node in range(len(size)))
    x = [place - shift for place in x]

    routes: list[list[tuple[int, float]]] = []
    remaining = iter(chains)
    for edge in edges:
        if edge.source == edge.target:
            routes.append([(layer[edge.source], x[edge.source])])
            continue
        chain = next(remaining)
        route = [(level[node], x[node]) for node in chain]
        routes.append(route if chain[0] == edge.source else route[::-1])
    width = max(x[node] + size[node] / 2 for node in range(len(size)))
    return Layout(layer, x[: len(widths)], routes, width)


def _order(n: int, edges: Sequence[Edge], first: int, last: int) -> list[int]:
    """An order in which little weight goes backward (Eades, Lin and Smyth): sinks last, sources first, else by net
    outflow."""
    weight: dict[tuple[int, int], int] = {}
    for edge in edges:
        if edge.source != edge.target:
            key = (edge.source, edge.target)
            weight[key] = weight.get(key, 0) + edge.weight
    left = [node for node in range(n) if node not in (first, last)]
    head, tail = [first], [last]
    while left:
        out = {node: sum(weight.get((node, other), 0) for other in left) for node in left}
        into = {node: sum(weight.get((other, node), 0) for other in left) for node in left}
        if sinks := [node for node in left if not out[node]]:
            node = sinks[0]
            tail.insert(0, node)
        else:
            sources = [node for node in left if not into[node]]
            node = sources[0] if sources else max(left, key=lambda each: (out[each] - into[each], -each))
            head.append(node)
        left.remove(node)
    return _improved(head + tail, weight)


def _improved(order: list[int], weight: dict[tuple[int, int], int]) -> list[int]:
    """Move single nodes, but the first and the last, to where least weight goes backward, until none gains."""
    order = list(order)
    for _ in range(len(order)):
        before = list(order)
        for node in before[1:-1]:
            place = order.index(node)
            others = order[:place] + order[place + 1 :]
            # Backward weight of the node at each place: what it sends to those before, what it gets from those after.
            costs = [sum(weight.get((other, node), 0) for other in others[1:])]
            for other in others[1:-1]:
                costs.append(costs[-1] + weight.get((node, other), 0) - weight.get((other, node), 0))
            best = min(range(len(costs)), key=lambda at: (costs[at], abs(at + 1 - place), at))
            if costs[best] < costs[place - 1]:
                order = [*others[: best + 1], node, *others[best + 1 :]]
        if order == before:
            break
    return order


def _layers(n: int, downward: Sequence[tuple[int, int]], position: dict[int, int], last: int) -> list[int]:
    """Each node below all that lead to it; then down again towards what follows, where that shortens more edges."""
    layer = [0] * n
    in_order = sorted(range(n), key=position.__getitem__)
    for node in in_order:
        layer[node] = max((layer[above] + 1 for above, below in downward if below == node), default=0)
    layer[last] = max(layer)
    if layer.count(layer[last]) > 1:
        layer[last] += 1
    for node in reversed(in_order):
        above = [each for each, below in downward if below == node]
        below = [each for other, each in downward if other == node]
        if len(below) > len(above) or (below and not above and node != in_order[0]):
            layer[node] = min(layer[each] for each in below) - 1
    return layer


def _rows(level: Sequence[int], links: Sequence[tuple[int, int]], position: dict[int, int]) -> list[list[int]]:
    """The order within each layer that crosses least, of those that sorting by the neighbours' mean place finds."""
    rows: list[list[int]] = [[] for _ in range(max(level) + 1)]
    for node in sorted(range(len(level)), key=lambda each: (position.get(each, len(position)), each)):
        rows[level[node]].append(node)
    up: dict[int, list[int]] = {node: [] for node in range(len(level))}
    down: dict[int, list[int]] = {node: [] for node in range(len(level))}
    for above, below in links:
        down[above].append(below)
        up[below].append(above)
    best, fewest = [list(row) for row in rows], _crossings(rows, down)
    place = {node: index for row in rows for index, node in enumerate(row)}
    for sweep in range(SWEEPS):
        neighbours = up if sweep % 2 == 0 else down
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda node: _mean([place[each] for each in neighbours[node]], place[node]))
            place.update((node, index) for index, node in enumerate(row))
        found = _crossings(rows, down)
        if found < fewest:
            best, fewest = [list(row) for row in rows], found
    return best


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(rows: Sequence[Sequence[int]], down: dict[int, list[int]]) -> int:
    total = 0
    for above, below in pairwise(rows):
        place = {node: index for index, node in enumerate(below)}
        ends = [(index, place[each]) for index, node in enumerate(above) for each in down[node]]
        total += sum((a < c and b > d) or (a > c and b < d) for k, (a, b) in enumerate(ends) for c, d in ends[:k])
    return total


def _places(
    rows: Sequence[Sequence[int]], size: Sequence[float], links: Sequence[tuple[int, int]], real: int
) -> list[float]:
    """Horizontal places: each node near the mean of its neighbours, none on top of another, long edges straight."""
    near: dict[int, list[tuple[int, float]]] = {node: [] for node in range(len(size))}
    for above, below in links:
        pull = {0: 1.0, 1: 3.0, 2: 8.0}[(above >= real) + (below >= real)]
        near[above].append((below, pull))
        near[below].append((above, pull))
    x = [0.0] * len(size)
    for row in rows:
        at = 0.0
        for node in row:
            x[node] = at + size[node] / 2
            at += size[node] + _GAP
        for node in row:
            x[node] -= (at - _GAP) / 2
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [
                sum(x[other] * pull for other, pull in near[node]) / sum(pull for _, pull in near[node])
                if near[node]
                else x[node]
                for node in row
            ]
            weights = [sum(pull for _, pull in near[node]) or 1.0 for node in row]
            for node, place in zip(row, _apart([size[node] for node in row], wanted, weights), strict=True):
                x[node] = place
    return x


def _apart(sizes: Sequence[float], wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones (least squares) that keep the order and the gaps: isotonic regression."""
    offsets, at = [], 0.0
    for number, size in enumerate(sizes):
        at += size / 2 + (sizes[number - 1] / 2 + _GAP if number else 0.0)
        offsets.append(at)
    blocks: list[list[float]] = []  # mean, weight, members
    for place, offset, weight in zip(wanted, offsets, weights, strict=True):
        blocks.append([place - offset, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, more, members = blocks.pop()
            before = blocks[-1]
            before[0] = (before[0] * before[1] + mean * more) / (before[1] + more)
            before[1] += more
            before[2] += members
    settled = [block[0] for block in blocks for _ in range(int(block[2]))]
    return [base + offset for base, offset in zip(settled, offsets, strict=True)]
