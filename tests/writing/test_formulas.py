"""Labels that a spreadsheet takes for formulas: noted, escaped where asked for, and read back as they were."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp import anonymize, load_release, verify
from amun_dp.errors import InputError, ParameterError
from amun_dp.eventlog.log import EventLog, declared_public
from amun_dp.release.made import Release
from amun_dp.synthetic import hospital_log
from amun_dp.writing.formulas import escaped, formula_labels, with_formulas
from tests.commandline import refused, run
from tests.logs import log_of

FORMULA = "=cmd|' /C calc'!A0"
LABELS = [FORMULA, "'=quoted", "''@twice", "+1", "-", "@at", "\ttab", "'plain", "plain", "a=b", " =blank"]


def log_with(labels: list[str], cases: int = 120) -> EventLog:
    """Every case goes through all the labels, so that none is rare."""
    steps = list(enumerate(labels))
    return log_of([[(label, 1000 * (60 * place + case)) for place, label in steps] for case in range(cases)])


@pytest.fixture(scope="module")
def release() -> Release:
    return anonymize(log_with(LABELS), 0.5, "sampling", allow_too_small=True)


def activities(path: Path) -> set[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["concept:name"] for row in csv.DictReader(file)}


@given(st.lists(st.text(alphabet="='+-@\t\ra", max_size=5), unique=True))
def test_no_two_labels_become_one_and_none_stays_a_formula(labels: list[str]) -> None:
    written = escaped(labels)
    assert len(set(written)) == len(labels)
    assert formula_labels(written) == 0
    for label, text in zip(labels, written, strict=True):
        assert text in (label, f"'{label}")
        assert (text == label) == (not label.lstrip("'").startswith(("=", "+", "-", "@", "\t", "\r")))


@given(st.lists(st.text(alphabet="='+-@\t\rab", min_size=1, max_size=4), min_size=1, max_size=8, unique=True))
def test_what_is_read_back_is_what_was_released(labels: list[str]) -> None:
    log = declared_public(log_with(labels, cases=2))
    changed = declared_public(log_with(escaped(labels), cases=2))
    back = with_formulas(changed)
    assert back.activities == log.activities
    assert (back.activity == log.activity).all()


def test_a_log_that_is_said_to_be_escaped_and_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="some are not"):
        with_formulas(declared_public(log_with(["'=a", "=a"], cases=1)))


def test_escaped_in_the_file_and_nowhere_else(release: Release, tmp_path: Path) -> None:
    report = release.save(tmp_path / "out", format="csv", escape_formulas=True)
    assert activities(tmp_path / "out" / "log.csv") == set(escaped(LABELS))
    assert report.released.escaped_formulas
    assert json.loads((tmp_path / "out" / "report.json").read_text())["released"]["escaped_formulas"] is True
    assert set(load_release(tmp_path / "out").event_log.activities) == set(LABELS)
    assert set(release.event_log.activities) == set(LABELS)
    assert "has a &#39; before it" in (tmp_path / "out" / "report.html").read_text()


def test_without_being_asked_nothing_is_escaped(release: Release, tmp_path: Path) -> None:
    report = release.save(tmp_path / "out", format="csv")
    assert activities(tmp_path / "out" / "log.csv") == set(LABELS)
    assert not report.released.escaped_formulas


@pytest.mark.parametrize("escape", [True, False])
def test_verify_compares_every_byte_and_with_the_original(escape: bool, release: Release, tmp_path: Path) -> None:
    release.save(tmp_path / "out", format="csv", escape_formulas=escape)
    found = verify(tmp_path / "out", log_with(LABELS), prove=False)
    assert not found.failed
    assert "every byte" in [check.detail for check in found.checks if "written as" in check.name.value]


@pytest.mark.parametrize("format", ["xes", "parquet"])
def test_only_csv_is_escaped(format: str, tmp_path: Path) -> None:
    release = anonymize(hospital_log(cases=80), 0.5)
    with pytest.raises(ParameterError, match="is for CSV"):
        release.save(tmp_path / "out", format=format, escape_formulas=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("said", [True, False])
def test_a_report_that_says_otherwise_is_found_out(said: bool, release: Release, tmp_path: Path) -> None:
    release.save(tmp_path / "out", format="csv", escape_formulas=not said)
    path = tmp_path / "out" / "report.json"
    report = json.loads(path.read_text())
    report["released"]["escaped_formulas"] = said
    path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    assert verify(tmp_path / "out", prove=False).failed


def test_the_publisher_hears_of_it_before_anything_is_released(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from amun_dp.writing import write_log

    log, out = tmp_path / "log.csv", tmp_path / "out"
    write_log(log_with([FORMULA, "-", "plain"]), log)
    command = ("anonymize", log, "--advantage", "0.5", "--method", "sampling", "--allow-too-small", "--out", out)
    said = "2 labels of the log begin with = + - @, a tab or a carriage return"
    assert said in run(capsys, *command)[2]
    assert said not in run(capsys, *command, "--force", "--escape-formulas")[2]
    assert activities(out / "log.csv") == {f"'{FORMULA}", "'-", "plain"}
    assert said not in run(capsys, *command, "--force", "--format", "xes")[2]
    message = refused(capsys, *command, "--force", "--format", "xes", "--escape-formulas", "--quiet")
    assert message.endswith("--escape-formulas is for CSV, and log.xes.gz is none. Leave it out.")
    assert FORMULA not in message
