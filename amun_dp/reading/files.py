"""Finding out what a file is, and opening it."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from amun_dp.errors import InputError
from amun_dp.reading.folders import entries_in, parts_among

_FORMATS = {
    ".xes": ("xes", False),
    ".xes.gz": ("xes", True),
    ".csv": ("csv", False),
    ".csv.gz": ("csv", True),
    ".parquet": ("parquet", False),
}
ACCEPTED_ENDINGS = ", ".join(_FORMATS)

_SIGNATURES = {
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip archive (or an Office document)",
    b"PK\x05\x06": "an empty zip archive",
    b"\x89PNG": "a PNG image",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"SQLite format 3": "an SQLite database",
    b"\xff\xd8\xff": "a JPEG image",
}
_LONGEST_SIGNATURE = 64


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file that exists, and what its name says it is; for Parquet it may be a folder of files."""

    path: Path
    format: str
    compressed: bool


def recognise(path: Path) -> LogFile:
    """What the file is by its name, once it is sure that it exists and does not hold another kind of thing."""
    name = path.name.lower()
    # The longest ending first, so that .xes.gz is not mistaken.
    ending = max((ending for ending in _FORMATS if name.endswith(ending)), key=len, default=None)
    try:
        if path.is_dir():
            if ending == ".parquet" and parquet_files(path):
                return LogFile(path, "parquet", compressed=False)
            raise InputError(f"{path} is a folder. Name the log file inside it.")
        if ending is None:
            raise InputError(
                f"{path}: the ending does not say what kind of log this is. Accepted are {ACCEPTED_ENDINGS}."
            )
        if not path.exists():
            raise InputError(f"{path}: there is no such file. Check the name and the folder it is in.")
        if not path.is_file():  # a pipe cannot be read twice
            raise InputError(f"{path} is not a regular file. Save the log to one first.")
    except (OSError, ValueError) as error:  # a name too long, or with a NUL in it
        raise InputError(f"{str(path)!r} cannot be opened: {_reason(error)}.") from None
    file_format, compressed = _FORMATS[ending]
    file = LogFile(path, file_format, compressed)
    with _reported(path), path.open("rb") as stream:
        _refuse_other_kinds(file, stream.read(_LONGEST_SIGNATURE))
    if compressed:
        with opened(file, ahead=io.DEFAULT_BUFFER_SIZE) as stream:
            content = LogFile(path, file_format, compressed=False)
            _refuse_other_kinds(content, stream.read(_LONGEST_SIGNATURE))
    return file


def parquet_files(path: Path) -> list[Path]:
    """The file itself, or those of a folder in the order of their names, which is that of their events."""
    if not path.is_dir():
        return [path]
    files, folders = parts_among(entries_in(path), str(path))
    if folders:
        raise InputError(
            f"{path} holds folders, and only files directly in it are read. Move the files of the log into one folder, "
            "or read it with Spark, which takes folders that are named by a column (column=value)."
        )
    return [path / each.name for each in files]


@contextmanager
def opened(file: LogFile, ahead: int = 1 << 20) -> Iterator[IO[bytes]]:
    """The (decompressed) bytes of the file, so many ``ahead``; what goes wrong while they are read becomes an
    InputError."""
    with _reported(file.path), file.path.open("rb") as raw:
        if file.compressed:
            with gzip.GzipFile(fileobj=raw) as unzipped, io.BufferedReader(unzipped, ahead) as stream:
                yield stream
        else:
            yield raw


def line_at(file: LogFile, offset: int) -> int:
    """The line of a byte of the (decompressed) file. For messages only, so that reading need not count lines."""
    line = 1
    with opened(file) as stream:
        while offset > 0 and (chunk := stream.read(min(offset, 1 << 20))):
            line += chunk.count(b"\n")
            offset -= len(chunk)
    return line


def _refuse_other_kinds(file: LogFile, start: bytes) -> None:
    if not start:
        raise InputError(f"{file.path} is empty. Export the log again.")
    found = next((kind for signature, kind in _SIGNATURES.items() if start.startswith(signature)), None)
    expected = "a gzip file" if file.compressed else "a Parquet file" if file.format == "parquet" else None
    if found == expected:
        if expected is None and file.format == "csv" and start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            raise InputError(f"{file.path} is named a CSV file but holds XML. If it is an XES log, name it .xes.")
        return
    if found == "a gzip file":
        fix = "Add .gz to its name, or decompress it."
    elif file.compressed:
        fix = "Remove .gz from its name if it is not compressed."
    else:
        fix = f"Name it by what it is ({ACCEPTED_ENDINGS}), or export the log again."
    what = f"is {found}" if found else f"is not {expected}"
    raise InputError(f"{file.path} {what}, whatever its name says. {fix}")


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except EOFError:
        raise InputError(f"{path} is truncated: the compressed data ends too early. Copy or export it again.") from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(f"{path} is damaged: it cannot be decompressed. Copy or export it again.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {_reason(error)}.") from None


def _reason(error: Exception) -> str:
    code = getattr(error, "errno", None)
    return os.strerror(code) if code else "the name is not one of a file"
