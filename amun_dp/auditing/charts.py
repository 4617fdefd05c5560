"""The picture of a test: how the score came out on either log, and the event by which the attacker tells them apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from amun_dp._base.units import DAY, HOUR, MINUTE, SECOND, YEAR
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.results import Finding, Histogram, TestResult
from amun_dp.drawing.charts import Bin, Marked, histogram
from amun_dp.drawing.model import Badge, Chart, Table
from amun_dp.drawing.numbers import at_least, at_most, capital, count, counted, shorten
from amun_dp.drawing.scales import Tick, nice_step

NAMES = ("left log", "right log")
_SCORES = {
    Goal.VARIANT: "cases of the victim's variant, left one minus right one",
    Goal.PRESENCE: "cases of the variant",
    Goal.TRANSITION: "steps of the victim, left ones minus right ones",
    Goal.MEMBERSHIP: "cases",
    Goal.DURATION: "nearest duration, distance from the victim's",
    Goal.LINKAGE: "mean duration in cases of the variant",
    Goal.OTHERS: "mean logarithm of everybody else's durations",
    Goal.LEARNT: "learnt score, without a unit; larger speaks for the left log",
    Goal.CELL: "noisy count of the cell",
    Goal.TABLE: "likelihood ratio of all cells; larger speaks for the left log",
    Goal.RELEASED_CELL: "released count of the cell",
    Goal.MEASUREMENTS: "ln of the likelihood ratio; larger speaks for the left log",
}
"""What the score is, as the title of an axis."""
_TIMES = (Goal.DURATION, Goal.LINKAGE)
_NONE_IS_LAST, _NONE_IS_FIRST = (Goal.DURATION,), (Goal.LINKAGE, Goal.OTHERS)
"""A release without such a case: infinitely far, or -1, where a score is never negative otherwise."""
_UNITS = ((YEAR, " y"), (DAY, " d"), (HOUR, " h"), (MINUTE, " min"), (SECOND, " s"), (1, " ms"))
_MOST_MARKS = 9
_MOST_DECIMALS = 6
_LARGEST = 1e15
"""From here on a score is written with a power of ten."""


def chart_of(result: TestResult, identifier: str, title: str, badge: Badge, tips: bool = False) -> Chart:
    """A picture of one test with its counts; the hollow columns are the left log of the pair, the filled ones the
    right log."""
    axis = _axis(result)
    names = axis.columns(result.histogram)
    event = axis.event(result.tested.event.low, result.tested.event.high)
    bins = [
        Bin(name, int(right), int(left))
        for name, left, right in zip(names, result.histogram.left, result.histogram.right, strict=True)
    ]
    low, high = _places(result)
    score = _SCORES.get(result.goal, "score")
    return Chart(
        id=identifier,
        title=title,
        reading=_reading(result, event),
        drawing=histogram(
            bins, axis.marks(result.histogram), score, "runs", NAMES, Marked(low, high, f"event: {event}"), tips
        ),
        shows=f"Two histograms of {counted(len(bins), 'column')}, the first {names[0]}, the last {names[-1]}: runs on "
        f"the left log, hollow, and on the right log, filled. The event is marked: {event}.",
        table=Table(
            columns=(capital(score), *map(capital, NAMES)),
            rows=tuple((each.name, count(each.before or 0), count(each.after)) for each in bins),
        ),
        badge=badge,
    )


def _reading(result: TestResult, event: str) -> str:
    tested = result.tested
    one, other = NAMES if tested.event.favours == 0 else NAMES[::-1]
    low, claimed = apart(result.tested.epsilon_low, result.claimed.epsilon, result.finding)
    lost = f" less δ = {at_most(result.claimed.delta)}" if result.claimed.delta else ""
    return (
        f"{'Made-up logs' if result.worst_case else 'Given log'}, left to right: {shorten(result.says, 150)}. Event: "
        f"{event}. Seen in {count(tested.seen)} of {counted(tested.runs, 'run')} on the {one} and "
        f"{count(tested.seen_on_other)} on the {other}: at least {_percent(tested.likely, at_least)} likely{lost}, at "
        f"most {_percent(tested.unlikely, at_most)}, so ε ≥ {low}; claimed is {claimed}."
    )


def _percent(probability: float, rounded: Callable[[float], str]) -> str:
    return f"{rounded(100 * probability)} %"


def apart(low: float, claimed: float, finding: Finding) -> tuple[str, str]:
    """A lower bound rounded down and a claim rounded up, with as many digits as it takes to see which is larger."""
    for digits in range(3, 13):
        shown = at_least(low, digits), at_most(claimed, digits)
        if finding is not Finding.BROKEN or float(shown[0].replace(",", "")) > float(shown[1].replace(",", "")):
            return shown
    return repr(low), repr(claimed)


# --- where things lie -----------------------------------------------------------------------------------------------


def _places(result: TestResult) -> tuple[float, float]:
    """Where the event begins and ends, in columns from the left."""
    drawn, event = result.histogram, result.tested.event
    if drawn.exact:
        return (
            float(np.searchsorted(drawn.edges, event.low, side="left")),
            float(np.searchsorted(drawn.edges, event.high, side="right")),
        )
    return _place(drawn, event.low), _place(drawn, event.high)


def _place(drawn: Histogram, value: float) -> float:
    """On columns of equal width; what lies beyond them is in the outermost ones."""
    low, high = float(drawn.edges[0]), float(drawn.edges[-1])
    share = (min(max(value, low), high) - low) / (high - low)
    return share * (len(drawn.edges) - 1)


@dataclass(frozen=True, slots=True)
class _Axis:
    """How the scores of one picture are written: all in one unit, with as many decimals as tell columns apart."""

    goal: Goal
    size: float
    unit: str
    decimals: int

    def value(self, score: float) -> str:
        if math.isnan(score):
            return "no number"
        if (score == math.inf and self.goal in _NONE_IS_LAST) or (score < 0 and self.goal in _NONE_IS_FIRST):
            return "none"
        sign = "−" if score < 0 else ""
        if math.isinf(score):
            return f"{sign}∞"
        size = abs(score) / self.size
        text = f"{size:.3g}" if size >= _LARGEST else f"{size:,.{self.decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return f"{'' if text == '0' else sign}{text}{self.unit}"

    def columns(self, drawn: Histogram) -> list[str]:
        texts = [self.value(edge) for edge in drawn.edges.tolist()]
        if drawn.exact:
            return texts
        between = [f"{low} to {high}" for low, high in pairwise(texts[1:-1])]
        first, last = (", or none" if self.goal in goals else "" for goals in (_NONE_IS_FIRST, _NONE_IS_LAST))
        return [f"below {texts[1]}{first}", *between, f"from {texts[-2]} on{last}"]

    def event(self, low: float, high: float) -> str:
        """The closed interval in words."""
        from_one, to_one = self._end(low), self._end(high)
        if low == high:
            return from_one if from_one == "none" else f"exactly {from_one}"
        if low == -math.inf and high == math.inf:
            return "any score"
        if high == math.inf:
            return "any score" if from_one == "none" else self._with_none(f"{from_one} or more", _NONE_IS_LAST)
        if low == -math.inf:
            return to_one if to_one == "none" else self._with_none(f"{to_one} or less", _NONE_IS_FIRST)
        return f"{from_one} to {to_one}"

    def _end(self, score: float) -> str:
        """An end of the event, in a unit and with digits of its own: it may be far smaller than a column is wide."""
        if not math.isfinite(score) or self.value(score) == "none" or score == 0:
            return self.value(score)
        size, unit = _unit_of(abs(score)) if self.unit else (1.0, "")
        of_unit = abs(score) / size
        if of_unit < 10.0**-_MOST_DECIMALS:
            return f"{'−' if score < 0 else ''}{of_unit:.2g}{unit}"
        digits = 0 if of_unit == round(of_unit) else min(max(2 - math.floor(math.log10(of_unit)), 0), _MOST_DECIMALS)
        return replace(self, size=size, unit=unit, decimals=digits).value(score)

    def _with_none(self, words: str, goals: tuple[Goal, ...]) -> str:
        return f"{words}, or none" if self.goal in goals else words

    def marks(self, drawn: Histogram) -> list[Tick]:
        edges = drawn.edges.tolist()
        if drawn.exact:
            every = -(-len(edges) // _MOST_MARKS)
            return [Tick(place + 0.5, self.value(edges[place])) for place in range(0, len(edges), every)]
        low, high = edges[0], edges[-1]
        step = nice_step((high - low) / self.size, 6) * self.size
        if not math.isfinite(step) or abs(low) + abs(high) > _LARGEST * step:  # too far out for round numbers
            return [Tick(0, self.value(low)), Tick(len(edges) - 1, self.value(high))]
        whole = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        return [Tick(_place(drawn, each * step), self.value(each * step)) for each in whole]


def _unit_of(milliseconds: float) -> tuple[float, str]:
    """The largest unit of which it has at least one."""
    return next(((size, unit) for size, unit in _UNITS if milliseconds >= size), _UNITS[-1])


def _axis(result: TestResult) -> _Axis:
    edges = result.histogram.edges
    finite = edges[np.isfinite(edges)]
    largest = float(np.abs(finite).max()) if len(finite) else 0.0
    size, unit = 1.0, ""
    if result.goal in _TIMES:
        size, unit = _unit_of(largest / 2)
    if not len(finite) or np.array_equal(finite / size, np.round(finite / size)):
        return _Axis(result.goal, size, unit, 0 if not unit else 1)
    steps = np.diff(finite)
    narrowest = float(steps[steps > 0].min()) / size if (steps > 0).any() else largest / size
    return _Axis(result.goal, size, unit, min(max(1 - math.floor(math.log10(narrowest)), 0), _MOST_DECIMALS))
