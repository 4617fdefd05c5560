"""A folder is exchanged in one step, and what a killed run left is found."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import accounting.registry.database
from amun_dp.budgets.spending import open_registry
from amun_dp.cli import main
from amun_dp.folder import held as held_folders
from amun_dp.folder import placing as writing_folder
from amun_dp.folder.exchange import exchange
from amun_dp.folder.held import new_held_folder
from amun_dp.folder.leftovers import leftovers_beside, release_in, remove_leftover
from amun_dp.folder.placing import temporary_prefix
from amun_dp.synthetic import hospital_log
from amun_dp.writing import release_folder, write_log

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
from typing import Any
from amun_dp.folder.placing import temporary_prefix
from amun_dp.synthetic import hospital_log
from amun_dp.writing import release_folder, write_log
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


def test_the_folder_of_a_running_process_is_left_alone_also_by_another_one(tmp_path: Path) -> None:
    look = (
        "import sys; from pathlib import Path; from amun_dp.folder.leftovers import leftovers_beside; "
        "sys.exit(len(leftovers_beside(Path(sys.argv[1]))))"
    )
    target = tmp_path / "release"
    for process in (os.getpid(), 1):  # in a container, everybody is number 1
        with new_held_folder(tmp_path, temporary_prefix(process)) as folder:
            assert leftovers_beside(target) == ()
            assert subprocess.run([sys.executable, "-c", look, str(target)], check=False).returncode == 0
        assert leftovers_beside(target) == (folder,)  # it is not removed, and nobody holds it any more
        folder.rmdir()


def test_the_number_of_a_process_keeps_nothing(tmp_path: Path) -> None:
    """One that runs has been given the number again; of its own folders it holds every one."""
    left = tmp_path / f".amun-dp-{os.getpid()}-x"
    left.mkdir()
    assert leftovers_beside(tmp_path / "release") == (left,)


def test_things_of_others_are_left_alone(tmp_path: Path) -> None:
    for name in (".amun-dp-rest", ".amun-dp-1x", ".amun-dp-", ".amun-dp-abcdefgh", "amun-dp-1-x"):
        (tmp_path / name).mkdir()
    for name in (".amun-dp-1-x", ".amun-dp-stages-x", ".amun-dp-scratch", ".amun-dp-long-name"):
        (tmp_path / name).write_text("a file")
    (tmp_path / ".amun-dp-1-link").symlink_to(tmp_path / ".amun-dp-rest")
    assert leftovers_beside(tmp_path / "release") == ()


@pytest.mark.parametrize("system", ["no locks", "another user's"])
def test_where_nobody_can_say_only_numbers_of_processes_that_are_over_count(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = subprocess.Popen([sys.executable, "-c", ""])
    over.wait()
    for name in (f".amun-dp-{over.pid}-x", f".amun-dp-{os.getpid()}-x", ".amun-dp-stages-x"):
        (tmp_path / name).mkdir()
    (tmp_path / ".amun-dp-abcdefgh").touch()
    if system == "no locks":
        monkeypatch.setattr(held_folders, "_lock", lambda _descriptor, wait: None)
        assert [path.name for path in leftovers_beside(tmp_path / "release")] == [f".amun-dp-{over.pid}-x"]
    else:
        monkeypatch.setattr(held_folders, "_opened", lambda _path: None)
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


def test_several_processes_may_clean_at_once(tmp_path: Path) -> None:
    left = tmp_path / ".amun-dp-1-x"
    for number in range(300):
        (left / str(number)).mkdir(parents=True)
    failed: list[Exception] = []

    def clean() -> None:
        try:
            remove_leftover(left)
        except Exception as error:  # noqa: BLE001 — none may come
            failed.append(error)

    threads = [threading.Thread(target=clean) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert not left.exists()


def test_clean_removes_what_killed_runs_left_and_nothing_else(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (left,) = leftovers_beside(killed)
    with new_held_folder(killed.parent, temporary_prefix(1)) as running:
        assert main(["clean", str(killed)]) == 0
        said = capsys.readouterr()
        assert said.out.startswith(f"Removed {left}. It was of release abc; nothing was entered, because")
        assert "stays spent" in said.err
        assert list(killed.parent.iterdir()) == [running]
        assert main(["clean", str(killed)]) == 0
        assert "No run that is over has left anything" in capsys.readouterr().out


# --- every kind of leftover -----------------------------------------------------------------------------------------

AMID = """
import os, signal, sys
from pathlib import Path
from typing import Any
place = Path(sys.argv[1])
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
"""
KINDS = {
    "a log": """
