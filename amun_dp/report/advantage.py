"""The chart 'advantage against ε': what any release with an ε guarantees, and where this one stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.accountant import strictest
from accounting.formulas import worst_case_advantage, worst_case_loss
from accounting.guarantee import Relation, Scope
from amun_dp.drawing.axes import plot
from amun_dp.drawing.model import Chart, Table
from amun_dp.drawing.numbers import delta_text, number, points
from amun_dp.drawing.scales import Tick
from amun_dp.drawing.svg import HEIGHT, Drawing, dot, line, polyline, text
from amun_dp.report.public_report import PublicReport
from amun_dp.report.terms import UNITS, is_bounded

_LARGEST = 10.0
"""Right end of the ε axis: from there on the attacker may be all but sure."""


@dataclass(frozen=True, slots=True)
class _Point:
    epsilon: float
    advantage: float
    name: str
    guaranteed: bool


def advantage_chart(report: PublicReport) -> Chart:
    found = _points(report)
    guaranteed = any(point.guaranteed for point in found)
    asked = points(report.advantage)
    return Chart(
        id="advantage",
        title="Guessing advantage against ε",
        reading="The curve is the most that an attacker's chance of a right guess can rise at a given ε, whatever they "
        "knew before. "
        + (
            "Filled points are what this release guarantees."
            if guaranteed
            else "The hollow point is what was asked for; this release guarantees nothing of the kind for a whole case."
        ),
        drawing=_drawing(found),
        shows="A curve that rises from 0 at ε = 0 towards 100 points. "
        + "; ".join(f"{point.name} at ε = {number(point.epsilon)}: {points(point.advantage)} points" for point in found)
        + ".",
        table=Table(
            columns=("What", "ε", "Advantage in points"),
            rows=(
                *((point.name, number(point.epsilon, 6), points(point.advantage)) for point in found),
                *(
                    (f"Any release with ε = {number(each)}", number(each), points(float(worst_case_advantage(each))))
                    for each in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
                ),
            ),
            note="" if guaranteed else f"Asked for were {asked} points; none are guaranteed for a whole case.",
        ),
    )


def _points(report: PublicReport) -> list[_Point]:
    """A point for each bound of the whole release; what was asked for if there is none."""
    found = []
    for scope in (Scope.CASE, Scope.INDIVIDUAL):
        line = strictest(report.guarantees, scope, Relation.REPLACE)
        stated = line.epsilon.stated()
        if report.unpredictable and is_bounded(line) and line.advantage is not None and stated is not None:
            failing = f", with δ = {delta_text(line.delta)}" if line.delta else ""
            found.append(_Point(stated, line.advantage, f"This release, {UNITS[scope]}{failing}", True))
    if found:
        return found
    return [
        _Point(float(worst_case_loss(report.advantage, "up")), report.advantage, "Asked for, not guaranteed", False)
    ]


def _drawing(found: list[_Point]) -> Drawing:
    percent = [Tick(value / 100, f"{value}") for value in range(0, 101, 20)]
    area = plot(0, _LARGEST, [Tick(each, f"{each}") for each in range(0, 11, 2)], percent, "ε", "advantage, points")
    curve = [(area.x(each), area.y(float(worst_case_advantage(each)))) for each in np.linspace(0.0, _LARGEST, 81)]
    shapes = [*area.axes, polyline(curve, "line-after")]
    next_free = HEIGHT
    for point in sorted(found, key=lambda each: each.advantage):
        x, y = area.x(min(point.epsilon, _LARGEST)), area.y(point.advantage)
        shapes += [line(x, y, x, area.y(0), "guide"), line(area.x(0), y, x, y, "guide")]
        shapes.append(dot(x, y, 5, "point" if point.guaranteed else "point-hollow"))
        # Words stand beside the point, below the curve where that is flat, and never on those of another point.
        flat = point.epsilon > _LARGEST * 0.4
        height = min(y + 22 if flat else y + 5, next_free)
        next_free = height - 14
        words = f"{point.name}: {points(point.advantage)} points"
        if point.epsilon > _LARGEST:
            words += f" (ε = {number(point.epsilon)}, off the axis)"
        shapes.append(
            text(area.x(_LARGEST), height, words, "note", "end") if flat else text(x + 12, height, words, "note")
        )
    return Drawing(tuple(shapes))
