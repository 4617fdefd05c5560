"""A released control flow, however it was made."""

from __future__ import annotations

from dataclasses import dataclass

from accounting.events import PrivacyEvent
from amun_dp.certified.sequences import Sequences
from amun_dp.errors import ReleaseError
from amun_dp.eventlog import BoolArray, IntArray

LARGEST_RELEASE = 10**8
"""Events; beyond it memory ends before the release does."""


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """The released cases, activities only, and what they cost."""

    cases: Sequences
    events: tuple[PrivacyEvent, ...]
    counted: BoolArray | None = None
    """Marks the measured cases whose times may be measured: those of a released variant. None: all of them."""


def cases_of(variants: Sequences, counts: IntArray) -> Sequences:
    """So many cases of each variant."""
    events = int(counts.astype(object) @ variants.lengths) if len(counts) else 0
    if events > LARGEST_RELEASE:
        raise ReleaseError(
            f"The noisy counts ask for {events:.1g} events, more than fit a release. The noise was drawn, so the "
            "budget is spent. Use a larger advantage, or fewer very long public variants."
        )
    return variants.repeated(counts)
