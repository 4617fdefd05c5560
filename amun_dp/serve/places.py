"""What the page may read and where it may write: below one folder, and a private place for what is dropped on it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from amun_dp.errors import InputError
from amun_dp.reading.files import ACCEPTED_ENDINGS
from amun_dp.writing.folder import LOG_FILES, REPORT_FILE

ENDINGS = tuple(ACCEPTED_ENDINGS.split(", "))
MOST_ENTRIES = 20_000
"""Files and folders that are looked at: a folder may be somebody's home."""
MOST_LISTED = 300
DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Found:
    """A log or a release below the folder."""

    name: str
    """Relative to the folder, with slashes: how the page asks for it."""
    size: int


@dataclass(frozen=True, slots=True)
class Listing:
    logs: tuple[Found, ...]
    releases: tuple[Found, ...]
    complete: bool
    """False where the folder holds more than was looked at."""


@dataclass(frozen=True, slots=True)
class Places:
    folder: Path
    private: Path
    """For uploads; whoever made it removes it."""

    def find(self) -> Listing:
        """Logs and releases below the folder, without following links. A released log is part of its release."""
        logs: list[Found] = []
        releases: list[Found] = []
        complete = True
        for number, (path, is_release) in enumerate(self._walk(self.folder, DEEPEST)):
            if number >= MOST_ENTRIES or max(len(logs), len(releases)) >= MOST_LISTED:
                complete = False
                break
            found = Found(path.relative_to(self.folder).as_posix(), _size(path))
            if is_release:
                releases.append(found)
            elif path.name.lower().endswith(ENDINGS):
                logs.append(found)
        return Listing(tuple(sorted(logs, key=_by_name)), tuple(sorted(releases, key=_by_name)), complete)

    def _walk(self, folder: Path, depth: int) -> Iterator[tuple[Path, bool]]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            path = Path(entry.path)
            if not entry.is_dir(follow_symlinks=False):
                yield path, False
            elif _looks_like_a_release(path):
                yield path, True
            elif depth > 1:
                yield from self._walk(path, depth - 1)

    def below(self, name: str) -> Path:
        """The file or folder of that name below the served folder. Whatever leads out of it is refused."""
        parts = PurePosixPath(name)
        if not name or "\0" in name or "\\" in name or parts.is_absolute() or ".." in parts.parts:
            raise InputError("There is nothing of that name below the folder.")
        path = self.folder / parts
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.folder) or not real.exists():
            raise InputError("There is nothing of that name below the folder.")
        return path

    def release(self, name: str) -> Path:
        """A release below the folder, or one that was dropped on the page."""
        folder = self.uploaded(name) if name.startswith("upload:") else self.below(name)
        if not (folder / REPORT_FILE).is_file():
            raise InputError("That is no release: there is no report.json in it.")
        return folder

    def uploaded(self, name: str) -> Path:
        """What was dropped on the page, by the name that it was given then."""
        key = name.removeprefix("upload:")
        if key.isalnum():
            folder = self.private / key
            if folder.is_dir():
                return next(iter(sorted(folder.iterdir())), folder)
        raise InputError("What was dropped on the page is gone. Drop it again.")

    def room_for_upload(self, file_name: str) -> tuple[str, Path]:
        """A name to ask for it by, and where to write it. Of its own name only the ending is kept."""
        lower = file_name.lower()
        ending = max((one for one in (*ENDINGS, ".zip") if lower.endswith(one)), key=len, default=None)
        if ending is None:
            raise InputError(f"The ending does not say what this is. Accepted are {ACCEPTED_ENDINGS}, and .zip.")
        key = secrets.token_hex(8)
        folder = self.private / key
        folder.mkdir(mode=0o700)
        return f"upload:{key}", folder / f"upload{ending}"

    def room_for_release(self, log_name: str) -> Path:
        """A folder that does not exist yet, named after the log."""
        stem = PurePosixPath(log_name).name
        for ending in ENDINGS:
            stem = stem.removesuffix(ending)
        stem = "".join(character if character.isalnum() or character in "-_ ." else "-" for character in stem)[:80]
        stem = stem.strip(" .") or "log"
        number = 1
        while (path := self.folder / (f"{stem}-release" + (f"-{number}" if number > 1 else ""))).exists():
            number += 1
        return path


def _looks_like_a_release(folder: Path) -> bool:
    """By its files' names: a damaged release is for ``verify`` to judge, so it must be found, too."""
    return (folder / REPORT_FILE).is_file() and any((folder / name).exists() for name in LOG_FILES)


def _by_name(found: Found) -> str:
    return found.name.casefold()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
