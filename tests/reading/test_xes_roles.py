"""Roles in XES come from flags, from the header or from the standard's keys; what means two things is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amun_dp.errors import ColumnError, IncompleteLog
from amun_dp.reading import read_log
from tests.reading.samples import attribute, event, log, notes_of, rows_of, trace, write

PROM = (
    '<global scope="event"><string key="concept:name" value="__INVALID__"/>'
    '<string key="lifecycle:transition" value="complete"/></global>'
)


def patient(name: str) -> str:
    return attribute("string", "patient", name)


def doing(key: str, value: str, *more: str) -> str:
    return event(None, "2020-01-01T10:00:00Z", attribute("string", key, value), *more)


def test_one_trace_does_not_undo_the_truncation_of_everybody(tmp_path: Path) -> None:
    """Somebody with 3,000 cases counted 3,000 times once a single trace of somebody else named its patient, too."""
    cases = [trace(str(number), event("a", "2020-01-01", patient("often"))) for number in range(3_000)]
    cases += [trace(f"one {number}", event("a", "2020-01-01", patient(f"p{number}"))) for number in range(40)]
    read = read_log(write(tmp_path, log(*cases)), individual="patient")
    assert len(np.unique(read.individuals)) == 41
    cases[-1] = trace("one 39", patient("p39"), event("a", "2020-01-01", patient("p39")))
    path = write(tmp_path, log(*cases))
    with pytest.raises(ColumnError, match="individual='trace:patient' or individual='event:patient'"):
        read_log(path, individual="patient")
    assert len(np.unique(read_log(path, individual="event:patient").individuals)) == 41


def test_one_event_does_not_turn_the_activities_of_everybody_around(tmp_path: Path) -> None:
    """With the default that ProM declares, one event with concept:name made __INVALID__ of all other activities."""
    cases = [trace(str(number), doing("Activity", "a"), doing("Activity", "b")) for number in range(200)]
    changed = [*cases[:-1], trace("199", doing("Activity", "a", attribute("string", "concept:name", "mine")))]
    for traces in (cases, changed):
        path = write(tmp_path, log(PROM, *traces))
        with pytest.raises(ColumnError, match=r"activity='concept:name' .with the default.*activity='Activity'"):
            read_log(path)
        assert read_log(path, activity="Activity").activities == ("a", "b")
    assert read_log(path, activity="concept:name").activities == ("__INVALID__", "mine")


def test_one_attribute_does_not_take_the_place_of_a_classifier(tmp_path: Path) -> None:
    classifier = '<classifier name="Activity" keys="concept:name"/>'
    cases = [trace(str(number), event("a")) for number in range(200)]
    read = read_log(write(tmp_path, log(classifier, *cases)), activity="Activity", drop_incomplete=True)
    assert read.n_cases == 200
    path = write(
        tmp_path, log(classifier, *cases, trace("x", event("b", "2020-01-01", attribute("int", "Activity", "1"))))
    )
    with pytest.raises(ColumnError, match="activity='classifier:Activity' or activity='event:Activity'"):
        read_log(path, activity="Activity", drop_incomplete=True)
    assert read_log(path, activity="classifier:Activity").activities == ("a", "b")
    assert read_log(path, activity="event:Activity", drop_incomplete=True).activities == ("1",)


def test_a_name_of_a_classifier_that_is_the_attribute_itself_is_no_question(tmp_path: Path) -> None:
    same = log('<classifier name="concept:name" keys="concept:name"/>', trace("1", event("a")))
    assert read_log(write(tmp_path, same), activity="concept:name").facts.notes == ()


@pytest.mark.parametrize("value", ["missing", "activity"])
def test_what_a_prefix_names_must_exist(tmp_path: Path, value: str) -> None:
    path = write(tmp_path, log(trace("1", event("a"))))
    for flag in (f"classifier:{value}", f"event:{value}"):
        with pytest.raises(ColumnError, match=f"no event attribute or classifier '{flag}'"):
            read_log(path, activity=flag)


def test_one_event_does_not_choose_the_time_or_the_lifecycle_of_everybody(tmp_path: Path) -> None:
    def at(key: str, transition: str) -> str:
        return event("a", None, attribute("date", key, "2020-01-01"), attribute("string", transition, "complete"))

    usual = [trace(str(number), at("time", "lifecycle")) for number in range(3)]
    path = write(tmp_path, log(*usual))
    with pytest.raises(ColumnError, match=r"No event has the attribute 'time:timestamp'.*timestamp='time'"):
        read_log(path)
    with pytest.raises(ColumnError, match=r"No event has the attribute 'lifecycle:transition'.*<global>"):
        read_log(path, timestamp="time", lifecycle="complete")
    path = write(tmp_path, log(*usual, trace("x", at("time:timestamp", "lifecycle:transition"))))
    with pytest.raises(IncompleteLog, match="3 have no timestamp"):
        read_log(path)
    path = write(tmp_path, log(*usual, trace("x", at("time", "lifecycle:transition"))))
    with pytest.raises(IncompleteLog, match="3 have no lifecycle transition"):
        read_log(path, timestamp="time", lifecycle="complete")
    assert read_log(path, timestamp="time").n_events == 4


def test_other_spellings_are_taken_if_the_header_declares_them(tmp_path: Path) -> None:
    header = (
        '<global scope="event"><string key="Activity" value=""/><date key="time" value="1970-01-01T00:00:00Z"/>'
        '<string key="lifecycle" value=""/></global>'
    )
    happened = attribute("string", "Activity", "a") + attribute("date", "time", "2020-01-01T10:00:00Z")
    lifecycle = attribute("string", "lifecycle", "complete")
    usual = trace("1", f"<event>{happened}{lifecycle}</event>")
    read = read_log(write(tmp_path, log(header, usual)), lifecycle="complete")
    assert rows_of(read) == [("1", "a", 1577872800000)]
    for said in (
        "'Activity', which the header declares, is taken as the activity; `activity`",
        "'time'",
        "'lifecycle'",
    ):
        assert said in notes_of(read)
    path = write(
        tmp_path, log(header, usual, trace("2", f"<event>{happened}{attribute('id', 'concept:name', 'x')}</event>"))
    )
    with pytest.raises(ColumnError, match=r"could be the activity: 'Activity', 'concept:name'.*`activity`"):
        read_log(path)
    assert read_log(path, activity="Activity").n_events == 2


def test_two_spellings_in_the_header_are_not_chosen_between(tmp_path: Path) -> None:
    header = '<global scope="event"><string key="Activity" value=""/><string key="Task" value=""/></global>'
    with pytest.raises(ColumnError, match="'Activity', 'Task'"):
        read_log(write(tmp_path, log(header, trace("1", doing("Task", "t")))))


def test_the_keys_of_a_classifier_are_those_of_the_header(tmp_path: Path) -> None:
    """Whether 'my key' is one key or two was decided by any event that has it."""
    classifier = '<classifier name="C" keys="my key"/>'
    both = trace("1", event("a", "2020-01-01", attribute("string", "my", "x"), attribute("string", "key", "y")))
    one = trace("2", doing("my key", "z"))
    assert read_log(write(tmp_path, log(classifier, both)), activity="C").activities == ("x+y",)
    read = read_log(write(tmp_path, log(classifier, both, one)), activity="C", drop_incomplete=True)
    assert read.activities == ("x+y",)
    with pytest.raises(ColumnError, match=r"classifier 'C'.*single quotes"):
        read_log(write(tmp_path, log(classifier, one)), activity="C")
    declared = '<global scope="event"><string key="my key" value=""/></global>'
    assert read_log(write(tmp_path, log(declared, classifier, one)), activity="C").activities == ("z",)


@pytest.mark.parametrize("scope", ["trace", "event"])
def test_a_name_that_the_header_declares_for_the_other_is_asked_about(tmp_path: Path, scope: str) -> None:
    header = f'<global scope="{scope}"><string key="patient" value="nobody"/></global>'
    of = {"event": trace("1", patient("p"), event()), "trace": trace("1", event("a", "2020-01-01", patient("p")))}
    path = write(tmp_path, log(header, of[scope]))
    with pytest.raises(ColumnError, match="trace:patient"):
        read_log(path, individual="patient")
    other = {"event": "trace", "trace": "event"}[scope]
    assert list(read_log(path, individual=f"{other}:patient").individual_name or ()) == ["p"]


@pytest.mark.parametrize("flag", ["trace:patient", "case:patient", "patient"])
def test_a_trace_attribute_is_named_by_its_prefix(tmp_path: Path, flag: str) -> None:
    path = write(
        tmp_path, log(trace("1", patient("p"), event()), trace("2", patient("p"), event()), trace("3", event()))
    )
    read = read_log(path, individual=flag)
    assert read.individuals.tolist() == [0, 0, 2]
    assert list(read_log(path, case_id=flag).case_names) == ["p", "p (2)", "trace 3"]
    with pytest.raises(ColumnError, match="no attribute 'event:patient'"):
        read_log(path, individual="event:patient")


def test_a_prefix_is_one_whatever_occurs(tmp_path: Path) -> None:
    """case:patient was the attribute of that whole name as soon as one trace had it."""
    whole = attribute("string", "case:patient", "other")
    path = write(tmp_path, log(trace("1", patient("p"), whole, event()), trace("2", patient("q"), event())))
    for flag, names in (("case:patient", ["p", "q"]), ("trace:case:patient", ["other", ""])):
        name = read_log(path, individual=flag).individual_name
        assert name is not None
        assert name.tolist() == names
    assert list(read_log(path, case_id="case:patient").case_names) == ["p", "q"]
    path = write(tmp_path, log(trace("1", event("a", "2020-01-01", attribute("string", "event:id", "7")))))
    with pytest.raises(ColumnError, match="Did you mean 'event:event:id'"):
        read_log(path, individual="event:id")
    assert read_log(path, individual="event:event:id").individual is not None
