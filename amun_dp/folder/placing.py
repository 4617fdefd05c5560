"""A release appears whole or not at all.

Everything is written into a private hidden sibling of the target and put in place by one rename. Whatever
ends the run before that (an error, Ctrl-C, a full disk, SIGKILL) leaves no half-written release where someone
could publish it.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from amun_dp._base.messages import Message
from amun_dp.errors import OutputError
from amun_dp.folder.exchange import exchange
from amun_dp.folder.held import held, new_held_folder
from amun_dp.folder.names import (
    INTERNAL_FILES,
    INTERNAL_FOLDER,
    LOG_FILES,
    PAGE_FILE,
    REPORT_FILE,
    REPORT_SCHEMA_FAMILY,
)
from amun_dp.folder.parts import PART


def temporary_prefix(process: int, release: str | None = None) -> str:
    """How the hidden folders begin that a process works in: who sees it die can take them away. The identifier of the
    release is in the name, because a run may be killed before it has written anything else."""
    return f".amun-dp-{process}-" + ("" if release is None else f"{release}-")


def check_target(directory: Path, force: bool) -> None:
    """Refuse, before any work is done, a target that a release could not be written to. Leaves no trace."""
    with output_errors(directory):
        target = _real(directory)
        _check_name(target)
        if target.exists():
            _check_existing(directory, target, force)
        ancestor = target.parent
        while not ancestor.exists():
            ancestor = ancestor.parent
        if not ancestor.is_dir():
            raise OutputError(
                f"The release cannot be written to {directory}: {ancestor} is a file, not a folder. "
                "Choose another output folder."
            )
        # Permission bits do not tell about quotas, read-only mounts or access lists; trying does.
        probe = Path(tempfile.mkdtemp(prefix=temporary_prefix(os.getpid()), dir=ancestor))
        with suppress(FileNotFoundError):  # nobody holds it, so whoever cleans up at this moment may have taken it away
            probe.rmdir()


@contextmanager
def release_folder(directory: Path, force: bool, release: str | None = None) -> Iterator[Path]:
    """Yield a private folder to fill; it becomes ``directory`` if the block ends well and vanishes if not. ``release``
    is the identifier of what is written there."""
    check_target(directory, force)
    target = _real(directory)
    prefix = temporary_prefix(os.getpid(), release)
    with output_errors(directory):
        with _parents(target.parent), new_held_folder(target.parent, prefix) as temporary:
            try:
                yield temporary
                _seal(temporary)
                replaced = _put_in_place(temporary, directory, target, force)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
        _fsync(target.parent)
    if replaced is not None:
        with held(replaced):
            _remove_replaced(replaced)


@contextmanager
def output_errors(where: Path) -> Iterator[None]:
    """Turn what the operating system says while ``where`` is written into an OutputError with a way out."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of our standard output went away; that is no fault of the release
    except OSError as error:
        raise OutputError(_explanation(error, where)) from error
    except OutputError as error:
        # Raised by an inner block about a file that is gone by now: speak of the place the user asked for.
        if isinstance(error.__cause__, OSError):
            raise OutputError(_explanation(error.__cause__, where)) from error.__cause__
        raise


