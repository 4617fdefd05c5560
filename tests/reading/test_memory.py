"""What the columns of a file took is given back once the log is made, not when Python happens to look for rings."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from amun_dp import read_log
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.writing import write_log

pytestmark = pytest.mark.slow  # logs large enough to be weighed


@pytest.fixture
def no_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("name", ["log.xes", "irregular.xes", "log.csv", "log.parquet"])
@pytest.mark.usefixtures("no_collections")
def test_no_column_of_the_file_outlives_its_reading(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    log = generate_log(LogShape(cases=500, activities=5, mean_length=6, variants=40))
    write_log(log, path)
    if name == "irregular.xes":  # which the strict parser reads
        path.write_text(path.read_text().replace("<trace>", "<trace >"))
    before = pa.total_allocated_bytes()
    assert read_log(path).n_events == log.n_events
    patience = time.monotonic() + 30
    while pa.total_allocated_bytes() > before and time.monotonic() < patience:
        time.sleep(0.01)  # Arrow's own threads may let go of a Parquet file's columns a moment later
    assert pa.total_allocated_bytes() <= before
