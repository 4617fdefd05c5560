"""Files that are private from their first byte and appear whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from accounting.registry.errors import RegistryError

if sys.platform != "win32":
    import fcntl

TEMPORARY_PREFIX = ".amun-dp-"


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """What the operating system says, with a way out."""
    try:
        yield
    except OSError as error:
        raise RegistryError(
            f"The registry cannot be read or written at {path} ({error.strerror or 'unknown error'}). Fix the cause, "
            "or choose another file for the registry."
        ) from error


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """An empty file in the same folder that nobody else can read; gone at the end, unless it got a name of its own."""
    descriptor, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=path.parent)
    temporary = Path(name)
    try:
        if sys.platform != "win32":
            with suppress(OSError):  # some file systems have no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)  # so that it is not taken for one that a killed process left
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
        os.close(descriptor)


def write_durably(path: Path, content: bytes) -> None:
    """Into an existing file, and on the disk before anything else is done with it."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def put_in_place(temporary: Path, path: Path) -> bool:
    """Give a finished file its name, unless that is taken. Returns whether it was free."""
    try:
        os.link(temporary, path)  # unlike a rename, it replaces nothing
    except FileExistsError:
        return False
    fsync_folder(path)
    return True


def make_folder(folder: Path) -> None:
    """The folder and its missing parents, for their owner alone; what exists keeps its mode."""
    if not folder.exists():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def fsync_folder(path: Path) -> None:
    """Have a new name in the folder reach the disk. Windows opens no folders, and needs none of this."""
    if os.name != "posix":
        return
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
