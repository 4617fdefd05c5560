"""The names of a log's columns, for somebody who must say which of them is what."""

from __future__ import annotations

from pathlib import Path

from accounting.arrow import opened_parquet
from amun_dp.errors import InputError
from amun_dp.reading.files import recognise


def column_names(path: Path) -> tuple[str, ...]:
    """From the header alone. Empty for XES, whose attributes are known only once it is read, and for a damaged file."""
    try:
        file = recognise(path)
        if file.format == "csv":
            from amun_dp.reading.delimited import header_of

            return tuple(header_of(file)[0])
        if file.format == "parquet":
            import pyarrow as pa

            try:
                with opened_parquet(path) as parquet:
                    return tuple(parquet.schema_arrow.names)
            except MemoryError:  # Arrow's own is an ArrowException, too
                raise
            except (pa.ArrowException, OSError):
                return ()
    except InputError:
        pass
    return ()
