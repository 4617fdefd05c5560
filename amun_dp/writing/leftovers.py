"""What a killed run left beside its target: a hidden folder with parts of a release, confidential ones among them.

A run that is interrupted removes its folder itself. One that is killed cannot, so the next run with a target beside it
names the folder, and ``amun-dp clean`` removes it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from amun_dp.writing.folder import REPORT_FILE, output_errors

_NAME = re.compile(r"\.amun-dp-(\d+)-.+")


def leftovers_beside(directory: Path) -> tuple[Path, ...]:
    """Folders of runs that are over, beside the target ``directory`` of a release. Those of a running process, also of
    another one that got its number since, are left alone."""
    parent = Path(os.path.realpath(directory)).parent
    try:
        found = [path for path in parent.iterdir() if _NAME.fullmatch(path.name) and path.is_dir()]
    except OSError:  # no such folder yet, or not ours to read: then no run of ours wrote there
        return ()
    return tuple(sorted(path for path in found if not _is_running(path)))


def release_in(folder: Path) -> str | None:
    """The identifier of the release that was being written there, if it got that far."""
    try:
        identifier = json.loads((folder / REPORT_FILE).read_bytes())["release"]["id"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return identifier if isinstance(identifier, str) else None


def remove_leftover(folder: Path) -> None:
    """Remove it for good."""
    with output_errors(folder):
        shutil.rmtree(folder)


def _is_running(folder: Path) -> bool:
    match = _NAME.fullmatch(folder.name)
    assert match is not None  # only such folders come here
    try:
        os.kill(int(match[1]), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's process
        return True
    return True
