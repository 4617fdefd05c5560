"""Mechanisms: noise of a stated law on stated numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from accounting.confidential import Confidential, Withheld
from accounting.errors import AccountingError
from accounting.events.base import Fact, PrivacyEvent, check_choice, check_fact, check_number, check_scale


@dataclass(frozen=True, slots=True)
class _Count(PrivacyEvent):
    scale: float | Withheld
    """Of the noise; withheld where it would betray a number of the log."""
    sensitivity: int = 1
    """By how much adding or removing one case moves a cell, at most."""
    cells_per_case: Fact = None
    """How many cells one case moves, at most: 1 for a histogram of variants, its length for a table of transitions."""

    def __post_init__(self) -> None:
        check_scale(self.scale)
        check_number(self.sensitivity, "a sensitivity is a whole number of at least 1")
        check_fact(self.cells_per_case, "a case moves at least one cell")


@dataclass(frozen=True, slots=True)
class LaplaceCount(_Count):
    """Each count cell c becomes c + Z with independent discrete Laplace noise, P(Z=k) ∝ exp(-|k|/scale).

    Loss for one cell: sensitivity/scale, also when a case is replaced. For the whole table a case that moves k cells
    costs k times that when added or removed; replaced by one that moves k' cells, k + k' times.
    """


@dataclass(frozen=True, slots=True)
class OneSidedCount(_Count):
    """Each count cell c becomes c + Z with independent geometric noise, P(Z=k) = (1-q)·q^k, q = exp(-1/scale), k ≥ 0.

    The supports for neighbouring logs differ, so no ε bounds it; the article bounds an average over outputs.
    """


@dataclass(frozen=True, slots=True)
class WeightedHistogram(PrivacyEvent):
    """Cells, fixed without looking at the log, each with independent discrete Laplace noise of one scale.

    A case adds whole numbers of a total of at most ``weight`` to the cells. The loss is weight/scale when it is added
    or removed and 2·weight/scale when it is replaced, however many cells it touches. ``of`` says what the cells count:
    control flow does not see a change of one relative time, times do.
    """

    scale: float | Withheld
    """Of the noise; withheld where it would betray a number of the log."""
    weight: int
    of: Literal["control flow", "times"]

    def __post_init__(self) -> None:
        check_scale(self.scale)
        check_number(self.weight, "a weight is a whole number of at least 1")
        check_choice(self.of, ("control flow", "times"))


@dataclass(frozen=True, slots=True)
class NoisyMax(PrivacyEvent):
    """Which of several scores is largest, each with independent discrete Laplace noise of one scale; ties by index.

    Scores are whole numbers, apart from offsets that do not depend on the log. Adding, removing or replacing a case
    moves no score by more than ``sensitivity``. The loss is 2·sensitivity/scale, however many scores there are.
    """

    scale: float | Withheld
    """Of the noise; withheld where it would betray a number of the log."""
    sensitivity: int
    of: Literal["control flow", "times"]
    """What the scores are about: control flow does not see a change of one relative time, times do."""

    def __post_init__(self) -> None:
        check_scale(self.scale)
        check_number(self.sensitivity, "a sensitivity is a whole number of at least 1")
        check_choice(self.of, ("control flow", "times"))


@dataclass(frozen=True, slots=True)
class ThresholdedHistogram(PrivacyEvent):
    """Counts with discrete Laplace noise, released only where they reach ``threshold``; each case is in one cell.

    Approximate: ε = 1/scale when a case is added or removed, 2/scale when replaced; δ = P(Z ≥ threshold - 1), the
    probability that a cell which only the changed case has is seen at all. For a unit of C cases C times that ε, and
    δ = C·P(Z ≥ threshold - C). About one unit it is a mixture: with probability 1 - δ a draw from a mechanism that has
    that ε.
    """

    scale: float | Withheld
    """Of the noise; withheld where it would betray a number of the log."""
    threshold: int

    def __post_init__(self) -> None:
        check_scale(self.scale)
        check_number(self.threshold, "a threshold exceeds 1", least=2)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PerEventNoise:
    """Columns of a per-event Laplace mechanism: one row a released event."""

    case: npt.NDArray[np.int64]
    """Index of the released case."""
    value_range: npt.NDArray[np.int64]
    """r: the attribute is taken to lie in [0, r] (milliseconds)."""
    scale: npt.NDArray[np.float64]
    """Scale of the noise really drawn (milliseconds); 0 where none was."""
    copies: npt.NDArray[np.int64]
    """D: how many released cases repeat the original of this one."""
    origin: npt.NDArray[np.int64]
    """Index of the original case."""
    individual: npt.NDArray[np.int64]
    """Index of the individual behind it; the original case itself if nothing else is known."""

    def __post_init__(self) -> None:
        columns = (self.case, self.value_range, self.scale, self.copies, self.origin, self.individual)
        if len({len(column) for column in columns}) != 1:
            raise AccountingError("the columns of a per-event record have equal lengths.")
        if not len(self.case):
            raise AccountingError("a per-event record has at least one event.")
        if not np.all(np.isfinite(self.scale) & (self.scale >= 0)):
            raise AccountingError("scales are finite and not negative.")
        if (self.value_range < 0).any() or (self.copies < 1).any():
            raise AccountingError("ranges are not negative, and a released event has at least one copy.")
        self._check_cases()

    def _check_cases(self) -> None:
        """Each released case repeats one original, and no original is released more often than ``copies`` says."""
        n = len(self.case)
        if (
            min(int(column.min()) for column in (self.case, self.origin, self.individual)) < 0
            or int(self.case.max()) >= n
        ):
            raise AccountingError("released cases are numbered from 0, and none is empty.")
        origin_of = np.full(n, -1, dtype=np.int64)
        origin_of[self.case] = self.origin
        if (origin_of[self.case] != self.origin).any():
            raise AccountingError("a released case repeats one original case.")
        _, position, released = np.unique(origin_of[origin_of >= 0], return_inverse=True, return_counts=True)
        times_released = np.zeros(n, dtype=np.int64)
        times_released[origin_of >= 0] = released[position]
        if (self.copies < times_released[self.case]).any():
            raise AccountingError("an original case is released no more often than its copies say.")


@dataclass(frozen=True, slots=True, eq=False)
class BoundedLaplace(PrivacyEvent):
    """Each released value x in [0, r] becomes x + Z, discrete Laplace of its own scale b: the vector Φ.

    Loss of one event: D·r/b for a case with D copies. ``advantage`` is what the scales were calibrated for. Where scale
    or range were computed from private data (``scales`` is "data"), the likelihood ratio is unbounded, whatever b is.
    The columns are confidential even if the scales are public (they say which events there are), so a public bound
    needs a declared one: ``declared_loss`` for any one event over all its copies, ``events_per_case`` for how many a
    case has.
    """

    advantage: float
    columns: Confidential[PerEventNoise]
    """Range, scale and copies of each released event."""
    scales: Literal["public", "data"] = "data"
    declared_loss: float | None = None
    events_per_case: Fact = None

    def __post_init__(self) -> None:
        if not isinstance(self.advantage, float | int) or not 0 < self.advantage < 1:
            raise AccountingError("an advantage lies strictly between 0 and 1.")
        if not isinstance(self.columns, Withheld) and not _holds_noise(self.columns):
            raise AccountingError("the columns of per-event noise are confidential.")
        check_choice(self.scales, ("public", "data"))
        if self.declared_loss is not None and not 0 <= self.declared_loss < 1e300:
            raise AccountingError("a declared loss is finite and not negative.")
        check_fact(self.events_per_case, "a case has at least one event")


def _holds_noise(columns: object) -> bool:
    return isinstance(columns, Confidential) and isinstance(columns.reveal(), PerEventNoise)
