"""The entry for the registry of deployments as a file, from Python and from the command line."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import amun_dp
from accounting.events import ThresholdedHistogram
from amun_dp.errors import AmunError, OutputError, ParameterError
from amun_dp.report.deployments import check_export, deployment_record, deployment_text, write_export
from amun_dp.report.public_report import PublicReport
from tests.commandline import refused, run
from tests.report.deployments.entries import FOR_THE_PUBLISHER, with_tree

# --- files ----------------------------------------------------------------------------------------------------------

YAML_NUMBER = re.compile(r"-?[0-9]+|-?[0-9]+\.[0-9]*(e[-+][0-9]+)?")
"""What YAML 1.1 takes for a number, of what JSON can write."""


@pytest.mark.parametrize(("scale", "threshold"), [(2e6, 10**9), (2e5, 10**8), (4.0, 40), (2.0, 20), (1e-9, 2)])
def test_numbers_are_numbers_in_yaml_too(scale: float, threshold: int, report: PublicReport) -> None:
    record = deployment_record(with_tree(report, ThresholdedHistogram(scale, threshold)))
    text = deployment_text(record)
    assert json.loads(text) == record
    numbers = [found[1] for line in text.splitlines() if (found := re.fullmatch(r' *"\w+": ([-\d].*?),?', line))]
    assert len(numbers) == 2
    assert all(YAML_NUMBER.fullmatch(number) for number in numbers)


def test_an_exponent_gets_its_point_and_texts_are_left_alone() -> None:
    record = {"a": 1e-05, "b": {"c": 2e16, "d": "x: 1e-05", "e": "1e-05"}, "f": ["1e-05"], "g": 1.5e-07}
    text = deployment_text(record)
    assert json.loads(text) == record
    assert '"a": 1.0e-05,' in text
    assert '"c": 2e+16' not in text
    assert '"d": "x: 1e-05"' in text


@pytest.mark.parametrize("name", ["\x7f", "\x85", "\u2028", "\ufeff", "\ud800", "\uffff", "😀", 'a"b\\', "a\nb"])
def test_a_name_from_outside_cannot_break_the_file(name: str, report: PublicReport) -> None:
    record = deployment_record(replace(report, method=name))
    text = deployment_text(record)
    assert json.loads(text) == record
    text.encode()  # can be written
    # YAML's printable characters (YAML 1.2, 5.1), without the line breaks that it would fold.
    assert not re.search("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]", text)


def test_the_entry_is_written_and_says_what_is_missing(report: PublicReport, tmp_path: Path) -> None:
    path = tmp_path / "hospital.yaml"
    assert write_export(report, path) == tuple(FOR_THE_PUBLISHER)
    assert json.loads(path.read_bytes()) == deployment_record(report)


def test_an_unusable_place_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "there.yaml").write_text("precious")
    (tmp_path / "folder.yaml").mkdir()
    refusals: list[tuple[Path, type[AmunError], str]] = [
        (tmp_path / "entry.txt", ParameterError, r"\.yaml or \.json"),
        (tmp_path / "entry", ParameterError, r"\.yaml or \.json"),
        (tmp_path / "there.yaml", OutputError, "exists already"),
        (tmp_path / "folder.yaml", OutputError, "exists already"),
        (tmp_path / "missing" / "entry.yaml", OutputError, "there is no folder"),
        (tmp_path / "release" / "entry.yaml", OutputError, "outside of it"),
        (tmp_path / "release" / "internal" / "entry.yaml", OutputError, "outside of it"),
        (tmp_path / "other" / ".." / "release" / "entry.yaml", OutputError, "outside of it"),
    ]
    for path, kind, message in refusals:
        with pytest.raises(kind, match=message):
            check_export(path, tmp_path / "release")
    check_export(tmp_path / "new.yaml", tmp_path / "release")
    check_export(tmp_path / "new.json", tmp_path / "release")
    assert not (tmp_path / "new.yaml").exists()


def test_an_entry_is_never_written_over_another_file(report: PublicReport, tmp_path: Path) -> None:
    """Not even one that came after the check: it may be what a publisher filled in."""
    (tmp_path / "there.yaml").write_text("precious")
    with pytest.raises(OutputError):
        write_export(report, tmp_path / "there.yaml")
    assert (tmp_path / "there.yaml").read_text() == "precious"


# --- the command line -----------------------------------------------------------------------------------------------


def anonymize(example: Path, *more: object) -> list[object]:
    return ["anonymize", example, "--advantage", 0.2, "--out", example.parent / "out", *more]


def test_the_command_writes_the_entry_of_its_release_and_names_what_is_missing(
    example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "hospital.yaml"
    code, out, err = run(capsys, *anonymize(example, "--registry-export", path, "--json"))
    assert code == 0
    assert json.loads(path.read_bytes()) == deployment_record(amun_dp.load_release(tmp_path / "out").report)
    (note,) = [line for line in err.splitlines() if str(path) in line]
    assert note.startswith("amun-dp: note: ")
    for place in FOR_THE_PUBLISHER:
        assert place in note
    assert str(path) not in out
    assert json.loads(out)["schema"] == "amun-dp/report/3"
    assert {entry.name for entry in (tmp_path / "out").iterdir()} == {
        "log.xes.gz",
        "report.json",
        "report.html",
        "internal",
    }


def test_without_the_option_there_is_no_entry_and_quiet_is_quiet(
    example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = set(tmp_path.iterdir())
    assert run(capsys, *anonymize(example))[0] == 0
    assert set(tmp_path.iterdir()) - before == {tmp_path / "out"}
    path = tmp_path / "entry.json"
    _, _, err = run(capsys, *anonymize(example, "--force", "--registry-export", path, "--quiet"))
    assert err == ""
    assert path.exists()


@pytest.mark.parametrize("name", ["entry.txt", "out/entry.yaml", "nowhere/entry.yaml", "log.xes.gz"])
def test_an_unusable_file_is_refused_before_anything_is_released(
    name: str, example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    refused(capsys, *anonymize(example, "--registry-export", tmp_path / name))
    assert not (tmp_path / "out").exists()


def test_a_release_whose_entry_cannot_be_written_is_not_lost(
    example: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OutputError("No space left.")

    monkeypatch.setattr("amun_dp.cli.commands.write_export", full)
    code, _, err = run(capsys, *anonymize(example, "--registry-export", tmp_path / "entry.yaml"))
    assert code == 2
    assert f"The release was made and is in {tmp_path / 'out'}" in err
    assert "Do not release again" in err
    assert amun_dp.load_release(tmp_path / "out").report.unpredictable
