"""Drawing a directly-follows graph: boxes for activities, curves for 'is directly followed by'."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from amun_dp.drawing.layout import Edge, Layout, arrange
from amun_dp.drawing.numbers import in_full, shorten, width_of
from amun_dp.drawing.svg import Drawing, element, path, rectangle, text

BOX_WIDTH, BOX_HEIGHT, ROUND_WIDTH = 170.0, 46.0, 64.0
_ROUND_HEIGHT = 28.0
_LAYER = 96.0
_LOOP_ROOM = 44.0
_MARGIN = 6.0
_ARROW = 7.0


@dataclass(frozen=True, slots=True)
class Node:
    """A box: a label of the log and a line below it; without the line it is the start or the end."""

    name: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class Arc:
    source: int
    target: int
    weight: int
    """Decides the width of the curve."""
    words: str
    tip: str
    css: str = "edge"


def draw(nodes: Sequence[Node], arcs: Sequence[Arc]) -> Drawing:
    """The first node is the start, the last one the end."""
    loops = {arc.source for arc in arcs if arc.source == arc.target}
    widths = [
        (BOX_WIDTH if node.below else ROUND_WIDTH) + (2 * _LOOP_ROOM if number in loops else 0.0)
        for number, node in enumerate(nodes)
    ]
    edges = [Edge(arc.source, arc.target, arc.weight) for arc in arcs]
    placed = arrange(widths, edges, 0, len(nodes) - 1)
    heaviest = max((arc.weight for arc in arcs), default=1) or 1
    ports = _ports(placed, arcs)
    curves: list[Markup] = []
    words: list[Markup] = []
    taken: list[tuple[float, float, float]] = []
    for number, arc in enumerate(arcs):
        line, arrow, candidates = (
            _loop(placed, arc.source) if arc.source == arc.target else _curve(placed.routes[number], ports, number)
        )
        thickness = 1.0 + 3.5 * math.sqrt(arc.weight / heaviest)
        tip = element("title", arc.tip)
        curves.append(element("path", tip, d=line, css=arc.css, stroke_width=thickness))
        curves.append(path(arrow, f"{arc.css}-head"))
        x, y = _free(candidates, len(arc.words), taken)
        words.append(text(x, y + 4, arc.words, "edge-words", "middle"))
    boxes = [shape for number, node in enumerate(nodes) for shape in _box(node, placed, number)]
    layers = max(placed.layer) + 1
    return Drawing(
        (*curves, *words, *boxes),
        height=(layers - 1) * _LAYER + BOX_HEIGHT + 2 * _MARGIN,
        width=placed.width + 2 * _MARGIN,
    )


def _top(layer: float) -> float:
    return _MARGIN + layer * _LAYER


def _box(node: Node, placed: Layout, number: int) -> list[Markup]:
    x, y = placed.x[number] + _MARGIN, _top(placed.layer[number])
    if not node.below:
        y += 0 if number else BOX_HEIGHT - _ROUND_HEIGHT  # where its arrows begin or end
        return [
            rectangle(x - ROUND_WIDTH / 2, y, ROUND_WIDTH, _ROUND_HEIGHT, "node-end", radius=14),
            text(x, y + _ROUND_HEIGHT / 2 + 4, node.name, "node-name", "middle"),
        ]
    lines = _wrapped(node.name)
    first = y + (19 if len(lines) == 1 else 14)
    return [
        rectangle(x - BOX_WIDTH / 2, y, BOX_WIDTH, BOX_HEIGHT, "node", f"{in_full(node.name)}: {node.below}", 5),
        *(text(x, first + 13 * place, words, "node-name", "middle") for place, words in enumerate(lines)),
        text(x, y + BOX_HEIGHT - (8 if len(lines) == 1 else 6), node.below, "node-count", "middle"),
    ]


def _wrapped(name: str, columns: int = 24) -> list[str]:
    """One line, or two broken at a space."""
    one_line, two_lines = shorten(name, columns), shorten(name, 2 * columns - 2)
    if one_line == two_lines:
        return [one_line]
    breaks = [(two_lines[:at], two_lines[at + 1 :]) for at, letter in enumerate(two_lines) if letter == " "]
    fitting = [pair for pair in breaks if max(map(width_of, pair)) <= columns]
    return list(fitting[-1]) if fitting else [one_line]


def _ports(placed: Layout, arcs: Sequence[Arc]) -> dict[tuple[int, int], float]:
    """Where each edge leaves (0) and reaches (1) its boxes: side by side, in the order of where they come from."""
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for number, arc in enumerate(arcs):
        route = placed.routes[number]
        if arc.source == arc.target:
            continue
        downward = route[0][0] < route[-1][0]
        sides.setdefault((arc.source, downward), []).append((route[1][1], number, 0))
        sides.setdefault((arc.target, not downward), []).append((route[-2][1], number, 1))
    ports = {}
    for (node, _), ends in sides.items():
        step = min(22.0, 130.0 / len(ends)) if placed.x and node not in (0, len(placed.x) - 1) else 9.0
        for place, (_, number, end) in enumerate(sorted(ends)):
            ports[number, end] = placed.x[node] + _MARGIN + step * (place - (len(ends) - 1) / 2)
    return ports


Drawn = tuple[str, str, list[tuple[float, float]]]
"""Path of the curve, path of its head, and where its words could stand."""


def _curve(route: list[tuple[int, float]], ports: dict[tuple[int, int], float], number: int) -> Drawn:
    down = route[0][0] < route[-1][0]
    leave, reach = (BOX_HEIGHT, 0.0) if down else (0.0, BOX_HEIGHT)
    points = [(ports[number, 0], _top(route[0][0]) + leave)]
    for layer, place in route[1:-1]:
        points += [(place + _MARGIN, _top(layer) + reach), (place + _MARGIN, _top(layer) + leave)]
    end_x, end_y = ports[number, 1], _top(route[-1][0]) + reach
    back = -_ARROW if down else _ARROW
    points.append((end_x, end_y + back))
    parts, candidates = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"], []
    for place, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        if place % 2:  # along a layer that the edge only passes
            parts.append(f"L{x2:.1f} {y2:.1f}")
            candidates.append((x1, (y1 + y2) / 2))
            continue
        middle = (y1 + y2) / 2
        parts.append(f"C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}")
        candidates += [_on_curve(x1, y1, x2, y2, share) for share in (0.5, 0.36, 0.64, 0.24, 0.76)]
    head = f"M{end_x:.1f} {end_y:.1f}l{-_ARROW / 2:.1f} {back:.1f}h{_ARROW:.1f}Z"
    return "".join(parts), head, candidates


def _on_curve(x1: float, y1: float, x2: float, y2: float, t: float) -> tuple[float, float]:
    """A point of the curve from (x1, y1) to (x2, y2) whose ends are vertical."""
    bend = 3 * t**2 - 2 * t**3
    middle = (y1 + y2) / 2
    y = (1 - t) ** 3 * y1 + 3 * (1 - t) ** 2 * t * middle + 3 * (1 - t) * t**2 * middle + t**3 * y2
    return x1 + (x2 - x1) * bend, y


def _loop(placed: Layout, node: int) -> Drawn:
    right = placed.x[node] + _MARGIN + BOX_WIDTH / 2
    middle = _top(placed.layer[node]) + BOX_HEIGHT / 2
    line = f"M{right:.1f} {middle - 11:.1f}c26 -10 26 32 {_ARROW:.1f} 22"
    head = f"M{right:.1f} {middle + 11:.1f}l{_ARROW:.1f} {-_ARROW / 2:.1f}v{_ARROW:.1f}Z"
    return line, head, [(right + 30, middle)]


def _free(
    candidates: Sequence[tuple[float, float]], letters: int, taken: list[tuple[float, float, float]]
) -> tuple[float, float]:
    """The first place where the words run into no others; the middle if there is none."""
    half = 3.4 * letters + 2
    for x, y in candidates:
        if all(abs(x - other_x) > half + other_half or abs(y - other_y) > 13 for other_x, other_y, other_half in taken):
            break
    else:
        x, y = candidates[0]
    taken.append((x, y, half))
    return x, y
