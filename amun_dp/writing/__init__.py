"""Writing event logs and release folders."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from amun_dp.errors import OutputError
from amun_dp.eventlog.log import EventLog
from amun_dp.folder.held import hold_open
from amun_dp.folder.placing import check_target, output_errors, release_folder
from amun_dp.writing.packing import packed
from amun_dp.writing.tables import Attributes

__all__ = ["ENDINGS", "check_target", "release_folder", "write_log"]

ENDINGS = (".xes", ".xes.gz", ".csv", ".csv.gz", ".parquet")
_NONE: Attributes = MappingProxyType({})


def write_log(log: EventLog, path: Path, attributes: Attributes = _NONE, *, escape_formulas: bool = False) -> None:
    """Write case, activity and timestamp of each event, in the format that the ending of the name asks for.

    ``attributes`` are attributes of the log as a whole; XES and Parquet have a place for them, CSV has none.
    ``escape_formulas`` is for CSV (``amun_dp.writing.formulas``). The file
    appears under its name when it is complete; if writing fails, a file already there stays as it was.
    """
    write = _writer(log, path, attributes, escape_formulas)
    with output_errors(path), _replacing(path) as stream:
        if not path.name.lower().endswith(".gz"):
            write(stream)
            return
        with packed(stream) as compressed:
            write(compressed)


def _writer(log: EventLog, path: Path, attributes: Attributes, escape_formulas: bool) -> Callable[[BinaryIO], None]:
    from amun_dp.writing.tables import write_csv, write_parquet
    from amun_dp.writing.xes import write_xes

    name = path.name.lower()
    if name.endswith((".xes", ".xes.gz")):
        return lambda stream: write_xes(log, stream, attributes)
    if name.endswith((".csv", ".csv.gz")):
        return lambda stream: write_csv(log, stream, escape_formulas)
    if name.endswith(".parquet"):
        return lambda stream: write_parquet(log, stream, attributes)
    raise OutputError(f"{path} cannot be written: its ending names no known format. Use one of {', '.join(ENDINGS)}.")


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream to a hidden sibling, renamed to ``path`` if the block ends well and removed if not."""
    partial = Path(tempfile.mktemp(prefix=".amun-dp-", dir=path.parent))
    try:
        with partial.open("xb") as stream:  # "x": an unguessed name that must be new; mode as umask wants it
            hold_open(stream.fileno())
            yield stream
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
