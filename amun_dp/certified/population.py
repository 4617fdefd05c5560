"""The cases as measurements see them: in parts, of which nothing but sums over cases leaves.

A sum does not depend on how the cases are cut, so one machine and a cluster measure the same; and what one case can add
to it is all that a sensitivity is about (docs/adr/0016-sums-over-cases.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from accounting.arrow import to_numpy
from amun_dp.eventlog import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

Part = TypeVar("Part")
Part_contra = TypeVar("Part_contra", contravariant=True)
Seen = TypeVar("Seen")


class Tally(Protocol[Part_contra]):
    """Cells, and what the cases of a part add to them: whole numbers, not negative, of each case by itself."""

    @property
    def weight(self) -> int:
        """What one case adds to all cells together, at most: the premise of every stated ε."""

    def __call__(self, part: Part_contra, /) -> IntArray:
        """What the cases of a part add up to, cell by cell; zeros if there are none."""


class Population(ABC, Generic[Part]):
    """Cases in parts. Tallies, views and keys are picklable: where the parts are elsewhere, they are sent there."""

    @abstractmethod
    def totals(self, *tallies: Tally[Part]) -> list[IntArray]:
        """What all cases add to the cells of each tally; one pass for all of them."""

    @abstractmethod
    def histogram(self, key: Callable[[Part], pa.LargeBinaryArray]) -> tuple[pa.LargeBinaryArray, IntArray]:
        """The distinct keys in the order of their bytes, and how many cases have each; a case has one."""

    @abstractmethod
    def each(self, view: Callable[[Part], Seen]) -> Population[Seen]:
        """The same cases seen in another way, every case by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class InMemory(Population[Part]):
    """The cases on this machine, in at least one part. A view is computed once, whatever is measured of it."""

    parts: tuple[Part, ...]

    def totals(self, *tallies: Tally[Part]) -> list[IntArray]:
        first, *others = self.parts
        totals = [tally(first).astype(np.int64) for tally in tallies]
        for part in others:
            for total, tally in zip(totals, tallies, strict=True):
                np.add(total, tally(part), out=total)
        return totals

    def histogram(self, key: Callable[[Part], pa.LargeBinaryArray]) -> tuple[pa.LargeBinaryArray, IntArray]:
        import pyarrow as pa

        return counted_keys(pa.concat_arrays([key(part) for part in self.parts]))

    def each(self, view: Callable[[Part], Seen]) -> InMemory[Seen]:
        return InMemory(tuple(view(part) for part in self.parts))


def counted_keys(keys: pa.LargeBinaryArray) -> tuple[pa.LargeBinaryArray, IntArray]:
    """The distinct keys in the order of their bytes, and how often each occurs."""
    import pyarrow.compute as pc

    encoded = keys.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    counts = np.bincount(to_numpy(encoded.indices), minlength=len(order))
    return encoded.dictionary.take(order), counts[to_numpy(order)]
