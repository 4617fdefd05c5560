"""Two mechanisms whose ε is known, in every audit: the first must pass, the second must be caught.

They go the same way as what is audited: runs on two neighbouring logs, a score of the release, an event chosen on one
half and tested on the other. If the first is rejected, or the second is not, the audit is void.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.guarantee import Relation, Verdict
from amun_dp.auditing.goals import Goal
from amun_dp.auditing.mechanism import Claimed
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.auditing.releases import Releases
from amun_dp.auditing.statistics import Side
from amun_dp.eventlog.case_lists import log_of_cases
from amun_dp.noise.sources import NoiseSource

EPSILON = 1.0
_CASES = 40
"""Far enough from zero that noise of scale 1 does not reach it."""


@dataclass(frozen=True, slots=True)
class Control:
    """A noisy number of identical cases: ε = 1 with noise of scale 1; claimed as much with half the noise."""

    sound: bool

    @property
    def scale(self) -> float:
        return 1 / EPSILON if self.sound else 1 / (2 * EPSILON)

    def claim(self, pair: Pair, goal: Goal) -> Claimed | None:  # noqa: ARG002 — the same for every pair
        if goal is not Goal.MEMBERSHIP:
            return None
        name = "control with its noise" if self.sound else "control with half its noise"
        verdict = Verdict.PROVED if self.sound else Verdict.REFUTED
        return Claimed(name, "The number of cases is ε-differentially private.", EPSILON, verdict=verdict)

    def run(self, pair: Pair, side: Side, runs: int, source: NoiseSource) -> Releases:
        log = pair.log(side)
        counts = np.maximum(log.n_cases + source.discrete_laplace(np.full(runs, self.scale)), 0)
        total = int(counts.sum())
        return Releases(
            runs=runs,
            run=np.repeat(np.arange(runs), counts),
            offsets=np.arange(total + 1),
            activity=np.zeros(total, dtype=np.int64),
            time=np.full(total, int(log.time[0])),
            activities=log.activities,
        )


def control_pair() -> Pair:
    cases = [[("a", 0)]] * _CASES
    return Pair(
        name="control",
        says="one of forty identical cases is missing",
        left=log_of_cases(cases),
        right=log_of_cases(cases[1:]),
        relation=Relation.ADD_REMOVE,
        kind=Kind.CASE,
        victim=(0, None),
        worst_case=True,
    )
