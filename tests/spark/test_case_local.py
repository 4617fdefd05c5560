"""Reading on Spark is case-local, too: whatever is within one case, others are read as before, or all is refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings

from amun_dp.errors import AmunError, InputError
from amun_dp.reading import read_log
from amun_dp.reading.columns import ColumnChoice
from amun_dp.spark.read.case_rows import find_cases
from amun_dp.spark.read.events import read_events
from amun_dp.spark.read.individuals import find_individuals
from amun_dp.spark.read.parquet import parquet_files
from tests.reading.changed_cases import LABELS, NO_TIMES, TABLE_COLUMNS, TIMES, changed_rows
from tests.spark.conftest import MakeStages

NAMES = ("1", "007", "x")
CHOICE = ColumnChoice(individual="patient", lifecycle="complete", drop_incomplete=True, sequence="place")
_Rows = list[tuple[Any, ...]]


def others_of(session: Any, stages: MakeStages, rows: _Rows) -> tuple[Any, ...] | None:
    """Events, order and individuals of all cases but the changed one."""
    kinds = [pa.string()] * len(TABLE_COLUMNS) + [pa.int64()]
    columns = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(kinds)]
    made = stages(2)
    frame = session.createDataFrame(pa.table(columns, names=[*TABLE_COLUMNS, "place"])).repartition(2)
    try:
        events = read_events(made, frame, CHOICE)
        assert events.individuals is not None
        cases, _ = find_cases(made, events.frame)
        people = find_individuals(made, cases, events.individuals, CHOICE).frame.toArrow().sort_by("number").to_pylist()
    except AmunError:
        return None
    read = sorted(row for row in map(tuple_of, events.frame.toArrow().to_pylist()) if row[0] != "changed")
    order = cases.select("case", "number").toArrow().sort_by("number").column("case").to_pylist()
    others = [number for number, case in enumerate(order) if case != "changed"]
    codes = [people[number]["individual"] for number in others]
    whose = [
        (order[number], people[number]["name"], codes.index(code)) for number, code in zip(others, codes, strict=True)
    ]
    return read, whose


def tuple_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["case"], row["time"], row["sequence"], row["activity"]


def readable(rows: _Rows) -> bool:
    """What one machine refuses Spark refuses; such files would show nothing, and each costs jobs of Spark."""
    try:
        read_log(pd.DataFrame(rows, columns=[*TABLE_COLUMNS, "place"]), **dataclasses.asdict(CHOICE))
    except AmunError:
        return False
    return True


def test_no_case_decides_how_others_are_read(session: Any, stages: MakeStages) -> None:
    @settings(max_examples=4)  # each costs two dozen jobs of Spark
    @given(change=changed_rows((*LABELS, None), (*TIMES, None, *NO_TIMES[-1:]), TIMES, NAMES))
    def check(change: tuple[_Rows, _Rows]) -> None:
        before, after = (
            [(*(None if v is None else str(v) for v in row[:-1]), row[-1]) for row in rows] for rows in change
        )
        assume(readable(before) and readable(after))
        others = others_of(session, stages, before)
        assert others is not None
        assert others_of(session, stages, after) == others

    check()


def test_an_event_without_the_transition_that_is_asked_for_is_incomplete(session: Any, stages: MakeStages) -> None:
    rows = [
        ("1", "a", "2020-01-01", transition, "p", place) for place, transition in enumerate(["complete", None, "x"])
    ]
    frame = session.createDataFrame(rows, f"{', '.join(f'{name} string' for name in TABLE_COLUMNS)}, place long")
    with pytest.raises(AmunError, match="1 of 2 events are incomplete: 1 have no lifecycle transition"):
        read_events(stages(), frame, ColumnChoice(lifecycle="complete", sequence="place"))
    events = read_events(stages(), frame, CHOICE)
    assert (events.number, events.facts.incomplete_events, events.facts.other_lifecycle_events) == (1, 1, 1)


def test_one_file_does_not_give_a_role_to_a_column_that_others_lack(session: Any, tmp_path: Path) -> None:
    """Spark knows the columns of one file, and reads nothing from the others where they lack one."""
    usual = {"case": ["1"], "activity": ["a"], "time": ["2020-01-01"]}
    pq.write_table(pa.table(usual | {"concept:name": ["b"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table(usual), tmp_path / "b.parquet")
    with pytest.raises(InputError, match="same columns"):
        parquet_files(session, str(tmp_path))
    pq.write_table(pa.table(usual), tmp_path / "a.parquet")
    assert parquet_files(session, str(tmp_path)).count() == 2
