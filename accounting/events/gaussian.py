"""Mechanisms with discrete Gaussian noise on whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from accounting.confidential import Withheld
from accounting.errors import AccountingError
from accounting.events.base import LARGEST_NUMBER, PrivacyEvent, check_choice, check_number

SMOOTHING = 4
"""s²: discrete Gaussian noise of variance σ² is accounted for as continuous noise of variance σ² - s², at a surcharge
of about 10⁻³⁴ a cell."""


@dataclass(frozen=True, slots=True)
class GaussianHistogram(PrivacyEvent):
    """Cells, fixed without looking at the log, each with independent discrete Gaussian noise of one variance.

    Law: P(Z=k) ∝ exp(-k²/2σ²) on the whole numbers (Canonne, Kamath, Steinke 2020). Premise: the cells, the norm and
    the variance follow from public facts and earlier outputs. A case adds a vector of whole numbers of L2 norm at most
    R (``norm``), all its contributions to a cell added up first.

    Sensitivity: R where the case comes, goes or contributes nothing. Replaced: at most √2·R, because the vectors of two
    cases have no negative entry and hence no negative product; 2·R for a ``centred`` sum, whose amounts have both
    signs. Loss: μ² = (sensitivity)²/(σ²-4), and T4's surcharge for each cell; no ε, however large the variance.
    """

    variance: Fraction | int | Withheld
    """σ², exact, in whole units; withheld where it would betray a number of the log."""
    norm: int
    """R, in the same units."""
    of: Literal["control flow", "times"]
    """What the cells count: control flow does not see a change of one relative time, times do."""
    cells: int
    """How many there are."""
    centred: bool = False
    """Whether amounts are counted from a centre and have both signs."""

    def __post_init__(self) -> None:
        check_variance(self.variance)
        check_number(self.norm, "a norm is a whole number of at least 1")
        check_choice(self.of, ("control flow", "times"))
        check_number(self.cells, "a histogram has at least one cell")
        if not isinstance(self.centred, bool):
            raise AccountingError("amounts are centred or not.")


@dataclass(frozen=True, slots=True)
class ThresholdedGaussian(PrivacyEvent):
    """Counts with discrete Gaussian noise, released only where they reach ``threshold``; each case is in one cell.

    Law: P(Z=k) ∝ exp(-k²/2σ²). Premise: the cells are those that occur. A case adds ``norm`` to its cell.

    Sensitivity as for a histogram with Gaussian noise. A unit of C cases is seen in a cell that nobody else is in with
    probability at most δ = C·P(C·norm + Z ≥ threshold); apart from that it loses μ² = (C·norm)²/(σ²-4) where it comes,
    goes or contributes nothing, and at most twice that where it is replaced.
    """

    variance: Fraction | int | Withheld
    """σ², exact, in whole units; withheld where it would betray a number of the log."""
    norm: int
    """What a case adds to its cell, in the same units."""
    threshold: int
    """In the same units."""

    def __post_init__(self) -> None:
        check_variance(self.variance)
        check_number(self.norm, "a case adds a whole number of at least 1")
        check_number(self.threshold, "a threshold exceeds what one case adds", least=self.norm + 1)


def check_variance(variance: object) -> None:
    if isinstance(variance, Withheld):
        return
    if (
        not isinstance(variance, Fraction | int)
        or isinstance(variance, bool)
        or not SMOOTHING < variance <= LARGEST_NUMBER**2
    ):
        raise AccountingError(
            f"the variance of discrete Gaussian noise is an exact number above {SMOOTHING}: count in finer units."
        )
