"""Charts of an evaluation that no other page has: edges before against after, durations of steps, variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp._base.units import DAY, HOUR, MINUTE, SECOND, YEAR
from amun_dp.drawing.axes import plot
from amun_dp.drawing.charts import bars
from amun_dp.drawing.log_charts import MOST_BARS, NAMES, signed, variant_bar, variant_label
from amun_dp.drawing.model import LONGEST_TABLE, Cell, Chart, Label, Table
from amun_dp.drawing.numbers import ARROW, and_more, count, counted, duration, in_full, share
from amun_dp.drawing.scales import Tick, short_count
from amun_dp.drawing.svg import Drawing, dot, polyline
from amun_dp.evaluation import Evaluation
from amun_dp.evaluation.distances import relative_difference
from amun_dp.evaluation.wording import hours, percent

MOST_DOTS = 500
_CELLS = 60
"""Places along an axis, a dot wide each; edges in the same one share a dot."""
_DURATIONS = (0, 10 * SECOND, MINUTE, HOUR, DAY, 30 * DAY, YEAR, 30 * YEAR, 1_000 * YEAR)


# --- edges ----------------------------------------------------------------------------------------------------------


def edges_chart(found: Evaluation) -> Chart:
    """How often each pair of activities follows directly, before against after."""
    before, after = (side.astype(np.int64) for side in found.edges.count)
    order = np.argsort(-np.maximum(before, after), kind="stable")
    largest = int(max(before.max(initial=0), after.max(initial=0)))
    values = [0, *(10**power for power in range(1, max(1, math.ceil(math.log10(max(largest, 1)))) + 1))]
    drawing, shows, hidden = _scatter(
        _Dots(
            x=_logarithm(before[order]),
            y=_logarithm(after[order]),
            hollow=(before[order] == 0) | (after[order] == 0),
            tip=lambda each: f"{_named(found, int(order[each]))}: {_change(found, int(order[each]))}",
        ),
        [Tick(float(_logarithm(value)), short_count(value)) for value in values],
        ("count before", "count after"),
    )
    return Chart(
        id="edges",
        title="Counts of edges, before and after",
        reading="Each dot is a pair of activities that directly follow each other: the further right, the more often "
        "before; the further up, the more often after. On the dotted line nothing changed; hollow dots occur in one "
        "log only. Both scales are logarithmic, and edges in the same place share a dot.",
        drawing=drawing,
        shows=shows,
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
            note=and_more(len(order) - LONGEST_TABLE, "edge"),
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
    drawing, shows, hidden = _scatter(
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
    )
    return Chart(
        id="steps",
        title="Durations of steps",
        reading="Each dot is an edge of both logs: the further right, the longer its steps take before, on average; "
        "the further up, the more its durations after are off (Wasserstein distance). On the dotted line they are off "
        "by as much as they are long. Both scales are logarithmic, and edges in the same place share a dot.",
        drawing=drawing,
        shows=shows,
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
            note=and_more(len(order) - LONGEST_TABLE, "edge"),
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


def _scatter(dots: _Dots, ticks: Sequence[Tick], axes: tuple[str, str]) -> tuple[Drawing, str, int]:
    """Dots between two axes of the same scale, with the line on which both values are equal; what that shows; and how
    many are left out."""
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
    return Drawing(tuple(shapes)), described, int(size.sum() - size[drawn].sum())


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


def _not_drawn(edges: int) -> str:
    return f"Not drawn: {counted(edges, 'more edge')}, the rarest." if edges > 0 else ""


# --- variants -------------------------------------------------------------------------------------------------------


def variants_chart(found: Evaluation) -> Chart:
    """The variants with the largest shares of either log."""
    variants = found.variants
    shown = variants.top[:MOST_BARS]
    whole = variants.kept + variants.lost + variants.new
    before, after = found.before.cases, found.after.cases
    more = whole - len(variants.top)
    return Chart(
        id="variants",
        title="Variants, before and after",
        reading="Each pair of bars is a variant: its cases before (hollow) and after (filled). Shown are those with "
        "the largest share of the cases of either log.",
        drawing=bars([variant_bar(each.activities, each.before, each.after) for each in shown], NAMES, "cases"),
        shows=f"Pairs of bars for {counted(len(shown), 'variant')}.",
        table=Table(
            columns=("Variant", "Before", "After", "Share before", "Share after"),
            rows=tuple(
                (
                    variant_label(each.activities),
                    count(each.before) if each.before else "new",
                    count(each.after) if each.after else "lost",
                    share(each.before, before),
                    share(each.after, after),
                )
                for each in variants.top
            ),
            note=and_more(more, "variant"),
        ),
        note=f"Lost variants had {share(variants.cases_of_lost, before)} of the cases before, new ones have "
        f"{share(variants.cases_of_new, after)} of those after.",
        tall=True,
    )
