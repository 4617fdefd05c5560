"""A released log in parts: a folder of numbered Parquet files, and one hash over all of them.

The hash is what ``sha256sum part-*.parquet | sha256sum`` prints in the folder: SHA-256 of one line a file, in the order
of their names, with the SHA-256 of the file, two blanks, its name and a line feed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from amun_dp._base.arrays import IntArray

if TYPE_CHECKING:
    pass

PART: Final = re.compile(r"part-[0-9]{5}\.parquet")
MOST_PARTS: Final = 100_000
"""So many have names of five digits."""
EVENTS_A_PART: Final = 500_000


def parts_for(events: int, cases: int) -> int:
    """How many parts a released log has: a fact about the released log and nothing else."""
    return max(1, min(-(-events // EVENTS_A_PART), cases, MOST_PARTS))


def first_cases(cases: int, parts: int) -> IntArray:
    """The first released case of each part, and the number of all: about equally many cases a part, so that where the
    log is cut says nothing either. Case c is in part ((c + 1)·parts - 1) div cases."""
    return np.arange(parts + 1, dtype=np.int64) * cases // parts


def parts_in(folder: Path) -> list[Path]:
    """The parts in a folder, in their order; nothing else there is looked at, and no link followed."""
    found = (path for path in folder.iterdir() if PART.fullmatch(path.name))
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def digest_of_parts(digests: Mapping[str, str]) -> str:
    """One hash from those of the files, by name."""
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def log_digest(path: Path) -> str:
    """The hash of a released log: of its file, or over its parts."""
    if path.is_dir():
        return digest_of_parts({part.name: file_digest(part) for part in parts_in(path)})
    return file_digest(path)


def file_digest(path: Path) -> str:
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()
