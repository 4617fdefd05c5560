"""Where a run on Spark keeps its stages, and for how long."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from amun_dp.spark.interruptions import broken_connection, end_jobs
from amun_dp.spark.parquet import SETTINGS, parquet_files
from amun_dp.spark.stages import PARTITIONS_SETTING, Stages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENTS_A_PARTITION = 500_000
"""A worker sorts so many at a time: some hundred megabytes with Python's part."""


@contextmanager
def stages_for(
    session: SparkSession, log: DataFrame | str, parent: Path, partitions: int | None = None
) -> Iterator[tuple[Stages, DataFrame]]:
    """Stages in a private folder in ``parent``, and the log as a frame. The folder holds the original log, and goes
    when the run ends, however it does."""
    settings = {name: session.conf.get(name, None) for name in (*SETTINGS, PARTITIONS_SETTING)}
    missing = [each for each in (parent, *parent.parents) if not each.exists()]
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".amun-dp-stages-", dir=parent))
    try:
        session.sparkContext.addJobTag(folder.name)  # by which its jobs are known, and ended
        frame = parquet_files(session, log) if isinstance(log, str) else log
        yield Stages(session, str(folder), partitions or _partitions(session, frame)), frame
    except BaseException:
        end_jobs(session, folder.name)
        raise
    finally:
        with suppress(*broken_connection()):
            session.sparkContext.removeJobTag(folder.name)
            _restore(session, settings)
        shutil.rmtree(folder, ignore_errors=True)
        for each in missing:
            if each.exists() and not any(each.iterdir()):
                each.rmdir()


def _restore(session: SparkSession, settings: dict[str, str | None]) -> None:
    """The session is the caller's, who may go on with it."""
    for name, value in settings.items():
        if value is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, value)


def _partitions(session: SparkSession, frame: DataFrame) -> int:
    return max(int(session.sparkContext.defaultParallelism), -(-int(frame.count()) // EVENTS_A_PARTITION))
