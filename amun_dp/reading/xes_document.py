"""What one pass over an XES file finds, whichever of the two readers makes it."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from accounting.arrow import to_arrow
from amun_dp._base.arrays import BoolArray, IntArray

VALUE_KINDS = frozenset({"string", "date", "int", "float", "boolean", "id"})
KINDS = VALUE_KINDS | {"list", "container"}

Sink = tuple[list[str | None], list[int]]


class Attributes:
    """The attributes of all events, or of all traces: every key seen, and the values of the wanted ones."""

    def __init__(self, wanted: Collection[str]) -> None:
        self.wanted = frozenset(wanted)
        self.keys: set[str] = set()
        self.sinks: dict[str, dict[str, Sink | None]] = {}
        """By the element's name as written, then by key; None for a key nobody wants."""
        self._chunks: dict[tuple[str, str], list[tuple[Any, IntArray | range]]] = {}
        self._open: dict[tuple[str, str], Sink] = {}

    def admit(self, name: str, kind: str | None, key: str) -> Sink | None:
        """A (kind, key) met for the first time under this element name."""
        sink = None
        if kind in KINDS:
            self.keys.add(key)
        if kind in VALUE_KINDS and key in self.wanted:
            sink = self._open.setdefault((kind, key), ([], []))
        self.sinks.setdefault(name, {})[key] = sink
        return sink

    def flush(self) -> None:
        """Python objects to columns, now and then, so that memory grows with the columns alone."""
        import pyarrow as pa

        for (kind, key), (values, owners) in self._open.items():
            if values:
                self.add(kind, key, pa.array(values, pa.large_string()), np.array(owners, dtype=np.int64))
                values.clear()
                owners.clear()

    def add(self, kind: str, key: str, values: Any, owners: IntArray) -> None:
        """Values of a key, as pyarrow text, and whose they are, not decreasing."""
        self._chunks.setdefault((kind, key), []).append((values, _as_range(owners)))

    def kinds(self, key: str) -> list[str]:
        return sorted(kind for kind, of in self._chunks if of == key)

    def values(self, key: str, size: int) -> tuple[Any, BoolArray]:
        """The values of a key as a pyarrow array (or several on end), a row per owner, and which owners state the key
        twice."""
        import pyarrow as pa

        chunks = [chunk for (_, of), parts in self._chunks.items() if of == key for chunk in parts]
        if not chunks:
            return pa.nulls(size, pa.large_string()), np.zeros(size, dtype=np.bool_)
        stated = pa.chunked_array([part for part, _ in chunks])
        if len(stated) == size and _one_after_the_other([part for _, part in chunks]):  # as in most logs
            return stated, np.zeros(size, dtype=np.bool_)
        owners = np.concatenate(
            [np.arange(part.start, part.stop) if isinstance(part, range) else part for _, part in chunks]
        )
        position = np.full(size, -1, dtype=np.int64)
        position[owners] = np.arange(len(owners))
        column = stated.take(to_arrow(position, missing=position < 0))
        return column, np.asarray(np.bincount(owners, minlength=size) > 1, dtype=np.bool_)


def _as_range(owners: IntArray) -> IntArray | range:
    """Owners that follow each other, as nearly all do, need no column."""
    follow = len(owners) and bool((np.diff(owners) == 1).all())
    return range(int(owners[0]), int(owners[-1]) + 1) if follow else owners


def _one_after_the_other(owners: list[IntArray | range]) -> bool:
    """Whether they are 0, 1, 2, … on end."""
    first = 0
    for part in owners:
        if not isinstance(part, range) or part.start != first:
            return False
        first = part.stop
    return True


@dataclass(slots=True)
class XesDocument:
    """What one pass over the file found."""

    event: Attributes
    trace: Attributes
    classifiers: dict[str, str] = field(default_factory=dict)
    """Name of each event classifier, and its keys as written."""
    event_defaults: dict[str, str] = field(default_factory=dict)
    event_declared: set[str] = field(default_factory=set)
    """Keys that the header declares for all events (``<global>``), with a default or without."""
    trace_declared: set[str] = field(default_factory=set)
    foreign_elements: int = 0
    event_offsets: array[int] = field(default_factory=lambda: array("q"))
    """The byte at which each event starts, from which its line can be found."""
    trace_starts: array[int] = field(default_factory=lambda: array("q"))
    """The number of events before each trace."""
    events_outside: array[int] = field(default_factory=lambda: array("q"))
    """Events that stand directly in the log."""

    @property
    def events(self) -> int:
        return len(self.event_offsets)

    @property
    def traces(self) -> int:
        return len(self.trace_starts)

    def trace_of_event(self) -> IntArray:
        """The trace of each event, -1 for events outside."""
        starts = np.concatenate(([0], self.trace_starts, [self.events])).astype(np.int64, copy=False)
        trace = np.repeat(np.arange(-1, self.traces, dtype=np.int64), np.diff(starts))
        trace[self.events_outside] = -1
        return trace

    def empty_traces(self) -> int:
        """How many traces have no event."""
        starts, outside = np.asarray(self.trace_starts), np.asarray(self.events_outside)
        between = np.bincount(np.searchsorted(starts, outside, side="right"), minlength=self.traces + 1)[1:]
        return int((np.diff(starts, append=self.events) == between).sum())
