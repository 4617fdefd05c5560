"""The runs of a cell in a few figures: mean and spread, of baselines those of the pruning that did best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import fmean, stdev

from amun_dp.comparing.cells import PRUNINGS, Cell, Phi
from amun_dp.comparing.measuring import Figures, Run

MEASURES = tuple(field.name for field in fields(Figures))
Runs = Mapping[Cell, Sequence[Run]]


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and spread of a figure over the runs that released something."""

    mean: float
    deviation: float | None
    """Standard deviation; None for one run."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A method at one advantage on one log."""

    method: str
    runs: int
    released: int
    nothing: int
    """Runs in which the method found nothing to release."""
    failed: int
    exceeded: str
    """The limit that ended it: time, memory, or empty."""
    measures: Mapping[str, Spread]
    seconds: Spread | None
    processor: Spread | None
    whole_seconds: float | None
    """From reading to writing; None where reading or writing was not measured."""
    memory: int | None
    pruning: float | None
    """The one that was chosen, of a baseline."""

    def mean(self, measure: str) -> float | None:
        return self.measures[measure].mean if measure in self.measures else None


def summarise(runs: Runs, log: str, method: str, advantage: float, phi: Phi | None) -> Summary | None:
    """None if nothing was run. Of prunings the best is that with the least frequency EMD, as the article chose it."""
    if phi is None:
        found = _summary(method, runs.get(Cell(log, method, advantage), ()), None)
        return found if found.runs else None
    tried = [_summary(method, runs.get(Cell(log, method, advantage, phi, each), ()), each) for each in PRUNINGS]
    tried = [each for each in tried if each.runs]
    if not tried:
        return None
    useful = [each for each in tried if each.released and not each.exceeded]
    return min(useful, key=lambda each: each.measures["frequency_emd"].mean) if useful else tried[0]


def _summary(method: str, runs: Sequence[Run], pruning: float | None) -> Summary:
    released = [run for run in runs if run.ending == "released"]
    took = [run.seconds for run in runs if run.seconds is not None]
    seconds = _spread(took)
    first = next((run for run in runs if run.reading is not None), None)
    writing = next((run.writing for run in runs if run.writing is not None), None)
    return Summary(
        method=method,
        runs=len(runs),
        released=len(released),
        nothing=sum(run.ending == "nothing" for run in runs),
        failed=sum(run.ending == "failed" for run in runs),
        exceeded=next((run.ending for run in runs if run.ending in ("time", "memory")), ""),
        measures=_measures([run.figures for run in released if run.figures is not None]),
        seconds=seconds,
        processor=_spread([run.processor for run in runs if run.processor is not None]),
        whole_seconds=None
        if seconds is None or first is None or first.reading is None or writing is None
        else first.reading + seconds.mean + writing,
        memory=max((run.memory for run in runs if run.memory is not None), default=None),
        pruning=pruning,
    )


def _measures(found: Sequence[Figures]) -> dict[str, Spread]:
    result = {}
    for measure in MEASURES:
        spread = _spread([value for one in found if (value := getattr(one, measure)) is not None])
        if spread is not None:
            result[measure] = spread
    return result


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    return Spread(fmean(values), stdev(values) if len(values) > 1 else None)
