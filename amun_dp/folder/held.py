"""Whose a temporary file or folder is: the process that works in it holds a lock on it, which ends with the process.

The number of a process would not do: it is given again, and in a container the first process is always number 1.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


@contextmanager
def new_held_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder for its owner alone, held while the block runs. It is not removed at the end."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with held(folder) as here:
            if here:
                yield folder
                return


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold a file or folder of our own, waiting for whoever looks at it. False: somebody took it away before."""
    descriptor = _opened(path)
    if descriptor is None:
        yield path.exists()
        return
    try:
        _lock(descriptor, wait=True)
        yield _is_at(path, descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def taken_over(path: Path) -> Iterator[bool | None]:
    """Hold a file or folder that somebody may have left: True while nobody else has it, False where somebody has, None
    where the system cannot say."""
    descriptor = _opened(path)
    if descriptor is None:
        yield False if path.exists() and sys.platform != "win32" else None
        return
    try:
        yield _lock(descriptor, wait=False)
    finally:
        os.close(descriptor)


def hold_open(descriptor: int) -> None:
    """Hold an open file until it is closed."""
    _lock(descriptor, wait=True)


def _opened(path: Path) -> int | None:
    """None: it is gone, not ours to open, or (on Windows) a folder."""
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None


def _lock(descriptor: int, wait: bool) -> bool | None:
    """Whether it is ours now; None: some file systems (over a network) lock no folders."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        return False
