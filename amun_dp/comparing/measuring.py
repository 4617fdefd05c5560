"""One run of a cell: release, and measure what became of the log. Runs in this process; limits are somebody else's."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from amun_dp.article.conventions import Conventions
from amun_dp.article.parameters import Parameters
from amun_dp.article.plan import plan_article
from amun_dp.baselines.parent import Job, Outcome, outcomes
from amun_dp.comparing.cells import Cell, Phi, parameters_of
from amun_dp.errors import ReleaseError
from amun_dp.evaluation.distances import distances_between, edge_table, steps_of
from amun_dp.evaluation.exact_links import exact_links
from amun_dp.evaluation.languages import variants_kept
from amun_dp.eventlog.case_lists import cases_of, log_of_cases
from amun_dp.eventlog.language import languages_of
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import find_variants
from amun_dp.noise.sources import NoiseSource, SeededNoise, SystemNoise
from amun_dp.release.article import draw
from amun_dp.release.methods import carry_out, make_plan
from amun_dp.writing import write_log

Ending = Literal["released", "nothing", "time", "memory", "failed"]
"""``nothing``: the method found nothing that it could release, or refused the log. ``time``, ``memory``: a limit ended
the run."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What became of the log. Times are None for a release without any."""

    cases: int
    events: int
    variants_kept: int
    variants_lost: int
    variants_new: int
    frequency_emd: float
    frequency_by_edge: float
    frequency_error: float | None
    """None if it would be infinite: steps where the original has none. So is the error of times."""
    time_emd: float | None
    time_by_edge: float | None
    time_error: float | None
    steps_unchanged: float | None
    cases_linked: float | None


@dataclass(frozen=True, slots=True)
class Run:
    ending: Ending
    figures: Figures | None = None
    seconds: float | None = None
    """From the log in memory to the released log in memory; wall clock."""
    processor: float | None = None
    """Processor time of all cores together, in seconds, from the log in memory to the released log in memory. What else
    the machine does hardly matters."""
    memory: int | None = None
    """Bytes at most, of the whole process; None where it did other things as well."""
    reading: float | None = None
    """Seconds to read the log and, next, to write the released one as .xes.gz: measured once, in the first run."""
    writing: float | None = None
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of(data: dict[str, Any]) -> Run:
        figures = data["figures"]
        return Run(**{**data, "figures": None if figures is None else Figures(**figures)})


NO_ANSWER = "the process ended without an answer"
"""Somebody killed it, or a library did not survive something; which of the two cannot be told."""
SLOWEST = 20.0
"""A run that does not work, or on a machine that has no time for it, is ended after so many times its limit."""


@dataclass(frozen=True, slots=True)
class BaselineLimits:
    """What a run of a baseline may take, and the Python that has pm4py in it."""

    seconds: float
    """Of processor time."""
    memory: int | None = None
    python: str = sys.executable


def facts_of(log: EventLog, advantages: Sequence[float], conventions: Conventions) -> dict[str, Any]:
    """What the tables need to know of a log: its size, and the ε that baselines get."""
    return {
        "cases": log.n_cases,
        "events": log.n_events,
        "activities": len(log.activities),
        "variants": find_variants(log).count,
        "phi": {f"{advantage:g}": phi_of(log, advantage, conventions) for advantage in advantages},
    }


def phi_of(log: EventLog, advantage: float, conventions: Conventions) -> dict[Phi, float]:
    """The article's Φ: the ε of the released events, each divided by the copies of its case.

    Of one release by ``sampling`` with a fixed seed, so that everybody gets the same. It is not published.
    """
    plan = plan_article(log, Parameters(advantage, "sampling", conventions))
    drawn = draw(plan, SeededNoise(0))
    losses = plan.losses[drawn.cases.row] / drawn.copies[log.case[drawn.cases.row]]
    return {"average": float(losses.mean()), "minimum": float(losses.min()), "maximum": float(losses.max())}


def own_runs(
    log: EventLog,
    cell: Cell,
    conventions: Conventions,
    runs: int,
    source: NoiseSource | None = None,
    folder: Path | None = None,
) -> Iterator[Run]:
    """Runs of a method of this package; ``source`` is for repeatable ones. Nothing of them is published: what is
    written into the ``folder``, to see how long it takes, is removed at once."""
    source = SystemNoise() if source is None else source
    parameters = parameters_of(cell.method, cell.advantage, conventions)
    for number in range(runs):
        began, used = time.perf_counter(), time.process_time()
        try:
            # Planned anew each time: it is part of what a release takes.
            released = carry_out(make_plan(log, parameters), source).event_log
        except ReleaseError as error:
            took = time.perf_counter() - began, time.process_time() - used
            yield Run("nothing", None, *took, why=str(error))
            continue
        took = time.perf_counter() - began, time.process_time() - used
        writing = None if folder is None or number else _writing(released, folder)
        yield Run("released", figures_of(log, released, times=True), *took, writing=writing)


def _writing(released: EventLog, folder: Path) -> float:
    began, path = time.perf_counter(), folder / "released.xes.gz"
    write_log(released, path)
    seconds = time.perf_counter() - began
    path.unlink()
    return seconds


def baseline_runs(log: EventLog, cell: Cell, epsilon: float, runs: int, limits: BaselineLimits) -> Iterator[Run]:
    """Runs of one of pm4py's, with the article's parameters; ended by the first that exceeds a limit."""
    assert cell.pruning is not None
    job: Job = {
        "pripel": cell.method == "pripel",
        "epsilon": epsilon,
        "k": max(1, round(log.n_events / log.n_cases)),
        "p": max(1, round(cell.pruning * log.n_cases)),
        "memory": limits.memory,
        "processor": limits.seconds,
        "cases": cases_of(log),
    }
    for outcome in outcomes(job, runs, SLOWEST * limits.seconds, limits.python):
        run = _baseline_run(log, outcome, times=cell.method == "pripel")
        yield run
        if run.ending in ("time", "memory"):
            return


def _baseline_run(log: EventLog, outcome: Outcome, times: bool) -> Run:
    if outcome.stopped:
        return Run("time") if outcome.late else Run("failed", why=NO_ANSWER)
    if outcome.out_of_memory:
        return Run("memory")
    if outcome.failed is not None:
        return Run("failed", why=outcome.failed)
    measured = partial(Run, seconds=outcome.seconds, processor=outcome.processor, memory=outcome.memory)
    if not outcome.cases:
        return measured("nothing")
    return measured("released", figures_of(log, log_of_cases(outcome.cases), times))


def figures_of(original: EventLog, released: EventLog, times: bool) -> Figures:
    steps = steps_of(original, released)
    found = distances_between(edge_table(steps))
    variants = variants_kept(languages_of(original, released))
    links = exact_links(original, released, steps)
    return Figures(
        cases=released.n_cases,
        events=released.n_events,
        variants_kept=variants.kept,
        variants_lost=variants.lost,
        variants_new=variants.new,
        frequency_emd=found.frequency_emd,
        frequency_by_edge=found.frequency_by_edge,
        frequency_error=found.frequency_error if np.isfinite(found.frequency_error) else None,
        time_emd=found.time_emd if times else None,
        time_by_edge=found.time_by_edge if times else None,
        time_error=found.time_error if times and np.isfinite(found.time_error) else None,
        steps_unchanged=links.steps_unchanged if times else None,
        cases_linked=links.cases_linked if times else None,
    )
