"""A log in several files: which files of a folder belong to it. One set of rules, whichever engine reads them.

Whoever passes over a file in silence releases a part of the log as if it were all of it. So everything in the folder
belongs to the log or is refused, except names that those who write such folders give their own bookkeeping.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from amun_dp.errors import InputError


@dataclass(frozen=True, slots=True)
class Entry:
    """What a folder holds under a name."""

    name: str
    kind: Literal["file", "folder", "other"]
    size: int


def entries_in(folder: Path) -> list[Entry]:
    """What is in a folder of this machine, also what cannot be opened: a link to nothing is a file that is missing."""
    return [
        Entry(
            path.name,
            kind="file" if path.is_file() else "folder" if path.is_dir() else "other",
            size=path.stat().st_size if path.is_file() else 0,
        )
        for path in folder.iterdir()
    ]


def parts_among(entries: Iterable[Entry], log: str) -> tuple[list[Entry], list[Entry]]:
    """Files and folders that belong to the log, in the order of their names; refuses what cannot be a part of it."""
    files, folders = [], []
    for entry in sorted(entries, key=lambda each: each.name):
        if entry.name == _UNFINISHED_JOB or entry.name.endswith(_UNFINISHED_COPY):
            raise InputError(
                f"{log} is still being written, or was left unfinished: it holds {entry.name!r}. Events may be "
                "missing. Wait until it is complete, or write it again."
            )
        if is_bookkeeping(entry.name):
            continue
        if entry.kind == "folder":
            folders.append(entry)
        elif entry.kind == "other":
            raise InputError(
                f"{log} holds something that is not a file{_called(entry)}: a link to nothing, or a device. Events may "
                "be missing. Put the file there, or remove it from the folder."
            )
        elif not entry.size:
            raise InputError(
                f"{log} holds an empty file{_called(entry)}. A Parquet file is never empty, even without rows, so "
                "events may be missing. Copy or export it again."
            )
        else:
            files.append(entry)
    return files, folders


def is_bookkeeping(name: str) -> bool:
    """Whether Spark, which writes most such folders, takes the name for no data: ``_SUCCESS``, ``.part-0.crc``."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


_UNFINISHED_JOB, _UNFINISHED_COPY = "_temporary", "._COPYING_"
"""What Hadoop's committer and its copying leave until they are done; Spark passes over both."""


def _called(entry: Entry) -> str:
    """The name; but what is after = is a value of a column."""
    return "" if "=" in entry.name else f" ({entry.name})"


def other_columns(log: str) -> InputError:
    return InputError(
        f"The files of {log} do not all have the same columns. Events would lack what other files state. Write them "
        "anew, all in one way."
    )


def other_types(name: str) -> InputError:
    return InputError(
        f"The column {name!r} has another type in some files than in others. Write the files anew, all in one way."
    )
