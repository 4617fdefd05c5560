"""Time an event against the size of the log, as SVG: a flat line is linear cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from amun_dp.pages.scales import Scale, nice_step
from amun_dp.pages.svg import Picture, dot, element, line, polyline, text

_WIDTH, _HEIGHT = 520.0, 280.0
_LEFT, _TOP, _BOTTOM, _RIGHT = 50.0, 30.0, 46.0, 150.0
_LINE = 15.0
"""Height of a line of text."""
_COLOURS = ("1d5c86", "2f8f5b", "9c2420", "8a5a00")


def growth_picture(lines: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """``lines``: events and microseconds an event, for each method."""
    sizes = sorted({events for each in lines.values() for events, _ in each})
    largest = max(time for each in lines.values() for _, time in each)
    step = nice_step(largest, 5)
    ticks = [step * number for number in range(math.ceil(largest / step) + 1)]
    x = Scale(math.log10(sizes[0]) - 0.1, math.log10(sizes[-1]) + 0.1, _LEFT, _WIDTH - _RIGHT)
    y = Scale(0, ticks[-1], _HEIGHT - _BOTTOM, _TOP)
    shapes = [text(4, 16, "µs an event", "tick"), text(_WIDTH - _RIGHT, _HEIGHT - 8, "events", "tick", "end")]
    for at in ticks:
        shapes.append(line(_LEFT, y(at), _WIDTH - _RIGHT, y(at), "grid"))
        shapes.append(text(_LEFT - 6, y(at) + 4, f"{at:g}", "tick", "end"))
    shapes += [
        text(x(math.log10(size)), _HEIGHT - _BOTTOM + 18, f"{size / 1e6:.1f} M", "tick", "middle") for size in sizes
    ]
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
        "svg{background:#fff;font:12px system-ui,sans-serif}.tick{fill:#565e6c}.grid{stroke:#e3e5e9}"
        ".name{fill:var(--c)}.line{fill:none;stroke:var(--c);stroke-width:1.8}.dot{fill:var(--c)}" + colours,
    )
    picture = Picture(
        _WIDTH, _HEIGHT, "Time an event", "Microseconds an event by the size of the log.", (style, *shapes)
    )
    drawn = str(picture.markup("growth"))
    return '<svg xmlns="http://www.w3.org/2000/svg"' + drawn.removeprefix("<svg") + "\n"


def _apart(heights: Mapping[str, float]) -> dict[str, float]:
    """Heights of the names beside the lines, in the order of the lines' ends, so that none lies on another."""
    placed: dict[str, float] = {}
    for name, height in sorted(heights.items(), key=lambda each: each[1]):
        placed[name] = max(height, *(before + _LINE for before in placed.values()), -_LINE)
    return placed
