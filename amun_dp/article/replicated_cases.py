"""Cases that are copied or deleted whole, and shuffled (what step 5 decided, carried out)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import IntArray, offsets_of, ragged_positions
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import NoiseSource, permutation


@dataclass(frozen=True, slots=True, eq=False)
class ReplicatedCases:
    """Released cases in their released (shuffled) order, each a copy of an original one."""

    origin: IntArray
    """Original case of each released case."""
    row: IntArray
    """Original event of each released event."""
    offsets: IntArray

    @property
    def case(self) -> IntArray:
        """Released case of each released event."""
        return np.repeat(np.arange(len(self.origin)), np.diff(self.offsets))


def replicate(log: EventLog, copies: IntArray, source: NoiseSource) -> ReplicatedCases:
    """Copy and delete whole cases, then shuffle, so that neither position nor neighbourhood betrays a copy."""
    origin = np.repeat(np.arange(log.n_cases), copies)
    origin = origin[permutation(source, len(origin))]
    lengths = log.lengths[origin]
    offsets = offsets_of(lengths)
    return ReplicatedCases(origin, ragged_positions(log.offsets[origin], lengths), offsets)
