"""Which column plays which role, and what is said or refused."""

from __future__ import annotations

import pandas as pd
import pytest

from amun_dp.errors import ColumnError
from amun_dp.reading import read_log
from amun_dp.reading.columns import ACTIVITY, CASE, LIFECYCLE, TIMESTAMP, Role, choose_column, listing, normalised
from tests.reading.samples import notes_of

VALUES = {"case": ["1", "1"], "activity": ["secret", "b"], "time": ["2020-01-01T00Z", "2020-01-02T00Z"]}


def frame(case: str, activity: str, time: str) -> pd.DataFrame:
    return pd.DataFrame({case: VALUES["case"], activity: VALUES["activity"], time: VALUES["time"]})


def test_pm4pys_names_are_taken_without_a_word() -> None:
    read = read_log(frame("case:concept:name", "concept:name", "time:timestamp"))
    assert read.facts.notes == ()
    assert read.n_events == 2


def test_pm4pys_names_come_before_other_spellings() -> None:
    table = frame("case:concept:name", "concept:name", "time:timestamp")
    table["Case ID"], table["Activity"], table["Timestamp"] = "x", "y", "2020"
    read = read_log(table)
    assert read.facts.notes == ()
    assert read.facts.dropped_attributes == ("Activity", "Case ID", "Timestamp")


@pytest.mark.parametrize(
    "names",
    [
        ("Case ID", "Activity", "Timestamp"),
        ("case_id", "activity_name", "complete-timestamp"),
        ("CaseID", "EventName", "Complete Timestamp"),
        ("trace", "task", "time"),
        ("Process Instance", "Action", "Event Time"),
        ("traceId", "event", "date"),
        ("case", "concept:name", "end_time"),
    ],
)
def test_common_spellings_are_recognised_and_said(names: tuple[str, str, str]) -> None:
    read = read_log(frame(*names))
    assert read.n_events == 2
    assert f"'{names[0]}' is taken as the case; `case_id` names another" in notes_of(read)
    assert f"'{names[2]}' is taken as the timestamp" in notes_of(read)


@pytest.mark.parametrize(
    ("role", "option", "names"),
    [
        (CASE, "`case_id`", ["Case", "Trace ID"]),
        (ACTIVITY, "`activity`", ["Activity", "Task"]),
        (TIMESTAMP, "`timestamp`", ["Date", "Time"]),
        (LIFECYCLE, "", ["lifecycle", "transition"]),
    ],
)
def test_two_candidates_are_not_chosen_between(role: Role, option: str, names: list[str]) -> None:
    with pytest.raises(ColumnError, match=f"{names[0]}.*{names[1]}.*{option}"):
        choose_column(role, None, names)


def test_a_name_given_settles_it() -> None:
    table = frame("Case", "Activity", "Time")
    table["Task"] = "t"
    with pytest.raises(ColumnError):
        read_log(table)
    assert read_log(table, activity="Task").activities == ("t",)


def test_a_column_given_to_one_role_is_no_candidate_for_another() -> None:
    table = frame("Case", "What", "Time")
    table["Task"] = "person"
    assert read_log(table, activity="What", individual="Task").activities == ("b", "secret")
    table["Date"] = ["1", "1"]
    assert read_log(table, activity="What", individual="Date").n_events == 2


@pytest.mark.parametrize(
    ("missing", "option"), [("case", "`case_id`"), ("activity", "`activity`"), ("time", "`timestamp`")]
)
def test_no_candidate_is_refused_with_the_columns_and_the_option(missing: str, option: str) -> None:
    table = frame("case", "activity", "time").rename(columns={missing: "something"})
    with pytest.raises(ColumnError, match=option) as refused:
        read_log(table)
    assert "'something'" in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("role", ["case_id", "activity", "timestamp", "individual"])
def test_a_name_that_does_not_exist_is_refused_with_those_that_do(role: str) -> None:
    table = frame("case", "activity", "time")
    asked = {"case_id": "cas", "activity": "Activty", "timestamp": "times", "individual": "CASE"}[role]
    with pytest.raises(ColumnError, match="'case', 'activity', 'time'") as refused:
        read_log(table, **{role: asked})  # type: ignore[arg-type]  # mypy cannot know which of the keywords it is
    assert "Did you mean" in str(refused.value)


def test_two_columns_of_one_name_are_refused() -> None:
    table = frame("case", "activity", "time")
    table.columns = pd.Index(["case", "case", "time"])
    with pytest.raises(ColumnError, match="More than one column is called 'case'"):
        read_log(table)


def test_columns_of_several_levels_are_refused() -> None:
    table = frame("case", "activity", "time")
    table.columns = pd.MultiIndex.from_product([["x"], table.columns])
    with pytest.raises(ColumnError, match="more than one level"):
        read_log(table)


def test_long_lists_and_long_names_are_cut() -> None:
    assert listing(f"c{i}" for i in range(100)).endswith("and 60 more")
    assert len(listing(["x" * 1000])) < 70


def test_spellings_differ_in_letters_and_digits_only() -> None:
    assert normalised("Case_ID (1)") == "caseid1"
