"""Running an experiment: batches of runs in one process or several, reduced at once to scores and features."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker

import numpy as np
import numpy.typing as npt

from amun_dp._base.arrays import FloatArray
from amun_dp._base.messages import Message
from amun_dp.auditing.experiment import FEWEST_RUNS, MOST_RUNS, Experiment, Rules, Trial
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.releases import Releases
from amun_dp.auditing.scores import features_of, scores_of
from amun_dp.auditing.statistics import Side
from amun_dp.errors import AmunError, ParameterError

_PILOT = 999_999
"""Number of the batches that only measure time; their runs are thrown away."""
_SHARE_FOR_TESTING = 0.1

Features = npt.NDArray[np.float32]
Job = tuple[tuple[int, ...], Side, int, int]
"""Numbers of the trials that use the runs, side, number of the batch, runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores and features of runs on one side, one a run."""

    scores: dict[Goal, FloatArray]
    features: Features | None


Batches = Callable[[list[Job]], Iterator[list[Scored]]]
"""What each batch yielded, for each trial that uses it."""


def score_batch(experiment: Experiment, rules: Rules, job: Job) -> list[Scored]:
    """Run one batch and keep its scores, for each trial that uses it."""
    numbers, side, batch, runs = job
    trials = [experiment.trials[number] for number in numbers]
    releases = trials[0].mechanism.run(trials[0].pair, side, runs, rules.source(numbers[0], side, batch))
    if releases.runs != runs:
        raise ParameterError(f"The mechanism was asked for {runs:,} runs and made {releases.runs:,}.")
    return [_scored(trial, releases) for trial in trials]


def _scored(trial: Trial, releases: Releases) -> Scored:
    releases = releases.with_labels(trial.pair.activities)
    wanted = {test.goal for test in trial.tests}
    found = {**scores_of(trial.pair, releases), **releases.inside}
    features = features_of(trial.pair, releases).astype(np.float32) if Goal.LEARNT in wanted else None
    return Scored({goal: found[goal] for goal in wanted if goal is not Goal.LEARNT}, features)


def jobs_of(experiment: Experiment, numbers: tuple[int, ...], side: Side, runs: int) -> list[Job]:
    """The batches on one side of trials that share them; the same whoever carries them out."""
    size = experiment.trials[numbers[0]].batch()
    return [(numbers, side, at // size, min(size, runs - at)) for at in range(0, runs, size)]


def joined(parts: list[Scored]) -> Scored:
    features = [part.features for part in parts if part.features is not None]
    return Scored(
        {goal: np.concatenate([part.scores[goal] for part in parts]) for goal in parts[0].scores},
        np.concatenate(features) if features else None,
    )


# --- processes ------------------------------------------------------------------------------------------------------

_shared: tuple[Experiment, Rules] | None = None


def _share(experiment: Experiment, rules: Rules) -> None:
    global _shared  # noqa: PLW0603 — a worker gets the experiment once and not with every job
    _shared = (experiment, rules)


def _score_shared(job: Job) -> list[Scored]:
    assert _shared is not None
    return score_batch(*_shared, job)


@contextmanager
def carried_out(experiment: Experiment, rules: Rules, workers: int) -> Iterator[Batches]:
    """How batches are carried out: here, or in so many processes. The results are the same, in the same order."""
    if workers <= 1:
        yield lambda jobs: (score_batch(experiment, rules, job) for job in jobs)
        return
    # Started anew and not forked: the libraries below have threads of their own, which a fork would tear apart.
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_share,
        initargs=(experiment, rules),
    )
    try:
        with _interrupts_held_back():
            for _ in range(workers):  # a process is started for each job that finds none idle
                pool.submit(int)
        yield lambda jobs: _in_order(pool, jobs)
    except BrokenProcessPool as error:
        # The pool does so as well, in a thread that fails now and then when a process has died (Python 3.11). What it
        # leaves would be waited for at the end, for ever.
        for process in multiprocessing.active_children():
            if process not in others:
                process.kill()
        raise AmunError(
            Message(
                "A process of the audit was ended from outside, for want of memory perhaps; nothing is reported. Run "
                "it again with {workers:1}, or on a smaller log."
            )
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, jobs: list[Job]) -> Iterator[list[Scored]]:
    """As the pool's own ``map``, which cancels what is left when a process has died: there its thread fails."""
    futures = [pool.submit(_score_shared, job) for job in jobs]
    return (future.result() for future in futures)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C is for this process, which then ends the others. Those that are started meanwhile never hear of it, from
    their first moment on; here it is only late."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # started in between, it would let interrupts through again
    late: list[int] = []
    # The mask is what new processes inherit. It does not spare this one: a thread of a library may take the signal.
    handler = signal.signal(signal.SIGINT, lambda number, _frame: late.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if late:
        signal.raise_signal(signal.SIGINT)


# --- how many runs --------------------------------------------------------------------------------------------------


def seconds_a_run(experiment: Experiment, rules: Rules) -> float:
    """Time of one run on both logs of every pair, in one process. A few runs are timed and thrown away."""
    total = 0.0
    for numbers in experiment.groups:
        total += _seconds(experiment, rules, numbers, 0)
        total += sum(_seconds(experiment, rules, (number,), 1) for number in numbers)
    return total


def _seconds(experiment: Experiment, rules: Rules, numbers: tuple[int, ...], side: Side) -> float:
    batch = experiment.trials[numbers[0]].batch()
    score_batch(experiment, rules, (numbers, side, _PILOT, 1))  # plans and caches are made once
    runs, began = min(batch, 4), time.perf_counter()
    score_batch(experiment, rules, (numbers, side, _PILOT + 1, runs))
    once = (time.perf_counter() - began) / runs
    if once < 0.05:  # calls cost something by themselves: a whole batch shows what a run costs
        began = time.perf_counter()
        runs = min(batch, max(runs, int(0.3 / once)))
        score_batch(experiment, rules, (numbers, side, _PILOT + 2, runs))
        once = (time.perf_counter() - began) / runs
    return once


def runs_within(seconds: float, a_run: float, workers: int) -> int:
    """How many runs fit, in whole hundreds; refused if that is too few for an audit."""
    if not 0 < seconds < 1e9:
        raise ParameterError("The time for an audit is a positive number of seconds.")
    usable = seconds * (1 - _SHARE_FOR_TESTING) * max(workers, 1)
    runs = int(usable / a_run) // 100 * 100
    if runs < FEWEST_RUNS:
        needed = FEWEST_RUNS * a_run / ((1 - _SHARE_FOR_TESTING) * max(workers, 1))
        raise ParameterError(
            Message(
                "One run on all pairs takes about {a_run:.2g} s here, so {seconds:g} s allow {runs:,} runs, and an "
                "audit needs {least:,}: about {needed:,.0f} s. Give it more with {budget_seconds}, name a smaller log, "
                "or name none, for made-up worst cases only.",
                a_run=a_run,
                seconds=seconds,
                runs=runs,
                least=FEWEST_RUNS,
                needed=needed,
            )
        )
    return min(runs, MOST_RUNS)