def _explanation(error: OSError, where: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"No space left for {where}; nothing was written. Free some space or choose another place."
    if error.errno == errno.EFBIG:
        return (
            f"A file of {where} would exceed the largest size allowed here; nothing was written. "
            "Raise the limit (ulimit -f) or choose another file system."
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return (
            f"No permission to write {where}; nothing was written. "
            "Ask for write permission on the folder that contains it, or choose another place."
        )
    if error.errno == errno.EROFS:
        return f"{where} is on a read-only file system; nothing was written. Choose another place."
    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
        return (
            f"{where} was filled by someone else while this run was working; it was left as it is and "
            "nothing was written. Run again with another output folder."
        )
    reason = error.strerror or "unknown error of the operating system"
    return f"{where} cannot be written ({reason}); nothing was written. Choose another place or mend the cause."


def _real(directory: Path) -> Path:
    """The target behind symbolic links, so that a rename replaces the folder and not the link to it."""
    return Path(os.path.realpath(directory))


def _check_name(target: Path) -> None:
    """A folder whose name is not text could be written, but not read back by everybody: Parquet's library, for one."""
    try:
        str(target).encode()
    except UnicodeEncodeError:
        raise OutputError(
            "The release cannot be written there: the path of the output folder is not UTF-8. Choose a folder whose "
            "whole path is."
        ) from None


def _check_existing(directory: Path, target: Path, force: bool) -> None:
    if not target.is_dir():
        raise OutputError(
            f"The release cannot be written to {directory}: that is a file, not a folder. "
            "Choose another output folder, or move the file away."
        )
    if target.is_mount() or Path.cwd().is_relative_to(target):
        raise OutputError(
            f"The release cannot be written to {directory}: a release is put in place by renaming a folder, "
            "and neither a mount point nor the folder you are in can be replaced. Choose a new one inside it."
        )
    content = {entry.name for entry in target.iterdir()}
    if not content:
        return
    if not _is_release(target, content):
        foreign = sorted(content - {REPORT_FILE, INTERNAL_FOLDER})[:3]
        raise OutputError(
            Message(
                "The release cannot be written to {directory}: the folder holds something that is not a release of "
                "amun-dp ({foreign}), and is not replaced even with {force}. Choose a new or an empty folder.",
                directory=directory,
                foreign=", ".join(foreign) or REPORT_FILE,
            )
        )
    if not force:
        raise OutputError(
            Message(
                "The release cannot be written to {directory}: the folder already holds a release. Choose another "
                "output folder, or replace the old release with {force}.",
                directory=directory,
            )
        )


def _is_release(target: Path, content: set[str]) -> bool:
    """Only what a release consists of, with a report of ours: replacing it deletes nobody else's files."""
    if REPORT_FILE not in content or not content <= {REPORT_FILE, PAGE_FILE, INTERNAL_FOLDER, *LOG_FILES}:
        return False
    internal = target / INTERNAL_FOLDER
    if internal.exists() and not {entry.name for entry in internal.iterdir()} <= INTERNAL_FILES:
        return False
    for parts in (target / "log.parquet", internal / "ledger.parquet"):
        if parts.is_dir() and not all(PART.fullmatch(entry.name) for entry in parts.iterdir()):
            return False
    try:
        report = json.loads((target / REPORT_FILE).read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(report, dict) and str(report.get("schema", "")).startswith(REPORT_SCHEMA_FAMILY)


@contextmanager
def _parents(parent: Path) -> Iterator[None]:
    """Make the missing parents, and take them away again if the block fails."""
    missing = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    try:
        parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for folder in missing:
            with suppress(OSError):  # someone else may have put something there; then it stays
                folder.rmdir()
        raise


def _seal(folder: Path) -> None:
    """Give the folder the modes of a release and have its content reach the disk."""
    # mkdir gives what umask and default access lists want; os.umask would have to change it to tell it.
    probe = Path(tempfile.mktemp(prefix=temporary_prefix(os.getpid()), dir=folder))
    probe.mkdir()
    mode = stat.S_IMODE(probe.stat().st_mode)
    probe.rmdir()
    internal = folder / INTERNAL_FOLDER
    for path, folders, files in os.walk(folder):
        current = Path(path)
        private = current == internal or internal in current.parents
        if private:
            current.chmod(0o700)
        for name in files:
            if private:
                (current / name).chmod(0o600)
            _fsync(current / name)
        for name in folders:
            _fsync(current / name)
    folder.chmod(mode)
    _fsync(folder)


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put_in_place(temporary: Path, directory: Path, target: Path, force: bool) -> Path | None:
    """Rename the finished folder to its name. Returns where the old release was moved, if there was one."""
    if target.exists():
        _check_existing(directory, target, force)  # again: the run may have taken hours
    if not target.exists() or not any(target.iterdir()):
        temporary.rename(target)  # atomic; replaces an empty folder and refuses one that was filled meanwhile
        return None
    if exchange(temporary, target):
        return temporary  # which is where the old one is now
    # Elsewhere in two steps: there is a moment without any release, and a kill in it leaves the old one hidden.
    aside = Path(tempfile.mkdtemp(prefix=temporary_prefix(os.getpid()), dir=target.parent))
    try:
        target.rename(aside)
        temporary.rename(target)
    except BaseException:
        if not any(aside.iterdir()):
            aside.rmdir()
        else:
            if target.exists():
                target.rename(temporary)
            aside.rename(target)
        raise
    return aside


def _remove_replaced(folder: Path) -> None:
    try:
        while folder.exists():
            with suppress(FileNotFoundError):  # whoever cleans up at this moment was faster
                shutil.rmtree(folder)
    except OSError as error:
        raise OutputError(
            f"The new release is in place, but the old one could not be removed ({error.strerror}): what is "
            f"left of it is in {folder}. Remove that folder by hand; it may hold confidential files."
        ) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # finish the job if Ctrl-C interrupted it
