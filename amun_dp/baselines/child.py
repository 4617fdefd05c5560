"""What runs in the process: one line a job in, one line a run out.

A script that imports pm4py and nothing of this package, so that it can run in an environment of its own: PRIPEL needs
versions of scikit-learn that nobody else wants.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from queue import SimpleQueue
from traceback import extract_tb
from typing import Any

READY = "ready"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)  # noqa: UP017 — the environment may have an older Python
Cases = list[list[tuple[str, int]]]


def serve() -> None:
    """Answer jobs until nobody is left to ask. Standard output is for answers alone: what pm4py prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=listen, args=(lines,), daemon=True).start()

    def answer(said: Any) -> None:
        answers.write(json.dumps(said) + "\n")
        answers.flush()

    try:
        from pm4py.algo.anonymization.trace_variant_query.variants import sacofa  # noqa: F401 — only whether it can be imported
    except Exception as error:  # noqa: BLE001 — whatever it is, the one who asked shall hear of it
        answer(said_of(error))
        return
    answer(READY)
    while True:
        job, runs = json.loads(lines.get())
        if job["memory"] is not None:
            limit_memory(job["memory"])
        for _ in range(runs):
            if job["processor"] is not None:
                limit_processor(job["processor"])
            began, used = time.perf_counter(), time.process_time()
            try:
                cases = _release(job)
                took = {"seconds": time.perf_counter() - began, "processor": time.process_time() - used}
                answer({"cases": cases, **took, "memory": peak_memory()})
            except Exception as error:  # noqa: BLE001 — same reason
                answer({"failed": said_of(error)})


def listen(lines: SimpleQueue[str]) -> None:
    """Pass lines on. Where they end, so does this process, even amid a run that would not."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def said_of(error: Exception) -> str:
    """Kind and place of the error; its text might hold values of the log."""
    frames = extract_tb(error.__traceback__)
    return f"{type(error).__name__} in {Path(frames[-1].filename).name}, line {frames[-1].lineno}"


def limit_memory(size: int) -> None:
    """Where the system can: what is allocated beyond it raises MemoryError."""
    with suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def limit_processor(seconds: float) -> None:
    """From now on, where the system can: it ends a process that works longer, whatever else the machine does."""
    with suppress(ImportError):
        import resource

        most, hard = math.ceil(time.process_time() + seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]
        # Whoever started us may have set a lower one already.
        resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def peak_memory() -> int | None:
    """Bytes that the process had in memory at most."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _release(job: dict[str, Any]) -> Cases:
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
    for case, label, at in zip(frame["case:concept:name"], frame["concept:name"], frame["time:timestamp"], strict=True):
        cases.setdefault(case, []).append((label, _milliseconds(at)))
    return list(cases.values())


def _pm4py_log(cases: Cases) -> Any:
    from pm4py.objects.log.obj import Event, EventLog, Trace

    log = EventLog()
    for number, events in enumerate(cases):
        trace = Trace(attributes={"concept:name": str(number)})
        for label, at in events:
            trace.append(Event({"concept:name": label, "time:timestamp": _EPOCH + timedelta(milliseconds=at)}))
        log.append(trace)
    return log


def _milliseconds(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(milliseconds=1)


if __name__ == "__main__":
    serve()
