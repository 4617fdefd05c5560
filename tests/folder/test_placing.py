"""A release folder appears whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from amun_dp.errors import OutputError
from amun_dp.folder.placing import check_target, release_folder

REPORTS = {age: f'{{"schema": "amun-dp/report/1", "age": "{age}"}}' for age in ("old", "new")}


def fill(folder: Path, text: str = "new") -> None:
    (folder / "report.json").write_text(REPORTS[text])
    (folder / "log.csv").write_text(text)
    (folder / "internal").mkdir()
    (folder / "internal" / "ledger.json").write_text(text)


def snapshot(folder: Path) -> dict[str, str | None]:
    """Every path below the folder, with the text of files."""
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def old_release(tmp_path: Path) -> Path:
    target = tmp_path / "release"
    target.mkdir()
    fill(target, "old")
    (target / "log.xes.gz").write_text("old")
    (target / "report.html").write_text("old")
    return target


@pytest.fixture
def forbidden_folder() -> Iterator[Path]:
    """A folder in which the process may not write; a root process becomes an ordinary user meanwhile."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        try:
            os.seteuid(65534)
        except PermissionError:
            folder.rmdir()
            pytest.skip("this process is root but cannot become an ordinary user")
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.rmdir()


def test_the_folder_appears_with_all_its_content_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "release"
    with release_folder(target, force=False) as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith(".")
        assert mode(folder) == 0o700
        fill(folder)
        assert not target.exists()
    assert snapshot(tmp_path) == {
        "release": None,
        "release/internal": None,
        "release/internal/ledger.json": "new",
        "release/log.csv": "new",
        "release/report.json": REPORTS["new"],
    }


@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_modes_follow_umask_but_internal_is_private(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        with release_folder(tmp_path / "release", force=False) as folder:
            fill(folder)
            (folder / "internal" / "deeper").mkdir()
            (folder / "internal" / "deeper" / "file").touch(0o666)
    finally:
        os.umask(before)
    assert mode(tmp_path / "release") == 0o777 & ~umask
    assert mode(tmp_path / "release" / "log.csv") == 0o666 & ~umask
    assert mode(tmp_path / "release" / "internal") == 0o700
    assert mode(tmp_path / "release" / "internal" / "ledger.json") == 0o600
    assert mode(tmp_path / "release" / "internal" / "deeper") == 0o700
    assert mode(tmp_path / "release" / "internal" / "deeper" / "file") == 0o600


def test_missing_parents_are_made_and_an_empty_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for target in (tmp_path / "empty", tmp_path / "a" / "b" / "c"):
        with release_folder(target, force=False) as folder:
            fill(folder)
        assert (target / "report.json").exists()


def test_force_replaces_an_old_release_and_never_merges(old_release: Path) -> None:
    with release_folder(old_release, force=True) as folder:
        fill(folder)
        assert (old_release / "report.json").read_text() == REPORTS["old"]
    assert set(snapshot(old_release.parent).values()) == {"new", REPORTS["new"], None}
    assert not (old_release / "log.xes.gz").exists()
    assert not (old_release / "report.html").exists()
    assert list(old_release.parent.iterdir()) == [old_release]


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path, old_release: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(old_release)
    with release_folder(link, force=True) as folder:
        fill(folder)
    assert link.is_symlink()
    assert (old_release / "report.json").read_text() == REPORTS["new"]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, SystemExit, OSError(errno.EIO, "I/O error")])
@pytest.mark.parametrize("force", [False, True])
def test_a_failure_in_the_block_leaves_everything_as_it_was(
    failure: BaseException | type[BaseException], force: bool, old_release: Path
) -> None:
    target = old_release if force else old_release.parent / "a" / "b" / "new-release"
    before = snapshot(old_release.parent)
    expected = OutputError if isinstance(failure, OSError) else failure
    assert isinstance(expected, type)
    with pytest.raises(expected), release_folder(target, force) as folder:
        fill(folder)
        raise failure
    assert snapshot(old_release.parent) == before


def test_a_full_disk_is_an_output_error_that_names_the_target(tmp_path: Path) -> None:
    target = tmp_path / "release"
    with (
        pytest.raises(OutputError, match=f"No space left for {target}"),
        release_folder(target, False) as folder,
    ):
        fill(folder)
        with Path("/dev/full").open("wb", buffering=0) as full:
            full.write(b"x")  # the kernel says ENOSPC
    assert not list(tmp_path.iterdir())


def test_a_failing_fsync_leaves_no_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with (
        pytest.raises(OutputError, match="Input/output error"),
        release_folder(tmp_path / "r", False) as folder,
    ):
        fill(folder)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("failing", [1, 2])
