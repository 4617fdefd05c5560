"""A Python worker that the system kills costs its task another attempt, and not the run; and no noise is used twice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import amun_dp
from amun_dp.article.parameters import Parameters
from amun_dp.article.step7_compression import rebuild_times
from amun_dp.eventlog.log import EventLog
from amun_dp.spark import release
from amun_dp.spark.article import draws
from amun_dp.spark.article.article_plan import SparkPlan
from amun_dp.spark.writing import sort_log
from amun_dp.synthetic import hospital_log
from tests.spark.killed_workers import drawn_by, killed_at_first, write_half_at_first

DRAWN = {"_keys": "key", "_names": "name", "_times": "noised"}
"""The kernels that draw, and the columns that they draw."""


def test_a_release_goes_on_when_every_worker_is_killed_at_first_and_has_the_noise_of_one_attempt(
    session: Any, parquet: Callable[[EventLog], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, made = tmp_path / "notes", []
    notes.mkdir()
    for name, column in DRAWN.items():
        kernel = getattr(draws, name)
        monkeypatch.setattr(draws, name, lambda *of, k=kernel, c=column: killed_at_first(k(*of), notes, c))
    monkeypatch.setattr("amun_dp.spark.writing.write_log", write_half_at_first)

    def sorted_and_noted(stages: Any, plan: SparkPlan, drawn: Any) -> Any:
        keys = session.read.parquet(f"{stages.folder}/keys").toArrow().column("key").to_pylist()
        made.append((plan, keys, drawn.frame.toArrow()))
        return sort_log(stages, plan, drawn)

    monkeypatch.setattr(release, "sort_log", sorted_and_noted)
    log = parquet(hospital_log(60))
    release.anonymize_on_spark(session, log, tmp_path / "out", Parameters(0.3, "sampling"), partitions=3)

    assert amun_dp.verify(tmp_path / "out", original=amun_dp.read_log(log)).passed
    [(plan, keys, written)] = made
    written = written.sort_by([("number", "ascending"), ("position", "ascending")])
    # What was kept is what the attempts drew that ended, each draw once, and nothing of those that were killed.
    for column, kept in (("key", keys), ("noised", written.column("noised").to_pylist())):
        assert sorted(map(str, kept)) == drawn_by(notes, column, killed=False)
        assert drawn_by(notes, column, killed=True)
    names = sorted(set(written.column("name").to_pylist()))
    assert names == drawn_by(notes, "name", killed=False)
    assert not set(names) & set(drawn_by(notes, "name", killed=True))
    assert not {*map(str, keys)} & {*drawn_by(notes, "key", killed=True)}  # 64 bits each
    # And the released times are made of that noise.
    position = written.column("position").to_numpy()
    offsets = np.append(np.flatnonzero(position == 0), len(position))
    rules = plan.parameters.conventions
    times, _ = rebuild_times(written.column("noised").to_numpy(), offsets, plan.automaton.public, rules)
    released = pq.read_table(tmp_path / "out" / "log.parquet", partitioning=None)
    assert released.column("time:timestamp").cast("timestamp[ms]").cast("int64").to_pylist() == times.tolist()
    # Half a file of the log is nowhere in the release.
    assert [path.name for path in (tmp_path / "out" / "log.parquet").iterdir()] == ["part-00000.parquet"]


PROGRAM = """
import sys
from pathlib import Path
from amun_dp.spark import open_session
from tests.spark.killed_workers import killed_at_first

session = open_session()
notes = Path(sys.argv[1])
frame = session.range(0, 1000, 1, 2).mapInArrow(killed_at_first(lambda batches: batches, notes, "id"), "id bigint")
print(sorted(row.id for row in frame.collect()) == list(range(1000)))
session.stop()
"""


def test_on_this_machine_alone_a_killed_worker_does_not_end_the_run(session: Any, tmp_path: Path) -> None:
    """With the master that is the default: Spark's own local[*] ends with the first task that fails."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], check=False, capture_output=True, text=True, timeout=600
    )
    assert done.stdout.strip() == "True", done.stderr
    assert drawn_by(tmp_path, "id", killed=True)
