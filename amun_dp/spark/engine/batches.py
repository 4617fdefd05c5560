"""Arrow batches as a worker gets them, put together to what a kernel takes: whole cases, and not too few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from amun_dp._base.arrays import IntArray, offsets_of
from amun_dp.eventlog.log import EventLog, build_event_log
from amun_dp.eventlog.variants import spelled

if TYPE_CHECKING:
    import pyarrow as pa

Kernel = Callable[[Iterable["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]
"""What workers run: Arrow batches of one partition in, others out."""
_BYTES = 1 << 24
"""Of the batches that are worked on together: enough to hide the cost of a call, little beside a worker's memory."""


@dataclass(frozen=True, slots=True, eq=False)
class CaseRows:
    """Cases, one row each, as the columns of an event log."""

    table: pa.Table
    words: pa.LargeBinaryArray
    time: IntArray
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    def repeated(self, column: str) -> pa.Array:
        """A column of the cases, once for each event."""
        rows = np.repeat(np.arange(len(self.offsets) - 1), self.lengths)
        return self.table.column(column).combine_chunks().take(rows)

    def as_log(self, activities: tuple[str, ...]) -> EventLog:
        """These cases as a log of their own, with the names of individuals if the table has them."""
        activity = spelled(self.words, len(activities)).activity
        named = "name" in self.table.column_names
        return build_event_log(
            case=np.repeat(np.arange(len(self.lengths)), self.lengths),
            case_names=self.table.column("case").to_numpy(),
            activity=activity,
            labels=np.array(activities, dtype=object),
            time=self.time,
            sequence=np.arange(len(activity)),
            individual_name=self.table.column("name").fill_null("").to_numpy() if named else None,
        )


def case_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[CaseRows]:
    """Batches of a frame with a row a case."""
    import pyarrow as pa

    for table in tables(batches):
        times = table.column("times").combine_chunks()
        lengths = times.value_lengths().to_numpy(zero_copy_only=False)
        yield CaseRows(
            table=table,
            words=table.column("word").cast(pa.large_binary()).combine_chunks(),
            time=times.flatten().to_numpy(zero_copy_only=False),
            offsets=offsets_of(lengths),
        )


def tables(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches joined until they are large enough."""
    import pyarrow as pa

    gathered: list[Any] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            gathered.append(batch)
            size += batch.nbytes
        if size >= _BYTES:
            yield pa.Table.from_batches(gathered)
            gathered, size = [], 0
    if gathered:
        yield pa.Table.from_batches(gathered)


def whole_cases(batches: Iterable[pa.RecordBatch], key: str) -> Iterator[tuple[pa.Table, IntArray]]:
    """Tables of a frame that is sorted by case, cut between cases, with the rows at which cases begin (and the end)."""
    import pyarrow as pa

    rest: list[Any] = []  # of one case, which may go on in the next table
    for table in tables(batches):
        rest.append(table)
        if rest[0].column(key)[0] == table.column(key)[-1]:  # sorted, so all between is the same case: put off joining
            continue
        joined = pa.concat_tables(rest).combine_chunks()
        offsets = runs(joined.column(key))
        last = int(offsets[-2])
        yield joined.slice(0, last), offsets[:-1]
        rest = [joined.slice(last)]
    if rest:
        joined = pa.concat_tables(rest).combine_chunks()
        yield joined, np.array([0, joined.num_rows], dtype=np.int64)


def runs(column: pa.ChunkedArray) -> IntArray:
    """First row of each run of equal values, and the number of rows."""
    import pyarrow as pa

    values = column.combine_chunks()
    if not pa.types.is_integer(values.type):
        values = values.dictionary_encode().indices
    codes = values.to_numpy(zero_copy_only=False)
    return np.concatenate(([0], np.flatnonzero(codes[1:] != codes[:-1]) + 1, [len(codes)])).astype(np.int64)
