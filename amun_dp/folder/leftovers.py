"""What killed runs left: hidden files and folders with parts of a release, or of a log, confidential ones among them.

A run that is interrupted removes them itself. One that is killed cannot, so the next run with a target there names
them, and ``amun-dp clean`` removes them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from amun_dp.errors import OutputError
from amun_dp.folder.held import taken_over
from amun_dp.folder.names import REPORT_FILE
from amun_dp.folder.placing import output_errors

_FOLDER = re.compile(r"\.amun-dp-(?:(?P<process>\d+)-(?:(?P<release>[0-9a-f]{32})-)?.+|stages-.+|scratch)")
"""Of a release that is being written; of the stages of a run on Spark; of the releases of a comparison."""
_JOURNAL = "-journal"
_FILE = re.compile(rf"\.amun-dp-[a-z0-9_]{{8}}({_JOURNAL})?")
"""A log that is being written, or a registry or its key, as ``tempfile`` names them; or SQLite's journal of one."""


def leftovers_beside(directory: Path) -> tuple[Path, ...]:
    """What runs that are over left beside the target ``directory`` and in it. What a running process holds is left
    alone."""
    target = Path(os.path.realpath(directory))
    found = [path for folder in (target.parent, target) for path in _ours_in(folder)]
    return tuple(sorted(path for path in found if not _is_held(path)))


def release_in(left: Path) -> str | None:
    """The identifier of the release that was being written there, if there was one."""
    named = _FOLDER.fullmatch(left.name)
    if named is not None and named["release"]:
        return named["release"]
    try:
        identifier = json.loads((left / REPORT_FILE).read_bytes())["release"]["id"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return identifier if isinstance(identifier, str) else None


@contextmanager
def claimed(left: Path) -> Iterator[None]:
    """Have it to ourselves while the block runs."""
    with taken_over(left) as free:
        if free is False:
            raise OutputError(f"{left} is in use again, or somebody else's, and was not removed.")
        yield


def remove_leftover(left: Path) -> None:
    """Remove it for good, also where another process is removing it at the same moment."""
    with output_errors(left):
        if not left.is_dir():
            left.unlink(missing_ok=True)
        while left.exists():
            with suppress(FileNotFoundError):  # the other one was faster
                shutil.rmtree(left)


def _ours_in(folder: Path) -> list[Path]:
    """Things of ours by name and kind."""
    try:
        return [path for path in folder.iterdir() if _is_ours(path)]
    except OSError:  # no such folder (yet), or not ours to read: then no run of ours wrote there
        return []


def _is_ours(path: Path) -> bool:
    if path.is_symlink():
        return False
    if _FOLDER.fullmatch(path.name) is not None:
        return path.is_dir()
    return _FILE.fullmatch(path.name) is not None and path.is_file()


def _is_held(path: Path) -> bool:
    if path.name.endswith(_JOURNAL) and path.with_name(path.name.removesuffix(_JOURNAL)).exists():
        return _is_held(path.with_name(path.name.removesuffix(_JOURNAL)))
    with taken_over(path) as free:
        if free is not None:
            return not free
    named = _FOLDER.fullmatch(path.name)
    if named is None or not named["process"]:
        return True  # nobody can say, so it is left alone
    try:
        os.kill(int(named["process"]), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's process
        return True
    return True
