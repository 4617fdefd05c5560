"""What one machine refuses Spark refuses, and what both read are the same events: one suite of inputs over both."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from amun_dp.article.parameters import Parameters
from amun_dp.errors import EngineError, InputError
from amun_dp.reading import read_log
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark.engine.failures import quoting_nothing
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.read.events import read_events
from amun_dp.spark.read.parquet import SETTINGS, parquet_files
from amun_dp.spark.release import anonymize_on_spark
from tests.reading.bad_inputs import INPUTS, PARTS, ROWS, SECRET, folder_of_parts, folders_by_case
from tests.reading.samples import rows_of
from tests.spark.conftest import MakeStages

CARELESS = {
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
    "parquet.page.verify-checksum.enabled": "false",
}
"""A cluster that is set to pass over whatever it cannot read."""

Rows = list[tuple[str, str, int]]


@pytest.fixture
def careless(session: Any) -> Iterator[Any]:
    before = {name: session.conf.get(name, None) for name in {*CARELESS, *SETTINGS}}
    for name, value in CARELESS.items():
        session.conf.set(name, value)
    yield session
    for name, value in before.items():
        if value is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, value)


def on_one_machine(log: Path) -> Rows | None:
    """Its rows, or None if it is refused."""
    try:
        return rows_of(read_log(log))
    except InputError:
        return None


def on_spark(session: Any, stages: Stages, log: Path) -> tuple[Rows | None, str]:
    """The rows in the order of cases, times and places, or None if it is refused; and what was said."""
    try:
        events = read_events(stages, parquet_files(session, str(log)), ColumnChoice())
        found = events.frame.toArrow().sort_by([("time", "ascending"), ("sequence", "ascending")]).to_pylist()
    except (InputError, EngineError) as error:
        return None, "".join(traceback.format_exception(error))
    cases = {each["case"]: number for number, each in reversed(list(enumerate(found)))}  # by first appearance
    found.sort(key=lambda each: cases[each["case"]])
    return [(each["case"], each["activity"], each["time"]) for each in found], ""


@pytest.mark.parametrize("name", INPUTS)
def test_both_engines_refuse_or_read_the_same_events(
    name: str, careless: Any, stages: MakeStages, tmp_path: Path
) -> None:
    log = INPUTS[name].spoil(folder_of_parts(tmp_path))
    expected = on_one_machine(log)
    assert (expected is None) == (INPUTS[name].outcome == "refused")
    found, said = on_spark(careless, stages(), log)
    assert found == expected
    assert SECRET not in said


def test_folders_that_are_named_by_a_column_hold_the_events_of_one_folder(
    careless: Any, stages: MakeStages, tmp_path: Path
) -> None:
    """Which one machine refuses in words; Spark reads them as it always did."""
    found, said = on_spark(careless, stages(), folders_by_case(tmp_path))
    assert not said and found is not None
    expected = on_one_machine(folder_of_parts(tmp_path))
    assert expected is not None and sorted(found) == sorted(expected)
    for case in {case for case, *_ in expected}:
        assert [row for row in found if row[0] == case] == [row for row in expected if row[0] == case]


def test_a_column_that_is_in_the_files_and_in_the_names_of_folders_is_refused(session: Any, tmp_path: Path) -> None:
    """In whatever letters: to Spark they are the same."""
    folder_of_parts(tmp_path).rename(tmp_path / "Cost=1")
    (tmp_path / "lake.parquet").mkdir()
    (tmp_path / "Cost=1").rename(tmp_path / "lake.parquet" / "Cost=1")
    with pytest.raises(InputError, match="in the files and in the names of their folders"):
        parquet_files(session, str(tmp_path / "lake.parquet"))


def test_a_release_of_a_folder_with_an_empty_part_is_refused_and_leaves_nothing(session: Any, tmp_path: Path) -> None:
    """As it was released before, from 75,000 of 100,000 events."""
    folder = INPUTS["an_empty_part"].spoil(folder_of_parts(tmp_path))
    with pytest.raises(InputError, match=r"empty file \(part-2.parquet\)"):
        anonymize_on_spark(session, str(folder), tmp_path / "out", Parameters(0.3, "sampling"), partitions=2)
    assert [path.name for path in tmp_path.iterdir()] == ["lake.parquet"]


def test_rows_that_get_lost_after_the_files_were_looked_at_are_missed(
    careless: Any, stages: MakeStages, tmp_path: Path
) -> None:
    folder = folder_of_parts(tmp_path)
    frame = parquet_files(careless, str(folder))
    (folder / "part-2.parquet").unlink()
    for name, value in CARELESS.items():  # by somebody who shares the session
        careless.conf.set(name, value)
    with pytest.raises(InputError, match=f"read {(PARTS - 1) * ROWS} rows of files .* hold {PARTS * ROWS}"):
        read_events(stages(), frame, ColumnChoice())


def test_a_stage_that_lost_a_file_is_a_failure_and_not_a_smaller_stage(careless: Any, stages: MakeStages) -> None:
    made = stages()
    rows = made.write("rows", careless.range(0, 100, 1, 4))
    next(Path(made.folder, "rows").glob("part-00002-*.parquet")).unlink()
    with pytest.raises(EngineError):
        quoting_nothing(careless, lambda: "counting", lambda: rows.selectExpr("sum(id)").toArrow())
