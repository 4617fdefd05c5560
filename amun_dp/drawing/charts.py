"""The shapes of the charts: bars, histograms, steps over time, curves and ranges.

Two logs side by side are told apart by form as well as colour: before is hollow or dashed, after is filled or solid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from amun_dp.drawing.axes import FRAME, LETTER, Plot, counts_axis, inside, legend, plot
from amun_dp.drawing.numbers import count
from amun_dp.drawing.scales import Scale, Tick
from amun_dp.drawing.svg import (
    WIDTH,
    Drawing,
    Shapes,
    dot,
    label,
    line,
    path,
    polyline,
    rectangle,
    text,
)

_LINE = 14.0
"""Height of a line of words above a chart."""


# --- bars -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a label of the log with its size, before (if there is a before) and after."""

    name: str
    after: int
    before: int | None = None
    full: str = ""
    """A longer name for the tooltip, where the name is short already."""

    @property
    def value(self) -> str:
        return count(self.after) if self.before is None else f"{count(self.before)} → {count(self.after)}"


BAR_ROW, PAIR_ROW = 27.0, 36.0


def room_beside(value: str) -> int:
    """Columns that a label may take in the line that ends with this value."""
    return 58 - len(value)


def bars(rows: Sequence[Bar], names: Sequence[str] = (), unit: str = "events") -> Drawing:
    """A label stands above its bar, so that it may be long."""
    largest = max((max(row.after, row.before or 0) for row in rows), default=0) or 1
    x = Scale(0, largest, 2, WIDTH - 2)
    shapes: list[Markup] = list(legend(names, "bar", WIDTH - 2)) if names else []
    top = 26.0 if names else 2.0
    for row in rows:
        shapes.append(label(2, top + 12, row.name, room_beside(row.value), full=row.full))
        shapes.append(text(WIDTH - 2, top + 12, row.value, "value", "end"))
        tip = f"{row.value} {unit}"
        if row.before is None:
            shapes.append(rectangle(2, top + 16, x(row.after) - 2, 6, "bar-after", tip, 1))
            top += BAR_ROW
        else:
            shapes.append(rectangle(2.5, top + 16.5, x(row.before) - 3, 5, "bar-before", tip))
            shapes.append(rectangle(2, top + 23, x(row.after) - 2, 6, "bar-after", tip))
            top += PAIR_ROW
    return Drawing(tuple(shapes), top + 2)


# --- histograms -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bin:
    """One column of a histogram."""

    name: str
    after: int
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """A stretch of a horizontal axis: shaded, with a bar above it and a line at each end that lies inside."""

    low: float
    high: float
    words: str


def histogram(
    bins: Sequence[Bin],
    edges: Sequence[Tick],
    x_title: str,
    y_title: str,
    names: Sequence[str] = (),
    marked: Marked | None = None,
    tips: bool = True,
) -> Drawing:
    """Columns of equal width; ``edges`` are marks, and what is ``marked`` ends, at places counted in bins from the
    left. Without ``tips`` all columns of a log are one shape, which makes many pictures on a page affordable."""
    largest = max((max(each.after, each.before or 0) for each in bins), default=0)
    frame = FRAME if marked is None else replace(FRAME, top=FRAME.top + _LINE)
    area = plot(0, len(bins), edges, counts_axis(largest), x_title, y_title, frame)
    below, above = _marking(area, marked, frame.top) if marked is not None else ((), ())
    shapes = [*below, *area.axes, *(legend(names, "bar") if names else ())]
    before, after = [], []
    for place, each in enumerate(bins):
        left, width = area.x(place) + 1.5, area.x(1) - area.x(0) - 3
        if each.before is None:
            after.append(_Column(left, width, each.after, f"{each.name}: {count(each.after)}"))
        else:
            tip = f"{each.name}: {count(each.before)} {names[0]}, {count(each.after)} {names[1]}"
            before.append(_Column(left + 0.5, width / 2 - 1.5, each.before, tip))
            after.append(_Column(left + width / 2, width / 2, each.after, tip))
    for columns, css in ((before, "bar-before"), (after, "bar-after")):
        shapes += _drawn(area, [each for each in columns if each.value], css, tips)
    return Drawing((*shapes, *above))


