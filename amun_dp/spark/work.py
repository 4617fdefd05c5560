"""Where a run on Spark keeps its stages, and for how long."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from amun_dp.errors import OutputError
from amun_dp.folder.held import new_held_folder
from amun_dp.spark.engine.failures import quoting_nothing, spark_errors
from amun_dp.spark.engine.stages import PARTITIONS_SETTING, Stages
from amun_dp.spark.read.parquet import SETTINGS, WHOLE, parquet_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENTS_A_PARTITION = 500_000
"""A worker sorts so many at a time: some hundred megabytes with Python's part."""
_PATIENCE, _PAUSE = 60.0, 0.05
"""Seconds that tasks have to end, and between two looks; a worker looks whether it should after each batch."""


@contextmanager
def stages_for(
    session: SparkSession, log: DataFrame | str, parent: Path, partitions: int | None = None
) -> Iterator[tuple[Stages, DataFrame]]:
    """Stages in a private folder in ``parent``, and the log as a frame. The folder holds the original log, and goes
    when the run ends, however it does. To be used where no interruption is raised (``undisturbed``): amid a call, it
    would leave Spark writing."""
    settings = {name: session.conf.get(name, None) for name in (*SETTINGS, PARTITIONS_SETTING)}
    missing = [each for each in (parent, *parent.parents) if not each.exists()]
    parent.mkdir(parents=True, exist_ok=True)
    with new_held_folder(parent, ".amun-dp-stages-") as folder:
        try:
            for name, value in WHOLE.items():  # also where the frame is the caller's
                session.conf.set(name, value)
            frame = parquet_files(session, log) if isinstance(log, str) else log
            yield Stages(session, str(folder), partitions or _partitions(session, frame)), frame
        except BaseException as error:
            if not _tasks_ended(session):
                error.add_note(
                    f"tasks of Spark did not end within {_PATIENCE:g} s: should {folder} come back, remove it, for it "
                    "would hold rows of the log"
                )
            raise
        finally:
            try:
                _remove(folder)
            finally:
                with suppress(*spark_errors()):  # Java itself may have ended
                    _restore(session, settings)
                for each in missing:
                    if each.exists() and not any(each.iterdir()):
                        each.rmdir()


def _tasks_ended(session: SparkSession) -> bool:
    """Wait for them: a job that has failed, or was cancelled, may still have tasks, and one could bring back the
    folder. Other jobs of the same session count as well, so there is a limit to waiting."""
    until = time.monotonic() + _PATIENCE
    with suppress(*spark_errors()):  # Java that has ended has no tasks
        while _running_tasks(session):
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
    return True


def _running_tasks(session: SparkSession) -> int:
    """Of all executors, as the scheduler itself knows it: the status that Spark tells of is late."""
    running = session.sparkContext._jsc.sc().taskScheduler().runningTasksByExecutors()
    return sum(map(int, str(running.values().mkString(" ")).split()))


def _remove(folder: Path) -> None:
    """A worker whose task has ended may be creating its last file; without the folder it cannot."""
    for _ in range(int(_PATIENCE / _PAUSE)):
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # a file system that does not answer does not say that it is gone
            if not folder.exists():
                return
        time.sleep(_PAUSE)
    raise OutputError(
        f"The stages of this run could not be removed. They hold rows of the log: remove {folder} by hand."
    )


def _restore(session: SparkSession, settings: dict[str, str | None]) -> None:
    """The session is the caller's, who may go on with it."""
    for name, value in settings.items():
        if value is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, value)


def _partitions(session: SparkSession, frame: DataFrame) -> int:
    events = quoting_nothing(session, lambda: "starting", frame.count)
    return max(int(session.sparkContext.defaultParallelism), -(-int(events) // EVENTS_A_PARTITION))
