"""``inspect`` on cases per person, against plain counting."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from amun_dp.eventlog.cases_per_individual import cases_per_individual
from tests.certified.cases import ordinary_cases, with_individuals
from tests.commandline import run
from tests.logs import log_of


@given(st.lists(st.integers(0, 6), min_size=3, max_size=40))
def test_cases_per_person_are_counted_and_declared_numbers_cover_what_they_say(people: list[int]) -> None:
    found = cases_per_individual(with_individuals(ordinary_cases(len(people)), people))
    assert found is not None
    counted = sorted(Counter(people).values())
    assert (found.individuals, found.largest) == (len(counted), counted[-1])
    assert found.with_several == sum(number > 1 for number in counted)
    assert counted[0] <= found.median <= found.ninth_decile <= found.largest or len(counted) == 1
    for row in found.numbers:
        assert row.individuals_within == sum(number <= row.cases_of_one for number in counted)
        assert row.cases_counted == sum(min(number, row.cases_of_one) for number in counted)
    last = found.numbers[-1]
    assert (last.cases_of_one, last.individuals_within, last.cases_counted) == (counted[-1], len(counted), len(people))
    numbers = [row.cases_of_one for row in found.numbers]
    assert numbers == sorted(set(numbers))


def test_without_a_named_column_nothing_is_said_about_persons() -> None:
    assert amun_dp.inspect(log_of(ordinary_cases(20))).reveal().individuals is None


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Ann has three cases, Bob one, and one case names nobody."""
    rows = ["case:concept:name,concept:name,time:timestamp,patient"]
    for number, who in enumerate(["ann", "ann", "bob", "ann", ""]):
        rows += [f"c{number},{label},2024-01-0{number + 1}T08:00:00Z,{who}" for label in "ab"]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_the_command_shows_cases_per_person_and_which_flags_follow(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "inspect", table, "--individual", "patient")
    assert code == 0
    for words in ("individuals", "the most is 3", "1 (20.0%), each taken for one of its own", "2 (66.7%)"):
        assert words in out
    for flag in ("--one-case-per-individual", "--scope individual --max-cases-per-individual C"):
        assert flag in out
    code, out, _ = run(capsys, "inspect", table, "--individual", "patient", "--json")
    found = json.loads(out)["individuals"]
    assert (found["individuals"], found["largest"], found["cases_of_nobody"]) == (3, 3, 1)
    code, out, _ = run(capsys, "inspect", table, "--json")
    assert json.loads(out)["individuals"] is None
