"""What Spark says when it fails may quote rows: it is in its own log, and nowhere else."""

from __future__ import annotations

import stat
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from amun_dp.article.parameters import Parameters
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.errors import AmunError, EngineError, InputError
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark import Stages
from amun_dp.spark.article.article_plan import plan_on_spark
from amun_dp.spark.certified.certified_plan import plan_certified_on_spark
from amun_dp.spark.engine.failures import LOG_SETTING
from amun_dp.spark.read.parquet import parquet_files
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.synthetic import hospital_log
from tests.spark.conftest import MakeStages

POISON = "Erika Mustermann, 12 August 1964"
PLACED = ColumnChoice(sequence="place")


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
            choice=PLACED,
            partitions=2,
        )
    log = Path(session.conf.get(LOG_SETTING))
    assert "while computing the stage 'input'" in str(failure.value) and str(log) in str(failure.value)
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
        anonymize_on_spark(session, poisoned(session), tmp_path / "out", Parameters(0.3, "sampling"), choice=PLACED)
    assert POISON not in "".join(traceback.format_exception(failure.value))


@pytest.mark.parametrize(
    ("plan", "rules"),
    [(plan_on_spark, Parameters(0.3, "sampling")), (plan_certified_on_spark, CertifiedSettings(0.3))],
)
def test_a_plan_quotes_no_row_either(
    plan: Callable[..., object], rules: object, stages: MakeStages, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = poisoned(session)
    for module in ("article.article_plan", "certified.certified_plan"):  # computed by the driver, outside of any stage
        monkeypatch.setattr(f"amun_dp.spark.{module}.read_events", lambda *_: frame.toArrow())
    with pytest.raises(EngineError, match="Spark failed while reading the log") as failure:
        plan(stages(), frame, rules, choice=PLACED)
    assert POISON not in "".join(traceback.format_exception(failure.value))


class Quoting:
    """Measures nothing, and quotes a case."""

    weight = 1

    def __call__(self, cases: Any) -> Any:
        if cases.flow.count:
            raise ValueError(POISON)
        return np.zeros(1, dtype=np.int64)


def test_what_is_measured_of_a_plan_quotes_no_row_either(stages: MakeStages, parquet: Callable[[Any], str]) -> None:
    plan = plan_certified_on_spark(stages(), parquet(hospital_log(10)), CertifiedSettings(0.3))
    for measure in (plan.prepared.totals, plan.prepared.histogram):
        with pytest.raises(EngineError, match="Spark failed while measuring") as failure:
            measure(Quoting())
        assert POISON not in "".join(traceback.format_exception(failure.value))


def test_a_path_that_is_not_there_is_refused_by_name(session: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing: there is no such file"):
        anonymize_on_spark(session, str(tmp_path / "nothing"), tmp_path / "out", Parameters(0.3, "sampling"))


def test_a_file_that_is_no_parquet_is_refused_by_name_and_not_quoted(session: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    path.write_text("SECRET, and no Parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet") as refused:
        parquet_files(session, str(path))
    assert refused.value.__cause__ is None and refused.value.__context__ is None


@pytest.mark.parametrize("translated", [True, False])
def test_a_path_is_refused_alike_whether_spark_translates_its_error_or_not(translated: bool, session: Any) -> None:
    """Which of the two it is has been seen to change from run to run for the same file."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    error = PySparkException(f"cannot read {POISON}") if translated else Py4JError(f"cannot read {POISON}")

    class Failing:
        def __getattr__(self, name: str) -> Any:
            raise error

    with pytest.raises(InputError, match="cannot be read as Parquet") as refused:
        parquet_files(Failing(), "lake/log")
    assert refused.value.__cause__ is None and refused.value.__context__ is None


def test_a_stage_that_spark_cannot_write_is_named(session: Any, tmp_path: Path) -> None:
    made = Stages(session, str(tmp_path), 2)
    made.write("rows", session.range(3))
    with pytest.raises(EngineError, match="the stage 'rows'"):
        made.write("rows", session.range(3))  # a stage is never written over


PROGRAM = """
import sys
from pathlib import Path
from amun_dp.errors import AmunError
from amun_dp.article.parameters import Parameters
from amun_dp.spark import anonymize_on_spark, open_session
from tests.spark.test_failures import PLACED, poisoned

session = open_session("local[2]")
try:
    anonymize_on_spark(session, poisoned(session), Path(sys.argv[1]), Parameters(0.3, "sampling"), choice=PLACED)
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
    for word in ("Erika", "Mustermann", "August 1964"):
        assert word not in done.stdout and word not in done.stderr
