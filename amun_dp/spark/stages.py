"""Stages: folders of Parquet files, each written whole and then read back.

Reading back is what makes a draw durable: a later stage, however often its tasks are run, sees the files and not the
computation that made them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from amun_dp.spark.failures import quoting_nothing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
        self.session.conf.set("spark.sql.shuffle.partitions", self.partitions)

    def write(self, name: str, frame: DataFrame) -> DataFrame:
        """Compute the frame once, into a folder called ``name``; the one returned reads files. A stage is never written
        over."""
        path = f"{self.folder}/{name}"
        write = frame.write.mode("error")
        quoting_nothing(self.session, lambda: f"computing the stage '{name}'", lambda: write.parquet(path))
        return self.session.read.schema(frame.schema).parquet(path)
