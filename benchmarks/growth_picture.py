"""Time an event against the size of the log, as SVG: a flat line is linear cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from amun_dp.drawing.axes import Frame, plot
from amun_dp.drawing.scales import Tick, nice_step
from amun_dp.drawing.svg import Drawing, dot, element, polyline, text

_FRAME = Frame(width=520.0, height=280.0, left=50.0, top=30.0, right=370.0, floor=234.0)
_LINE = 15.0
"""Height of a line of text."""
_COLOURS = ("1d5c86", "2f8f5b", "9c2420", "8a5a00")


def growth_picture(lines: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """``lines``: events and microseconds an event, for each method."""
    sizes = sorted({events for each in lines.values() for events, _ in each})
    largest = max(time for each in lines.values() for _, time in each)
    step = nice_step(largest, 5)
    area = plot(
        math.log10(sizes[0]) - 0.1,
        math.log10(sizes[-1]) + 0.1,
        [Tick(math.log10(size), f"{size / 1e6:.1f} M") for size in sizes],
        [Tick(step * number, f"{step * number:g}") for number in range(math.ceil(largest / step) + 1)],
        "events",
        "µs per event",
        _FRAME,
    )
    x, y, shapes = area.x, area.y, [*area.axes]
    for number, each in enumerate(lines.values()):
        points = [(x(math.log10(events)), y(time)) for events, time in each]
        shapes.append(polyline(points, f"line m{number}"))
        shapes += [dot(*point, 3.5, f"dot m{number}") for point in points]
    last = max(x(math.log10(events)) for each in lines.values() for events, _ in each)
    ends = _apart({name: y(each[-1][1]) for name, each in lines.items()})
    for number, name in enumerate(lines):
        shapes.append(text(last + 8, ends[name] + 4, name, f"name m{number}"))
    colours = "".join(f".m{number}{{--c:#{colour}}}" for number, colour in enumerate(_COLOURS))
    style = element(
        "style",
        "svg{background:#fff;font:12px system-ui,sans-serif}.tick,.axis-title{fill:#565e6c}"
        ".grid{stroke:#e3e5e9}.axis{stroke:#9aa1ac}"
        ".name{fill:var(--c)}.line{fill:none;stroke:var(--c);stroke-width:1.8}.dot{fill:var(--c)}" + colours,
    )
    picture = Drawing((style, *shapes), _FRAME.height, _FRAME.width)
    return f"{picture.document('growth', 'Time per event', 'Microseconds per event by the size of the log.')}\n"


def _apart(heights: Mapping[str, float]) -> dict[str, float]:
    """Heights of the names beside the lines, in the order of the lines' ends, so that none lies on another."""
    placed: dict[str, float] = {}
    for name, height in sorted(heights.items(), key=lambda each: each[1]):
        placed[name] = max(height, *(before + _LINE for before in placed.values()), -_LINE)
    return placed
