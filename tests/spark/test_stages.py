"""Stages: written whole, or not at all, for their owner only; and gone when the run ends, however it does."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from amun_dp.errors import OutputError
from amun_dp.spark import Stages
from amun_dp.spark.engine.stages import PARTITIONS_SETTING
from amun_dp.spark.read.parquet import SETTINGS
from amun_dp.spark.work import stages_for
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log

TASK_BY_TASK = "mapreduce.fileoutputcommitter.algorithm.version"


def looking_for_the_first(folder: Path) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The second of two tasks says where the first one's file is when it has ended: in place, or put aside."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        places = ["the first task"]
        if context.partitionId() == 1:
            places, until = [], time.monotonic() + 300
            while not places and time.monotonic() < until:
                time.sleep(0.05)
                places = ["in place" for _ in folder.glob("part-00000*")]
                places += ["put aside" for _ in folder.glob("_temporary/0/task_*/part-00000*")]
        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array(places)], ["place"])

    return run


@pytest.fixture
def task_by_task(session: Any) -> Iterator[Any]:
    """A cluster whose tasks put their files in place one by one."""
    session.conf.set(TASK_BY_TASK, "2")
    yield session
    session.conf.unset(TASK_BY_TASK)


def places(frame: Any) -> list[str]:
    return sorted(set(frame.toArrow().column("place").to_pylist()))


def test_no_file_of_a_stage_is_in_place_before_all_are_whatever_the_cluster_is_set_to(
    task_by_task: Any, tmp_path: Path
) -> None:
    rows = task_by_task.range(0, 2, 1, 2)
    made = Stages(task_by_task, str(tmp_path), 2)
    kernel = looking_for_the_first(tmp_path / "ours")
    assert places(made.write("ours", rows.mapInArrow(kernel, "place string"))) == ["put aside", "the first task"]
    # And the test would see it: what Spark writes with these settings is in place at once.
    kernel = looking_for_the_first(tmp_path / "other")
    rows.mapInArrow(kernel, "place string").write.parquet(str(tmp_path / "other"))
    assert places(task_by_task.read.parquet(str(tmp_path / "other"))) == ["in place", "the first task"]


def test_a_task_writes_one_file_whatever_the_cluster_is_set_to(session: Any, tmp_path: Path) -> None:
    session.conf.set("spark.sql.files.maxRecordsPerFile", "10")
    try:
        Stages(session, str(tmp_path), 2).write("rows", session.range(0, 100, 1, 2))
    finally:
        session.conf.unset("spark.sql.files.maxRecordsPerFile")
    assert len(list((tmp_path / "rows").glob("part-*.parquet"))) == 2


def test_a_session_has_its_settings_back_when_a_run_ends(session: Any, tmp_path: Path) -> None:
    names = (*SETTINGS, PARTITIONS_SETTING)
    before = [session.conf.get(name, None) for name in names]
    write_log(hospital_log(5), tmp_path / "log.parquet")
    with stages_for(session, str(tmp_path / "log.parquet"), tmp_path, 13):
        assert session.conf.get(PARTITIONS_SETTING) == "13"
    assert [session.conf.get(name, None) for name in names] == before


def test_stages_that_cannot_be_removed_are_told(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amun_dp.spark.work._PATIENCE", 0.1)
    monkeypatch.setattr("amun_dp.spark.work.shutil.rmtree", lambda *_, **__: None)
    with (
        pytest.raises(OutputError, match=r"They hold rows of the log: remove .*stages-"),
        stages_for(session, session.range(3), tmp_path, 2),
    ):
        pass


def test_a_folder_that_is_written_to_while_it_is_removed_goes_all_the_same(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, late = shutil.rmtree, ["a worker's last file", "and another one's"]

    def disturbed(folder: Path, ignore_errors: bool) -> None:
        if late:
            (folder / late.pop()).touch()
            return
        remove(folder, ignore_errors=ignore_errors)

    monkeypatch.setattr("amun_dp.spark.work.shutil.rmtree", disturbed)
    with stages_for(session, session.range(3), tmp_path, 2):
        pass
    assert not late and not list(tmp_path.iterdir())


PROGRAM = """
import signal, sys
from pathlib import Path
from amun_dp.synthetic import hospital_log
from amun_dp.article.parameters import Parameters
from amun_dp.spark import anonymize_on_spark, open_session
from amun_dp.writing import write_log

folder = Path(sys.argv[1])
write_log(hospital_log(40), folder / "log.parquet")
session = open_session("local[2]")

def look(step):
    if step == "sorting the release":
        open_to_others = [path for path in folder.rglob("*") if path.stat().st_mode & 0o077]
        print(sorted(str(path.relative_to(folder)) for path in open_to_others if path.name != "log.parquet"))
        print(sum("shuffle_" in path.name for path in folder.rglob("*")) > 0)

rules = Parameters(0.3, "sampling")
log, out = str(folder / "log.parquet"), folder / "out"
anonymize_on_spark(session, log, out, rules, noise="exact", partitions=2, progress=look)
session.stop()
"""


def test_no_scratch_file_of_spark_is_open_to_others_and_the_released_log_is(session: Any, tmp_path: Path) -> None:
    """Shuffles hold rows of the log. Everything is below one folder here, and looked at amid the run."""
    scratch = tmp_path / "scratch"
    scratch.mkdir(mode=0o700)
    environment = {**os.environ, "SPARK_LOCAL_DIRS": str(scratch), "TMPDIR": str(scratch)}
    # Spark would remove files of old shuffles whenever Java collects its garbage, also while they are looked at.
    environment["PYSPARK_SUBMIT_ARGS"] = "--conf spark.cleaner.referenceTracking=false pyspark-shell"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
        umask=0o022,
    )
    assert done.stdout.splitlines() == ["[]", "True"]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out" / "log.parquet").iterdir()}
    assert set(modes.values()) == {0o644}
    assert not list(tmp_path.glob(".amun-dp-stages-*"))
