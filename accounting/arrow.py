"""Columns of numpy as Arrow's and back, by their buffers.

pyarrow's own conversions (``pa.array``, ``pa.scalar``, ``to_numpy``, a Python value as an argument) first import pandas
where that is installed, to see whether they were given something of it: 0.3 s and 30 MB of every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


def to_arrow(
    column: npt.NDArray[Any], kind: pa.DataType | None = None, missing: npt.NDArray[np.bool_] | None = None
) -> pa.Array:
    """A column of numbers (not copied) or truths; ``kind`` where its bits mean something else to Arrow (a date),
    ``missing`` where there are nulls."""
    import pyarrow as pa

    there = None if missing is None else _bits(~missing)
    if column.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(column), [there, _bits(column)])
    native = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("="), copy=False))
    return pa.Array.from_buffers(kind or pa.from_numpy_dtype(native.dtype), len(native), [there, pa.py_buffer(native)])


def _bits(truths: npt.NDArray[np.bool_]) -> pa.Buffer:
    import pyarrow as pa

    return pa.py_buffer(np.packbits(truths, bitorder="little"))


def to_numpy(array: Any) -> npt.NDArray[Any]:
    """An Arrow array (or several on end) of numbers or truths; numbers in one piece are not copied.

    What stands for a null means nothing.
    """
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    rows = slice(array.offset, array.offset + len(array))
    if array.type == pa.bool_():
        bits = np.frombuffer(array.buffers()[1] or b"", dtype=np.uint8)
        return np.unpackbits(bits, count=rows.stop, bitorder="little")[rows].view(np.bool_)
    kind = np.dtype(array.type.to_pandas_dtype())
    return np.frombuffer(array.buffers()[1] or b"", dtype=kind, count=rows.stop)[rows]


def texts(values: Iterable[str]) -> pa.LargeStringArray:
    """Texts as Arrow's; UnicodeEncodeError for half a surrogate pair, which has no UTF-8 form."""
    import pyarrow as pa

    encoded = [value.encode() for value in values]
    ends = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=ends[1:])
    return pa.Array.from_buffers(
        pa.large_string(), len(encoded), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    )


def text(value: str) -> pa.LargeStringScalar:
    """One text, to stand for a column of it."""
    return texts([value])[0]


def utf8(array: Any) -> memoryview:
    """The texts of a ``large_string`` array on end, as bytes; not copied."""
    _, ends, values = array.buffers()
    bounds = np.frombuffer(ends, dtype=np.int64, count=array.offset + len(array) + 1)
    return memoryview(values or b"")[int(bounds[array.offset]) : int(bounds[-1])]


@contextmanager
def opened_parquet(path: Path, **options: Any) -> Iterator[pq.ParquetFile]:
    """A Parquet file. Opened by Python, because Arrow opens only names that are UTF-8."""
    import pyarrow.parquet as pq

    with path.open("rb") as stream, pq.ParquetFile(stream, **options) as file:
        yield file


def whole_table(file: pq.ParquetFile, columns: list[str] | None = None) -> pa.Table:
    """All rows of a Parquet file.

    In one thread: with several, Arrow reads on in what is freed already once one of them got no memory, and columns as
    few as these are not read faster by it (463,161 rows: 19 ms, and 34 ms with threads).
    """
    return file.read(columns=columns, use_threads=False)
