"""The shapes of the charts: bars, histograms, steps over time, curves and ranges.

Two logs side by side are told apart by form as well as colour: before is hollow or dashed, after is filled or solid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from amun_dp.pages.scales import Scale, Tick, count_ticks, short_count
from amun_dp.pages.svg import Anchor, dot, label, line, path, polyline, rectangle, text
from amun_dp.pages.words import count

WIDTH = 480.0
HEIGHT = 288.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 10.0, 32.0, 44.0
FLOOR = HEIGHT - _BOTTOM
_LETTER = 8.0
"""Width of a letter on an axis, generously."""
_LINE = 14.0
"""Height of a line of words above a chart."""

Shapes = tuple[Markup, ...]


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
    top: float = _TOP,
) -> Plot:
    """Axes with light lines at the marks of the vertical one. Its title stands above it, where it needs no turning."""
    x = Scale(low, high, _LEFT, WIDTH - _RIGHT)
    y = Scale(y_ticks[0].at, y_ticks[-1].at, FLOOR, top)
    right = WIDTH - _RIGHT
    shapes = [text(2, 14, y_title, "axis-title"), text(right, HEIGHT - 6, x_title, "axis-title", "end")]
    # Lines of a kind are one shape each: a page may have many pictures.
    shapes.append(path("".join(f"M{_LEFT:.0f} {y(tick.at):.1f}H{right:.0f}" for tick in y_ticks[1:]), "grid"))
    marks = "".join(f"M{x(tick.at):.1f} {FLOOR:.0f}v4" for tick in x_ticks)
    shapes.append(path(f"M{_LEFT:.0f} {y(y_ticks[0].at):.1f}H{right:.0f}{marks}", "axis"))
    shapes += [text(_LEFT - 6, y(tick.at) + 4, tick.text, "tick", "end") for tick in y_ticks]
    end_of_last = -1.0
    for tick in x_ticks:
        anchor, width = _inside(x(tick.at), tick.text), _LETTER * len(tick.text)
        start = x(tick.at) - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        if start > end_of_last:  # a mark whose words would run into the last ones has none
            shapes.append(text(x(tick.at), FLOOR + 16, tick.text, "tick", anchor))
            end_of_last = start + width + 4
    return Plot(x, y, tuple(shapes))


def _inside(place: float, words: str) -> Anchor:
    """Where a mark at the edge of the picture is anchored so that its text stays inside."""
    half = _LETTER * len(words) / 2
    return "end" if place + half > WIDTH else "start" if place < half else "middle"


def counts_axis(largest: int) -> list[Tick]:
    return [Tick(value, short_count(value)) for value in count_ticks(largest)]


def legend(names: Sequence[str], right: float = WIDTH - _RIGHT) -> Shapes:
    """Names of the two logs, in the line of the axis title."""
    shapes: list[Markup] = []
    for name, css in reversed(list(zip(names, ("bar-before", "bar-after"), strict=True))):
        shapes.append(text(right, 14, name, "tick", "end"))
        right -= 7 * len(name) + 15
        shapes.append(rectangle(right, 5, 10, 9, css))
        right -= 12
    return tuple(shapes)


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


def bars(rows: Sequence[Bar], names: Sequence[str] = (), unit: str = "events") -> tuple[float, Shapes]:
    """Height and shapes. A label stands above its bar, so that it may be long."""
    largest = max((max(row.after, row.before or 0) for row in rows), default=0) or 1
    x = Scale(0, largest, 2, WIDTH - 2)
    shapes: list[Markup] = list(legend(names, WIDTH - 2)) if names else []
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
    return top + 2, tuple(shapes)


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
) -> Shapes:
    """Columns of equal width; ``edges`` are marks, and what is ``marked`` ends, at places counted in bins from the
    left. Without ``tips`` all columns of a log are one shape, which makes many pictures on a page affordable."""
    largest = max((max(each.after, each.before or 0) for each in bins), default=0)
    top = _TOP if marked is None else _TOP + _LINE
    area = plot(0, len(bins), edges, counts_axis(largest), x_title, y_title, top)
    below, above = _marking(area, marked, top) if marked is not None else ((), ())
    shapes = [*below, *area.axes, *(legend(names) if names else ())]
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
    return (*shapes, *above)


@dataclass(frozen=True, slots=True)
class _Column:
    left: float
    width: float
    value: int
    tip: str


def _drawn(area: Plot, columns: Sequence[_Column], css: str, tips: bool) -> Shapes:
    if tips:
        return tuple(
            rectangle(each.left, area.y(each.value), each.width, FLOOR - area.y(each.value), css, each.tip)
            for each in columns
        )
    outlines = (
        f"M{each.left:.1f} {FLOOR:.0f}V{area.y(each.value):.1f}h{each.width:.1f}V{FLOOR:.0f}" for each in columns
    )
    return (path("".join(outlines), css),) if columns else ()


def _marking(area: Plot, marked: Marked, top: float) -> tuple[Shapes, Shapes]:
    """What lies below the columns, and above them."""
    low, high = area.x(marked.low), area.x(marked.high)
    ends = [low] if low == high else [x for x in (low, high) if _LEFT < x < WIDTH - _RIGHT]
    half = _LETTER * len(marked.words) / 2
    middle = max(min((low + high) / 2, WIDTH - half), _LEFT + half)
    return (rectangle(low, top, high - low, FLOOR - top, "event"),), (
        *(line(x, top, x, FLOOR, "event-edge") for x in ends),
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
) -> Shapes:
    """A line of steps, one a bin: what is counted does not change gradually."""
    largest = max((*after, *(before or ())), default=0)
    area = plot(low, low + width * len(after), ticks, counts_axis(largest), "time (UTC)", y_title)
    shapes = list(area.axes)
    outline = _stairs(area, low, width, after)
    shapes.append(path(f"M{_joined([(area.x(low), FLOOR), *outline, (outline[-1][0], FLOOR)])}Z", "area-after"))
    if before is not None:
        shapes.append(polyline(_stairs(area, low, width, before), "line-before"))
        shapes.extend(_line_legend(names))
    shapes.append(polyline(outline, "line-after"))
    return tuple(shapes)


def _stairs(area: Plot, low: float, width: float, values: Sequence[int]) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for place, value in enumerate(values):
        points.append((area.x(low + place * width), area.y(value)))
        points.append((area.x(low + (place + 1) * width), area.y(value)))
    return points


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _line_legend(names: Sequence[str]) -> Shapes:
    right, shapes = WIDTH - _RIGHT, []
    for name, css in reversed(list(zip(names, ("line-before", "line-after"), strict=True))):
        shapes.append(text(right, 14, name, "tick", "end"))
        right -= 7 * len(name) + 26
        shapes.append(line(right, 10, right + 20, 10, css))
        right -= 12
    return tuple(shapes)


# --- ranges ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Range:
    """One row: smallest, middle and largest value of something about a label of the log."""

    name: str
    low: float
    middle: float
    high: float
    value: str


def ranges(rows: Sequence[Range], ticks: Sequence[Tick], title: str) -> tuple[float, Shapes]:
    """Height and shapes: a line from the smallest to the largest with a dot at the middle, on one axis below."""
    x = Scale(ticks[0].at, ticks[-1].at, 8, WIDTH - 8)
    height = BAR_ROW * len(rows) + 46
    floor = height - 40
    shapes = [text(WIDTH - 8, height - 4, title, "axis-title", "end"), line(8, floor, WIDTH - 8, floor, "axis")]
    for tick in ticks:
        shapes.append(line(x(tick.at), 2, x(tick.at), floor, "grid"))
        shapes.append(text(x(tick.at), floor + 15, tick.text, "tick", _inside(x(tick.at), tick.text)))
    for place, row in enumerate(rows):
        top = BAR_ROW * place
        middle = top + 20
        shapes.append(label(8, top + 12, row.name, room_beside(row.value)))
        shapes.append(text(WIDTH - 8, top + 12, row.value, "value", "end"))
        shapes.append(line(x(row.low), middle, x(row.high), middle, "range"))
        shapes.extend(line(x(end), middle - 3, x(end), middle + 3, "range") for end in (row.low, row.high))
        shapes.append(dot(x(row.middle), middle, 3.5, "point"))
    return height, tuple(shapes)
