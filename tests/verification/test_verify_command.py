"""``amun-dp verify`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amun_dp.folder.names import BANNER
from amun_dp.verification import Name
from amun_dp.writing import write_log
from tests.commandline import refused, run
from tests.verification import forging
from tests.verification.releases import Shelf, original


@pytest.fixture
def log(tmp_path: Path) -> Path:
    write_log(original(), tmp_path / "original.xes.gz")
    return tmp_path / "original.xes.gz"


def test_a_good_release_is_one_line_a_check_and_exit_code_0(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    code, out, err = run(capsys, "verify", folder, "--no-prove")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    for name in (Name.REPORT, Name.GUARANTEES, Name.ATTRIBUTES, Name.TIME_ORDER, Name.UNIQUE_IDS):
        assert sum(" ok  " in line and f"  {name.value}  " in line for line in lines) == 1
    assert sum(line.strip().startswith("– not checked") for line in lines) == 2  # the proofs, and the internal part
    assert out.count("there is no internal part here") == 1
    assert "What this cannot see:" in lines
    assert lines[-1].endswith("18 checks passed, none failed, 7 could not be made.")
    assert BANNER not in out


def test_a_release_of_which_the_page_was_not_seen_does_not_end_with_0(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for version, due in ((None, 1), ("9.9.9", 4)):
        folder = shelf.copy(tmp_path / f"release-{due}", internal=False)
        forging.of_another_format(folder, version, page=2)
        code, out, _ = run(capsys, "verify", folder, "--no-prove")
        assert code == due
        assert ("COULD NOT BE JUDGED here; 1" in out) is (due == 4)
        assert "  - what stands on the page (report.html): it was not drawn again" in out.splitlines()


@pytest.mark.slow
def test_what_the_release_guarantees_is_said_before_the_last_line(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "verify", shelf.kept())
    assert "\nThe folder is consistent. What it guarantees:\n  ✗ No guarantee about a whole case. This release " in out
    _, out, _ = run(capsys, "verify", shelf.kept(method="certified"))
    assert "\n  ✓ A guarantee about one case. After this release nobody can guess " in out
    assert ", provided that " in out


def test_what_was_not_checked_is_named_with_what_rests_on_it(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "verify", shelf.kept(method="certified"), "--no-prove")
    assert "What it guarantees if 'claims against prove', not checked here, hold as well:" in out


def test_a_release_that_merely_promises_less_than_was_demanded_is_not_called_broken(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "verify", shelf.kept(method="certified"), "--require", "case:0.01")
    assert code == 1
    assert "rely on nothing" not in out
    assert "what was demanded is not guaranteed. What it guarantees:" in out
    assert "A guarantee about one case" in out


def test_a_folder_that_fails_is_not_said_to_guarantee_anything(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shelf.copy(tmp_path / "release", method="certified", internal=False)
    (folder / "original.csv").write_text("x")
    _, out, _ = run(capsys, "verify", folder, "--no-prove")
    assert "rely on nothing" in out
    assert "A guarantee about" not in out
    _, out, _ = run(capsys, "verify", folder, "--no-prove", "--json")
    assert json.loads(out)["label"]["verified"] is False


def test_an_empty_folder_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify", tmp_path)
    assert code == 1
    assert out.count("\n") == 1
    assert "holds no file of a release" in out


def test_a_broken_release_is_exit_code_1_and_named_last(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    (folder / "original.csv").write_text("x")
    code, out, _ = run(capsys, "verify", folder, "--no-prove")
    assert code == 1
    assert any("FAILED" in line and "original.csv" in line for line in out.splitlines())
    assert out.splitlines()[-1].endswith("only the files of a release.")


def test_with_the_original_the_output_is_marked_confidential(
    shelf: Shelf, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "verify", shelf.kept(), "--original", log, "--no-prove")
    assert code == 0
    assert out.startswith(BANNER)
    assert "From the original log (confidential):" in out
    assert any("· told " in line and "linkage by gaps" in line and "nearest gaps" in line for line in out.splitlines())
    assert "told and not judged" in out.splitlines()[-1]
    assert "do not publish this folder" in out


def test_no_name_and_no_label_of_the_original_is_printed(
    shelf: Shelf, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shelf.copy(tmp_path / "release")
    (folder / "internal" / "ledger.json").unlink()
    for given in (shelf.kept(), folder):
        _, out, err = run(capsys, "verify", given, "--original", log, "--no-prove")
        assert not any(str(name) in out + err for name in original().case_names)
        assert not any(f"'{label}'" in out + err for label in original().activities)


def test_json_has_the_same_and_says_which_lines_are_confidential(
    shelf: Shelf, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(
        capsys, "verify", shelf.kept(), "--original", log, "--no-prove", "--json", "--require", "case:0.3"
    )
    found = json.loads(out)
    assert code == 1
    assert found["passed"] is False
    assert found["confidential"] == BANNER
    # An audit is made where it is asked for.
    assert {check["check"] for check in found["checks"]} == {name.value for name in Name if name is not Name.AUDIT}
    assert {check["outcome"] for check in found["checks"]} == {"passed", "failed", "not checked", "told, not judged"}
    confidential = {check["check"] for check in found["checks"] if check["confidential"]}
    assert Name.LINKAGE.value in confidential and Name.REPORT.value not in confidential
    assert found["undetectable"] and found["notes"]
    assert found["label"]["heading"] == "No guarantee about a whole case"
    assert set(found["label"]) == {"symbol", "heading", "sentence", "provided", "verified"}


def test_wrong_use_is_exit_code_2(shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such folder" in refused(capsys, "verify", tmp_path / "nowhere")
    assert "SCOPE:ADVANTAGE" in refused(capsys, "verify", shelf.kept(), "--require", "case")
    assert "--original" in refused(capsys, "verify", shelf.kept(), "--case-id", "id")
    assert "no such file" in refused(capsys, "verify", shelf.kept(), "--original", tmp_path / "nothing.xes")


def test_the_original_is_read_with_the_options_of_the_release(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = original().to_pandas().rename(columns={"case:concept:name": "patient"})
    frame.to_parquet(tmp_path / "log.parquet")
    code, out, _ = run(
        capsys, "verify", shelf.kept(), "--original", tmp_path / "log.parquet", "--case-id", "patient", "--no-prove"
    )
    assert code == 0, out


def test_what_could_not_be_judged_is_exit_code_4_and_said(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shelf.copy(tmp_path / "release", method="certified", internal=False)
    code, out, _ = run(capsys, "verify", folder, "--no-prove", "--require", "case:0.5")
    assert code == 4
    assert "COULD NOT BE JUDGED here" in out.splitlines()[-1]
    assert "rely on nothing" not in out
    code, out, _ = run(capsys, "verify", folder, "--no-prove", "--require", "case:0.5", "--json")
    assert code == 4
    assert (json.loads(out)["outcome"], json.loads(out)["passed"]) == ("could not be judged", False)
    code, out, _ = run(capsys, "verify", folder, "--no-prove", "--require", "case:0.1", "--json")
    assert (code, json.loads(out)["outcome"]) == (1, "failed")
