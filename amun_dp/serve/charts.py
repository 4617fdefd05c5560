"""Two pictures for the page: how exposed people are, and what each advantage would cost."""

from __future__ import annotations

import math
from collections.abc import Sequence

from amun_dp.drawing.axes import legend, plot
from amun_dp.drawing.model import Chart, Table
from amun_dp.drawing.numbers import count, number, share
from amun_dp.drawing.render import render_part
from amun_dp.drawing.scales import Tick, count_ticks, short_count
from amun_dp.drawing.svg import Drawing, Shapes, dot, polyline
from amun_dp.release.inspect import Inspection
from amun_dp.release.sweep import SweepRow

_PERCENT = [Tick(value, f"{value} %") for value in (0, 25, 50, 75, 100)]


def exposure_chart(found: Inspection) -> str:
    """Share of the cases that can be singled out by anyone who knows their first events."""
    places = range(len(found.exposure))
    ticks = [Tick(place, str(row.known_events)) for place, row in zip(places, found.exposure, strict=True)]
    area = plot(-0.3, len(found.exposure) - 0.7, ticks, _PERCENT, "known events", "cases that are singled out")

    def series(values: Sequence[int], css: str, words: str) -> Shapes:
        points = [
            (area.x(place), area.y(100 * value / found.cases)) for place, value in zip(places, values, strict=True)
        ]
        tips = [
            f"{row.known_events} known events: {count(value)} of {count(found.cases)} cases ({words})"
            for row, value in zip(found.exposure, values, strict=True)
        ]
        css_dot = "point" if css == "line-after" else "point-open"
        dots = [dot(x, y, 4, css_dot, tip) for (x, y), tip in zip(points, tips, strict=True)]
        return (polyline(points, css), *dots)

    plain = [row.by_activities for row in found.exposure]
    dated = [row.by_activities_and_days for row in found.exposure]
    chart = Chart(
        id="exposure-picture",
        title="Who is one of a kind",
        reading="Cases that somebody singles out who knows the first events of a case, of all cases in the log.",
        drawing=Drawing(
            (
                *area.axes,
                *legend(("activities", "activities and days"), "line"),
                *series(plain, "line-before", "activities"),
                *series(dated, "line-after", "activities and days"),
            )
        ),
        shows=f"Two lines that rise with the number of known events. With {found.exposure[-1].known_events} known "
        f"events {share(plain[-1], found.cases)} of the cases are singled out by activities alone, "
        f"{share(dated[-1], found.cases)} by activities and days.",
        table=Table(
            ("known events", "by activities", "by activities and days"),
            tuple(
                (
                    str(row.known_events),
                    f"{count(row.by_activities)} ({share(row.by_activities, found.cases)})",
                    f"{count(row.by_activities_and_days)} ({share(row.by_activities_and_days, found.cases)})",
                )
                for row in found.exposure
            ),
        ),
    )
    return render_part("chart", chart)


def sweep_chart(rows: Sequence[SweepRow], method: str) -> str:
    """Cases kept at each advantage, or, where all are kept anyway, the noise; all figures are in the table behind."""
    certified = method.startswith("certified")
    if any(row.kept_cases < row.cases for row in rows):
        values, y_ticks, what = [100 * row.kept_cases / row.cases for row in rows], _PERCENT, "cases kept"
    else:
        values, what = [row.count_noise or 0.0 for row in rows], "noise on a count (cases)"
        y_ticks = [Tick(value, short_count(value)) for value in count_ticks(math.ceil(max(values)))]
    ticks = [Tick(row.advantage, f"{row.advantage:g}") for row in rows]
    area = plot(rows[0].advantage - 0.02, rows[-1].advantage + 0.02, ticks, y_ticks, "advantage", what)
    points = [(area.x(row.advantage), area.y(value)) for row, value in zip(rows, values, strict=True)]
    dots = [
        dot(x, y, 4, "point", f"advantage {row.advantage:g}: {number(value)}")
        for (x, y), row, value in zip(points, rows, values, strict=True)
    ]
    columns: tuple[str, ...] = ("advantage", "ε", "cases kept", "noise on a count (cases)")
    if not certified:
        columns += ("error of a start (days)", "error of a duration (hours)")
    chart = Chart(
        id="sweep-picture",
        title="What each advantage would cost",
        reading=f"{what[0].upper()}{what[1:]}, at each advantage. Every figure is in the table below.",
        drawing=Drawing((*area.axes, polyline(points, "line-after"), *dots)),
        shows=f"{what}: {number(values[0])} at advantage {rows[0].advantage:g}, {number(values[-1])} at "
        f"{rows[-1].advantage:g}.",
        table=Table(columns, tuple(_sweep_row(row, certified) for row in rows)),
    )
    return render_part("chart", chart)


def _sweep_row(row: SweepRow, certified: bool) -> tuple[str, ...]:
    def figure(value: float | None) -> str:
        return "–" if value is None else number(value)

    kept = f"{count(round(row.kept_cases))} of {count(row.cases)}"
    figures = (f"{row.advantage:g}", figure(row.epsilon), kept, figure(row.count_noise))
    return figures if certified else (*figures, figure(row.start_error_days), figure(row.duration_error_hours))
