"""One Spark session for all tests: this machine with two workers. Without Spark or Java they are skipped, on CI not."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from amun_dp.eventlog.log import EventLog
from amun_dp.spark import Stages, open_session

MakeStages = Callable[..., Stages]


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    missing = [
        *(["pyspark"] if importlib.util.find_spec("pyspark") is None else []),
        *(["java (Debian package openjdk-17-jre-headless)"] if shutil.which("java") is None else []),
    ]
    if missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"on CI these must be installed: {', '.join(missing)}")
        pytest.skip(f"not installed: {', '.join(missing)}")
    # Compiling takes longer than the small jobs of tests do; read once, when the first session starts Java.
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell")
    opened = open_session("local[2, 4]")  # a task may fail three times
    yield opened
    opened.stop()


@pytest.fixture
def stages(session: Any, tmp_path_factory: pytest.TempPathFactory) -> MakeStages:
    """A fresh folder of stages; few partitions, so that tests are quick, and more than one, so that they mean much."""

    def make(partitions: int = 3) -> Stages:
        return Stages(session, str(tmp_path_factory.mktemp("stages")), partitions)

    return make


@pytest.fixture
def taken(session: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[str], Any]]:
    """What the driver takes while a test runs: names of columns, and rows. Other ways to take rows are refused."""
    from pyspark.sql.classic.dataframe import DataFrame

    noted: list[tuple[set[str], Any]] = []

    def watched(name: str) -> Callable[[Any], Any]:
        take = getattr(DataFrame, name)

        def run(self: Any) -> Any:
            found = take(self)
            noted.append((set(self.columns), found))
            return found

        return run

    def refuse(self: Any, *_: Any) -> Any:
        raise AssertionError("rows are brought to the driver")

    for name in ("toArrow", "collect"):
        monkeypatch.setattr(DataFrame, name, watched(name))
    for name in ("toPandas", "toLocalIterator", "tail"):
        monkeypatch.setattr(DataFrame, name, refuse)
    return noted


@pytest.fixture
def parquet(tmp_path: Path) -> Callable[[Any], str]:
    """A log, or its rows, as a folder of three Parquet files, in their order."""

    def write(log: Any) -> str:
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder = tmp_path / "lake.parquet"
        folder.mkdir()
        rows = log.to_pandas() if isinstance(log, EventLog) else log
        table = pa.Table.from_pandas(rows, preserve_index=False)
        third = -(-table.num_rows // 3)
        for part in range(3):
            pq.write_table(table.slice(part * third, third), folder / f"part-{part}.parquet", row_group_size=100)
        return str(folder)

    return write
