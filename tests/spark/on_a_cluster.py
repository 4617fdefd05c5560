"""A program that loses executors, on a cluster of two on this machine (``test_cluster``).

Only a cluster has executors that can be lost. It needs a Java of its own, hence a process of its own. Speculation
cannot be had on one machine: Spark puts the second copy of a task on another host only.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from amun_dp import read_log, verify
from amun_dp.generator import hospital_log
from amun_dp.noise import noise_source
from amun_dp.parameters import Parameters
from amun_dp.spark import Stages, anonymize_on_spark, open_session
from amun_dp.spark.drawing import draw_stage
from amun_dp.writing import write_log

PARTITIONS, ROWS = 4, 20_000
Kernel = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def kill_executor() -> None:
    """The Java process above this worker and the daemon that forked it, and so all that it was working on."""
    daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
    os.kill(int(daemon[1]), signal.SIGKILL)
    time.sleep(60)  # until it is noticed


def noted_draws(folder: Path) -> Kernel:
    """Draws that note themselves in a file an attempt. The first attempt at the first partition takes its executor, and
    whatever else that has in hand, along."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        part, attempt = context.partitionId(), context.attemptNumber()
        source = noise_source(None, "exact")
        for batch in batches:
            drawn = source.bits(batch.num_rows).view(np.int64)
            with (folder / f"{part}-{attempt}").open("ab") as file:
                file.write(drawn.tobytes())
            part_of_row = np.full(batch.num_rows, part)
            columns = [*batch.columns, pa.array(part_of_row), pa.array(drawn)]
            yield pa.RecordBatch.from_arrays(columns, ["id", "part", "draw"])
            if part == 0 and attempt == 0:
                kill_executor()

    return run


def check_draws(stages: Stages, folder: Path) -> None:
    """One draw a row, and those of a partition are all of one attempt."""
    folder.mkdir()
    rows = stages.write("rows", stages.session.range(0, ROWS, 1, PARTITIONS))
    schema = "id bigint, part bigint, draw bigint"
    found = draw_stage(stages, "drawn", rows, noted_draws(folder), schema).toArrow().sort_by("id")
    assert found.column("id").to_pylist() == list(range(ROWS))
    attempts = {path.name: np.frombuffer(path.read_bytes(), dtype=np.int64) for path in folder.iterdir()}
    assert {"0-0", "0-1", *(f"{number}-0" for number in range(PARTITIONS))} <= attempts.keys(), sorted(attempts)
    part, draw = found.column("part").to_numpy(), found.column("draw").to_numpy()
    assert not np.isin(draw, attempts["0-0"]).any()
    for number in range(PARTITIONS):
        ours = np.sort(draw[part == number])
        assert any(np.array_equal(ours, np.sort(drawn)) for each, drawn in attempts.items() if each[0] == str(number))


def check_release(session: Any, folder: Path) -> None:
    """A release of executors, one of which has just been put in the place of another."""
    write_log(hospital_log(40), folder / "log.parquet")
    rules = Parameters(0.3, "sampling")
    anonymize_on_spark(session, str(folder / "log.parquet"), folder / "out", rules, noise="exact", partitions=2)
    found = verify(folder / "out", read_log(folder / "log.parquet"), prove=False)
    assert not found.failed, [check.detail for check in found.failed]


def main(folder: Path) -> None:
    # As many tasks as files, although they are small; and Java that does not take time to compile itself.
    files = f"--conf spark.sql.files.minPartitionNum={PARTITIONS} --conf spark.sql.files.openCostInBytes=1"
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{files} --driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell"
    session = open_session("local-cluster[2,1,1024]")
    try:
        stages = Stages(session, str(folder / "stages"), PARTITIONS)
        check_draws(stages, folder / "attempts")
        check_release(session, folder)
    finally:
        session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
