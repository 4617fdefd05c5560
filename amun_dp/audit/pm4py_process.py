"""pm4py's anonymisers in a process of their own, which can be stopped: one line a job, one line a run.

Started anew and not forked: a fork would repeat the random numbers of its parent and its siblings. Kept from one call
to the next, because importing pm4py takes longer than a thousand runs.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from traceback import extract_tb
from typing import Any, TypedDict

from amun_dp.audit.pairs import CaseEvents
from amun_dp.errors import ParameterError

_STARTING = 300.0
"""Seconds for importing pm4py, which are no run's."""
_READY = "ready"


class Job(TypedDict):
    pripel: bool
    """Whether times are wanted, and not control flow alone."""
    epsilon: float
    k: int
    p: int
    cases: list[list[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one run: the released cases, or why there are none. There may also just be nothing to release."""

    cases: list[CaseEvents]
    failed: str | None = None
    """Kind and place of the error; its text might hold values of the log."""
    stopped: bool = False


def outcomes(job: Job, runs: int, limit: float) -> Iterator[Outcome]:
    """So many runs of at most ``limit`` seconds each, in as many processes as it takes."""
    done = 0
    while done < runs:
        child = _child(os.getpid())
        child.ask(job, runs - done)
        try:
            while done < runs and child.lives:
                done += 1
                yield child.outcome(limit)
        except BaseException:  # who stops listening must not get these answers to the next question
            child.close()
            raise


# --- the side that asks ---------------------------------------------------------------------------------------------


class _Child:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", f"from {__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # pm4py prints, warns and draws bars
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.lives = True
        atexit.register(self.close)
        line = self._line(_STARTING)
        found = "it did not start" if line is None else json.loads(line)
        if found != _READY:
            self.close()
            raise ParameterError(
                f"pm4py's anonymisers cannot be imported here ({found}). Beside diffprivlib they need a version of "
                "scikit-learn that it knows: pip install amun-dp[baselines]."
            )

    def ask(self, job: Job, runs: int) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # a process that has died is found out when it does not answer
            self._process.stdin.write(json.dumps([job, runs]) + "\n")
            self._process.stdin.flush()

    def outcome(self, limit: float) -> Outcome:
        line = self._line(limit)
        if line is None:
            return Outcome([], stopped=True)
        answer = json.loads(line)
        return Outcome([], failed=answer) if isinstance(answer, str) else Outcome(answer)

    def _line(self, limit: float) -> str | None:
        """None: the process took too long and was stopped, or was ended by somebody else (for want of memory)."""
        assert self._process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(limit, stop)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
            timer.join()
        if late.is_set() or not line.endswith("\n"):
            self.close()
        return line if line.endswith("\n") else None

    def close(self) -> None:
        self.lives = False
        _child.cache_clear()
        atexit.unregister(self.close)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


@lru_cache(maxsize=1)
def _child(process: int) -> _Child:  # noqa: ARG001 — by number: a forked process must not talk to its parent's child
    return _Child()


# --- the side that answers ------------------------------------------------------------------------------------------


def serve() -> None:
    """Answer jobs until nobody is left to ask. Standard output is for answers alone: what pm4py prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()

    def answer(said: list[CaseEvents] | str) -> None:
        answers.write(json.dumps(said) + "\n")
        answers.flush()

    try:
        from pm4py.algo.anonymization.trace_variant_query.variants import sacofa  # noqa: F401 — only whether it can be imported
    except Exception as error:  # noqa: BLE001 — whatever it is, the one who asked shall hear of it
        answer(_said_of(error))
        return
    answer(_READY)
    while True:
        job, runs = json.loads(lines.get())
        for _ in range(runs):
            try:
                answer(_release(job))
            except Exception as error:  # noqa: BLE001 — same reason
                answer(_said_of(error))


def _listen(lines: SimpleQueue[str]) -> None:
    """Pass lines on. Where they end, so does this process, even amid a run that would not."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def _said_of(error: Exception) -> str:
    frames = extract_tb(error.__traceback__)
    return f"{type(error).__name__} in {Path(frames[-1].filename).name}, line {frames[-1].lineno}"


def _release(job: Job) -> list[CaseEvents]:
    """One run. The log is built anew each time: PRIPEL moves the times of the one it is given."""
    from pm4py.algo.anonymization.trace_variant_query.variants import sacofa
    from pm4py.objects.log.obj import EventLog

    log = _pm4py_log(job["cases"])
    parameters = {"epsilon": job["epsilon"], "k": job["k"], "p": job["p"], "show_progress_bar": False}
    # A case without events is not in the table that pm4py returns, nor in what it passes on to PRIPEL.
    query = EventLog([trace for trace in sacofa.apply(log, parameters) if len(trace)])
    if not job["pripel"] or not len(query):
        return [[(event["concept:name"], _milliseconds(event["time:timestamp"])) for event in trace] for trace in query]

    from pm4py.algo.anonymization.pripel.variants import pripel

    frame = pripel.apply(log, query, job["epsilon"])
    cases: dict[str, list[tuple[str, int]]] = {}
    for case, label, time in zip(
        frame["case:concept:name"], frame["concept:name"], frame["time:timestamp"], strict=True
    ):
        cases.setdefault(case, []).append((label, _milliseconds(time)))
    return list(cases.values())


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _pm4py_log(cases: list[list[tuple[str, int]]]) -> Any:
    from pm4py.objects.log.obj import Event, EventLog, Trace

    log = EventLog()
    for number, events in enumerate(cases):
        trace = Trace(attributes={"concept:name": str(number)})
        for label, time in events:
            trace.append(Event({"concept:name": label, "time:timestamp": _EPOCH + timedelta(milliseconds=time)}))
        log.append(trace)
    return log


def _milliseconds(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(milliseconds=1)
