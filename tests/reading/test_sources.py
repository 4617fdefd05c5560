"""Logs that are objects: tables of other libraries by Arrow's interface, pm4py's own logs, releases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import amun_dp
from amun_dp.errors import InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading.as_event_log import as_event_log
from amun_dp.synthetic import hospital_log


class OnlyArrowsInterface:
    """What polars or DuckDB offer, and nothing more."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def same(one: EventLog, other: EventLog) -> bool:
    return (
        one.activities == other.activities
        and list(one.case_names) == list(other.case_names)
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("case", "activity", "time"))
    )


def test_a_table_of_any_library_that_speaks_arrow_is_read_like_a_dataframe() -> None:
    frame = hospital_log().to_pandas()
    expected = amun_dp.read_log(frame)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for source in (table, table.to_reader(), OnlyArrowsInterface(table)):
        assert same(amun_dp.read_log(source), expected)
    assert amun_dp.plan(OnlyArrowsInterface(table), 0.2, "sampling").log.n_events == expected.n_events


def test_columns_of_a_table_are_named_as_those_of_a_dataframe() -> None:
    frame = hospital_log().to_pandas().rename(columns={"case:concept:name": "who", "concept:name": "what"})
    table = OnlyArrowsInterface(pa.Table.from_pandas(frame, preserve_index=False))
    read = amun_dp.read_log(table, case_id="who", activity="what")
    assert read.n_cases == hospital_log().n_cases


def test_a_log_of_pm4pys_own_is_read() -> None:
    pm4py = pytest.importorskip("pm4py")
    frame = hospital_log(cases=50).to_pandas()
    own = pm4py.convert_to_event_log(frame)
    assert type(own).__name__ == "EventLog"
    expected = amun_dp.read_log(frame)
    read = amun_dp.read_log(own)
    assert (read.n_cases, read.n_events, read.activities) == (expected.n_cases, expected.n_events, expected.activities)
    assert sorted(read.time.tolist()) == sorted(expected.time.tolist())


def test_of_a_release_its_log_is_meant() -> None:
    log = hospital_log()
    release = amun_dp.anonymize(log, 0.3, "sampling", seed=1)
    assert as_event_log(release) is release.event_log
    found, expected = amun_dp.evaluate(log, release).reveal(), amun_dp.evaluate(log, release.event_log).reveal()
    assert found.distances == expected.distances


@pytest.mark.parametrize("wrong", [None, 5, [("a", 1)], {"case": [1]}])
def test_what_is_no_log_is_refused_by_its_type(wrong: Any) -> None:
    with pytest.raises(InputError, match=type(wrong).__name__):
        amun_dp.read_log(wrong)
