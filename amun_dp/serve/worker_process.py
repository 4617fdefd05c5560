"""The process that works with logs: a line of JSON in for each job, lines of progress and one answer out.

Started by ``amun_dp.serve.jobs`` and by nobody else. It keeps the log that it read last, so that moving the slider
does not read it again.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from queue import SimpleQueue
from traceback import clear_frames
from typing import Any

from amun_dp._base.out_of_memory import is_out_of_memory
from amun_dp.errors import AmunError
from amun_dp.serve.as_fields import all_in_fields
from amun_dp.serve.tasks import TASKS, Bench


def main() -> None:
    """Work until nobody asks any more. Standard output is for answers alone; what libraries print goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _end)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()

    def say(message: dict[str, Any]) -> None:
        answers.write(json.dumps(all_in_fields(message), allow_nan=False) + "\n")
        answers.flush()

    bench = Bench(say)
    while True:
        question = json.loads(lines.get())
        say(_answer(bench, question))


def _answer(bench: Bench, question: dict[str, Any]) -> dict[str, Any]:
    bench.begin()
    try:
        return {"answer": TASKS[question["task"]](bench, question)}
    except Exception as error:
        if is_out_of_memory(error):
            clear_frames(error.__traceback__)  # what they hold is needed to go on
            return {"failed": _without_memory(bench, question["task"])}
        if isinstance(error, AmunError):
            return {"refused": error.message}
        if os.environ.get("AMUN_DP_DEBUG"):
            raise
        # The kind of error only: its text might hold values of the log.
        return {"failed": f"This is a bug in amun-dp ({type(error).__name__}). Please report it."}


def _without_memory(bench: Bench, task: str) -> str:
    """What was being done, and what that means. What was charged the page says itself."""
    meaning = {
        "verify": "The release was not judged, and that says nothing about it.",
        "release": "No release was made.",
    }
    spent = "" if bench.charging else " Nothing was spent."
    when = f" while {bench.step}" if bench.step else ""
    return (
        f"Out of memory{when}. {meaning.get(task, 'Nothing was released.')}{spent} Close other programs, or take a "
        "larger machine or a part of the log."
    )


def _listen(lines: SimpleQueue[str]) -> None:
    """Pass lines on. Where they end, the server is gone: end as if it had said so, and leave nothing half-written."""
    for line in sys.stdin:
        lines.put(line)
    os.kill(os.getpid(), signal.SIGTERM)


def _end(_number: int, _frame: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
