"""Workers that are killed at the first attempt of a task, amid what they do. Named by what they stand in for, so that
Spark's workers, which import this module, run them in its place."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from amun_dp.spark.engine.batches import Kernel
from amun_dp.writing import write_log

HALF = b"PAR1 and then nothing"
"""What a worker leaves that is killed while it writes."""


def killed_at_first(kernel: Kernel, notes: Path, column: str) -> Kernel:
    """The kernel; its first attempt at every task is killed once it has drawn a batch. Each attempt notes what it drew
    in a file of its own."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        number, attempt = _task()
        for batch in kernel(batches):
            with (notes / f"{column}-{number}-{attempt}").open("a", encoding="utf-8") as file:
                file.writelines(f"{drawn}\n" for drawn in batch.column(column).to_pylist())
            yield batch
            _end_here(attempt)

    return run


def write_half_at_first(log: Any, path: Path, attributes: Any) -> None:
    """``write_log``, whose first attempt writes half a file."""
    _, attempt = _task()
    if attempt == 0:
        path.write_bytes(HALF)
    _end_here(attempt)
    write_log(log, path, attributes)


def drawn_by(notes: Path, column: str, *, killed: bool) -> list[str]:
    """What the attempts noted that were killed, or those that were not."""
    files = [path for path in notes.glob(f"{column}-*") if path.name.endswith("-0") == killed]
    return sorted(line for path in files for line in path.read_text(encoding="utf-8").splitlines())


def _task() -> tuple[int, int]:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None  # workers have one
    return int(context.partitionId()), int(context.attemptNumber())


def _end_here(attempt: int) -> None:
    if attempt == 0:
        os.kill(os.getpid(), signal.SIGKILL)
