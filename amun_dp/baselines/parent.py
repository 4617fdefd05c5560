"""The side that asks: runs of pm4py's anonymisers, each with an end.

The process is kept from one call to the next, because importing pm4py takes longer than a thousand runs on a small log.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from amun_dp._base.units import HOUR
from amun_dp._base.worker import LineProcess, own_environment
from amun_dp.baselines.child import READY
from amun_dp.errors import ParameterError
from amun_dp.eventlog.case_lists import CaseEvents

_STARTING = 300.0
"""Seconds for importing pm4py, which are no run's."""


_REMEDY = (
    "Beside diffprivlib they need a version of scikit-learn that it knows: pip install amun-dp[baselines], in an "
    "environment of its own if need be."
)


class Job(TypedDict):
    pripel: bool
    """Whether times are wanted, and not control flow alone."""
    epsilon: float
    k: int
    """Length of the longest prefix."""
    p: int
    """Prefixes with a smaller noisy count are not followed."""
    memory: int | None
    """Bytes that the process may allocate, from now on."""
    processor: float | None
    """Seconds of processor time for one run."""
    cases: list[CaseEvents]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one run: the released cases, or why there are none. There may also just be nothing to release."""

    cases: list[CaseEvents]
    failed: str | None = None
    """Kind and place of the error; its text might hold values of the log."""
    stopped: bool = False
    """It took too long, or the process ended without an answer."""
    late: bool = False
    """It took too long: of those that were stopped."""
    seconds: float | None = None
    processor: float | None = None
    """Seconds by the clock, and of all cores together."""
    memory: int | None = None
    """Bytes that the process, of this run and those before it, had in memory at most."""

    @property
    def out_of_memory(self) -> bool:
        return self.failed is not None and self.failed.startswith("MemoryError")


def outcomes(job: Job, runs: int, limit: float, python: str = sys.executable) -> Iterator[Outcome]:
    """So many runs of at most ``limit`` seconds each, in as many processes as it takes."""
    done = 0
    while done < runs:
        child = process(python)
        child.ask([job, runs - done])
        try:
            while done < runs and child.lives:
                done += 1
                line = child.line(limit)
                yield _outcome(line, child.was_late)
        except BaseException:  # who stops listening must not get these answers to the next question
            child.close()
            raise


def _outcome(line: str | None, late: bool) -> Outcome:
    if line is None:
        return Outcome([], stopped=True, late=late)
    answer = json.loads(line)
    if "failed" in answer:
        return Outcome([], failed=answer["failed"])
    return Outcome(answer["cases"], seconds=answer["seconds"], processor=answer["processor"], memory=answer["memory"])


def check_baseline(pripel: bool, python: str = sys.executable) -> None:
    """Refuse what cannot run there (PRIPEL needs more packages than SaCoFa) by running it on a log of a few events."""
    cases: list[CaseEvents] = [[("a", number), ("b", HOUR + 2 * number)] for number in range(8)]
    job = Job(pripel=pripel, epsilon=500.0, k=3, p=2, memory=None, processor=None, cases=cases)
    [outcome] = outcomes(job, 1, _STARTING, python)
    process(python).close()
    if outcome.failed is not None or outcome.stopped:
        raise ParameterError(
            f"pm4py's {'PRIPEL' if pripel else 'SaCoFa'} does not run here ({outcome.failed or 'no answer'}). {_REMEDY}"
        )


def process(python: str = sys.executable) -> LineProcess:
    """The one that was started before, if it still lives."""
    found = _started(os.getpid(), python)
    if not found.lives:
        _started.cache_clear()
        found = _started(os.getpid(), python)
    return found


@lru_cache(maxsize=1)
def _started(owner: int, python: str) -> LineProcess:  # noqa: ARG001 — by number: a forked process must not talk to its parent's child
    script = str(Path(__file__).with_name("child.py"))
    environment = own_environment() if python == sys.executable else _foreign_environment()
    try:
        # Run by path, so that the modules beside the script are not in the way of pm4py's imports.
        run = f"import runpy; runpy.run_path({script!r}, run_name='__main__')"
        child = LineProcess([python, "-W", "ignore", "-c", run], environment)
    except OSError as error:
        raise ParameterError(f"{python} cannot be run, and is named as the Python with pm4py in it.") from error
    line = child.line(_STARTING)
    found = "it did not start" if line is None else _said(line)
    if found != READY:
        child.close()
        raise ParameterError(f"pm4py's anonymisers cannot be imported here ({found}). {_REMEDY}")
    return child


def _said(line: str) -> str:
    """Another program than a Python may say anything."""
    try:
        return str(json.loads(line))
    except ValueError:
        return "it answered something else"


def _foreign_environment() -> dict[str, str]:
    """Another Python must not see the packages of this one: a comparison's workers are told theirs by these names."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return kept | {"PYTHONSAFEPATH": "1"}  # nor what lies in the folder where the user happens to be
