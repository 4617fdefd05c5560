"""Missing values, lifecycle transitions, and the individuals behind the cases, in XES and in tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from amun_dp.errors import ColumnError, IncompleteLog, InputError
from amun_dp.reading import read_log
from tests.reading.samples import attribute, event, log, notes_of, rows_of, trace, write


def lifecycle(value: str) -> str:
    return attribute("string", "lifecycle:transition", value)


def frame(**columns: Any) -> pd.DataFrame:
    size = len(next(iter(columns.values())))
    standard = {"case": ["1"] * size, "activity": ["a"] * size, "time": ["2020-01-01T00:00:00Z"] * size}
    return pd.DataFrame(standard | columns)


def test_incomplete_events_are_refused_counted_and_located(tmp_path: Path) -> None:
    text = log(trace("1", event("a"), event("b", None), event(None), event("b", None), event(None, None)))
    with pytest.raises(IncompleteLog) as refused:
        read_log(write(tmp_path, text))
    message = str(refused.value)
    assert "4 of 5 events are incomplete: 2 have no activity, 3 have no timestamp (first at line 5)" in message
    assert "drop_incomplete=True" in message


def test_incomplete_events_are_dropped_if_asked_and_it_is_said(tmp_path: Path) -> None:
    text = log(trace("1", event("a"), event("b", None)), trace("2", event(None)))
    read = read_log(write(tmp_path, text), drop_incomplete=True)
    assert (read.n_events, read.n_cases, read.facts.incomplete_events) == (1, 1, 2)
    assert "2 incomplete events were dropped (1 has no activity, 1 has no timestamp)" in notes_of(read)


def test_a_complete_log_is_the_same_with_and_without_dropping(tmp_path: Path) -> None:
    path = write(tmp_path, log(trace("1", event("a"))))
    assert rows_of(read_log(path)) == rows_of(read_log(path, drop_incomplete=True))
    assert read_log(path, drop_incomplete=True).facts.incomplete_events == 0


def test_a_log_of_incomplete_events_alone_has_none_left() -> None:
    with pytest.raises(InputError, match="no events left"):
        read_log(frame(activity=[None, None]), drop_incomplete=True)


def test_only_events_of_the_lifecycle_asked_for_are_kept_in_any_case(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        log(
            trace(
                "1",
                event("a", "2020-01-01", lifecycle("START")),
                event("a", "2020-01-02", lifecycle("Complete")),
            ),
            trace("2", event("b", "2020-01-01", lifecycle("complete")), event("c", "2020-01-01", lifecycle("x"))),
        ),
    )
    read = read_log(path, lifecycle="COMPLETE")
    assert [row[:2] for row in rows_of(read)] == [("1", "a"), ("2", "b")]
    assert read.facts.other_lifecycle_events == 2
    assert "2 events of another lifecycle transition were dropped" in notes_of(read)
    assert read_log(path).n_events == 4


def test_an_event_without_the_transition_that_is_asked_for_is_incomplete() -> None:
    table = frame(lifecycle=["complete", None, "start"])
    with pytest.raises(IncompleteLog, match=r"1 of 2 events is incomplete: 1 has no lifecycle transition .*row 2"):
        read_log(table, lifecycle="complete")
    read = read_log(table, lifecycle="complete", drop_incomplete=True)
    assert (read.n_events, read.facts.incomplete_events, read.facts.other_lifecycle_events) == (1, 1, 1)
    assert read_log(table).n_events == 3


def test_events_of_another_lifecycle_need_not_be_complete() -> None:
    table = frame(lifecycle=["start", "complete"], time=["nonsense", "2020-01-01T00:00Z"], activity=[None, "a"])
    read = read_log(table, lifecycle="complete")
    assert (read.n_events, read.facts.incomplete_events, read.facts.other_lifecycle_events) == (1, 0, 1)
    assert read.sequence.tolist() == [1]
    assert "'lifecycle' is taken as the lifecycle" in notes_of(read)


def test_the_logs_default_transition_counts(tmp_path: Path) -> None:
    default = '<global scope="event"><string key="lifecycle:transition" value="complete"/></global>'
    path = write(tmp_path, log(default, trace("1", event("a"), event("b", "2020-01-01", lifecycle("start")))))
    read = read_log(path, lifecycle="complete")
    assert read.activities == ("a",)
    assert "1 of 2 events" in notes_of(read)
    path = write(tmp_path, log(default, trace("1", event("a"))))
    assert read_log(path, lifecycle="complete").n_events == 1


def test_a_lifecycle_that_no_event_has_is_refused_without_listing_those_there_are() -> None:
    with pytest.raises(InputError, match="No event has the lifecycle transition 'assign'") as refused:
        read_log(frame(lifecycle=["start", "complete"]), lifecycle="assign")
    assert "start" not in str(refused.value)
    assert not isinstance(refused.value, ColumnError)


def test_a_log_without_lifecycle_is_refused_if_one_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match="lifecycle"):
        read_log(frame(activity=["a"]), lifecycle="complete")
    with pytest.raises(ColumnError, match="lifecycle"):
        read_log(write(tmp_path, log(trace("1", event()))), lifecycle="complete")


def test_an_individual_is_known_by_their_first_case_and_a_case_without_by_itself() -> None:
    table = frame(case=["1", "2", "3", "4", "1"], who=["x", "y", "x", None, None])
    read = read_log(table, individual="who")
    assert read.individual is not None
    assert list(read.case_names) == ["1", "2", "3", "4"]
    assert read.individual.tolist() == [0, 1, 0, 3]
    assert "1 case without an individual" in notes_of(read)


def test_without_individuals_there_are_none() -> None:
    assert read_log(frame(who=["x"])).individual is None


def test_cases_of_two_individuals_are_refused_and_counted() -> None:
    table = frame(case=["1", "1", "2", "2", "3"], who=["x", "y", "x", "y", "x"])
    with pytest.raises(InputError, match=r"2 cases have events of more than one individual \('who'\)"):
        read_log(table, individual="who")


def test_dropped_events_say_whose_case_it_is_too() -> None:
    table = frame(case=["1", "1", "2"], who=["x", None, "x"], activity=[None, "a", "a"])
    read = read_log(table, individual="who", drop_incomplete=True)
    assert read.individual is not None
    assert read.individual.tolist() == [0, 0]


def test_events_without_a_case_say_nothing_about_individuals() -> None:
    table = frame(case=["1", None, "2"], who=["x", "y", "z"])
    read = read_log(table, individual="who", drop_incomplete=True)
    assert read.individual is not None
    assert read.individual.tolist() == [0, 1]


@pytest.mark.parametrize("key", ["patient", "case:patient"])
def test_a_trace_attribute_may_be_the_individual(tmp_path: Path, key: str) -> None:
    patients = ["p", "q", "p", None]
    traces = [
        trace(str(i), "" if name is None else attribute("string", "patient", name), event())
        for i, name in enumerate(patients)
    ]
    read = read_log(write(tmp_path, log(trace("empty"), *traces)), individual=key)
    assert read.individual is not None
    assert np.array_equal(read.individual, [0, 1, 0, 3])
    assert "case:patient" in read.facts.dropped_attributes


def test_an_event_attribute_may_be_the_individual(tmp_path: Path) -> None:
    def of(name: str) -> str:
        return event("a", "2020-01-01", attribute("string", "org:resource", name))

    path = write(tmp_path, log(trace("1", of("x"), event()), trace("2", of("y")), trace("3", of("x"))))
    read = read_log(path, individual="org:resource")
    assert read.individual is not None
    assert read.individual.tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="1 case has events of more than one individual"):
        read_log(write(tmp_path, log(trace("1", of("x"), of("y")))), individual="org:resource")


def test_an_unknown_individual_is_refused_with_the_attributes_there_are(tmp_path: Path) -> None:
    path = write(tmp_path, log(trace("1", attribute("int", "age", "7"), event())))
    with pytest.raises(ColumnError, match=r"no attribute 'who'.*'case:age', 'case:concept:name', 'concept:name'"):
        read_log(path, individual="who")
