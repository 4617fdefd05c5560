"""A release that came as a zip archive, unpacked so that it can be verified as a folder is.

What is no file of a release is not passed over: it stands in the folder under its name, without its content, so that
verification names it as it does on the command line. What has no place in a folder at all (names that lead out of it,
files beside the one folder that was packed) is refused.
"""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from amun_dp.errors import InputError
from amun_dp.folder.names import INTERNAL_FILES, INTERNAL_FOLDER, LOG_FILES, PAGE_FILE, REPORT_FILE
from amun_dp.folder.parts import PART

_PUBLIC = {REPORT_FILE, PAGE_FILE, *LOG_FILES}
_IN_PARTS = ("log.parquet", f"{INTERNAL_FOLDER}/ledger.parquet")
_CHUNK = 1 << 20
MOST_MEMBERS = 1_000
_NOWHERE = "a-link-of-the-archive"
"""What a link is made to point at: verification never follows one, and this is not there."""


def unpack_release(archive: Path, folder: Path, largest: int) -> None:
    """Into a new folder. At most ``largest`` bytes in all: what an archive says of its sizes is not believed."""
    try:
        with zipfile.ZipFile(archive) as packed:
            members = _members(packed.infolist())
            folder.mkdir(mode=0o700)
            left = largest
            for place, member in members.items():
                left = _put(packed, member, folder, place, left)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError("The archive is damaged, encrypted or of a kind that cannot be read.") from error
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise InputError(
            "The archive holds names that cannot stand in one folder here. Pack the folder of the release alone."
        ) from error
    except InputError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _members(packed: list[zipfile.ZipInfo]) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Where each member belongs. An archive that others may unpack to something else is refused: of two files for one
    place, which one was verified?"""
    if len(packed) > MOST_MEMBERS:
        raise InputError(f"The archive holds more than {MOST_MEMBERS:,} files, so it is no release.")
    top = _top(packed)
    members: dict[PurePosixPath, zipfile.ZipInfo] = {}
    beside = []
    for member in packed:
        path = PurePosixPath(member.filename)
        if member.is_dir() and path in (top, *top.parents):
            continue
        if not _stays_inside(member.filename) or not path.is_relative_to(top) or path == top:
            beside.append(member.filename)
            continue
        place = path.relative_to(top)
        if place in members:
            raise InputError("The archive holds more than one release: a file is in it twice. Pack one folder alone.")
        members[place] = member
    if beside:
        from amun_dp.verification.checks import listed, safe

        raise InputError(
            f"The archive holds more than the folder of one release: {safe(listed(sorted(beside)))}. What is beside it "
            "would not be verified. Pack that folder alone."
        )
    return members


def _top(packed: list[zipfile.ZipInfo]) -> PurePosixPath:
    """The folder that was packed, or the root where its content was: where the report is, and the internal one not."""
    reports = [PurePosixPath(member.filename) for member in packed if not member.is_dir()]
    folders = {path.parent for path in reports if path.name == REPORT_FILE and path.parent.name != INTERNAL_FOLDER}
    if not folders:
        raise InputError("The archive holds no release: there is no report.json in it.")
    fewest = min(len(folder.parts) for folder in folders)
    highest = [folder for folder in folders if len(folder.parts) == fewest]
    if len(highest) > 1:
        raise InputError("The archive holds more than one release. Pack one folder alone.")
    return highest[0]


def _stays_inside(name: str) -> bool:
    """Whether every program that unpacks archives puts it at the same place, inside the folder."""
    parts = name.removesuffix("/").split("/")
    return "\\" not in name and "\0" not in name and not any(part in ("", ".", "..") for part in parts)


def _put(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, place: PurePosixPath, left: int) -> int:
    target = folder / place
    for parent in reversed(place.parents[:-1]):
        (folder / parent).mkdir(mode=0o700, exist_ok=True)
    if member.is_dir():
        target.mkdir(mode=0o700, exist_ok=True)
        return left
    if stat.S_ISLNK(member.external_attr >> 16):
        target.symlink_to(_NOWHERE)
        return left
    if not _of_a_release(place):
        target.touch(mode=0o600, exist_ok=False)  # its name is what fails the release; its content is nobody's
        return left
    return _unpack(packed, member, target, left)


def _of_a_release(place: PurePosixPath) -> bool:
    *above, name = place.parts
    if not above:
        return name in _PUBLIC
    if above == [INTERNAL_FOLDER]:
        return name in INTERNAL_FILES
    return "/".join(above) in _IN_PARTS and PART.fullmatch(name) is not None


def _unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int) -> int:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Others are decompressed without a bound: a kilobyte of bzip2 fills the memory at one read.
        raise InputError("The archive is compressed in a way that is not taken. Pack it as zip programs usually do.")
    with packed.open(member) as source, target.open("xb") as written:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise InputError(
                    "What the archive holds is larger than the page takes. Whoever starts the page sets this limit."
                )
            written.write(chunk)
    target.chmod(0o600)
    return left
