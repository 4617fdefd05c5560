"""A program that loses executors and has tasks run twice, on a cluster of two hosts (``test_cluster``).

Only a cluster has executors that can be lost, and hosts for the second copy of a slow task. It needs a Java of its own,
hence a process of its own.
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
import numpy.typing as npt
import pyarrow as pa

from amun_dp import read_log, verify
from amun_dp.article.parameters import Parameters
from amun_dp.noise.sources import noise_source
from amun_dp.spark import Stages, anonymize_on_spark, open_session
from amun_dp.spark.article.draws import draw_stage
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.spark.cluster import PATIENCE, cluster

PARTITIONS, ROWS = 4, 20_000
LOST, OVERTAKEN, RACING = 0, 1, 2
"""Partitions: one whose executor is lost, one whose copy ends first, one whose copy ends at the same time."""
Kernel = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
Attempts = dict[tuple[int, int], npt.NDArray[np.int64]]
"""What was drawn, by partition and attempt."""


def kill_executor() -> None:
    """The Java process above this worker and the daemon that forked it, and so all that it was working on."""
    daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
    os.kill(int(daemon[1]), signal.SIGKILL)
    time.sleep(60)  # until it is noticed


def wait_for(path: Path) -> None:
    until = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.01)


def lose_an_executor(folder: Path, part: int, attempt: int) -> None:
    """The first attempt at a partition takes its executor, and whatever else that has in hand, along."""
    if part == LOST and attempt == 0:
        kill_executor()


def be_overtaken(folder: Path, part: int, attempt: int) -> None:
    """Two partitions are slow at first. The first attempt at one waits until it is killed, that at the other until its
    copy has drawn as well, so that both want to commit."""
    if part == OVERTAKEN and attempt == 0:
        time.sleep(PATIENCE)
    if part == RACING and attempt == 0:
        wait_for(folder / f"{part}-1")
        (folder / "copied").touch()
    if part == RACING and attempt == 1:
        wait_for(folder / "copied")


def noted_draws(folder: Path, mishap: Callable[[Path, int, int], None]) -> Kernel:
    """Draws that note themselves in a file an attempt, and then meet with a mishap."""

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
            mishap(folder, part, attempt)

    return run


def check_draws(stages: Stages, folder: Path, mishap: Callable[[Path, int, int], None]) -> tuple[Attempts, Any]:
    """One draw a row, and those of a partition are all of one attempt. Returns what was attempted and the draws."""
    folder.mkdir()
    rows = stages.write(f"{folder.name}-rows", stages.session.range(0, ROWS, 1, PARTITIONS))
    schema = "id bigint, part bigint, draw bigint"
    found = draw_stage(stages, folder.name, rows, noted_draws(folder, mishap), schema).toArrow().sort_by("id")
    assert found.column("id").to_pylist() == list(range(ROWS))
    attempts = {
        (int(path.name[0]), int(path.name[2:])): np.frombuffer(path.read_bytes(), dtype=np.int64)
        for path in folder.glob("?-*")
    }
    part, draw = found.column("part").to_numpy(), found.column("draw").to_numpy()
    for number in range(PARTITIONS):
        ours = np.sort(draw[part == number])
        assert any(np.array_equal(ours, np.sort(drawn)) for (each, _), drawn in attempts.items() if each == number)
    return attempts, draw


def check_lost_executor(stages: Stages, folder: Path) -> None:
    attempts, draw = check_draws(stages, folder, lose_an_executor)
    assert {(LOST, 0), (LOST, 1)} <= attempts.keys(), sorted(attempts)
    assert not np.isin(draw, attempts[LOST, 0]).any()


def check_speculation(stages: Stages, folder: Path) -> None:
    attempts, draw = check_draws(stages, folder, be_overtaken)
    assert {(OVERTAKEN, 0), (OVERTAKEN, 1), (RACING, 0), (RACING, 1)} <= attempts.keys(), sorted(attempts)
    assert not np.isin(draw, attempts[OVERTAKEN, 0]).any()
    racing = [bool(np.isin(attempts[RACING, attempt], draw).any()) for attempt in (0, 1)]
    assert sum(racing) == 1, "one of two copies that both ended is used, the other one is not"


def check_release(session: Any, folder: Path) -> None:
    """A release of executors, one of which has just been put in the place of another."""
    write_log(hospital_log(40), folder / "log.parquet")
    rules = Parameters(0.3, "sampling")
    anonymize_on_spark(session, str(folder / "log.parquet"), folder / "out", rules, noise="exact", partitions=2)
    found = verify(folder / "out", read_log(folder / "log.parquet"), prove=False)
    assert not found.failed, [check.detail for check in found.failed]


SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # As many tasks as files, although they are small.
    "spark.sql.files.minPartitionNum": PARTITIONS,
    "spark.sql.files.openCostInBytes": 1,
    # A task is copied as soon as half of the others have ended and it takes longer than they did.
    "spark.speculation": "true",
    "spark.speculation.quantile": 0.5,
    "spark.speculation.multiplier": 1.1,
    # Java that does not take time to compile itself.
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def main(folder: Path) -> None:
    settings = " ".join(f"--conf {name}={value}" for name, value in SETTINGS.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{settings} --driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell"
    with cluster(folder) as master:
        session = open_session(master)
        try:
            stages = Stages(session, str(folder / "stages"), PARTITIONS)
            check_speculation(stages, folder / "speculation")
            check_lost_executor(stages, folder / "loss")
            check_release(session, folder)
        finally:
            session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
