"""The command line prints options as flags, and what it prints can be typed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from amun_dp._base.messages import Message
from amun_dp._base.options import OPTIONS, Mention, Option
from amun_dp.cli.as_flags import all_in_flags, as_flag, in_flags
from amun_dp.cli.parser import build_parser
from amun_dp.errors import AmunError, ParameterError
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.commandline import refused, run

READING = ("case_id", "activity", "timestamp", "timestamp_format", "lifecycle", "individual", "sequence")
values = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("Raise {max_case_length}.", "Raise --max-case-length."),
        ("{scope:individual}, {max_cases_per_individual:C}", "--scope individual, --max-cases-per-individual C"),
        ("Leave {new_log} out.", "Leave --new-log out."),
        ("Or {activity:Task name}.", "Or --activity 'Task name'."),
        ("Or {activity:-x}.", "Or --activity=-x."),
    ],
)
def test_an_option_is_a_flag(template: str, shown: str) -> None:
    assert in_flags(Message(template)) == shown
    assert all_in_flags({"why": [Message(template)]}) == {"why": [shown]}


def test_an_option_that_may_be_there_several_times_is_repeated() -> None:
    assert as_flag(Mention(OPTIONS["same_log_as"], ("L-1", "L-2"))) == "--same-log-as L-1 --same-log-as L-2"


@given(st.sampled_from([OPTIONS[name] for name in READING]), values)
def test_a_flag_with_its_value_is_understood_as_it_is_printed(option: Option, value: str) -> None:
    if value == option.unknown:
        return
    typed = shlex.split(as_flag(Mention(option, (value,))))
    assert getattr(build_parser().parse_args(["inspect", "log.csv", *typed]), option.name) == value


def test_the_same_refusal_has_each_front_end_s_own_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = hospital_log(20)
    with pytest.raises(ParameterError) as in_python:
        amun_dp.plan(log, 0.2, scope="case")
    assert in_python.value.options == ("max_case_length",)
    assert "declare `max_case_length` (from outside" in str(in_python.value)
    write_log(log, tmp_path / "log.csv")
    typed = refused(capsys, "plan", tmp_path / "log.csv", "--advantage", 0.2, "--scope", "case")
    assert typed == f"amun-dp: {str(in_python.value).replace('`max_case_length`', '--max-case-length')}"


def test_notes_and_json_have_flags_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = hospital_log(1).to_pandas().rename(columns={"case:concept:name": "Case"})
    assert "`case_id` names another" in amun_dp.read_log(table).facts.notes[0]
    table.to_csv(tmp_path / "log.csv", index=False)
    asked = ("plan", tmp_path / "log.csv", "--advantage", 0.2, "--method", "sampling", "--no-registry")
    code, out, err = run(capsys, *asked, "--json")
    assert code == 0
    assert "--case-id names another" in err
    assert "insist with --allow-too-small" in json.loads(out)["refused"]
    code, out, _ = run(capsys, *asked)
    assert "--allow-too-small" in out


def test_what_is_noted_on_an_error_has_flags_as_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(_options: object) -> int:
        error = AmunError(Message("Too small. Insist with {allow_too_small}."))
        error.add_note(Message("nothing was spent; try {advantage:0.3}"))
        raise error

    monkeypatch.setattr("amun_dp.cli.commands.run_inspect", failing)
    assert run(capsys, "inspect", "log.csv")[2].splitlines() == [
        "amun-dp: Too small. Insist with --allow-too-small.",
        "amun-dp: nothing was spent; try --advantage 0.3.",
    ]
