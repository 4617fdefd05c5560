"""``python -m benchmarks.xes LOG…``: reading XES by columns and by the strict parser, and writing it.

CPU seconds (on a busy machine they mean more than the time on the wall) and, for reading, peak memory above what the
imports take; the best of three processes each. Without a log, one of 1.2 million events is made.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

TASKS = ("read", "read strictly", "write .xes", "write .xes.gz")
SHAPE = "--cases 150000 --variants 4000 --activities 30 --mean-length 8 --max-length 60 --seed 1"
PROCESSES = 3


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(path: Path, task: str) -> tuple[int, float, float | None]:
    """Events, CPU seconds and megabytes of one task, in this process."""
    import pandas as pd
    import pyarrow.compute as pc

    from amun_dp.reading import read_log, xes
    from amun_dp.writing import write_log

    assert pd and pc  # imported so that their time and memory are not counted
    memory, began = peak(), time.process_time()
    with patch.object(xes, "parse_regular", lambda *_: None) if task == "read strictly" else nullcontext():
        log = read_log(path)
    if task.startswith("read"):
        return log.n_events, time.process_time() - began, peak() - memory
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        write_log(log, Path(folder) / f"log{task.removeprefix('write ')}")
        return log.n_events, time.process_time() - began, None  # the peak was that of reading


def best(path: Path, task: str) -> str:
    command = [sys.executable, "-m", "benchmarks.xes", str(path), "--task", task]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(PROCESSES)]
    events, seconds = runs[0][0], min(run[1] for run in runs)
    memory = f"{min(run[2] for run in runs):.0f}" if task.startswith("read") else ""
    return f"| {path.name} | {task} | {events:,} | {seconds:.2f} | {memory} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure reading and writing of XES.")
    parser.add_argument("logs", nargs="*", type=Path)
    parser.add_argument("--task", choices=TASKS, help="one measurement in this process, as JSON")
    options = parser.parse_args()
    if options.task:
        print(json.dumps(measure(options.logs[0], options.task)))
        return
    print("| log | | events | CPU s | peak MB |\n|---|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        made = [] if options.logs else [Path(folder) / "generated.xes", Path(folder) / "generated.xes.gz"]
        for path in made:
            command = [sys.executable, "-m", "amun_dp.synthetic", *SHAPE.split(), "--out", str(path)]
            subprocess.run(command, check=True)
        for path in options.logs or made:
            for task in TASKS:
                print(best(path, task), flush=True)


if __name__ == "__main__":
    main()
