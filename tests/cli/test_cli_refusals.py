"""Wrong use and bad files on the command line: one paragraph, exit code 2, nothing written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import amun_dp.cli.commands
from amun_dp.cli import main
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.article import worked_example
from tests.commandline import SECRET, refused, run

# --- wrong use ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("advantage", ["0", "1", "-1", "2", "nan"])
def test_an_advantage_outside_its_domain_is_refused(
    advantage: str, example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(capsys, "anonymize", example, f"--advantage={advantage}", "--out", tmp_path / "release")
    assert "between 0 and 1" in message
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--method", "magic"], "Unknown method"),
        (["--conventions", "none"], "Unknown conventions"),
        (["--format", "pdf"], "Unknown format"),
        (["--case-id", "nope"], "nope"),
        (["--timestamp", "concept:name"], "timestamp"),
        (["--releases", "0"], "at least 1"),
        (["--releases", "1" + "0" * 30], "nothing but noise"),
        (["--seed", "-1"], "seed"),
        (["--seed", "1", "--noise", "exact"], "leave the seed or the choice of noise out"),
        (["--window", "0"], "--window"),
        (["--start-window", "nan"], "--start-window"),
    ],
)
def test_wrong_flags_are_refused_before_anything_is_written(
    flags: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worked_example.dataframe().to_csv(tmp_path / "log.csv", index=False)
    out = tmp_path / "release"
    said = refused(capsys, "anonymize", tmp_path / "log.csv", "--advantage", 0.3, "--out", out, *flags)
    assert message in said
    assert not out.exists()


def test_an_unknown_flag_or_a_missing_one_shows_the_usage(capsys: pytest.CaptureFixture[str], example: Path) -> None:
    for arguments in (["anonymize", str(example), "--bogus"], ["plan", str(example)], []):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2
        assert "usage:" in capsys.readouterr().err


def test_an_existing_release_is_not_overwritten_without_force(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    command = ("anonymize", example, "--advantage", 0.2, "--out", out)
    run(capsys, *command)
    before = (out / "log.xes.gz").read_bytes()
    assert "--force" in refused(capsys, *command)
    assert (out / "log.xes.gz").read_bytes() == before
    assert run(capsys, *command, "--force")[0] == 0
    assert (out / "log.xes.gz").read_bytes() != before


# --- bad files ------------------------------------------------------------------------------------------------------


def bad_files(folder: Path) -> dict[str, Path]:
    whole = folder / "whole.xes"
    write_log(hospital_log(cases=20), whole)
    files = {
        "missing": (folder / "missing.xes", None),
        "empty": (folder / "empty.xes", b""),
        "truncated": (folder / "cut.xes", whole.read_bytes()[:-200]),
        "truncated-gz": (folder / "cut.xes.gz", gzip.compress(whole.read_bytes())[:-50]),
        "binary": (folder / "binary.xes", bytes(range(256)) * 20),
        "binary-csv": (folder / "binary.csv", bytes(range(256)) * 20),
        "binary-parquet": (folder / "binary.parquet", bytes(range(256)) * 20),
        "wrong-kind": (folder / "page.xes", b"<html><body>hello</body></html>"),
        "unknown-ending": (folder / "log.docx", b"hello"),
        "bad-time": (folder / "time.csv", f"case,activity,time\n1,a,{SECRET}\n1,b,2020-01-01\n".encode()),
        "no-time": (folder / "notime.csv", f"case,activity\n1,{SECRET}\n".encode()),
        "two-times": (folder / "two.csv", f"case,activity,time,timestamp\n1,{SECRET},2020-01-01,2020-01-01\n".encode()),
        "missing-values": (folder / "gaps.csv", f"case,activity,time\n1,{SECRET},2020-01-01\n1,,2020-01-02\n".encode()),
        "no-rows": (folder / "norows.csv", b"case,activity,time\n"),
    }
    for path, content in files.values():
        if content is not None:
            path.write_bytes(content)
    return {name: path for name, (path, _) in files.items()}


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("missing", "missing.xes"),
        ("empty", "empty"),
        ("truncated", "line"),
        ("truncated-gz", "cut.xes.gz"),
        ("binary", "binary.xes"),
        ("binary-csv", "binary.csv"),
        ("binary-parquet", "binary.parquet"),
        ("wrong-kind", "page.xes"),
        ("unknown-ending", ".parquet"),
        ("bad-time", "--timestamp-format"),
        ("no-time", "--timestamp"),
        ("two-times", "--timestamp"),
        ("missing-values", "--drop-incomplete"),
        ("no-rows", "no events"),
    ],
)
def test_a_bad_file_is_refused_with_one_paragraph_and_nothing_is_written(
    kind: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = bad_files(tmp_path)[kind]
    message = refused(capsys, "anonymize", path, "--advantage", 0.2, "--out", tmp_path / "release")
    assert says in message
    assert not (tmp_path / "release").exists()


def test_incomplete_events_are_dropped_on_request_and_counted_inside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = bad_files(tmp_path)["missing-values"]
    out = tmp_path / "release"
    flags = ["--advantage", 0.2, "--method", "sampling", "--drop-incomplete", "--allow-too-small", "--out", out]
    assert run(capsys, "anonymize", path, *flags)[0] == 0
    assert (
        json.loads((out / "internal" / "report.json").read_text(encoding="utf-8"))["reading"]["incomplete_events"] == 1
    )
    assert "incomplete" not in (out / "report.json").read_text(encoding="utf-8")


def test_a_log_that_filtering_would_empty_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.csv").write_text("case,activity,time\n1,a,2020-01-01T00:00:00Z\n2,a,2020-01-01T00:00:01Z\n")
    message = refused(capsys, "anonymize", tmp_path / "log.csv", "--advantage", 0.4, "--out", tmp_path / "release")
    assert "Every case would be filtered" in message


def test_a_bug_is_reported_without_a_traceback_and_without_values(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(amun_dp.cli.commands, "make_plan", broken)
    code, out, err = run(capsys, "anonymize", example, "--advantage", 0.2, "--out", tmp_path / "release")
    assert (code, out) == (3, "")
    assert "RuntimeError" in err
    assert SECRET not in err
    assert not (tmp_path / "release").exists()
