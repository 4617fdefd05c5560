"""An evaluation in words: both logs in numbers, and each measure with how to read it. Terminal and page share it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from amun_dp.drawing.log_charts import signed
from amun_dp.drawing.numbers import count, counted, date, number
from amun_dp.evaluation import Evaluation
from amun_dp.evaluation.languages import LanguageDistance

_UNITS = ((24.0, "d"), (1.0, "h"), (1 / 60, "min"), (1 / 3600, "s"))


@dataclass(frozen=True, slots=True)
class Measure:
    """One line: a name, its figure, and how to read it."""

    name: str
    value: str
    reading: str


@dataclass(frozen=True, slots=True)
class MeasureGroup:
    title: str
    measures: tuple[Measure, ...]


def totals(found: Evaluation) -> tuple[tuple[str, str, str, str], ...]:
    """Name, before, after and change of what can be told of one log alone."""
    before, after, cycle = found.before, found.after, found.cycle_times

    def whole(name: str, old: int, new: int) -> tuple[str, str, str, str]:
        return name, count(old), count(new), signed(new - old)

    def lasting(name: str, pair: tuple[float, float]) -> tuple[str, str, str, str]:
        change = pair[1] - pair[0]
        return (
            name,
            hours(pair[0]),
            hours(pair[1]),
            f"{'+' if change > 0 else '−' if change < 0 else ''}{hours(abs(change))}",
        )

    edges = (int(np.count_nonzero(side)) for side in found.edges.count)
    return (
        whole("Cases", before.cases, after.cases),
        whole("Events", before.events, after.events),
        whole("Activities", len(before.activities), len(after.activities)),
        whole("Variants", before.variants, after.variants),
        whole("Steps (edges)", *edges),
        whole("Most active at once", *found.active.most),
        lasting("Cycle time, mean", cycle.mean),
        lasting("Cycle time, median", cycle.median),
        lasting("Cycle time, 90 % within", cycle.ninth_decile),
        ("First event", date(before.first_time), date(after.first_time), ""),
        ("Last event", date(before.last_time), date(after.last_time), ""),
    )


def measures(found: Evaluation) -> tuple[MeasureGroup, ...]:
    """How far the released log is from the original, in every way that is measured."""
    groups = (_as_the_article(found), _by_edge(found), _variants(found), _cases(found))
    return groups if found.model is None else (*groups, _models(found))


def _as_the_article(found: Evaluation) -> MeasureGroup:
    return MeasureGroup(
        "As the article measures",
        (
            Measure(
                "Frequency EMD",
                number(found.distances.frequency_emd),
                "Mean difference of the sorted counts of edges. Blind to which edge has which count.",
            ),
            Measure(
                "Time EMD",
                f"{number(found.distances.time_emd)} months",
                "The same of the total durations of edges, each cut to whole hours; a month has 720.",
            ),
        ),
    )


def _by_edge(found: Evaluation) -> MeasureGroup:
    figures = found.distances
    before, after = found.edges.count
    kept = int(np.count_nonzero((before > 0) & (after > 0)))
    lost, new = int(np.count_nonzero(after == 0)), int(np.count_nonzero(before == 0))
    return MeasureGroup(
        "Edge by edge",
        (
            Measure(
                "Edges",
                f"{count(kept)} kept, {count(lost)} lost, {count(new)} new",
                "Pairs of activities that directly follow each other in both logs, before only, and after only.",
            ),
            Measure(
                "Counts, mean difference", number(figures.frequency_by_edge), "How far the count of an edge is off."
            ),
            Measure(
                "Counts, relative error",
                percent(figures.frequency_error),
                "Sum of these differences, of all steps before. A released log without any step has 100 %.",
            ),
            Measure(
                "Total durations, mean difference",
                f"{number(figures.time_by_edge)} months",
                "How far the total duration of an edge is off.",
            ),
            Measure(
                "Total durations, relative error",
                percent(figures.time_error),
                "Sum of these differences, of all durations before.",
            ),
            Measure(
                "Duration of a step",
                _step(found),
                "Wasserstein distance of the durations of an edge before and after, mean over the original's steps: "
                "how far a duration is off, on average, whatever the counts. In brackets: the mean duration before.",
            ),
        ),
    )


def _step(found: Evaluation) -> str:
    off, usual = found.durations.overall, found.durations.overall_mean
    return "no edge in both logs" if math.isnan(off) else f"{hours(off)} off (mean {hours(usual)})"


def _variants(found: Evaluation) -> MeasureGroup:
    variants = found.variants
    return MeasureGroup(
        "Variants",
        (
            Measure("Kept", count(variants.kept), "Sequences of activities that occur in both logs."),
            Measure("Lost", f"{count(variants.lost)}, with {counted(variants.cases_of_lost, 'case')}", "Only before."),
            Measure("New", f"{count(variants.new)}, with {counted(variants.cases_of_new, 'case')}", "Only after."),
            Measure(
                "One of a kind, released",
                str(variants.one_of_a_kind),
                "Of the variants that exactly one original case has, those that the released log has, too: whoever "
                "knows such a path finds it there.",
            ),
            Measure(
                "Shares that differ",
                percent(found.language.moved),
                "The part of the cases that would have to follow another variant for all shares to be as before.",
            ),
            Measure("Earth movers' distance", language(found.language), _language_reading(found.language)),
        ),
    )


def language(distance: LanguageDistance) -> str:
    if distance.exact:
        return number(distance.high)
    return f"between {number(distance.low)} and {number(distance.high)}"


def _language_reading(distance: LanguageDistance) -> str:
    reading = (
        "How much of its variant a case would have to change for that, on average over all: 0 nothing, 1 everything. "
        "Between two variants it is the Levenshtein distance divided by the length of the longer."
    )
    if distance.exact:
        return reading
    before, after = distance.left_out
    left_out = (
        f": {count(before)} before and {count(after)} after, those with least to move, were not compared one by one"
    )
    return f"{reading} Variants are too many for the exact figure{left_out if before or after else ''}."


def _cases(found: Evaluation) -> MeasureGroup:
    return MeasureGroup(
        "Cases over time",
        (
            Measure(
                "Cycle times",
                f"{hours(found.cycle_times.distance)} off",
                "Wasserstein distance of the times from first to last event: how far they are off, on average.",
            ),
            Measure(
                "Active cases",
                percent(found.active.difference),
                "Area between the two curves of active cases over time, of the area under the original's.",
            ),
        ),
    )


def _models(found: Evaluation) -> MeasureGroup:
    assert found.model is not None
    released, own = found.model.released, found.model.original
    return MeasureGroup(
        "A model discovered from the released log",
        (
            Measure(
                "Events that it knows",
                f"{percent(released.known)} (own model {percent(own.known)})",
                "The original's events whose activity the model has; fitness says nothing of the others. In brackets: "
                "the model discovered from the original itself. Both by the inductive miner, noise threshold 0.2.",
            ),
            Measure(
                "Fitness on the original",
                f"{number(released.fitness)} (own model {number(own.fitness)})",
                "How much of the original's behaviour the model replays, by token-based replay.",
            ),
            Measure(
                "Precision on the original",
                f"{number(released.precision)} (own model {number(own.precision)})",
                "How much of what the model allows is in the original.",
            ),
        ),
    )


def hours(value: float) -> str:
    """A duration given in hours, in the largest unit that gives at least 1."""
    size, unit = next(((size, unit) for size, unit in _UNITS if value >= size), _UNITS[-1])
    return f"{number(value / size)} {unit}"


def percent(value: float) -> str:
    return f"{number(100 * value)} %" if math.isfinite(value) else "unbounded"
