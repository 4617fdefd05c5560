"""A released control flow, however it was made."""

from __future__ import annotations

from dataclasses import dataclass

from accounting.events import PrivacyEvent
from amun_dp._base.arrays import IntArray
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.variants import Sequences

LARGEST_RELEASE = 10**8
"""Events; beyond it memory ends before the release does."""


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """The released cases, activities only, and what they cost."""

    cases: Sequences
    events: tuple[PrivacyEvent, ...]
    counted: Sequences | None = None
    """The variants whose cases' times may be measured: the released ones. None: those of all cases."""


def cases_of(variants: Sequences, counts: IntArray) -> Sequences:
    """So many cases of each variant."""
    events = int((counts.astype(object) * variants.lengths).sum()) if len(counts) else 0
    if events > LARGEST_RELEASE:
        raise ReleaseError(
            f"The noisy counts ask for {events:.1g} events, more than fit a release. The noise was drawn, so the "
            "budget is spent. Use a larger advantage, or fewer very long public variants."
        )
    return variants.repeated(counts)
