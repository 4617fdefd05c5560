"""How the file of a log was compressed: nothing but its content may decide that.

Compressed data have room. The same content can be packed in countless ways (empty blocks with padding, other matches,
other encodings of a column), and which one was taken can spell a message as long as the original. So the content is
packed again, by the code that writes releases, and must give the same bytes. Where another zlib or Arrow packed it that
cannot be compared; what is left then is that the file is hardly larger than it is here, which bounds what it can hide
by a part of its size.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO, BinaryIO, cast

from amun_dp.eventlog import PublicLog
from amun_dp.verification.checks import Fault, NotPossible, require
from amun_dp.verification.contents import Contents
from amun_dp.verification.reports import ReadReport
from amun_dp.writing.packing import packed, packer
from amun_dp.writing.tables import write_parquet

_CHUNK = 1 << 18
_ROOM = 16
"""One part in so many by which a file that another zlib or Arrow packed may be larger than here."""
_ROOM_BYTES = 1_024
_ROOM_OF_A_COLUMN = 1_024
"""Bytes for what versions of Arrow note of each column of each group of rows."""


def packed_as_here(contents: Contents, read: ReadReport) -> str:
    """A log in one file that is not Parquet: gzip, or not compressed at all."""
    path = contents.files(str(read.report.released.file))[0]
    if not path.name.endswith(".gz"):
        return "it is not compressed"
    again = _Counting(path)
    try:
        with path.open("rb") as source, packed(cast(BinaryIO, again)) as stream:
            _unpack(source, stream)
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
    raise NotPossible(
        f"another zlib compressed the file, and what it hides in doing so cannot be seen; it has {size:,} bytes, and "
        f"would have {due:,} here"
    )


def too_large(size: int, due: int) -> str:
    return f"the file has {size:,} bytes, and its content calls for {due:,}; such room can hide data"


def parquet_packed_as_here(files: Iterable[tuple[Path, PublicLog]], number: int, facts: dict[str, str | float]) -> str:
    """A log in Parquet, in one file or in parts; each is written again."""
    other: NotPossible | None = None  # of one part: the others are looked at all the same
    for path, log in files:
        try:
            _parquet_as_here(path, log, facts)
        except NotPossible as impossible:
            other = other or impossible
    if other is not None:
        raise other
    return "every byte" + (f" of {number} parts" if number > 1 else "")


def parquet_again(log: PublicLog, facts: dict[str, str | float]) -> io.BytesIO:
    written = io.BytesIO()
    write_parquet(log, written, facts)
    return written


def _parquet_as_here(path: Path, log: PublicLog, facts: dict[str, str | float]) -> None:
    import pyarrow.parquet as pq

    again = parquet_again(log, facts)
    with pq.ParquetFile(path) as one, pq.ParquetFile(io.BytesIO(again.getbuffer())) as other:
        theirs, ours = one.metadata, other.metadata
    size, due = path.stat().st_size, again.getbuffer().nbytes
    columns = ours.num_row_groups * ours.num_columns
    require(
        size <= due + due // _ROOM + _ROOM_BYTES + columns * _ROOM_OF_A_COLUMN
        and theirs.num_row_groups == ours.num_row_groups,
        too_large(size, due),
    )
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").digest()
    if found == hashlib.sha256(again.getbuffer()).digest():
        return
    require(theirs.created_by != ours.created_by, "the file holds bytes that its content does not call for")
    raise NotPossible(
        f"{theirs.created_by} wrote the file, and here is {ours.created_by}: install that pyarrow to compare the bytes"
    )


def _unpack(source: IO[bytes], target: BinaryIO) -> None:
    """The content of the first member, a piece at a time; what follows it another check finds."""
    decompressor, data = zlib.decompressobj(wbits=31), b""
    try:
        while not decompressor.eof:
            data = decompressor.unconsumed_tail or source.read(_CHUNK)
            target.write(decompressor.decompress(data, _CHUNK))
            if not data:
                break
    except zlib.error:
        raise Fault("the log is no gzip file, or a damaged one") from None


class _Counting(io.RawIOBase):
    """Takes what would be written, counts it, and says whether it is what stands in the file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("rb")
        self.same = True
        self.written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]  # whatever a writer writes is a buffer
        self.same = self.same and self._file.read(len(view)) == view
        self.written += len(view)
        return len(view)

    def close(self) -> None:
        self._file.close()
        super().close()
