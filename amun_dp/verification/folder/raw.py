"""A released log as it stands in its file, before any reader has put it in order.

The readers of this package are helpful: they sort by time, rename cases that share a name, pass over attributes that
nobody asked for. Here every such help would hide a fault, so the file is looked at again, with nothing but what
``amun_dp.writing`` writes allowed in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from amun_dp._base.arrays import IntArray
from amun_dp.verification.checks import Fault

Attributes = Mapping[str, str | float]
"""What the log may say of itself: name and value."""

TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00")
"""UTC, milliseconds. Other offsets and further digits would be room for data."""
_MOST_FAULTS = 20


@dataclass(frozen=True, slots=True, eq=False)
class RawLog:
    """What a file holds."""

    traces: list[str]
    """Name of each trace, in the order of the file; in a table a trace is a run of rows with the same case."""
    events: int
    disordered: int | None
    """Events earlier than the one before them in their trace; None if times are not written as they should be."""
    faults: tuple[str, ...]
    """What should not be there."""


@dataclass(slots=True)
class Faults:
    """Collects what is wrong, each kind once and not without end."""

    found: dict[str, None] = field(default_factory=dict)

    def add(self, sentence: str) -> None:
        if len(self.found) < _MOST_FAULTS:
            self.found.setdefault(sentence)


def joined(parts: Sequence[RawLog]) -> RawLog:
    """A log from its parts. A case that went on in the next part would have its name twice."""
    if len(parts) == 1:
        return parts[0]
    late = [part.disordered for part in parts if part.disordered is not None]
    return RawLog(
        traces=[name for part in parts for name in part.traces],
        events=sum(part.events for part in parts),
        disordered=sum(late) if len(late) == len(parts) else None,
        faults=tuple(dict.fromkeys(fault for part in parts for fault in part.faults)),
    )


def too_many_events(most: int) -> Fault:
    return Fault(f"the log has more than the {most:,} events that the report states")


def runs(codes: IntArray) -> IntArray:
    """First row of each run of equal codes."""
    if not len(codes):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1]))).astype(np.int64, copy=False)


def disorder(codes: IntArray, times: npt.NDArray[Any]) -> int:
    """Rows of the same run that are earlier than the row before them."""
    return int(np.count_nonzero((codes[1:] == codes[:-1]) & (times[1:] < times[:-1])))
