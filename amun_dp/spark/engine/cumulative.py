"""Running sums over all workers: the one operation that numbers, ranks and counts across partitions.

Rows are cut into ranges of their keys and sorted; each partition sums up by itself, and what the partitions before it
add up to is all that is exchanged. No worker holds more than its range, however many rows share a part of the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from amun_dp.spark.engine.batches import Kernel
from amun_dp.spark.engine.stages import Stages

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def cumulative(stages: Stages, name: str, frame: DataFrame, keys: Sequence[str], weight: str) -> DataFrame:
    """The rows with ``before``: what the weights of all rows with smaller keys add up to. Rows of equal keys come in
    any order, the same one ever after: the result is a stage."""
    from pyspark.sql import functions as sql
    from pyspark.sql.types import IntegerType, LongType, StructType

    schema = StructType([*frame.schema.fields]).add("part", IntegerType()).add("within", LongType())
    placed = (
        frame.repartitionByRange(stages.partitions, *keys)
        .sortWithinPartitions(*keys)
        .mapInArrow(_running(weight), schema)
    )
    stage = stages.write(name, placed)
    totals = stage.groupBy("part").agg(sql.sum(weight).alias("total")).toArrow().sort_by("part")
    total = totals.column("total").to_numpy()
    offsets = totals.append_column("offset", [np.cumsum(total) - total]).select(["part", "offset"])
    known = sql.broadcast(stages.session.createDataFrame(offsets))
    return stage.join(known, "part").withColumn("before", sql.col("within") + sql.col("offset")).drop(*_OWN)


_OWN = ("part", "within", "offset")


def _running(weight: str) -> Kernel:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None  # workers have one
        part, total = context.partitionId(), 0
        for batch in batches:
            weights = batch.column(weight).to_numpy(zero_copy_only=False)
            ends = total + np.cumsum(weights, dtype=np.int64)
            total = int(ends[-1]) if len(ends) else total
            own = [pa.array(np.full(len(ends), part, dtype=np.int32)), pa.array(ends - weights)]
            yield pa.RecordBatch.from_arrays([*batch.columns, *own], [*batch.schema.names, "part", "within"])

    return run
