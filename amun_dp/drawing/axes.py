"""Two axes and what stands around them: the frame of every chart that has any, and the legend above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from amun_dp.drawing.scales import Scale, Tick, count_ticks, short_count
from amun_dp.drawing.svg import HEIGHT, WIDTH, Anchor, Shapes, line, path, rectangle, text

LETTER = 8.0
"""Width of a letter on an axis, generously."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The paper of a plot: its size, and where the area between the axes begins and ends."""

    width: float = WIDTH
    height: float = HEIGHT
    left: float = 46.0
    top: float = 32.0
    right: float = WIDTH - 10.0
    floor: float = HEIGHT - 44.0


FRAME = Frame()


@dataclass(frozen=True, slots=True)
class Plot:
    """The area between two axes, and the axes."""

    x: Scale
    y: Scale
    axes: Shapes


def plot(
    low: float,
    high: float,
    x_ticks: Sequence[Tick],
    y_ticks: Sequence[Tick],
    x_title: str,
    y_title: str,
    frame: Frame = FRAME,
) -> Plot:
    """Axes with light lines at the marks of the vertical one. Its title stands above it, where it needs no turning."""
    left, right, floor = frame.left, frame.right, frame.floor
    x = Scale(low, high, left, right)
    y = Scale(y_ticks[0].at, y_ticks[-1].at, floor, frame.top)
    shapes = [text(2, 14, y_title, "axis-title"), text(right, frame.height - 6, x_title, "axis-title", "end")]
    # Lines of a kind are one shape each: a page may have many pictures.
    shapes.append(path("".join(f"M{left:.0f} {y(tick.at):.1f}H{right:.0f}" for tick in y_ticks[1:]), "grid"))
    marks = "".join(f"M{x(tick.at):.1f} {floor:.0f}v4" for tick in x_ticks)
    shapes.append(path(f"M{left:.0f} {y(y_ticks[0].at):.1f}H{right:.0f}{marks}", "axis"))
    shapes += [text(left - 6, y(tick.at) + 4, tick.text, "tick", "end") for tick in y_ticks]
    end_of_last = -1.0
    for tick in x_ticks:
        anchor, width = inside(x(tick.at), tick.text, frame.width), LETTER * len(tick.text)
        start = x(tick.at) - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        if start > end_of_last:  # a mark whose words would run into the last ones has none
            shapes.append(text(x(tick.at), floor + 16, tick.text, "tick", anchor))
            end_of_last = start + width + 4
    return Plot(x, y, tuple(shapes))


def inside(place: float, words: str, width: float = WIDTH) -> Anchor:
    """Where a mark at the edge of the picture is anchored so that its text stays inside."""
    half = LETTER * len(words) / 2
    return "end" if place + half > width else "start" if place < half else "middle"


def counts_axis(largest: int) -> list[Tick]:
    return [Tick(value, short_count(value)) for value in count_ticks(largest)]


def legend(names: Sequence[str], kind: Literal["bar", "line"], right: float = FRAME.right) -> Shapes:
    """What is drawn as before and what as after, with a sample of each, in the line of the axis title."""
    shapes: list[Markup] = []
    wide = 10 if kind == "bar" else 20
    for name, css in reversed(list(zip(names, (f"{kind}-before", f"{kind}-after"), strict=True))):
        shapes.append(text(right, 14, name, "tick", "end"))
        right -= 7 * len(name) + wide + 5
        shapes.append(rectangle(right, 5, wide, 9, css) if kind == "bar" else line(right, 10, right + wide, 10, css))
        right -= 12
    return tuple(shapes)
