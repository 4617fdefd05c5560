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

from amun_dp.baselines.child import READY
from amun_dp.case_lists import CaseEvents
from amun_dp.errors import ParameterError
from amun_dp.line_process import LineProcess, own_environment

_STARTING = 300.0
"""Seconds for importing pm4py, which are no run's."""


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
    """It took too long, or the process was ended by somebody else."""
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
                yield _outcome(child.line(limit))
        except BaseException:  # who stops listening must not get these answers to the next question
            child.close()
            raise


def _outcome(line: str | None) -> Outcome:
    if line is None:
        return Outcome([], stopped=True)
    answer = json.loads(line)
    if "failed" in answer:
        return Outcome([], failed=answer["failed"])
    return Outcome(answer["cases"], seconds=answer["seconds"], processor=answer["processor"], memory=answer["memory"])


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
    # Another Python must not see the packages of this one.
    environment = own_environment() if python == sys.executable else dict(os.environ)
    try:
        # Run by path, so that the modules beside the script are not in the way of pm4py's imports.
        run = f"import runpy; runpy.run_path({script!r}, run_name='__main__')"
        child = LineProcess([python, "-W", "ignore", "-c", run], environment)
    except OSError as error:
        raise ParameterError(f"{python} cannot be run, and is named as the Python with pm4py in it.") from error
    line = child.line(_STARTING)
    found = "it did not start" if line is None else json.loads(line)
    if found != READY:
        child.close()
        raise ParameterError(
            f"pm4py's anonymisers cannot be imported here ({found}). Beside diffprivlib they need a version of "
            "scikit-learn that it knows: pip install amun-dp[baselines], in an environment of its own if need be."
        )
    return child
