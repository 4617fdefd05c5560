"""What Spark says when it fails may quote rows: it is in its own log, and nowhere else."""

from __future__ import annotations

import stat
import subprocess
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from amun_dp.errors import AmunError, EngineError, InputError
from amun_dp.generator import hospital_log
from amun_dp.parameters import Parameters
from amun_dp.spark import Stages
from amun_dp.spark.failures import LOG_SETTING
from amun_dp.spark.release import anonymize_on_spark

POISON = "Erika Mustermann, 12 August 1964"


def quoting(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A worker that fails, and whose message quotes the row it failed at."""
    for batch in batches:
        yield batch
        raise ValueError(f"cannot work on {batch.column(0)[0].as_py()!r}")


def poisoned(session: Any) -> Any:
    """A log whose rows cannot be read without a failure that quotes them."""
    rows = hospital_log(10).to_pandas()
    rows = rows.assign(place=np.arange(len(rows)))
    rows["case:concept:name"] = POISON
    frame = session.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False))
    return frame.mapInArrow(quoting, frame.schema)


def test_a_failure_of_a_worker_names_the_stage_and_quotes_no_row(session: Any, tmp_path: Path) -> None:
    with pytest.raises(EngineError) as failure:
        anonymize_on_spark(
            session,
            poisoned(session),
            tmp_path / "out",
            Parameters(0.3, "sampling"),
            sequence="place",
            partitions=2,
        )
    log = Path(session.conf.get(LOG_SETTING))
    assert "while computing the stage 'events'" in str(failure.value) and str(log) in str(failure.value)
    assert isinstance(failure.value, AmunError)
    # Neither the message nor what it was raised from, as a notebook would print it.
    assert POISON not in "".join(traceback.format_exception(failure.value))
    assert failure.value.__context__ is None and failure.value.__cause__ is None
    assert not list(tmp_path.iterdir())
    # The reason is not lost, and only its owner can read it.
    assert POISON in log.read_text(encoding="utf-8")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_failure_outside_a_stage_names_the_step(session: Any, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="Spark failed while starting") as failure:
        anonymize_on_spark(session, poisoned(session), tmp_path / "out", Parameters(0.3, "sampling"), sequence="place")
    assert POISON not in "".join(traceback.format_exception(failure.value))


def test_a_path_that_is_no_parquet_is_refused_by_name(session: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        anonymize_on_spark(session, str(tmp_path / "nothing"), tmp_path / "out", Parameters(0.3, "sampling"))


def test_a_stage_that_spark_cannot_write_is_named(session: Any, tmp_path: Path) -> None:
    made = Stages(session, str(tmp_path), 2)
    made.write("rows", session.range(3))
    with pytest.raises(EngineError, match="the stage 'rows'"):
        made.write("rows", session.range(3))  # a stage is never written over


PROGRAM = """
import sys
from pathlib import Path
from amun_dp.errors import AmunError
from amun_dp.parameters import Parameters
from amun_dp.spark import anonymize_on_spark, open_session
from tests.spark.test_failures import poisoned

session = open_session("local[2]")
try:
    anonymize_on_spark(session, poisoned(session), Path(sys.argv[1]), Parameters(0.3, "sampling"), sequence="place")
except AmunError as error:
    print(error)
session.stop()
"""


def test_nothing_that_spark_prints_quotes_a_row(session: Any, tmp_path: Path) -> None:
    """All that comes out of the process and of Java, on a terminal that may be recorded."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "out")], check=True, capture_output=True, text=True
    )
    assert "Spark failed while" in done.stdout
    for word in ("Erika", "Mustermann", "August", "1964"):
        assert word not in done.stdout and word not in done.stderr
