"""How the file of a log was compressed: nothing but its content may decide that.

Compressed data have room. The same content can be packed in countless ways (empty blocks with padding, other matches,
other encodings of a column), and which one was taken can spell a message as long as the original. So the content is
packed again, by the code that writes releases, and must give the same bytes. Where another zlib or Arrow packed it that
cannot be compared, and whoever makes the file can say that one did. No bound on the size makes up for that: a file that
is packed well has room before it is as large as one that is packed fast. So such a file could not be judged; one that
is far larger than here fails.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from accounting.arrow import opened_parquet
from amun_dp.eventlog.log import PublicLog
from amun_dp.verification.checks import Fault, NotPossible, require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.report.report_checks import ReadReport
from amun_dp.writing.packing import packed, packer
from amun_dp.writing.tables import write_parquet

_CHUNK = 1 << 18
_ROOM = 4
"""One part in so many by which a file that another zlib or Arrow packed may be larger than here. (At our level, what
zlib makes of released logs is larger by up to an eighth than what zlib-ng makes of them.)"""
_ROOM_BYTES = 1_024
_ROOM_OF_A_COLUMN = 1_024
"""Bytes for what versions of Arrow note of each column of each group of rows."""
_LONGEST_NAME = 127
"""Bytes of a text whose length Parquet notes in one."""
_BEST_LEVELS = (8, 9)
"""One of these packs best, in zlib and in zlib-ng."""


def packed_as_here(contents: Contents, read: ReadReport) -> str:
    """A log in one file that is not Parquet: gzip, or not compressed at all."""
    path = contents.files(str(read.report.released.file))[0]
    if not path.name.endswith(".gz"):
        return "it is not compressed"
    again = _Compared(path)
    try:
        with packed(cast(BinaryIO, again)) as stream:
            for piece in _unpacked(path):
                stream.write(piece)
    finally:
        again.close()
    size, due = path.stat().st_size, again.written
    if again.same and size == due:
        return "every byte of the compressed file"
    require(
        read.report.formats.get("packing") != packer(),
        "the file is not what the named zlib, which is the one here, makes of its content; such freedom can hide data",
    )
    require(size <= due + due // _ROOM + _ROOM_BYTES, too_large(size, due))
    least = _smallest(path)
    raise NotPossible(
        "another zlib is said to have compressed the file, and what it hides in doing so cannot be seen: it has "
        f"{size:,} bytes, would have {due:,} here, and {least:,} at the best level; use a Python with that zlib, or "
        "ask for a CSV file, which is not compressed"
    )


def _smallest(path: Path) -> int:
    """How small the content becomes at the best level of the zlib here: at least what is beyond that is room."""
    packers = [zlib.compressobj(level, wbits=31) for level in _BEST_LEVELS]
    sizes = [0] * len(packers)
    for piece in _unpacked(path):
        sizes = [size + len(each.compress(piece)) for size, each in zip(sizes, packers, strict=True)]
    return min(size + len(each.flush()) for size, each in zip(sizes, packers, strict=True))


def too_large(size: int, due: int) -> str:
    return f"the file has {size:,} bytes, and its content calls for {due:,}; such room can hide data"


def parquet_packed_as_here(
    files: Iterable[tuple[Path, PublicLog]], number: int, facts: dict[str, str | float], same_drawing: bool = True
) -> str:
    """A log in Parquet, in one file or in parts; each is written again."""
    other: NotPossible | None = None  # of one part: the others are looked at all the same
    writers: set[str] = set()
    for path, log in files:
        try:
            writers.add(_parquet_as_here(path, log, facts, same_drawing))
        except NotPossible as impossible:
            other = other or impossible
    if other is not None:
        raise other
    if len(writers) > 1:
        raise NotPossible(
            "the parts name different versions of Arrow, and which one each of them names can say something"
        )
    return "every byte" + (f" of {number} parts" if number > 1 else "") + f", by {', '.join(writers)}"


def parquet_again(log: PublicLog, facts: dict[str, str | float]) -> io.BytesIO:
    written = io.BytesIO()
    write_parquet(log, written, facts)
    return written


def _parquet_as_here(path: Path, log: PublicLog, facts: dict[str, str | float], same_drawing: bool) -> str:
    """The version of Arrow that the file names, if every byte is what that version writes."""
    import pyarrow.parquet as pq

    again = parquet_again(log, facts)
    with opened_parquet(path) as one, pq.ParquetFile(io.BytesIO(again.getbuffer())) as other:
        theirs, ours = one.metadata, other.metadata
    size, due = path.stat().st_size, again.getbuffer().nbytes
    columns = ours.num_row_groups * ours.num_columns
    require(
        size <= due + due // _ROOM + _ROOM_BYTES + columns * _ROOM_OF_A_COLUMN
        and (theirs.num_row_groups == ours.num_row_groups or not same_drawing),
        too_large(size, due),
    )
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").digest()
    named = _by_another_arrow(again.getvalue(), ours.created_by, theirs.created_by)
    if found == hashlib.sha256(named).digest():
        return str(theirs.created_by)
    require(
        theirs.created_by != ours.created_by or not same_drawing,
        "the file holds bytes that its content does not call for",
    )
    raise NotPossible(
        f"{theirs.created_by} wrote the file, and {ours.created_by}, which is here, writes other bytes: install that "
        "pyarrow to compare them"
    )


def _by_another_arrow(written: bytes, ours: str, theirs: str) -> bytes:
    """The file as a version of Arrow writes it that differs in nothing but its name: most do.

    The name stands in the footer, behind all that releases hold, after its length in one byte. The length of the footer
    stands at the end, before four bytes.
    """
    head, name, tail = written.rpartition(len(ours).to_bytes(1) + ours.encode())
    footer = int.from_bytes(tail[-8:-4], "little") + len(theirs) - len(ours)
    if not name or len(theirs) > _LONGEST_NAME:
        return written
    return head + len(theirs).to_bytes(1) + theirs.encode() + tail[:-8] + footer.to_bytes(4, "little") + tail[-4:]


def _unpacked(path: Path) -> Iterator[bytes]:
    """The content of the first member, a piece at a time; what follows it another check finds."""
    decompressor, data = zlib.decompressobj(wbits=31), b""
    with path.open("rb") as source:
        try:
            while not decompressor.eof:
                data = decompressor.unconsumed_tail or source.read(_CHUNK)
                yield decompressor.decompress(data, _CHUNK)
                if not data:
                    break
        except zlib.error:
            raise Fault("the log is no gzip file, or a damaged one") from None


class Counted(io.RawIOBase):
    """Takes what would be written, and counts it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        size = memoryview(data).nbytes  # type: ignore[arg-type]  # whatever a writer writes is a buffer
        self.written += size
        return size


class _Compared(Counted):
    """Says also whether it is what stands in the file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("rb")
        self.same = True

    def write(self, data: object) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]  # whatever a writer writes is a buffer
        self.same = self.same and self._file.read(len(view)) == view
        return super().write(view)

    def close(self) -> None:
        self._file.close()
        super().close()