from amun_dp.synthetic import hospital_log
import amun_dp.writing, amun_dp.writing.tables
amun_dp.writing.tables.write_csv = die
amun_dp.writing.write_log(hospital_log(cases=3), place / "log.csv")
""",
    "a key": """
import accounting.registry.keys
accounting.registry.keys.write_durably = die
from accounting.registry import open_registry
open_registry(place / "registry.sqlite")
""",
    "a registry": """
import accounting.registry.database
accounting.registry.database._append = die
from accounting.registry import open_registry
open_registry(place / "registry.sqlite")
""",
    "a comparison": """
from amun_dp.comparing.run import _scratch
with _scratch(place / ".amun-dp-scratch") as scratch:
    (scratch / "release").mkdir()
    die()
""",
    "stages": """
from amun_dp.folder.held import new_held_folder
with new_held_folder(place, ".amun-dp-stages-") as folder:
    (folder / "events").mkdir()
    die()
""",
    "a release": """
from amun_dp.folder.placing import release_folder
with release_folder(place / "other", force=False, release="ab" * 16) as folder:
    die()
""",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["beside", "inside"])
def test_whatever_a_killed_process_was_writing_is_found_and_cleaned_away(
    kind: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    subprocess.run([sys.executable, "-c", AMID + KINDS[kind], str(place)], check=False)
    hidden = {path for path in place.iterdir() if path.name.startswith(".")}
    assert len(hidden) == (2 if kind == "a registry" else 1)  # SQLite has a journal
    target = place / "release" if where == "beside" else place
    assert set(leftovers_beside(target)) == hidden
    assert main(["clean", str(target), "--no-registry"]) == 0
    assert not any(path.name.startswith(".") for path in place.iterdir())
    assert ("abab" in capsys.readouterr().out) == (kind == "a release")


def test_a_log_that_is_being_written_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Path, ...]] = []
    monkeypatch.setattr("amun_dp.writing.tables.write_csv", lambda *_: seen.append(leftovers_beside(tmp_path / "x")))
    write_log(hospital_log(cases=3), tmp_path / "log.csv")
    assert seen == [()]


# --- the registry ---------------------------------------------------------------------------------------------------

KILLED_RELEASE = """
import os, signal, sys
import amun_dp.release.save
amun_dp.release.save.write_log = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
from amun_dp.budgets.spending import open_registry
from amun_dp.cli import main
main(sys.argv[1:])
"""


def test_what_was_cleaned_away_is_entered_stays_spent_and_cannot_be_voided(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, file = tmp_path / "release", tmp_path / "registry.sqlite"
    command = ["anonymize", str(example), "--advantage", "0.3", "--out", str(out), "--registry", str(file)]
    subprocess.run([sys.executable, "-c", KILLED_RELEASE, *command], check=False, capture_output=True)
    (left,) = leftovers_beside(out)
    registry = open_registry(file)
    (before,) = registry.logs()[0].releases
    assert release_in(left) == before.release  # although nothing says so in its files yet
    spent = registry.logs()[0].spent
    assert main(["clean", str(out), "--registry", str(file)]) == 0
    assert f"Removed {left}. It was of release {before.release}, which stays spent" in capsys.readouterr().out
    assert not left.exists()
    (after,) = registry.logs()[0].releases
    assert after.cleaned_at is not None
    assert registry.logs()[0].spent == spent
    assert main(["registry", "void", before.release, "--reason", "x", "--registry", str(file)]) == 1
    assert "were removed on" in capsys.readouterr().err
    assert main(["registry", "show", registry.logs()[0].log, "--registry", str(file)]) == 0
    assert "what a killed run had left of it was removed" in capsys.readouterr().out


def test_a_registry_that_cannot_be_used_leaves_everything_as_it_is(
    killed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (left,) = leftovers_beside(killed)
    damaged = tmp_path / "registry.sqlite"
    damaged.write_text("nothing of the kind")
    assert main(["clean", str(killed), "--registry", str(damaged)]) == 2
    assert left.exists()
    assert main(["clean", str(killed), "--no-registry"]) == 0
    assert not left.exists()


def test_a_registry_that_is_being_made_is_left_alone_with_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[list[str], tuple[Path, ...]]] = []
    plain = accounting.registry.database._append

    def looking(*arguments: Any) -> None:
        seen.append((sorted(path.name[-8:] for path in tmp_path.iterdir()), leftovers_beside(tmp_path / "x")))
        plain(*arguments)

    monkeypatch.setattr(accounting.registry.database, "_append", looking)
    open_registry(tmp_path / "registry.sqlite")
    names, left = seen[0]
    assert "-journal" in names
    assert left == ()
