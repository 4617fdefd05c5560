"""Draws of workers: made once whatever is killed, of the right law, and never the same twice."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amun_dp.article.parameters import Parameters
from amun_dp.article.step7_compression import rebuild_times
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.log import EventLog
from amun_dp.mechanisms.bounded_laplace import noise_scales
from amun_dp.noise.sources import noise_source
from amun_dp.spark import plan_on_spark
from amun_dp.spark.article.draws import KEYS, _keys, _times, draw_release, draw_stage
from amun_dp.spark.writing import sort_log
from amun_dp.synthetic import hospital_log
from tests.spark.conftest import MakeStages


def killing_draws(folder: Path) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Draws that note themselves in a file an attempt. The first attempt of each task kills its worker amid them."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        attempt = f"{context.partitionId()}-{context.attemptNumber()}"
        source = noise_source(None, "exact")
        for batch in batches:
            drawn = source.bits(batch.num_rows).view(np.int64)
            with (folder / attempt).open("ab") as file:
                file.write(drawn.tobytes())
            yield pa.RecordBatch.from_arrays([*batch.columns, pa.array(drawn)], ["id", "draw"])
            if context.attemptNumber() == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return run


def test_workers_that_are_killed_amid_their_draws_leave_one_draw_a_row(
    session: Any, stages: MakeStages, tmp_path: Path
) -> None:
    made = stages()
    rows = made.write("rows", session.range(0, 30_000, 1, 2))
    drawn = draw_stage(made, "drawn", rows, killing_draws(tmp_path), "id bigint, draw bigint")
    found = drawn.toArrow().sort_by("id")
    assert found.column("id").to_numpy().tolist() == list(range(30_000))
    attempts = {path.name: np.frombuffer(path.read_bytes(), dtype=np.int64) for path in tmp_path.iterdir()}
    killed = np.concatenate([draws for name, draws in attempts.items() if name.endswith("-0")])
    ended = np.concatenate([draws for name, draws in attempts.items() if not name.endswith("-0")])
    draws = found.column("draw").to_numpy()
    assert len(killed) > 0 and not np.isin(draws, killed).any()
    np.testing.assert_array_equal(np.sort(draws), np.sort(ended))
    # However often it is asked for, sorted and shuffled: the files are read, nothing is drawn.
    again = drawn.repartition(3, "draw").sort("id").toArrow()
    np.testing.assert_array_equal(again.column("draw").to_numpy(), draws)


@pytest.mark.parametrize(
    "shuffled",
    [
        lambda rows: rows.repartition(3, "id"),
        lambda rows: rows.sort("id"),
        lambda rows: rows.limit(10),  # a shuffle, too, once it is not the last step
        lambda rows: rows.orderBy("id").limit(10),
        lambda rows: rows.distinct(),
        lambda rows: rows.join(rows.withColumnRenamed("id", "other").hint("merge"), rows.id == 1),
    ],
)
def test_a_stage_that_would_draw_after_a_shuffle_is_refused(
    shuffled: Callable[[Any], Any], session: Any, stages: MakeStages, tmp_path: Path
) -> None:
    made = stages()
    rows = made.write("rows", session.range(0, 100))
    with pytest.raises(ReleaseError, match="shuffle"):
        draw_stage(made, "drawn", shuffled(rows), killing_draws(tmp_path), "id bigint, draw bigint")


class Killer(threading.Thread):
    """Kills a Python worker of Spark now and then: three times, so that no task can fail more often than it may."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.killed = 0
        self.over = threading.Event()

    def run(self) -> None:
        while self.killed < 3 and not self.over.wait(0.4):
            for worker in python_workers()[:1]:
                with suppress(ProcessLookupError):  # it ended by itself
                    os.kill(worker, signal.SIGKILL)
                    self.killed += 1


def python_workers() -> list[int]:
    """Processes that the daemon of Spark's Python workers forked, below this one."""
    parents, daemons = {}, set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if b"pyspark.daemon" in (entry / "cmdline").read_bytes():
                    daemons.add(int(entry.name))
            except OSError:  # it has ended
                continue

    def below_this(process: int) -> bool:
        return process == os.getpid() or (process in parents and below_this(parents[process]))

    return [process for process in daemons if parents[process] in daemons and below_this(process)]


