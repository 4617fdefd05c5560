"""The cases as measurements see them: in parts, of which nothing but sums over cases leaves.

A sum does not depend on how the cases are cut, so one machine and a cluster measure the same; and what one case can add
to it is all that a sensitivity is about (docs/adr/0016-sums-over-cases.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from accounting.arrow import to_numpy
from amun_dp._base.arrays import IntArray
from amun_dp.certified.contributions import Added, within_norm, within_weight
from amun_dp.certified.errors import sensitivity_exceeded

if TYPE_CHECKING:
    import pyarrow as pa

Part = TypeVar("Part")
Part_contra = TypeVar("Part_contra", contravariant=True)
Seen = TypeVar("Seen")

KEYS = "cases of each key"
"""What an error calls a histogram of keys."""


class Counted(Protocol):
    """A part that knows how many cases it has."""

    @property
    def count(self) -> int: ...


CountedPart = TypeVar("CountedPart", bound=Counted)


class Tally(Protocol[Part_contra]):
    """Cells, and what the cases of a part add to them: whole numbers, not negative, of each case by itself."""

    @property
    def weight(self) -> int:
        """What one case adds to all cells together, at most: the premise of every stated ε. Enforced."""

    def __call__(self, part: Part_contra, /) -> Added:
        """What the cases of a part add."""


class NormedTally(Protocol[Part_contra]):
    """A tally whose cases are bounded in L2, for Gaussian noise."""

    @property
    def norm(self) -> int:
        """The L2 norm of what one case adds, at most: the premise of every stated μ. Enforced."""

    @property
    def centred(self) -> bool:
        """Whether a case may add negative numbers."""

    def __call__(self, part: Part_contra, /) -> Added:
        """What the cases of a part add."""


AnyTally: TypeAlias = Tally[Part] | NormedTally[Part]


class Population(ABC, Generic[Part]):
    """Cases in parts. Tallies, views and keys are picklable: where the parts are elsewhere, they are sent there."""

    @abstractmethod
    def totals(self, *tallies: AnyTally[Part]) -> list[IntArray]:
        """What all cases add to the cells of each tally; one pass for all of them.

        Raises SensitivityExceededError if a case adds more than a tally states.
        """

    @abstractmethod
    def histogram(
        self: Population[CountedPart], key: Callable[[CountedPart], pa.LargeBinaryArray]
    ) -> tuple[pa.LargeBinaryArray, IntArray]:
        """The distinct keys in the order of their bytes, and how many cases have each.

        Raises SensitivityExceededError if not every case has one.
        """

    @abstractmethod
    def each(self, view: Callable[[Part], Seen]) -> Population[Seen]:
        """The same cases seen in another way, every case by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class InMemory(Population[Part]):
    """The cases on this machine, in at least one part. A view is computed once, whatever is measured of it."""

    parts: tuple[Part, ...]

    def totals(self, *tallies: AnyTally[Part]) -> list[IntArray]:
        first, *others = self.parts
        totals = [_checked_totals(tally, first) for tally in tallies]
        for part in others:
            for total, tally in zip(totals, tallies, strict=True):
                np.add(total, _checked_totals(tally, part), out=total)
        return totals

    def histogram(
        self: InMemory[CountedPart], key: Callable[[CountedPart], pa.LargeBinaryArray]
    ) -> tuple[pa.LargeBinaryArray, IntArray]:
        import pyarrow as pa

        keys = [key(part) for part in self.parts]
        if any(len(of_part) != part.count for of_part, part in zip(keys, self.parts, strict=True)):
            raise sensitivity_exceeded(KEYS)
        return counted_keys(pa.concat_arrays(keys))

    def each(self, view: Callable[[Part], Seen]) -> InMemory[Seen]:
        return InMemory(tuple(view(part) for part in self.parts))


def _checked_totals(tally: AnyTally[Part], part: Part) -> IntArray:
    added = tally(part)
    if not as_stated(tally, added):
        raise sensitivity_exceeded(name_of(tally))
    return added.totals()


def as_stated(tally: AnyTally[Part], added: Added) -> bool:
    """Whether every case adds no more than the tally states."""
    if hasattr(tally, "norm"):  # to ask for an instance of a protocol takes longer than to check a small part
        normed = cast("NormedTally[Part]", tally)
        return within_norm(added, normed.norm, normed.centred)
    return within_weight(added, tally.weight)


def name_of(tally: AnyTally[Part]) -> str:
    """What an error calls a tally."""
    return type(tally).__name__.strip("_")


def counted_keys(keys: pa.LargeBinaryArray) -> tuple[pa.LargeBinaryArray, IntArray]:
    """The distinct keys in the order of their bytes, and how often each occurs."""
    import pyarrow.compute as pc

    encoded = keys.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    counts = np.bincount(to_numpy(encoded.indices), minlength=len(order))
    return encoded.dictionary.take(order), counts[to_numpy(order)]
