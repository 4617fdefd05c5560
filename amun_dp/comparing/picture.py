"""The picture of privacy against utility: for each log, how far edge counts are off at each advantage, by method.

A file of its own, for papers and slides: it carries its colours, light and dark, and needs no page around it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from accounting.confidential import Confidential
from amun_dp.comparing.article_figures import named
from amun_dp.comparing.cell_summary import Spread, summarise
from amun_dp.comparing.cells import BASELINES, PHIS
from amun_dp.comparing.runs import AllRuns
from amun_dp.drawing.axes import Frame, Plot, plot
from amun_dp.drawing.scales import Tick
from amun_dp.drawing.svg import Drawing, dot, element, label, line, polyline, text
from amun_dp.folder.names import BANNER

_PANEL, _HEADING, _GAP = 300.0, 20.0, 24.0
_FRAME = Frame(width=_PANEL, height=218.0, left=44.0, top=28.0, right=_PANEL - 6, floor=178.0)
_COLUMNS = 3
_MARGIN = 12.0
_LEAST = 1e-3
"""Smaller errors are drawn at the floor."""
_COLOURS = ("1d5c86", "2f8f5b", "9c2420", "8a5a00", "6a3d9a", "0b7d86", "b0457b", "5a6472")
_DARK = ("7fbbe6", "7bd3a0", "ff9a92", "e8ba62", "c9a6f0", "67d4dd", "f29cc4", "b6bec9")
_EMPTY = "an empty log"
"""Has an error of 1."""
_DASHES = ("none", "6 3", "2 3", "8 3 2 3")


@dataclass(frozen=True, slots=True)
class _Point:
    advantage: float
    error: Spread


def privacy_utility(comparison: Confidential[AllRuns]) -> Confidential[str]:
    """An SVG document. It shows figures of the original, so it is as confidential as they are."""
    found = comparison.reveal()
    names = list(found.facts)
    columns, panel_height = min(_COLUMNS, len(names)), _HEADING + _FRAME.height + _GAP
    legend, legend_height = _legend(found.methods, columns * (_PANEL + _GAP))
    shapes = legend
    for number, log in enumerate(names):
        x, y = number % columns * (_PANEL + _GAP), legend_height + number // columns * panel_height
        shapes.append(_moved([label(0, 14, log, 34, css="panel"), _moved(_panel(found, log), 0, _HEADING)], x, y))
    rows = -(-len(names) // columns)
    picture = Drawing(
        shapes=(_style(len(found.methods)), _moved(shapes, _MARGIN, _MARGIN)),
        height=legend_height + rows * panel_height + _MARGIN,
        width=columns * (_PANEL + _GAP) + _MARGIN,
    )
    drawn = picture.document(
        "privacy-utility",
        "Privacy against utility",
        "For each log a panel: the largest guessing advantage that is allowed to the right, the error of edge counts "
        "upwards on a logarithmic scale, a line for each method, bars of one standard deviation.",
    )
    return Confidential(f"{Markup('<!-- {} -->').format(BANNER)}\n{drawn}\n")


def _moved(shapes: Sequence[Markup], x: float, y: float) -> Markup:
    return element("g", *shapes, transform=f"translate({x:.0f} {y:.0f})")


def _panel(found: AllRuns, log: str) -> list[Markup]:
    lines = {method: _points(found, log, method) for method in found.methods}
    errors = [point.error.mean for points in lines.values() for point in points]
    low, high = math.log10(_LEAST), math.ceil(math.log10(max([1.0, *errors])))
    advantages = sorted(found.advantages)
    margin = 0.05 if len(advantages) == 1 else (advantages[-1] - advantages[0]) * 0.12
    area = plot(
        advantages[0] - margin,
        advantages[-1] + margin,
        [Tick(at, f"{at:g}") for at in advantages],
        [Tick(power, f"{10.0**power:g}") for power in range(round(low), round(high) + 1)],
        "advantage",
        "error of edge counts",
        _FRAME,
    )
    shapes = [*area.axes, line(_FRAME.left, area.y(0), _FRAME.right, area.y(0), "whole")]
    for number, (method, points) in enumerate(lines.items()):
        shapes += _drawn(points, area, number, method)
    return shapes


def _drawn(points: Sequence[_Point], area: Plot, number: int, method: str) -> list[Markup]:
    def height(error: float) -> float:
        return area.y(math.log10(max(error, _LEAST)))

    # Beside each other, so that bars at the same advantage do not hide one another.
    places = [(area.x(point.advantage) + (number - 3.5) * 1.6, height(point.error.mean)) for point in points]
    shapes = [polyline(places, f"line m{number}")] if len(places) > 1 else []
    for (at, middle), point in zip(places, points, strict=True):
        spread = point.error.deviation or 0.0
        low, high = height(point.error.mean - spread), height(point.error.mean + spread)
        shapes.append(line(at, low, at, high, f"bar m{number}"))
        tip = f"{named(method)} at {point.advantage:g}: {point.error.mean:.3g} ± {spread:.2g}"
        shapes.append(dot(at, middle, 3.2, f"dot m{number}", tip))
    return shapes


def _points(found: AllRuns, log: str, method: str) -> list[_Point]:
    phi = PHIS[0] if method in BASELINES else None
    points = []
    for advantage in sorted(found.advantages):
        summary = summarise(found.runs, log, method, advantage, phi)
        if summary is not None and not summary.exceeded and "frequency_error" in summary.measures:
            points.append(_Point(advantage, summary.measures["frequency_error"]))
    return points


def _legend(methods: Sequence[str], width: float) -> tuple[list[Markup], float]:
    shapes, x, y = [], 0.0, 14.0
    entries = [named(method) + (", average ε" if method in BASELINES else "") for method in methods]
    for number, words in enumerate([*entries, _EMPTY]):  # said here, and not in the panels, where it would hide points
        room = 40 + 6.6 * len(words)
        if x + room > width and x > 0:
            x, y = 0.0, y + 20
        shapes.append(line(x, y - 4, x + 22, y - 4, "whole" if words == _EMPTY else f"line m{number}"))
        if words != _EMPTY:
            shapes.append(dot(x + 11, y - 4, 3.2, f"dot m{number}"))
        shapes.append(text(x + 28, y, words, "tick"))
        x += room
    return shapes, y + 20


def _style(methods: int) -> Markup:
    """Colours by number of the method; lines differ in their dashes, too."""

    def colours(values: Sequence[str]) -> str:
        return "".join(f".m{number}{{--c:#{values[number % len(values)]}}}" for number in range(methods))

    dashes = "".join(f".line.m{number}{{stroke-dasharray:{_DASHES[number % 4]}}}" for number in range(methods))
    return element(
        "style",
        Markup(
            "svg{background:#fff;font:12px system-ui,sans-serif}text{fill:#1c2230}.panel{font-weight:600}"
            ".tick,.axis-title{fill:#565e6c}.grid{stroke:#e3e5e9}.axis,.whole{stroke:#9aa1ac}"
            ".whole{stroke-dasharray:1 3}"
            ".line{fill:none;stroke:var(--c);stroke-width:1.6}.bar{stroke:var(--c);stroke-opacity:.55}"
            ".dot{fill:var(--c)}"
            + colours(_COLOURS)
            + dashes
            + "@media(prefers-color-scheme:dark){svg{background:#14171c}text{fill:#e7e9ed}"
            ".tick,.axis-title{fill:#a7afbc}.grid{stroke:#2b313b}.axis,.whole{stroke:#6b7482}" + colours(_DARK) + "}"
        ),
    )