def test_a_release_whose_workers_are_killed_has_the_draws_that_were_written(
    stages: MakeStages, parquet: Callable[[EventLog], str]
) -> None:
    made = stages()
    plan = plan_on_spark(made, parquet(hospital_log(60)), Parameters(0.3, "sampling"))
    killer = Killer()
    killer.start()
    try:
        drawn = draw_release(made, plan, noise_source(None, "exact"))
        log = sort_log(made, plan, drawn)
    finally:
        killer.over.set()
        killer.join()
    assert killer.killed > 0
    written = drawn.frame.toArrow().sort_by([("number", "ascending"), ("position", "ascending")])
    number, position = (written.column(name).to_numpy() for name in ("number", "position"))
    offsets = np.append(np.flatnonzero(position == 0), len(position))
    # Each event of each released case once, and cases numbered without a gap.
    np.testing.assert_array_equal(np.unique(number), np.arange(len(offsets) - 1))
    np.testing.assert_array_equal(position, np.arange(len(position)) - np.repeat(offsets[:-1], np.diff(offsets)))
    released = pa.concat_tables([pq.read_table(path) for path in log.files])
    names = made.session.read.parquet(f"{made.folder}/names").toArrow().column("name").to_pylist()
    assert released.column("name").take(offsets[:-1]).to_pylist() == sorted(names)
    rules = plan.parameters.conventions
    times, _ = rebuild_times(written.column("noised").to_numpy(), offsets, plan.automaton.public, rules)
    np.testing.assert_array_equal(released.column("time").to_numpy(), times)
    assert released.column("scale").equals(written.column("scale"))


@pytest.mark.parametrize("sampler", ["exact", "opendp"])
def test_noise_of_workers_has_the_law_of_discrete_laplace_noise(sampler: str, session: Any, stages: MakeStages) -> None:
    # The largest distance of an empirical distribution of n draws exceeds d with probability at most 2·exp(-2nd²)
    # (Dvoretzky, Kiefer, Wolfowitz, Massart); here 1e-10.
    n, made = 20_000, stages()
    columns = "bigint(50) AS value", "bigint(1000) AS value_range", "0.4D AS loss", "bigint(2) AS copies"
    rows = made.write("rows", session.range(0, n, 1, 4).selectExpr(*columns))
    schema = "value bigint, value_range bigint, loss double, copies bigint, scale double, noised bigint"
    found = draw_stage(made, "drawn", rows, _times(sampler), schema).toArrow()
    scale = noise_scales(np.array([1000]), np.array([0.4]), np.array([2]))[0]
    assert set(found.column("scale").to_pylist()) == {scale} and 5_000 <= scale <= 5_000 * 1.04
    noise = np.sort(found.column("noised").to_numpy() - 50)
    below = np.exp(-np.abs(noise) / scale)
    q = np.exp(-1 / scale)
    # P(Z ≤ k) = q^(-k)/(1+q) for k < 0, and 1 - q^(k+1)/(1+q) from 0 on.
    law = np.where(noise < 0, below / (1 + q), 1 - below * q / (1 + q))
    counted = np.searchsorted(noise, noise, side="right") / n
    allowed = np.sqrt(np.log(2 / 1e-10) / (2 * n))
    assert np.abs(counted - law).max() < allowed
    # And the test sees noise of a scale that is a fifth smaller.
    smaller = np.sort((noise * 0.8).astype(np.int64))
    narrow = np.exp(-np.abs(smaller) / scale)
    wrong = np.where(smaller < 0, narrow / (1 + q), 1 - narrow * q / (1 + q))
    assert np.abs(np.searchsorted(smaller, smaller, side="right") / n - wrong).max() > allowed


def test_no_two_workers_draw_the_same(session: Any, stages: MakeStages) -> None:
    made = stages()
    rows = made.write("rows", session.range(0, 30_000, 1, 6).selectExpr("id AS number", "id AS variant"))
    keys = draw_stage(made, "keys", rows, _keys("exact"), KEYS).toArrow().column("key").to_numpy()
    # Two of 30,000 keys of 64 bits are equal with a probability below 3e-11.
    assert len(np.unique(keys)) == 30_000