@pytest.mark.parametrize("failure", [OSError(errno.EACCES, "Permission denied"), KeyboardInterrupt()])
def test_a_failing_swap_brings_the_old_release_back(
    failing: int, failure: BaseException, old_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, real, calls = snapshot(old_release.parent), Path.rename, 0

    def rename(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise failure
        return real(self, target)

    monkeypatch.setattr("amun_dp.folder.placing.exchange", lambda _one, _other: False)  # a system that cannot
    monkeypatch.setattr(Path, "rename", rename)
    with (
        pytest.raises(OutputError if isinstance(failure, OSError) else KeyboardInterrupt),
        release_folder(old_release, force=True) as folder,
    ):
        fill(folder)
    assert snapshot(old_release.parent) == before


def test_an_interrupt_right_after_the_swap_undoes_it(old_release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, real, calls = snapshot(old_release.parent), Path.rename, 0

    def rename(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        moved = real(self, target)
        if calls == 2:
            raise KeyboardInterrupt
        return moved

    monkeypatch.setattr("amun_dp.folder.placing.exchange", lambda _one, _other: False)  # a system that cannot
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt), release_folder(old_release, force=True) as folder:
        fill(folder)
    assert snapshot(old_release.parent) == before


def test_an_interrupt_right_after_an_exchange_leaves_the_new_release_and_nothing_else(
    old_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(one: Path, other: Path) -> bool:
        aside = one.with_name("aside")  # what one call of the system does in one step
        other.rename(aside)
        one.rename(other)
        aside.rename(one)
        raise KeyboardInterrupt

    monkeypatch.setattr("amun_dp.folder.placing.exchange", interrupted)
    with pytest.raises(KeyboardInterrupt), release_folder(old_release, force=True) as folder:
        fill(folder)
    assert (old_release / "report.json").read_text() == REPORTS["new"]
    assert list(old_release.parent.iterdir()) == [old_release]


def test_an_old_release_that_cannot_be_removed_is_reported_with_its_place(
    old_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: Path, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise OSError(errno.EACCES, "Permission denied")

    with (
        pytest.raises(OutputError, match=r"The new release is in place.*Remove that folder by hand"),
        release_folder(old_release, force=True) as folder,
    ):
        fill(folder)
        monkeypatch.setattr("amun_dp.folder.placing.shutil.rmtree", fail)
    assert (old_release / "report.json").read_text() == REPORTS["new"]


def test_a_target_that_fills_up_during_the_run_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "release"
    for force in (False, True):
        with pytest.raises(OutputError), release_folder(target, force) as folder:
            fill(folder)
            target.mkdir(exist_ok=True)
            (target / "thesis.tex").write_text("precious")
        assert snapshot(tmp_path) == {"release": None, "release/thesis.tex": "precious"}
        (target / "thesis.tex").unlink()


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_is_no_release_is_refused_even_with_force(force: bool, tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "thesis.tex").write_text("precious")
    with pytest.raises(OutputError, match="not a release of amun-dp"):
        check_target(tmp_path / "release", force)


@pytest.mark.parametrize("report", ["{}", '{"schema": "someone-else/1"}', "[1]", "not json", '"amun-dp/report/1"'])
def test_somebody_else_s_report_does_not_make_a_release(report: str, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(report)
    with pytest.raises(OutputError, match="not a release of amun-dp"):
        check_target(tmp_path, force=True)


def test_a_release_with_somebody_else_s_files_in_it_is_not_replaced(old_release: Path) -> None:
    (old_release / "thesis.tex").write_text("precious")
    with pytest.raises(OutputError, match="not a release of amun-dp"):
        check_target(old_release, force=True)


def test_an_existing_release_is_refused_without_force(old_release: Path) -> None:
    with pytest.raises(OutputError, match="already holds a release"):
        check_target(old_release, force=False)
    check_target(old_release, force=True)


@pytest.mark.parametrize("below", [".", "release", "deep/release"])
def test_a_file_in_the_way_is_refused(below: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is a file, not a folder"):
        check_target(tmp_path / "file" / below, force=True)


@pytest.mark.parametrize("below", ["release", "deep/release"])
def test_a_folder_without_write_permission_is_refused(below: str, forbidden_folder: Path) -> None:
    with pytest.raises(OutputError, match="No permission to write"):
        check_target(forbidden_folder / below, force=False)


@pytest.mark.parametrize(
    ("number", "message"),
    [(errno.EROFS, "read-only file system"), (errno.EDQUOT, "No space left"), (errno.EIO, "oops")],
)
def test_what_the_system_says_when_trying_is_explained(
    number: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_options: object) -> str:
        raise OSError(number, "oops")

    monkeypatch.setattr(tempfile, "mkdtemp", fail)
    with pytest.raises(OutputError, match=message):
        check_target(tmp_path / "release", force=False)


def test_the_working_folder_and_mount_points_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    for target in (Path(), tmp_path, Path("/")):
        with pytest.raises(OutputError, match="Choose a new one inside it"):
            check_target(target, force=True)


def test_a_check_does_not_fail_because_somebody_cleans_up_at_that_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody holds the folder by which it tries whether it may write there."""
    make = tempfile.mkdtemp

    def made_and_cleaned_away(prefix: str, dir: Path) -> str:
        name = make(prefix=prefix, dir=dir)
        Path(name).rmdir()
        return name

    monkeypatch.setattr(tempfile, "mkdtemp", made_and_cleaned_away)
    check_target(tmp_path / "release", force=False)


def test_an_old_release_that_somebody_cleans_up_at_that_moment_is_gone_and_no_fault(
    old_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = shutil.rmtree

    def somebody_was_faster(path: Path, ignore_errors: bool = False) -> None:
        there = path.exists()
        remove(path, ignore_errors=ignore_errors)
        if there and not ignore_errors:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(shutil, "rmtree", somebody_was_faster)
    with release_folder(old_release, force=True) as made:
        fill(made)
    assert (old_release / "log.csv").read_text() == "new"
    assert list(old_release.parent.iterdir()) == [old_release]


def test_checking_leaves_no_trace(tmp_path: Path) -> None:
    check_target(tmp_path / "a" / "b", force=False)
    assert not list(tmp_path.iterdir())


def test_a_name_as_long_as_the_file_system_allows_works(tmp_path: Path) -> None:
    with release_folder(tmp_path / ("r" * 255), force=False) as folder:
        fill(folder)
    with pytest.raises(OutputError, match=os.strerror(errno.ENAMETOOLONG)):
        check_target(tmp_path / ("r" * 256), force=False)


def test_sigkill_while_writing_leaves_only_a_private_hidden_folder(old_release: Path) -> None:
    program = """
import sys, time
from pathlib import Path
from amun_dp.folder.placing import release_folder

with release_folder(Path(sys.argv[1]), force=True) as folder:
    (folder / "report.json").write_text("new")
    sys.stdout.write("writing\\n")
    sys.stdout.flush()
    time.sleep(60)
"""
    before = snapshot(old_release)
    for target in (old_release, old_release.parent / "new-release"):
        command = [sys.executable, "-c", program, str(target)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "writing\n"
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
    assert snapshot(old_release) == before
    left = [path for path in old_release.parent.iterdir() if path != old_release]
    assert len(left) == 2
    assert all(path.name.startswith(".amun-dp-") and mode(path) == 0o700 for path in left)


@pytest.mark.slow
def test_sigkill_at_any_moment_leaves_a_whole_release_or_none(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from amun_dp.folder.placing import release_folder

for generation in range(1_000_000):
    with release_folder(Path(sys.argv[1]), force=True) as folder:
        for name in ("log.csv", "report.json"):
            (folder / name).write_text('{"schema": "amun-dp/report/1", "filler": "' + str(generation) * 1000 + '"}')
    if generation == 0:
        sys.stdout.write("first\\n")
        sys.stdout.flush()
"""
    for attempt in range(12):
        target = tmp_path / str(attempt) / "release"
        with subprocess.Popen(
            [sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "first\n"
            time.sleep(0.003 * attempt)
            process.kill()
        if target.exists():  # between the two renames of a replacement there is none
            assert {path.name for path in target.iterdir()} == {"log.csv", "report.json"}
            assert (target / "log.csv").read_text() == (target / "report.json").read_text() != ""


@pytest.mark.parametrize("stranger", ["internal/registry.sqlite", "log.sqlite", "notes.txt"])
def test_a_folder_with_a_file_that_no_release_has_is_not_replaced_even_by_force(stranger: str, tmp_path: Path) -> None:
    with release_folder(tmp_path / "release", force=False) as folder:
        fill(folder, "old")
    (tmp_path / "release" / stranger).write_text("mine")
    with (
        pytest.raises(OutputError, match="not a release of amun-dp"),
        release_folder(tmp_path / "release", force=True),
    ):
        raise AssertionError("nothing is begun")
    assert (tmp_path / "release" / stranger).read_text() == "mine"