@dataclass(frozen=True, slots=True)
class _Column:
    left: float
    width: float
    value: int
    tip: str


def _drawn(area: Plot, columns: Sequence[_Column], css: str, tips: bool) -> Shapes:
    if tips:
        return tuple(
            rectangle(each.left, area.y(each.value), each.width, FRAME.floor - area.y(each.value), css, each.tip)
            for each in columns
        )
    outlines = (
        f"M{each.left:.1f} {FRAME.floor:.0f}V{area.y(each.value):.1f}h{each.width:.1f}V{FRAME.floor:.0f}"
        for each in columns
    )
    return (path("".join(outlines), css),) if columns else ()


def _marking(area: Plot, marked: Marked, top: float) -> tuple[Shapes, Shapes]:
    """What lies below the columns, and above them."""
    low, high = area.x(marked.low), area.x(marked.high)
    ends = [low] if low == high else [x for x in (low, high) if FRAME.left < x < FRAME.right]
    half = LETTER * len(marked.words) / 2
    middle = max(min((low + high) / 2, WIDTH - half), FRAME.left + half)
    return (rectangle(low, top, high - low, FRAME.floor - top, "event"),), (
        *(line(x, top, x, FRAME.floor, "event-edge") for x in ends),
        rectangle(low - 1, top - 2, high - low + 2, 3, "event-bar"),
        text(middle, top - 6, marked.words, "note", "middle"),
    )


# --- over time ------------------------------------------------------------------------------------------------------


def steps(
    low: float,
    width: float,
    after: Sequence[int],
    before: Sequence[int] | None,
    ticks: Sequence[Tick],
    y_title: str,
    names: Sequence[str] = (),
) -> Drawing:
    """A line of steps, one per bin: what is counted does not change gradually."""
    largest = max((*after, *(before or ())), default=0)
    area = plot(low, low + width * len(after), ticks, counts_axis(largest), "time (UTC)", y_title)
    shapes = list(area.axes)
    outline = _stairs(area, low, width, after)
    ground = [(area.x(low), FRAME.floor), *outline, (outline[-1][0], FRAME.floor)]
    shapes.append(path(f"M{_joined(ground)}Z", "area-after"))
    if before is not None:
        shapes.append(polyline(_stairs(area, low, width, before), "line-before"))
        shapes.extend(legend(names, "line"))
    shapes.append(polyline(outline, "line-after"))
    return Drawing(tuple(shapes))


def _stairs(area: Plot, low: float, width: float, values: Sequence[int]) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for place, value in enumerate(values):
        points.append((area.x(low + place * width), area.y(value)))
        points.append((area.x(low + (place + 1) * width), area.y(value)))
    return points


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


# --- ranges ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Range:
    """One row: smallest, middle and largest value of something about a label of the log."""

    name: str
    low: float
    middle: float
    high: float
    value: str


def ranges(rows: Sequence[Range], ticks: Sequence[Tick], title: str) -> Drawing:
    """A line from the smallest to the largest with a dot at the middle, on one axis below."""
    x = Scale(ticks[0].at, ticks[-1].at, 8, WIDTH - 8)
    height = BAR_ROW * len(rows) + 46
    floor = height - 40
    shapes = [text(WIDTH - 8, height - 4, title, "axis-title", "end"), line(8, floor, WIDTH - 8, floor, "axis")]
    for tick in ticks:
        shapes.append(line(x(tick.at), 2, x(tick.at), floor, "grid"))
        shapes.append(text(x(tick.at), floor + 15, tick.text, "tick", inside(x(tick.at), tick.text)))
    for place, row in enumerate(rows):
        top = BAR_ROW * place
        middle = top + 20
        shapes.append(label(8, top + 12, row.name, room_beside(row.value)))
        shapes.append(text(WIDTH - 8, top + 12, row.value, "value", "end"))
        shapes.append(line(x(row.low), middle, x(row.high), middle, "range"))
        shapes.extend(line(x(end), middle - 3, x(end), middle + 3, "range") for end in (row.low, row.high))
        shapes.append(dot(x(row.middle), middle, 3.5, "point"))
    return Drawing(tuple(shapes), height)
