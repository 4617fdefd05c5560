"""A release on Spark is a release: what reads and verifies releases of one machine accepts it, and its draws are made
once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from amun_dp import load_release, verify
from amun_dp.errors import ReleaseError
from amun_dp.eventlog import EventLog
from amun_dp.generator import hospital_log
from amun_dp.noise import noise_source
from amun_dp.parameters import Parameters
from amun_dp.reading import read_log
from amun_dp.spark.drawing import draw_stage
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.verification.checks import Outcome
from amun_dp.writing import write_log
from tests.spark.conftest import MakeStages


def test_a_release_on_spark_passes_every_check_against_its_original(session: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    write_log(hospital_log(60), path)
    report = anonymize_on_spark(
        session, str(path), tmp_path / "out", Parameters(0.3, "filtering"), noise="exact", partitions=2
    )
    found = verify(tmp_path / "out", read_log(path), prove=False)
    assert [check.detail for check in found.checks if check.outcome is Outcome.FAILED] == []
    loaded = load_release(tmp_path / "out")
    assert loaded.report == report and loaded.event_log.n_events == report.released.events
    # Nothing of the stages, which hold the original, is left.
    assert sorted(each.name for each in tmp_path.iterdir()) == ["log.parquet", "out"]


def test_no_events_or_cases_are_collected_on_the_driver(
    session: Any, tmp_path: Path, parquet: Callable[[EventLog], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql.classic.dataframe import DataFrame

    taken: list[list[str]] = []

    def watched(name: str) -> Callable[[Any], Any]:
        take = getattr(DataFrame, name)

        def run(self: Any) -> Any:
            taken.append(self.columns)
            return take(self)

        return run

    def refuse(self: Any, *_: Any) -> Any:
        raise AssertionError("rows are brought to the driver")

    for name in ("toArrow", "collect"):
        monkeypatch.setattr(DataFrame, name, watched(name))
    for name in ("toPandas", "toLocalIterator", "tail"):
        monkeypatch.setattr(DataFrame, name, refuse)
    log = hospital_log(30)
    anonymize_on_spark(session, parquet(log), tmp_path / "out", Parameters(0.3, "sampling"), noise="exact")
    # What the driver takes has a row a file, a label, a variant, a group, a partition or a quantile.
    of_an_event = {"time", "times", "value", "noised", "prior", "number", "origin", "name"}
    assert taken and not [names for names in taken if of_an_event & set(names)]


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


def test_a_stage_that_would_draw_after_a_shuffle_is_refused(session: Any, stages: MakeStages, tmp_path: Path) -> None:
    shuffled = session.range(0, 100).repartition(3, "id")
    with pytest.raises(ReleaseError, match="shuffle"):
        draw_stage(stages(), "drawn", shuffled, killing_draws(tmp_path), "id bigint, draw bigint")
