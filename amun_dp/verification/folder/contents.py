"""What is in a release folder, found without opening or following anything."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from accounting.ledger.files import JSON_FILE, PARQUET_FILE
from accounting.ledger.in_parts import part_name
from amun_dp.errors import InputError
from amun_dp.folder.names import FILE_NAMES, INTERNAL_FOLDER, PAGE_FILE, REPORT_FILE
from amun_dp.folder.parts import PART, digest_of_parts, file_digest
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import Fault, Missing, NotPossible, listed, require

PUBLIC_FILES = frozenset({REPORT_FILE, PAGE_FILE, *FILE_NAMES.values()})
INTERNAL_FILES = frozenset({REPORT_FILE, PAGE_FILE, JSON_FILE, PARQUET_FILE})
IN_PARTS = frozenset({FILE_NAMES["parquet"], f"{INTERNAL_FOLDER}/{PARQUET_FILE}"})
"""What may be a folder of parts instead of a file."""
_SECURITY_LABELS = tuple(
    f"security.{name}" for name in ("selinux", "capability", "ima", "evm", "apparmor", "SMACK64", "NTACL")
)
"""Extended attributes by which systems control access; anything else there is a message."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The names of a folder, by what they are. A link, a pipe or a device is never opened: it could lead anywhere."""

    folder: Path
    regular: frozenset[str]
    """Regular files, those of the internal part as ``internal/…``, parts of a log as ``log.parquet/part-…``."""
    folders: frozenset[str]
    """Folders of parts: the log, and the rows of the ledger."""
    strange: tuple[str, ...]
    """What is no part of a release: other files, folders, links, devices."""
    has_internal: bool

    @property
    def nothing_of_a_release(self) -> bool:
        return not PUBLIC_FILES & {*self.regular, *self.folders, *self.strange} and not self.has_internal

    def path(self, name: str) -> Path:
        """The file of that name, which is a regular one."""
        require(name in self.regular, f"there is no regular file {name} in the folder")
        return self.folder / name

    def files(self, name: str) -> list[Path]:
        """That file, or, where it is a folder, its parts: numbered without a gap, and at least one."""
        if name not in self.folders:
            return [self.path(name)]
        found = sorted(each for each in self.regular if each.startswith(f"{name}/"))
        due = [f"{name}/{part_name(number)}" for number in range(len(found))]
        require(bool(found) and found == due, f"the parts of {name} are not numbered from 0 on without a gap")
        return [self.folder / each for each in found]


def contents_of(folder: Path) -> Contents:
    regular: set[str] = set()
    folders: set[str] = set()
    strange: list[str] = []
    has_internal = False

    def look(entry: os.DirEntry[str], prefix: str, known: frozenset[str]) -> None:
        name = prefix + entry.name
        if entry.name in known and entry.is_file(follow_symlinks=False):
            regular.add(name)
        elif name in IN_PARTS and entry.is_dir(follow_symlinks=False):
            folders.add(name)
            for part in sorted(os.scandir(entry.path), key=lambda each: each.name):
                is_part = PART.fullmatch(part.name) is not None and part.is_file(follow_symlinks=False)
                (regular.add if is_part else strange.append)(f"{name}/{part.name}")
        else:
            strange.append(name)

    try:
        for entry in sorted(os.scandir(folder), key=lambda each: each.name):
            if entry.name == INTERNAL_FOLDER and entry.is_dir(follow_symlinks=False):
                has_internal = True
                for inner in sorted(os.scandir(entry.path), key=lambda each: each.name):
                    look(inner, f"{INTERNAL_FOLDER}/", INTERNAL_FILES)
            else:
                look(entry, "", PUBLIC_FILES)
    except NotADirectoryError as error:
        raise InputError(f"{folder} is a file. Name the folder of a release.") from error
    except FileNotFoundError as error:
        raise InputError(f"{folder}: there is no such folder. Name the folder of a release.") from error
    except OSError as error:
        raise InputError(f"{folder} cannot be read ({error.strerror}).") from error
    return Contents(folder, frozenset(regular), frozenset(folders), tuple(strange), has_internal)


def only_files_of_a_release(contents: Contents, report: PublicReport | Missing) -> str:
    """Nothing beside the log may travel with it: a copy of the original, a link to one, a second log."""
    require(
        not contents.strange,
        f"the folder holds what is no file of a release, or is no regular file: {listed(list(contents.strange))}; "
        "remove it",
    )
    logs = (contents.regular | contents.folders) & set(FILE_NAMES.values())
    if not isinstance(report, Missing):
        others = sorted(logs - {str(report.released.file)})
        require(not others, f"the folder holds a log that the report does not name: {listed(others)}; remove it")
    require(len(logs) <= 1, "the folder holds more than one log; remove those that the report does not name")
    _no_attributes_beside(contents)
    return f"{len(contents.regular)} files" + (", the internal part among them" if contents.has_internal else "")


def _no_attributes_beside(contents: Contents) -> None:
    """A file can carry named data beside its content, which an archive may take along. Linux can show them."""
    if not hasattr(os, "listxattr"):
        return
    inside = [INTERNAL_FOLDER] if contents.has_internal else []
    carrying = []
    for name in (".", *inside, *sorted(contents.folders), *sorted(contents.regular)):
        try:
            found = os.listxattr(contents.folder / name, follow_symlinks=False)
        except OSError:  # a file system without them
            continue
        if any(map(_of_nobody_s_system, found)):
            carrying.append(name)
    require(not carrying, f"extended attributes are attached to {listed(carrying)}; remove them (setfattr -x)")


def _of_nobody_s_system(attribute: str) -> bool:
    """Named by whoever attached it. Access rights and security labels are the system's, and file systems have their
    own (``system.*``, ``trusted.*``), which only its administrator can change."""
    if attribute.startswith("security."):
        return not attribute.startswith(_SECURITY_LABELS)
    return attribute.startswith("user.")


def hashes(contents: Contents, report: PublicReport) -> str:
    """Each published file is the one that the report names. (The report itself has no hash: it may be forged.)"""
    expected = {str(report.released.file), PAGE_FILE}
    require(set(report.files) == expected, f"the report must have the hashes of {listed(sorted(expected))}")
    for name, digest in report.files.items():
        parts = {path.name: file_digest(path) for path in contents.files(name)}
        found = digest_of_parts(parts) if name in contents.folders else parts[name]
        require(found == digest, f"{name} is not the file whose hash the report has")
    return "SHA-256 of " + " and ".join(sorted(report.files))


def internal_for_its_owner_only(contents: Contents) -> str:
    if os.name != "posix":
        raise NotPossible("this system has no POSIX permissions")
    folder = contents.folder / INTERNAL_FOLDER
    open_to_others = [
        name
        for name in (INTERNAL_FOLDER, *sorted(filter(_is_internal, contents.regular | contents.folders)))
        if stat.S_IMODE((contents.folder / name).lstat().st_mode) & 0o077
    ]
    if open_to_others:
        raise Fault(
            f"others than the owner have access to {listed(open_to_others)}; run chmod -R go= on {folder.name}/"
        )
    return "no access for group and others"


def _is_internal(name: str) -> bool:
    return name.startswith(f"{INTERNAL_FOLDER}/")
