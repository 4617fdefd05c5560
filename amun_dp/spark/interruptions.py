"""What is left to do when a run is interrupted: Spark goes on writing unless it is told to stop, and the thread that
was interrupted may have lost its connection to Java."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from amun_dp.spark.failures import spark_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PATIENCE = 20.0
"""Seconds that tasks have to end; a worker looks whether it should after each batch."""
_QUIET = 0.5
"""Seconds without a running task before they count as ended: Spark notes the start of one a tenth of a second late."""


def broken_connection() -> tuple[type[Exception], ...]:
    """What a call to Java has been seen to raise after an interruption."""
    return *spark_errors(), OSError, KeyError, AttributeError


def in_another_thread(work: Callable[[], object]) -> None:
    """A thread of its own has a connection to Java of its own. Whatever fails there is left alone: what matters is the
    interruption that is on its way."""

    def run() -> None:
        with suppress(*broken_connection()):
            work()

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(2 * _PATIENCE)


def end_jobs(session: SparkSession, tag: str) -> None:
    """Cancel the jobs of a tag and wait until no task runs any more: one that did could bring back a folder that is
    being removed."""

    def end() -> None:
        session.sparkContext.cancelJobsWithTag(tag)
        seen = time.monotonic()
        until = seen + _PATIENCE
        while (now := time.monotonic()) < min(until, seen + _QUIET):
            seen = now if _running_tasks(session) else seen
            time.sleep(0.05)

    in_another_thread(end)


def _running_tasks(session: SparkSession) -> int:
    """Of all executors; another one's jobs in the same session count as well, so there is a limit to waiting."""
    executors = session.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
    return sum(int(executor.numRunningTasks()) for executor in executors)
