"""Charts of an evaluation that no other page has: edges before against after, durations of steps, variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from amun_dp.conventions import DAY, MINUTE, SECOND
from amun_dp.evaluation import Evaluation
from amun_dp.evaluation.distances import relative_difference
from amun_dp.evaluation.languages import VariantCases
from amun_dp.eventlog import BoolArray, FloatArray, IntArray
from amun_dp.figures import HOUR, YEAR
from amun_dp.pages.charts import HEIGHT, WIDTH, Bar, bars, plot, room_beside
from amun_dp.pages.evaluation_words import hours, percent
from amun_dp.pages.log_charts import MOST_BARS, NAMES, signed
from amun_dp.pages.model import LONGEST_TABLE, Cell, Chart, Label, Table
from amun_dp.pages.scales import Tick, short_count
from amun_dp.pages.svg import Picture, dot, polyline
from amun_dp.pages.words import ARROW, LONGEST_TITLE, count, counted, duration, in_full, share, shorten, width_of

MOST_DOTS = 500
_CELLS = 60
"""Places along an axis, a dot wide each; edges in the same one share a dot."""
_DURATIONS = (0, 10 * SECOND, MINUTE, HOUR, DAY, 30 * DAY, YEAR, 30 * YEAR, 1_000 * YEAR)
_MOST_STEPS = 12
"""Steps of a variant that are looked at one by one."""


# --- edges ----------------------------------------------------------------------------------------------------------


def edges_chart(found: Evaluation) -> Chart:
    """How often each pair of activities follows directly, before against after."""
    before, after = (side.astype(np.int64) for side in found.edges.count)
    order = np.argsort(-np.maximum(before, after), kind="stable")
    largest = int(max(before.max(initial=0), after.max(initial=0)))
    values = [0, *(10**power for power in range(1, max(1, math.ceil(math.log10(max(largest, 1)))) + 1))]
    title = "Counts of edges, before and after"
    picture, hidden = _scatter(
        _Dots(
            x=_logarithm(before[order]),
            y=_logarithm(after[order]),
            hollow=(before[order] == 0) | (after[order] == 0),
            tip=lambda each: f"{_named(found, int(order[each]))}: {_change(found, int(order[each]))}",
        ),
        [Tick(float(_logarithm(value)), short_count(value)) for value in values],
        ("count before", "count after"),
        title,
    )
    return Chart(
        id="edges",
        title=title,
        reading="Each dot is a pair of activities that directly follow each other: the further right, the more often "
        "before; the further up, the more often after. On the dotted line nothing changed; hollow dots occur in one "
        "log only. Both scales are logarithmic, and edges in the same place share a dot.",
        picture=picture,
        table=Table(
            columns=("From", "To", "Before", "After", "Change", "Relative error"),
            words=2,
            rows=tuple(
                (
                    *_ends(found, each),
                    count(int(before[each])),
                    count(int(after[each])),
                    signed(int(after[each] - before[each])),
                    percent(relative_difference(before[each : each + 1], after[each : each + 1])),
                )
                for each in order[:LONGEST_TABLE].tolist()
            ),
            note=_more(len(order) - LONGEST_TABLE),
        ),
        note=_not_drawn(hidden),
    )


def steps_chart(found: Evaluation) -> Chart:
    """How far the durations of each edge are off, against how long they are."""
    steps = found.durations
    shared = np.flatnonzero(~np.isnan(steps.distance))
    order = shared[np.argsort(-found.edges.count[0][shared], kind="stable")]
    mean, off = steps.mean[0][order] * HOUR, steps.distance[order] * HOUR
    largest = max(mean.max(initial=0), off.max(initial=0))
    end = next((number for number, value in enumerate(_DURATIONS) if value >= largest), len(_DURATIONS) - 1)
    title = "Durations of steps"
    picture, hidden = _scatter(
        _Dots(
            x=_logarithm(mean / SECOND),
            y=_logarithm(off / SECOND),
            hollow=np.zeros(len(order), dtype=np.bool_),
            tip=lambda each: f"{_named(found, int(order[each]))}: {_off(found, int(order[each]))}",
        ),
        [
            Tick(float(_logarithm(value / SECOND)), duration(value) if value else "0")
            for value in _DURATIONS[: max(end, 1) + 1]
        ],
        ("mean duration before", "off by"),
        title,
    )
    return Chart(
        id="steps",
        title=title,
        reading="Each dot is an edge of both logs: the further right, the longer its steps take before, on average; "
        "the further up, the more its durations after are off (Wasserstein distance). On the dotted line they are off "
        "by as much as they are long. Both scales are logarithmic, and edges in the same place share a dot.",
        picture=picture,
        table=Table(
            columns=("From", "To", "Steps before", "Mean before", "Mean after", "Off by"),
            words=2,
            rows=tuple(
                (
                    *_ends(found, each),
                    count(int(found.edges.count[0][each])),
                    *(hours(float(column[each])) for column in (*steps.mean, steps.distance)),
                )
                for each in order[:LONGEST_TABLE].tolist()
            ),
            note=_more(len(order) - LONGEST_TABLE),
        ),
        note=_not_drawn(hidden),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Dots:
    """Where each edge lies, the most frequent first, and the words for it."""

    x: FloatArray
    y: FloatArray
    hollow: BoolArray
    tip: Callable[[int], str]


def _scatter(dots: _Dots, ticks: Sequence[Tick], axes: tuple[str, str], title: str) -> tuple[Picture, int]:
    """Dots between two axes of the same scale, with the line on which both values are equal; and how many are left
    out."""
    low, high = ticks[0].at, ticks[-1].at
    area = plot(low, high, ticks, ticks, *axes)
    shapes = [*area.axes, polyline([(area.x(low), area.y(low)), (area.x(high), area.y(high))], "guide")]
    cell = np.rint(dots.x / high * _CELLS) * (_CELLS + 1) + np.rint(dots.y / high * _CELLS)
    _, first, size = np.unique(cell, return_index=True, return_counts=True)
    drawn = np.argsort(first)[:MOST_DOTS]
    for each, edges in zip(first[drawn].tolist(), size[drawn].tolist(), strict=True):
        tip = dots.tip(each) + (f"; and {counted(edges - 1, 'more edge')} there" if edges > 1 else "")
        css = "point-hollow" if dots.hollow[each] else "point"
        shapes.append(dot(area.x(float(dots.x[each])), area.y(float(dots.y[each])), 3.5, css, tip))
    described = f"{counted(len(drawn), 'dot')} for {counted(int(size[drawn].sum()), 'edge')} around the diagonal."
    return Picture(WIDTH, HEIGHT, title, described, tuple(shapes)), int(size.sum() - size[drawn].sum())


def _logarithm(value: IntArray | FloatArray | float) -> FloatArray:
    """A logarithmic scale that has a place for 0."""
    return np.log10(1 + np.asarray(value, dtype=np.float64))


def _ends(found: Evaluation, edge: int) -> tuple[Cell, Cell]:
    source, target = (found.steps.activities[side[edge]] for side in (found.steps.source, found.steps.target))
    return Label(source, 40), Label(target, 40)


def _named(found: Evaluation, edge: int) -> str:
    source, target = (found.steps.activities[side[edge]] for side in (found.steps.source, found.steps.target))
    return f"{in_full(source)}{ARROW}{in_full(target)}"


def _change(found: Evaluation, edge: int) -> str:
    before, after = (int(side[edge]) for side in found.edges.count)
    return f"{count(before)} before, {count(after)} after"


def _off(found: Evaluation, edge: int) -> str:
    steps = found.durations
    before, after, off = (hours(float(column[edge])) for column in (*steps.mean, steps.distance))
    return f"mean {before} before, {after} after; off by {off}"


def _more(edges: int) -> str:
    return f"And {counted(edges, 'more edge')}." if edges > 0 else ""


def _not_drawn(edges: int) -> str:
    return f"Not drawn: {counted(edges, 'more edge')}, the rarest." if edges > 0 else ""


# --- variants -------------------------------------------------------------------------------------------------------


def variants_chart(found: Evaluation) -> Chart:
    """The variants with the largest shares of either log."""
    variants = found.variants
    shown = variants.top[:MOST_BARS]
    height, shapes = bars([_bar(each) for each in shown], NAMES, "cases")
    title = "Variants, before and after"
    whole = variants.kept + variants.lost + variants.new
    before, after = found.before.cases, found.after.cases
    more = whole - len(variants.top)
    return Chart(
        id="variants",
        title=title,
        reading="Each pair of bars is a variant: its cases before (hollow) and after (filled). Shown are those with "
        "the largest share of the cases of either log.",
        picture=Picture(WIDTH, height, title, f"Pairs of bars for {counted(len(shown), 'variant')}.", shapes),
        table=Table(
            columns=("Variant", "Before", "After", "Share before", "Share after"),
            rows=tuple(
                (
                    Label(_path(each.activities, 120), 130),
                    count(each.before) if each.before else "new",
                    count(each.after) if each.after else "lost",
                    share(each.before, before),
                    share(each.after, after),
                )
                for each in variants.top
            ),
            note=f"And {counted(more, 'more variant')}." if more > 0 else "",
        ),
        note=f"Lost variants had {share(variants.cases_of_lost, before)} of the cases before, new ones have "
        f"{share(variants.cases_of_new, after)} of those after.",
        tall=True,
    )


def _bar(variant: VariantCases) -> Bar:
    plain = Bar("", variant.after, variant.before)
    name = _path(variant.activities, room_beside(plain.value))
    return replace(plain, name=name, full=_path(variant.activities, LONGEST_TITLE))


def _path(activities: Sequence[str], columns: int) -> str:
    """The last step and as many of the first as there is room for; those between are counted."""
    *first, last = (shorten(each, columns // 3) for each in (*activities[:_MOST_STEPS], activities[-1]))
    path = last
    for named in range(1, min(len(activities), _MOST_STEPS + 1)):
        between = len(activities) - named - 1
        longer = ARROW.join([*first[:named], *([f"({between:,} more)"] if between else []), last])
        if width_of(longer) > columns and named > 1:
            break
        path = longer
    return path
