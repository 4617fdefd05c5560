"""What the page may read and where it may write: below one folder, and a private place for what is dropped on it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from amun_dp.errors import InputError
from amun_dp.folder.names import INTERNAL_FOLDER, LOG_FILES, REPORT_FILE
from amun_dp.folder.placing import temporary_prefix
from amun_dp.reading.files import ACCEPTED_ENDINGS

ENDINGS = tuple(ACCEPTED_ENDINGS.split(", "))
MOST_ENTRIES = 20_000
"""Files and folders that are looked at: a folder may be somebody's home."""
MOST_LISTED = 300
DEEPEST = 6
UPLOAD = "upload:"
"""How the names of what was dropped on the page begin."""
LONGEST_NAME = 200
"""Bytes of a folder's name that come from a log's: file systems take 255."""
_GONE = InputError("What was dropped on the page is gone. Drop it again.")


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
            if entry.name.startswith(".") or entry.is_symlink() or not _is_text(entry.name):
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
        if not name or "\0" in name or "\\" in name or parts.is_absolute() or ".." in parts.parts or not _is_text(name):
            raise InputError("There is nothing of that name below the folder.")
        path = self.folder / parts
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.folder) or not real.exists():
            raise InputError("There is nothing of that name below the folder.")
        return path

    def release(self, name: str) -> Path:
        """A release below the folder, or one that was dropped on the page."""
        folder = self.unpacked(name) if name.startswith(UPLOAD) else self.below(name)
        # The internal part has a report of its own, and must not pass for a release.
        inside = Path(os.path.realpath(folder)).relative_to(os.path.realpath(self._root_of(name))).parts
        if any(part.startswith(".") or part.casefold() == INTERNAL_FOLDER for part in inside):
            raise InputError("There is no release of that name below the folder.")
        if not is_there(folder / REPORT_FILE):
            raise InputError("That is no release: there is no report.json in it.")
        return folder

    def _root_of(self, name: str) -> Path:
        return self.private if name.startswith(UPLOAD) else self.folder

    def uploaded(self, name: str) -> Path:
        """The file that was dropped on the page, by the name that it was given then."""
        folder = self._upload_folder(name)
        found = [path for path in folder.iterdir() if path.name.startswith("upload.")]
        if not found:
            raise _GONE
        return found[0]

    def unpacked(self, name: str) -> Path:
        """Where an archive that was dropped on the page is unpacked to, or will be."""
        return self._upload_folder(name) / "release"

    def _upload_folder(self, name: str) -> Path:
        key = name.removeprefix(UPLOAD)
        if not (key.isascii() and key.replace("_", "").isalnum() and (self.private / key).is_dir()):
            raise _GONE
        return self.private / key

    def room_for_upload(self, file_name: str) -> tuple[str, Path]:
        """A name to ask for it by, and where to write it. Of its own name only the ending is kept."""
        lower = file_name.lower()
        ending = max((one for one in (*ENDINGS, ".zip") if lower.endswith(one)), key=len, default=None)
        if ending is None:
            raise InputError(f"The ending does not say what this is. Accepted are {ACCEPTED_ENDINGS}, and .zip.")
        folder = Path(tempfile.mkdtemp(dir=self.private, prefix="upload"))
        return f"{UPLOAD}{folder.name}", folder / f"upload{ending}"

    def left_by(self, process: int) -> list[Path]:
        """What a worker that has died left half written."""
        return sorted(self.folder.glob(f"{temporary_prefix(process)}*"))

    def room_for_release(self, log_name: str) -> Path:
        """A folder that does not exist yet, named after the log."""
        stem = PurePosixPath(log_name).name
        for ending in ENDINGS:
            stem = stem.removesuffix(ending)
        stem = "".join(character if character.isalnum() or character in "-_ ." else "-" for character in stem)
        stem = stem.encode()[:LONGEST_NAME].decode(errors="ignore").strip(" .") or "log"
        number = 1
        while (path := self.folder / (f"{stem}-release" + (f"-{number}" if number > 1 else ""))).exists():
            number += 1
        return path


def _looks_like_a_release(folder: Path) -> bool:
    """By its files' names: a damaged release is for ``verify`` to judge, so it must be found, too."""
    return is_there(folder / REPORT_FILE) and any(is_there(folder / name) for name in LOG_FILES)


def is_there(path: Path) -> bool:
    """Also an answer where a folder may not be entered."""
    try:
        return path.exists()
    except OSError:
        return False


def _is_text(name: str) -> bool:
    """Not so for names in some other encoding; the page could not ask for them."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _by_name(found: Found) -> str:
    return found.name.casefold()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
