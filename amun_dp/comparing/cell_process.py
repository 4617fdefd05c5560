"""A cell in a process of its own, which can be stopped: one question in, a line for each run out.

Started by ``amun_dp.comparing.limited`` and by nobody else.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from amun_dp._base.messages import as_data
from amun_dp.article.conventions import Conventions
from amun_dp.baselines.child import limit_memory, limit_processor, listen, peak_memory, said_of
from amun_dp.comparing.cells import Cell
from amun_dp.comparing.measuring import BaselineLimits, Run, baseline_runs, facts_of, own_runs
from amun_dp.errors import AmunError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log


def serve() -> None:
    """Answer one question. Standard output is for answers alone."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=listen, args=(lines,), daemon=True).start()
    question = json.loads(lines.get())

    def answer(said: Any) -> None:
        answers.write(json.dumps(said) + "\n")
        answers.flush()

    try:
        # A baseline has limits of its own, in a process below this one.
        own = question["cell"] is not None and not Cell(**question["cell"]).baseline
        if own and question["memory"] is not None:
            limit_memory(question["memory"])
        began = time.perf_counter()
        log = read_log(Path(question["path"]), **question["reading"])
        reading = time.perf_counter() - began
        answer({"ready": True})
        if question["cell"] is None:
            answer({"facts": _facts(log, question)})
            return
        if own:
            limit_processor(question["seconds"])
        for number, run in enumerate(_runs(log, question)):
            if own:  # the next one has as much again
                limit_processor(question["seconds"])
            answer({"run": (run if number else replace(run, reading=reading)).as_dict()})
    except AmunError as error:
        answer({"error": as_data(error.message)})
    except MemoryError:
        answer({"run": Run("memory").as_dict()})
    except Exception as error:  # noqa: BLE001 — of somebody's own method, perhaps; the one who asked shall hear of it
        answer({"run": Run("failed", why=said_of(error)).as_dict(), "last": True})


def _facts(log: EventLog, question: dict[str, Any]) -> dict[str, Any]:
    conventions = Conventions(**question["conventions"])
    return facts_of(log, question["advantages"], conventions)


def _runs(log: EventLog, question: dict[str, Any]) -> Iterator[Run]:
    cell = Cell(**question["cell"])
    if cell.baseline:
        limits = BaselineLimits(question["seconds"], question["memory"], question["python"])
        yield from baseline_runs(log, cell, question["epsilon"], question["runs"], limits)
        return
    # Not named by the process: in hours of runs its number comes again.
    with tempfile.TemporaryDirectory(dir=question["scratch"]) as folder:
        for run in own_runs(log, cell, Conventions(**question["conventions"]), question["runs"], folder=Path(folder)):
            yield replace(run, memory=peak_memory())
