"""What every engine knows of a planned release without looking at cases or events: its variants, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.article.dafsa import Dafsa


@dataclass(frozen=True, slots=True, eq=False)
class PlannedVariants:
    """The automaton, and how many cases follow each variant before and after filtering. Confidential."""

    activities: tuple[str, ...]
    """Labels by code."""
    dafsa: Dafsa
    before: IntArray
    kept: IntArray

    @property
    def removed(self) -> IntArray:
        """Filtered cases of each variant."""
        return self.before - self.kept

    @property
    def longest_kept(self) -> int:
        """Events of the longest case that is kept."""
        return int(self.dafsa.variants.lengths[self.kept > 0].max())

    def events(self, cases: IntArray) -> int:
        """Events of so many cases of each variant."""
        return int((cases * self.dafsa.variants.lengths).sum())

    def events_by_activity(self, cases: IntArray) -> IntArray:
        """The same by activity."""
        variants = self.dafsa.variants
        events = np.zeros(len(self.activities), dtype=np.int64)
        np.add.at(events, variants.activity, np.repeat(cases, variants.lengths))
        return events

    def labels(self, variant: int) -> tuple[str, ...]:
        """The activities of a variant."""
        variants = self.dafsa.variants
        codes = variants.activity[variants.offsets[variant] : variants.offsets[variant + 1]]
        return tuple(self.activities[code] for code in codes)
