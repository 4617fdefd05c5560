"""A release that came as a zip archive, unpacked: its own files and nothing else, however the archive was made."""

from __future__ import annotations

import shutil
import stat
import zipfile
from pathlib import Path, PurePosixPath

from amun_dp.errors import InputError
from amun_dp.writing.folder import INTERNAL_FILES, INTERNAL_FOLDER, LOG_FILES, PAGE_FILE, REPORT_FILE

_PUBLIC = {REPORT_FILE, PAGE_FILE, *LOG_FILES}
_CHUNK = 1 << 20


def unpack_release(archive: Path, folder: Path, largest: int) -> None:
    """Into a new folder. At most ``largest`` bytes in all: what an archive says of its sizes is not believed."""
    try:
        with zipfile.ZipFile(archive) as packed:
            members = {place: member for member in packed.infolist() if (place := _place(member)) is not None}
            if PurePosixPath(REPORT_FILE) not in members:
                raise InputError("The archive holds no release: there is no report.json in it.")
            folder.mkdir(mode=0o700)
            left = largest
            for place, member in members.items():
                left = _unpack(packed, member, folder / place, left)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError("The archive is damaged, encrypted or of a kind that cannot be read.") from error


def _place(member: zipfile.ZipInfo) -> PurePosixPath | None:
    """Where a member of the archive belongs in a release; None for what is no part of one."""
    if member.is_dir() or stat.S_ISLNK(member.external_attr >> 16):
        return None
    parts = PurePosixPath(member.filename).parts
    if len(parts) > 1 and parts[-2] == INTERNAL_FOLDER and parts[-1] in INTERNAL_FILES:
        return PurePosixPath(INTERNAL_FOLDER, parts[-1])
    # Archives are often made of a folder, not of its content.
    return PurePosixPath(parts[-1]) if len(parts) <= 2 and parts[-1] in _PUBLIC else None


def _unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int) -> int:
    target.parent.mkdir(mode=0o700, exist_ok=True)
    with packed.open(member) as source, target.open("xb") as written:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                shutil.rmtree(target.parent, ignore_errors=True)
                raise InputError("What the archive holds is larger than the page takes (--max-upload).")
            written.write(chunk)
    target.chmod(0o600)
    return left
