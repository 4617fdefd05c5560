"""Variants that exactly one original case has, and how many of them stand in the release. Confidential.

Whoever knows such a path knows whose it is. A method that copies cases lets many through word for word; one that draws
cases anew may hit one by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import IntArray


@dataclass(frozen=True, slots=True)
class OneOfAKind:
    """How many there were, and how many of them were released."""

    variants: int
    """Variants that exactly one original case has."""
    released: int
    """Those of them that the released log has."""

    @property
    def share(self) -> float:
        """The part that was released; 0 where there was none."""
        return self.released / self.variants if self.variants else 0.0

    def __str__(self) -> str:
        if not self.variants:
            return "no original case has a variant of its own"
        return f"{self.released:,} of {self.variants:,} ({self.share:.1%})"


def one_of_a_kind(before: IntArray, after: IntArray) -> OneOfAKind:
    """From the cases of each variant in the original and in the released log."""
    alone = before == 1
    return OneOfAKind(int(np.count_nonzero(alone)), int(np.count_nonzero(alone & (after > 0))))
