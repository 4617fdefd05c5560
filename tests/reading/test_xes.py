"""XES as IEEE 1849 means it: structure, cases, defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from amun_dp._base.units import HOUR
from amun_dp.errors import ColumnError, IncompleteLog, InputError
from amun_dp.reading import read_log
from tests.reading.samples import attribute, event, log, notes_of, rows_of, trace, write

TEN = 1577872800000  # 2020-01-01T10:00:00Z
GLOBALS = (
    '<global scope="trace"><string key="concept:name" value="DEFAULT"/></global>'
    '<global scope="event"><string key="concept:name" value="DEFAULT"/>'
    '<string key="lifecycle:transition" value="complete"/>'
    '<date key="time:timestamp" value="1970-01-01T00:00:00Z"/></global>'
)


def test_a_trace_is_a_case_and_an_event_an_event(tmp_path: Path) -> None:
    text = log(trace("1", event("a"), event("b", "2020-01-01T10:00:01Z")), trace("2", event("a")))
    read = read_log(write(tmp_path, text))
    assert rows_of(read) == [("1", "a", TEN), ("1", "b", TEN + 1000), ("2", "a", TEN)]
    assert read.facts.format == "xes"
    assert read.facts.notes == ()


def test_events_are_ordered_by_time_and_ties_by_their_place(tmp_path: Path) -> None:
    text = log(trace("1", event("late", "2020-01-02"), event("b", "2020-01-01"), event("a", "2020-01-01")))
    read = read_log(write(tmp_path, text))
    assert [name for _, name, _ in rows_of(read)] == ["b", "a", "late"]
    assert read.sequence.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    "root",
    [
        '<log xmlns="http://www.xes-standard.org/">{}</log>',
        '<x:log xmlns:x="http://www.xes-standard.org/">{}</x:log>',
        "<log>{}</log>",
        "<!-- a log --><!DOCTYPE log><log><!-- of --> {} </log><!-- traces -->\n",
    ],
)
def test_namespaces_and_comments_make_no_difference(tmp_path: Path, root: str) -> None:
    body = trace("1", event("a"), "<!-- <event/> -->", event("b"))
    if root.startswith("<x:"):
        for element in ("trace", "event", "string", "date"):
            body = body.replace(f"<{element}", f"<x:{element}").replace(f"</{element}", f"</x:{element}")
    read = read_log(write(tmp_path, root.format(body)))
    assert rows_of(read) == [("1", "a", TEN), ("1", "b", TEN)]


def test_elements_of_another_namespace_are_ignored_and_said(tmp_path: Path) -> None:
    text = log(trace("1", event("a", "2020-01-01", '<o:string key="concept:name" value="other"/>')))
    read = read_log(write(tmp_path, text.replace("<log ", '<log xmlns:o="urn:other" ')))
    assert read.activities == ("a",)
    assert "another namespace" in notes_of(read)


def test_attributes_may_come_in_any_order_and_with_others(tmp_path: Path) -> None:
    text = log(
        '<trace><event><date value="2020-01-01T10:00:00Z" key="time:timestamp"/>'
        '<string value="a" extra="x" key="concept:name"/></event><string value="1" key="concept:name"/></trace>'
    )
    assert rows_of(read_log(write(tmp_path, text))) == [("1", "a", TEN)]


def test_only_direct_children_of_an_event_are_its_attributes(tmp_path: Path) -> None:
    nested = (
        '<string key="outer" value="x"><string key="concept:name" value="inner"/>'
        '<date key="time:timestamp" value="1999-01-01"><int key="deep" value="1"/></date></string>'
    )
    listed = '<list key="items"><values><string key="concept:name" value="item"/></values></list>'
    container = '<container key="box"><string key="concept:name" value="boxed"/></container>'
    text = log(
        '<string key="concept:name" value="the log"><string key="concept:name" value="meta"/></string>',
        trace("1", nested, listed, event("a", "2020-01-01T10:00:00Z", nested, listed, container)),
    )
    read = read_log(write(tmp_path, text))
    assert rows_of(read) == [("1", "a", TEN)]
    assert read.facts.dropped_attributes == ("box", "case:items", "case:outer", "items", "outer")


def test_a_nested_attribute_within_the_name_does_not_hide_what_follows(tmp_path: Path) -> None:
    text = log(
        '<trace><string key="concept:name" value="1"><int key="k" value="0"/></string>'
        '<event><string key="concept:name" value="a"><int key="k" value="0"/></string>'
        '<date key="time:timestamp" value="2020-01-01T10:00:00Z"/></event></trace>'
    )
    assert rows_of(read_log(write(tmp_path, text))) == [("1", "a", TEN)]


def test_attributes_of_a_trace_may_stand_after_its_events(tmp_path: Path) -> None:
    text = log(f"<trace>{event('a')}{attribute('string', 'concept:name', '7')}{event('b')}</trace>")
    assert rows_of(read_log(write(tmp_path, text))) == [("7", "a", TEN), ("7", "b", TEN)]


def test_attributes_nested_in_a_trace_attribute_after_an_event_are_none_of_the_event(tmp_path: Path) -> None:
    nested = f'<string key="k" value="v">{attribute("string", "concept:name", "inner")}</string>'
    assert rows_of(read_log(write(tmp_path, log(trace("1", event("a"), nested))))) == [("1", "a", TEN)]


def test_traces_of_one_name_are_different_cases_and_it_is_said(tmp_path: Path) -> None:
    text = log(trace("x", event("a")), trace("x (2)", event("b")), trace("x", event("c")), trace("x", event("d")))
    read = read_log(write(tmp_path, text))
    assert len(set(read.case_names)) == 4
    assert {"x", "x (2)", "x (3)"} <= set(read.case_names)
    assert "name of an earlier one: 2" in notes_of(read)


def test_unnamed_traces_get_names_that_no_other_has(tmp_path: Path) -> None:
    text = log(trace(None, event("a")), trace("trace 1", event("b")), trace("", event("c")))
    read = read_log(write(tmp_path, text))
    assert list(read.case_names) == ["trace 1 (2)", "trace 1", "trace 3"]
    assert "Traces without a name: 2" in notes_of(read)


def test_many_traces_of_one_name_are_named_quickly(tmp_path: Path) -> None:
    read = read_log(write(tmp_path, log(*[trace("x", event())] * 20_000)))
    assert len(set(read.case_names)) == 20_000


def test_empty_traces_are_counted_and_said(tmp_path: Path) -> None:
    text = log(trace("1"), trace("2", event()), "<trace/>", trace("3"))
    read = read_log(write(tmp_path, text))
    assert (read.n_cases, read.facts.empty_traces) == (1, 3)
    assert "Traces without events: 3" in notes_of(read)


@pytest.mark.parametrize("text", [log(), log(trace("1")), log("<trace/>"), "<log/>"])
def test_a_log_without_events_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="no events"):
        read_log(write(tmp_path, text))


@pytest.mark.parametrize("case_id", ["customer", "case:customer"])
def test_another_trace_attribute_may_be_the_name(tmp_path: Path, case_id: str) -> None:
    text = log(trace("1", attribute("int", "customer", "42"), event()))
    read = read_log(write(tmp_path, text), case_id=case_id)
    assert list(read.case_names) == ["42"]
    assert read.facts.dropped_attributes == ("case:concept:name",)


def test_pm4pys_spelling_of_the_trace_name_is_understood(tmp_path: Path) -> None:
    path = write(tmp_path, log(trace("1", event())))
    assert list(read_log(path, case_id="case:concept:name").case_names) == ["1"]
    with pytest.raises(ColumnError, match="'concept:name'"):
        read_log(path, case_id="nowhere")


def test_the_logs_default_stands_in_for_text_and_it_is_said(tmp_path: Path) -> None:
    text = log(GLOBALS, trace("1", event("a"), event(None), event(None)))
    read = read_log(write(tmp_path, text))
    assert read.activities == ("DEFAULT", "a")
    assert "2 of 3 events" in notes_of(read)
    assert "DEFAULT" not in notes_of(read)


def test_empty_text_is_missing_as_in_every_format(tmp_path: Path) -> None:
    events = trace("1", event("a"), event(""))
    with pytest.raises(IncompleteLog, match="1 has no activity"):
        read_log(write(tmp_path, log(events)))
    read = read_log(write(tmp_path, log(GLOBALS, events)))
    assert read.activities == ("DEFAULT", "a")
    assert "1 of 2 events" in notes_of(read)


def test_a_global_without_scope_is_one_of_events(tmp_path: Path) -> None:
    text = log('<global><string key="concept:name" value="D"/></global>', trace("1", event(None)))
    assert read_log(write(tmp_path, text)).activities == ("D",)


def test_a_default_of_traces_is_none_of_events(tmp_path: Path) -> None:
    text = log(
        '<global scope="trace"><string key="concept:name" value="D"/></global>',
        trace(None, event("a"), event(None)),
    )
    with pytest.raises(InputError, match="1 has no activity"):
        read_log(write(tmp_path, text))


def test_a_default_time_is_no_observation(tmp_path: Path) -> None:
    path = write(tmp_path, log(GLOBALS, trace("1", event("a"), event("b", None))))
    with pytest.raises(InputError, match="1 has no timestamp"):
        read_log(path)
    assert read_log(path, drop_incomplete=True).activities == ("a",)


def test_a_default_trace_name_is_no_name(tmp_path: Path) -> None:
    read = read_log(write(tmp_path, log(GLOBALS, trace(None, event()))))
    assert list(read.case_names) == ["trace 1"]


def test_events_outside_any_trace_have_no_case(tmp_path: Path) -> None:
    path = write(tmp_path, log(event("x"), trace("1", event("a")), event("y"), trace("2", event("b")), event("z")))
    with pytest.raises(InputError, match=r"3 have no case \(first at line 3\)"):
        read_log(path)
    assert [row[:2] for row in rows_of(read_log(path, drop_incomplete=True))] == [("1", "a"), ("2", "b")]


def test_a_time_written_as_text_is_read_and_said(tmp_path: Path) -> None:
    text = log(trace("1", event("a"), event("b", None, attribute("string", "time:timestamp", "2020-01-01T11:00:00Z"))))
    read = read_log(write(tmp_path, text))
    assert [time for *_, time in rows_of(read)] == [TEN, TEN + HOUR]
    assert "<string>" in notes_of(read)


def test_a_time_written_as_a_number_is_refused(tmp_path: Path) -> None:
    text = log(trace("1", event("a", None, attribute("int", "time:timestamp", "1577872800000"))))
    with pytest.raises(InputError, match="<int>"):
        read_log(write(tmp_path, text))


def test_a_time_that_cannot_be_read_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, log(trace("1", event("a"), event("b", "31/01/2020 10:00"))))
    with pytest.raises(InputError, match=r"1 of 2 timestamps .* line 5: .*timestamp_format=") as refused:
        read_log(path)
    assert "31/01" not in str(refused.value)


def test_times_of_another_format_are_read_as_told(tmp_path: Path) -> None:
    path = write(tmp_path, log(trace("1", event("a", "01/02/2020 10:00"))))
    read = read_log(path, timestamp_format="%d/%m/%Y %H:%M")
    assert read.time.tolist() == [1580551200000]


def test_an_attribute_stated_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    again = attribute("id", "concept:name", "b")
    with pytest.raises(InputError, match=r"line 5: .*'concept:name' more than once") as refused:
        read_log(write(tmp_path, log(trace("1", event("a"), event("a", "2020-01-01", again)))))
    assert "'b'" not in str(refused.value)
    with pytest.raises(InputError, match=r"trace 1: .*'concept:name' more than once"):
        read_log(write(tmp_path, log(trace("1", again, event("a")))))


def test_an_unwanted_attribute_may_be_stated_twice(tmp_path: Path) -> None:
    twice = attribute("int", "cost", "1") * 2
    assert read_log(write(tmp_path, log(trace("1", event("a", "2020-01-01", twice))))).n_events == 1


def test_what_is_not_kept_is_listed(tmp_path: Path) -> None:
    text = log(trace("1", attribute("int", "age", "7"), event("a", "2020-01-01", attribute("int", "cost", "1"))))
    assert read_log(write(tmp_path, text)).facts.dropped_attributes == ("case:age", "cost")


def test_numbers_as_activities_become_text(tmp_path: Path) -> None:
    text = log(trace("1", event(None, "2020-01-01", attribute("int", "concept:name", "5"))))
    assert read_log(write(tmp_path, text)).activities == ("5",)
