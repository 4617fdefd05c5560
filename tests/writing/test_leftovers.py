"""A folder is exchanged in one step, and what a killed run left is found."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from amun_dp.cli import main
from amun_dp.writing import folder as writing_folder
from amun_dp.writing import release_folder
from amun_dp.writing.exchange import exchange
from amun_dp.writing.leftovers import leftovers_beside, release_in

REPORT = '{"schema": "amun-dp/report/3", "release": {"id": "abc"}}'


@pytest.fixture
def old_release(tmp_path: Path) -> Path:
    target = tmp_path / "release"
    target.mkdir()
    (target / "report.json").write_text(REPORT)
    (target / "log.csv").write_text("old")
    return target


def test_two_folders_exchange_their_names(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    if not exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this system cannot exchange two folders in one step")
    assert (tmp_path / "one" / "file").read_text() == "other"
    assert (tmp_path / "other" / "file").read_text() == "one"


def test_what_cannot_be_exchanged_is_an_error_and_not_a_silent_no(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    if exchange(tmp_path / "one", tmp_path / "one"):
        with pytest.raises(FileNotFoundError):
            exchange(tmp_path / "one", tmp_path / "absent")


def test_there_is_no_moment_without_a_release(old_release: Path) -> None:
    (old_release.parent / "probe").mkdir()
    if not exchange(old_release.parent / "probe", old_release.parent / "probe"):
        pytest.skip("this system cannot exchange two folders in one step")
    missing, over = [], threading.Event()

    def watch() -> None:
        while not over.is_set():
            if not old_release.exists():
                missing.append(True)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        for _ in range(200):
            with release_folder(old_release, force=True) as made:
                (made / "report.json").write_text(REPORT)
    finally:
        over.set()
        watching.join()
    assert missing == []


@pytest.mark.parametrize("can", [True, False])
def test_replacing_works_with_and_without_an_exchange(
    can: bool, old_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can:
        monkeypatch.setattr(writing_folder, "exchange", lambda _one, _other: False)
    with release_folder(old_release, force=True) as made:
        (made / "report.json").write_text(REPORT)
        (made / "log.csv").write_text("new")
    assert (old_release / "log.csv").read_text() == "new"
    assert list(old_release.parent.iterdir()) == [old_release]


KILLED = """
import os, signal, sys
from pathlib import Path
from amun_dp.writing import release_folder
with release_folder(Path(sys.argv[1]), force=False) as folder:
    (folder / "internal").mkdir()
    (folder / "report.json").write_text(sys.argv[2])
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The target of a run that was killed while it wrote."""
    target = tmp_path / "out" / "release"
    target.parent.mkdir()
    subprocess.run([sys.executable, "-c", KILLED, str(target), REPORT], check=False)
    return target


def test_the_folder_of_a_killed_run_is_found_and_knows_its_release(killed: Path) -> None:
    (left,) = leftovers_beside(killed)
    assert left.parent == killed.parent
    assert release_in(left) == "abc"


def test_the_folder_of_a_running_process_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / f".amun-dp-{os.getpid()}-x").mkdir()
    (tmp_path / ".amun-dp-rest").mkdir()
    (tmp_path / ".amun-dp-1x").mkdir()
    assert leftovers_beside(tmp_path / "release") == ()


def test_where_nothing_is_nothing_is_left(tmp_path: Path) -> None:
    assert leftovers_beside(tmp_path / "absent" / "release") == ()


def test_the_next_run_names_what_a_killed_one_left(
    killed: Path, example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (left,) = leftovers_beside(killed)
    command = ["anonymize", str(example), "--advantage", "0.3", "--out", str(killed), "--no-registry", "--quiet"]
    assert main(command) == 0
    said = capsys.readouterr().err
    assert f"a run that was killed has left {left}" in said
    assert f"amun-dp clean {killed}" in said


def test_force_does_not_replace_a_folder_that_holds_the_input(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    command = ["anonymize", str(example), "--advantage", "0.3", "--out", str(out), "--no-registry", "--quiet"]
    assert main(command) == 0
    capsys.readouterr()
    released = out / "log.xes.gz"
    before = released.read_bytes()
    again = ["anonymize", str(released), "--advantage", "0.3", "--out", str(out), "--force", "--no-registry"]
    assert main(again) == 2
    assert "holds an input of this release" in capsys.readouterr().err
    assert released.read_bytes() == before


def test_a_folder_whose_name_is_not_text_is_refused_before_anything_is_done(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its release could not be verified: the library that reads Parquet takes no such name."""
    out = tmp_path / os.fsdecode(b"release-\xff")
    command = ["anonymize", str(example), "--advantage", "0.3", "--out", str(out), "--no-registry", "--quiet"]
    assert main(command) == 2
    assert "is not UTF-8" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [example]


def test_clean_removes_what_killed_runs_left_and_nothing_else(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    running = killed.parent / f".amun-dp-{os.getpid()}-x"
    running.mkdir()
    (left,) = leftovers_beside(killed)
    assert main(["clean", str(killed)]) == 0
    said = capsys.readouterr()
    assert said.out == f"Removed {left}. It was of release abc.\n"
    assert "stays spent" in said.err
    assert list(killed.parent.iterdir()) == [running]
    assert main(["clean", str(killed)]) == 0
    assert "No run that is over has left anything" in capsys.readouterr().out
