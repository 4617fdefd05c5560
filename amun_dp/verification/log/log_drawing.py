"""How the log is drawn up in its file: written again from its content alone, before it is compressed.

There is no byte in the file that the content does not call for. What other formats would write is not known here; they
are compared all the same, because formats change less often than their numbers. Where such a log is written otherwise,
its size is bounded.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, BinaryIO, cast

import numpy as np

from accounting.arrow import opened_parquet, whole_table
from amun_dp.eventlog.log import PublicLog, declared_public
from amun_dp.folder.parts import first_cases, parts_for
from amun_dp.reading import read_log
from amun_dp.reading.files import opened, recognise
from amun_dp.verification.checks import Fault, require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.log.log_packing import Counted, parquet_again
from amun_dp.verification.report.older import facts_in_log
from amun_dp.verification.report.report_checks import ReadReport
from amun_dp.verification.report.stated_formats import not_here, within_bounds
from amun_dp.writing.packing import packed
from amun_dp.writing.tables import write_csv
from amun_dp.writing.xes import write_xes

_CHUNK = 1 << 18


def written_as_here(contents: Contents, read: ReadReport, log: PublicLog) -> str:
    """A log that is at hand. How its file is compressed is another check (``packing``)."""
    try:
        return _written_as_here(contents, read, log)
    except Fault as fault:
        if read.same_drawing:
            raise
        _hardly_larger_than_here(contents, read, log)
        raise not_here(read.report, "drawing") from fault


def _written_as_here(contents: Contents, read: ReadReport, log: PublicLog) -> str:
    path, facts = contents.files(str(read.report.released.file))[0], facts_in_log(read)
    if str(read.report.released.file) in contents.folders:
        return _parts_written_as_here(contents, read, log.n_cases)
    if path.name.endswith(".parquet"):
        _rows_as_here(path, log, facts)
        return "every row, in its place"
    with opened(recognise(path)) as stream:
        _write(log, cast(BinaryIO, _Comparing(stream)), read)
        require(not stream.read(1), "the log goes on after its end")
    return "every byte" + ("" if path.name.endswith(".csv") else " of the decompressed file")


def _write(log: PublicLog, stream: BinaryIO, read: ReadReport) -> None:
    if str(read.report.released.file).endswith(".csv"):
        write_csv(log, stream, read.report.released.escaped_formulas)
    else:
        write_xes(log, stream, facts_in_log(read))


def _hardly_larger_than_here(contents: Contents, read: ReadReport, log: PublicLog) -> None:
    """Neither the file nor what it unpacks to; of Parquet ``packing`` sees to that."""
    name = str(read.report.released.file)
    path = contents.files(name)[0]
    if path.name.endswith(".parquet"):
        return
    text, file = Counted(), Counted()
    _write(log, cast(BinaryIO, text), read)
    with opened(recognise(path)) as stream:
        within_bounds(f"the text of {name}", sum(map(len, iter(lambda: stream.read(_CHUNK), b""))), text.written)
    if path.name.endswith(".gz"):
        with packed(cast(BinaryIO, file)) as packing:
            _write(log, packing, read)
        within_bounds(name, path.stat().st_size, file.written)


def parts_written_as_here(contents: Contents, read: ReadReport, n_cases: int) -> str:
    """Each part by itself, and all of them cut as this software cuts."""
    try:
        return _parts_written_as_here(contents, read, n_cases)
    except Fault as fault:
        if read.same_drawing:
            raise
        raise not_here(read.report, "drawing") from fault


def _parts_written_as_here(contents: Contents, read: ReadReport, n_cases: int) -> str:
    files, facts = contents.files(str(read.report.released.file)), facts_in_log(read)
    due = parts_for(read.report.released.events, n_cases)
    require(len(files) == due, f"the log is in {len(files):,} parts, and its size calls for {due:,}")
    for path, cases in zip(files, np.diff(first_cases(n_cases, len(files))).tolist(), strict=True):
        part = read_log(path)
        require(part.n_cases == cases, f"{path.name} has {part.n_cases:,} cases, and an even cut gives it {cases:,}")
        _rows_as_here(path, declared_public(part), facts)
    return f"every row of {len(files)} parts, in its place"


def _rows_as_here(path: Path, log: PublicLog, facts: dict[str, str | float]) -> None:
    """Columns and metadata, which no version of Arrow changes; how it packs them is for ``packing``."""
    import pyarrow.parquet as pq

    with opened_parquet(path) as one, pq.ParquetFile(parquet_again(log, facts)) as other:
        theirs, ours = whole_table(one), whole_table(other)
    require(
        theirs.schema.equals(ours.schema, check_metadata=True) and theirs.equals(ours),
        "the rows are not in the order in which this software writes them, or there are others",
    )


class _Comparing(io.RawIOBase):
    """Takes what would be written and compares it with what is there."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]  # whatever a writer writes is a buffer
        if self._stream.read(len(view)) != view:
            raise Fault(
                f"the file is not what this software writes for its content, from byte {self._at:,} on or soon after"
            )
        self._at += len(view)
        return len(view)
