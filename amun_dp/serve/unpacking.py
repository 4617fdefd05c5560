"""A release that came as a zip archive, unpacked: its own files and nothing else, however the archive was made."""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from amun_dp.errors import InputError
from amun_dp.writing.folder import INTERNAL_FILES, INTERNAL_FOLDER, LOG_FILES, PAGE_FILE, REPORT_FILE

_PUBLIC = {REPORT_FILE, PAGE_FILE, *LOG_FILES}
_CHUNK = 1 << 20
MOST_MEMBERS = 1_000


def unpack_release(archive: Path, folder: Path, largest: int) -> None:
    """Into a new folder. At most ``largest`` bytes in all: what an archive says of its sizes is not believed."""
    try:
        with zipfile.ZipFile(archive) as packed:
            members = _members(packed.infolist())
            folder.mkdir(mode=0o700)
            left = largest
            for place, member in members.items():
                left = _unpack(packed, member, folder / place, left)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError("The archive is damaged, encrypted or of a kind that cannot be read.") from error
    except InputError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _members(packed: list[zipfile.ZipInfo]) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Where each member belongs. An archive that others may unpack to something else is refused: of two files for one
    place, which one was verified?"""
    if len(packed) > MOST_MEMBERS:
        raise InputError(f"The archive holds more than {MOST_MEMBERS:,} files, so it is no release.")
    members: dict[PurePosixPath, zipfile.ZipInfo] = {}
    tops = set()
    for member in packed:
        found = _place(member)
        if found is None:
            continue
        top, place = found
        tops.add(top)
        if place in members or len(tops) > 1:
            raise InputError("The archive holds more than one release. Pack one folder alone.")
        members[place] = member
    if PurePosixPath(REPORT_FILE) not in members:
        raise InputError("The archive holds no release: there is no report.json in it.")
    return members


def _place(member: zipfile.ZipInfo) -> tuple[str, PurePosixPath] | None:
    """The folder that was packed, and where the member belongs in a release; None for what is no part of one."""
    if member.is_dir() or stat.S_ISLNK(member.external_attr >> 16):
        return None
    parts = PurePosixPath(member.filename).parts
    if not parts:
        return None
    if len(parts) > 1 and parts[-2] == INTERNAL_FOLDER and parts[-1] in INTERNAL_FILES:
        return "/".join(parts[:-2]), PurePosixPath(INTERNAL_FOLDER, parts[-1])
    # Archives are often made of a folder, not of its content.
    return ("/".join(parts[:-1]), PurePosixPath(parts[-1])) if parts[-1] in _PUBLIC else None


def _unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int) -> int:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Others are decompressed without a bound: a kilobyte of bzip2 fills the memory at one read.
        raise InputError("The archive is compressed in a way that is not taken. Pack it as zip programs usually do.")
    target.parent.mkdir(mode=0o700, exist_ok=True)
    with packed.open(member) as source, target.open("xb") as written:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise InputError("What the archive holds is larger than the page takes (--max-upload).")
            written.write(chunk)
    target.chmod(0o600)
    return left
