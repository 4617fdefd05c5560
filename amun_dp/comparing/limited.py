"""Runs with an end: each cell in a process of its own, several at once, each run noted when it is done."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from amun_dp._base.messages import from_data
from amun_dp._base.progress import Progress
from amun_dp._base.worker import LineProcess, own_environment
from amun_dp.article.conventions import Conventions
from amun_dp.baselines.parent import check_baseline
from amun_dp.comparing.cells import Cell, Task
from amun_dp.comparing.journal import Journal
from amun_dp.comparing.measuring import NO_ANSWER, SLOWEST, Run
from amun_dp.errors import AmunError, ParameterError

_READING = 3_600.0
"""Seconds for reading a log, which are no run's."""
_LIMITS = ("time", "memory")
_SERVE = "from amun_dp.comparing.cell_process import serve; serve()"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take. Beyond it, it is ended, and the cell with it."""

    seconds: float = 300.0
    """Of processor time, of all cores together: it does not depend on what else the machine does."""
    memory: int | None = 4 * 1024**3
    """Bytes that a process may allocate; None for any number."""

    def __post_init__(self) -> None:
        if not 0 < self.seconds < 1e8:  # with what SLOWEST makes of it, no more than a timer can wait for
            raise ParameterError("The time limit of a run is a positive number of seconds, three years at most.")
        if self.memory is not None and self.memory < 256 * 1024**2:
            raise ParameterError("A run needs a quarter of a gigabyte at least, mostly for libraries.")


@dataclass(frozen=True, slots=True)
class Work:
    """What all cells of a comparison share."""

    paths: Mapping[str, Path]
    reading: Mapping[str, Any]
    advantages: Sequence[float]
    conventions: Conventions
    runs: int
    limits: Limits
    scratch: Path
    """Folder for what is written only to see how long that takes."""
    python: str = sys.executable
    """The one that has pm4py in it."""


def carry_on(work: Work, tasks: Sequence[Task], journal: Journal, workers: int, progress: Progress) -> None:
    """Whatever the journal lacks, in so many processes at once. Interrupted, it leaves none, and the journal whole."""
    processes = _Processes()
    total = sum(len(task) for task in tasks)
    done = 0

    def one(task: Task) -> None:
        nonlocal done
        for cell in task:
            if processes.closed:
                return
            progress(f"{done:,} of {total:,} cells done, {cell.name}")
            fits = _carry_on_cell(work, cell, journal, processes)
            done += 1
            if not fits:  # less pruning takes longer still
                done += len(task) - 1 - task.index(cell)
                return

    for method in {cell.method for cell in _missing(work, tasks, journal) if cell.baseline}:
        progress(f"trying {method}")
        check_baseline(method == "pripel", work.python)
    for log in work.paths:
        if not set(journal.facts.get(log, {"phi": {}})["phi"]) >= {f"{advantage:g}" for advantage in work.advantages}:
            progress(f"looking at {log}")
            [answer] = _answers(work, log, None, 0, None, processes)
            if "facts" not in answer:
                raise AmunError(f"{log} could not be looked at: {NO_ANSWER}.")
            journal.add_facts(log, answer["facts"])
    pool = ThreadPoolExecutor(workers)
    try:
        futures = [pool.submit(one, task) for task in tasks]
        finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
        for future in finished:
            future.result()
    finally:
        processes.close()
        pool.shutdown(wait=True, cancel_futures=True)


def _missing(work: Work, tasks: Sequence[Task], journal: Journal) -> Iterator[Cell]:
    """Cells that have something to do."""
    for task in tasks:
        for cell in task:
            known = journal.runs.get(cell, [])
            if exceeded(known):
                break
            if len(known) < work.runs:
                yield cell


def exceeded(runs: Sequence[Run]) -> bool:
    """Whether a limit ended the cell: then it is not tried again."""
    return any(run.ending in _LIMITS for run in runs)


def _carry_on_cell(work: Work, cell: Cell, journal: Journal, processes: _Processes) -> bool:
    """False if a limit ended it, now or earlier. Where a process dies one run has failed; another makes the rest."""
    known = journal.runs[cell]
    while (missing := work.runs - len(known)) > 0 and not exceeded(known):
        epsilon = None if cell.phi is None else journal.facts[cell.log]["phi"][f"{cell.advantage:g}"][cell.phi]
        for answer in _answers(work, cell.log, cell, missing, epsilon, processes):
            if processes.closed:  # ended by us: that says nothing about the method
                return False
            journal.add_run(cell, Run.of(answer["run"]))
    return not exceeded(known)


def _answers(
    work: Work, log: str, cell: Cell | None, runs: int, epsilon: float | None, processes: _Processes
) -> Iterator[dict[str, Any]]:
    limits = work.limits
    with processes.started() as process:
        process.ask(
            {
                "path": str(work.paths[log]),
                "reading": dict(work.reading),
                "cell": None if cell is None else asdict(cell),
                "advantages": list(work.advantages),
                "conventions": asdict(work.conventions),
                "runs": runs,
                "epsilon": epsilon,
                "seconds": limits.seconds,
                "memory": limits.memory if cell is not None else None,
                "python": work.python,
                "scratch": str(work.scratch),
            }
        )
        ready = _said(process, _READING)
        if "ready" not in ready:  # already reading was too much
            yield ready
            return
        # A baseline has a process of its own below that one, which is watched there.
        limit = None if cell is None or cell.baseline else SLOWEST * limits.seconds
        for _ in range(max(runs, 1)):
            answer = _said(process, limit)
            yield answer
            if not process.lives or "last" in answer or ("run" in answer and answer["run"]["ending"] in _LIMITS):
                return


def _said(process: LineProcess, limit: float | None) -> dict[str, Any]:
    line = process.line(limit) if process.lives else None
    if line is None:
        ending = Run("time") if process.was_late else Run("failed", why=NO_ANSWER)
        return {"run": ending.as_dict()}
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise AmunError(from_data(answer["error"]))
    return answer


class _Processes:
    """Those that are at work, so that they can all be ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alive: set[LineProcess] = set()
        self.closed = False

    @contextmanager
    def started(self) -> Iterator[LineProcess]:
        with self._lock:
            if self.closed:
                raise AmunError("The comparison has been stopped.")
            process = LineProcess([sys.executable, "-W", "ignore", "-c", _SERVE], own_environment())
            self._alive.add(process)
        try:
            yield process
        finally:
            process.close()
            with self._lock:
                self._alive.discard(process)

    def close(self) -> None:
        with self._lock:
            self.closed = True
            for process in self._alive:
                process.kill()
