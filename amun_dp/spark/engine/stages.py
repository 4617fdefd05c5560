"""Stages: folders of Parquet files, each written whole and then read back.

Reading back is what makes a draw durable: a later stage, however often its tasks are run, sees the files and not the
computation that made them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from amun_dp.spark.engine.failures import quoting_nothing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


PARTITIONS_SETTING = "spark.sql.shuffle.partitions"
_WRITING = {"mapreduce.fileoutputcommitter.algorithm.version": "1", "maxRecordsPerFile": "0"}
"""Whatever the cluster is set to: one file a task, and all files in place when the whole job is done. Task by task is
faster, but a worker that is lost amid that leaves files of one attempt beside those of the next: draws of both."""
_READING = {"ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
"""Whatever the cluster is set to: a file of a stage that cannot be read is a failure, and no stage without its rows."""


@dataclass(frozen=True, slots=True)
class Stages:
    """Where stages are kept, and into how many partitions the large ones are cut."""

    session: SparkSession
    """The session that computes them."""
    folder: str
    """Confidential, like what is in it. Every worker must reach it under this name."""
    partitions: int
    """Into how many parts sorts, groups and joins are cut."""

    def __post_init__(self) -> None:
        """Groups and joins are cut as finely as sorts are; Spark's own number is 200, whatever the log."""
        self.session.conf.set(PARTITIONS_SETTING, self.partitions)

    def write(self, name: str, frame: DataFrame) -> DataFrame:
        """Compute the frame once, into a folder called ``name``; the one returned reads files. A stage is never written
        over."""
        path = f"{self.folder}/{name}"
        write = frame.write.mode("error").options(**_WRITING)
        quoting_nothing(self.session, lambda: f"computing the stage '{name}'", lambda: write.parquet(path))
        return self.session.read.schema(frame.schema).options(**_READING).parquet(path)
