"""How long each step of the local page's jobs takes: where ``amun_dp.serve.step_weights`` has its shares from.

    python -m benchmarks.steps

Processor seconds on a generated log of 944,166 events with 500 variants. Nothing is recorded in a registry.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from amun_dp.serve.state import NOTHING_DECLARED, choices_of
from amun_dp.serve.tasks import TASKS, Bench
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.writing import write_log


def main() -> None:
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_log(generate_log(LogShape(cases=120_000, variants=500)), folder / "log.xes")
        log = {"path": str(folder / "log.xes"), "reading": {}}
        registry = str(folder / "registry.sqlite")
        for method in ("sampling", "filtering", "certified:generated"):
            choices = choices_of({"method": method, "advantage": 0.2, "releases": "1"})
            asked = {"log": log, "choices": choices, "declared": NOTHING_DECLARED}
            for task, more in (
                ("inspect", {}),
                ("plan", {"registry": registry}),
                ("release", {"registry": None, "out": str(folder / "out"), "name": "out", "format": None}),
                ("verify", {"folder": str(folder / "out"), "name": "out", "require": []}),
            ):
                _add(seconds, _measured(task, asked | more))
            _measured_charge(seconds, folder, asked)
            _remove(folder / "out")
    print(json.dumps({step: round(value, 2) for step, value in seconds.items()}, indent=4, ensure_ascii=False))


def _measured(task: str, question: dict[str, Any]) -> dict[str, float]:
    """Processor seconds of each step; reading is measured anew for each task."""
    steps: dict[str, float] = {}
    current, began = "", time.process_time()

    def say(message: dict[str, Any]) -> None:
        nonlocal current, began
        if "step" in message:
            now = time.process_time()
            if current:
                steps[current] = steps.get(current, 0.0) + now - began
            current, began = message["step"], now

    TASKS[task](Bench(say), question)
    steps[current] = steps.get(current, 0.0) + time.process_time() - began
    return steps


def _measured_charge(seconds: dict[str, float], folder: Path, asked: dict[str, Any]) -> None:
    """Charging, by a release with a registry of its own."""
    more = {"registry": str(folder / "charged.sqlite"), "out": str(folder / "charged"), "name": "charged"}
    found = _measured("release", asked | more | {"format": None})
    seconds.setdefault("charging the budget", found["charging the budget"])
    _remove(folder / "charged")
    for path in folder.glob("charged.sqlite*"):
        path.unlink()


def _add(seconds: dict[str, float], found: dict[str, float]) -> None:
    for step, value in found.items():
        seconds.setdefault(step, value)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
