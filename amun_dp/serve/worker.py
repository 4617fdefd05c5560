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
from typing import Any

from amun_dp.errors import AmunError
from amun_dp.serve.tasks import TASKS, Bench


def main() -> None:
    """Work until nobody asks any more. Standard output is for answers alone; what libraries print goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _end)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(lines,), daemon=True).start()

    def say(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message, allow_nan=False) + "\n")
        answers.flush()

    bench = Bench(say)
    while True:
        question = json.loads(lines.get())
        say(_answer(bench, question))


def _answer(bench: Bench, question: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": TASKS[question["task"]](bench, question)}
    except AmunError as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"failed": "There was not enough memory for it."}
    except Exception as error:
        if os.environ.get("AMUN_DP_DEBUG"):
            raise
        # The kind of error only: its text might hold values of the log.
        return {"failed": f"This is a bug in amun-dp ({type(error).__name__}). Please report it."}


def _listen(lines: SimpleQueue[str]) -> None:
    """Pass lines on. Where they end, the server is gone: end as if it had said so, and leave nothing half-written."""
    for line in sys.stdin:
        lines.put(line)
    os.kill(os.getpid(), signal.SIGTERM)


def _end(_number: int, _frame: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
