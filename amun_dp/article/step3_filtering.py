"""Step 3: case filtering. A case with an event that cannot be protected (P + A ≥ 1) is removed whole (Def. 8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accounting.formulas import headroom
from amun_dp._base.arrays import BoolArray, FloatArray
from amun_dp.article.conventions import Conventions
from amun_dp.article.step1_annotation import AnnotatedLog
from amun_dp.article.step2_prior import PriorKnowledge, Windows, estimate_prior

_TOLERANCE = 1e-9
"""P = 0.7 and A = 0.3 sum to 1 on paper but not in binary; within this distance of 1 they count as reaching it.
The error is on the safe side: such an event is filtered, or takes the ε that is valid for every prior."""


@dataclass(frozen=True, slots=True, eq=False)
class Filtered:
    """Which cases stay, and the priors among them."""

    kept_case: BoolArray
    knowledge: PriorKnowledge
    """Re-estimated among the kept events."""
    prior_at_decision: FloatArray
    """Prior of each event when it was last looked at: among the kept for kept events, at removal for the others."""
    passes: int
    """How often priors were estimated."""


def exceeds(prior: FloatArray, advantage: float) -> BoolArray:
    """True where P + A ≥ 1: the attacker may already be so sure that no noise keeps the advantage below A there."""
    with np.errstate(invalid="ignore"):  # NaN marks events that are not kept; they exceed nothing
        result: BoolArray = headroom(prior, advantage) <= _TOLERANCE
    return result


def keep_all(annotated: AnnotatedLog, windows: Windows, advantage: float, conventions: Conventions) -> Filtered:
    """No filtering: priors over the whole log (methods ``sampling`` and ``oversampling``)."""
    everything = np.ones(annotated.log.n_events, dtype=np.bool_)
    knowledge = estimate_prior(windows, everything, advantage, conventions)
    return Filtered(np.ones(annotated.log.n_cases, dtype=np.bool_), knowledge, knowledge.prior, passes=1)


def filter_cases(annotated: AnnotatedLog, windows: Windows, advantage: float, conventions: Conventions) -> Filtered:
    """Remove the cases that violate P + A < 1, once or until none does.

    O(n) a pass. Every pass but the last removes a case, so there may be as many passes as cases; real logs take few
    (the internal report counts them).
    """
    log = annotated.log
    kept_case = np.ones(log.n_cases, dtype=np.bool_)
    seen = np.empty(log.n_events)
    passes = 0
    while True:
        kept_event = kept_case[log.case]
        knowledge = estimate_prior(windows, kept_event, advantage, conventions)
        passes += 1
        seen[kept_event] = knowledge.prior[kept_event]
        settled = conventions.filtering == "once" and passes == 2
        violating = exceeds(knowledge.prior, advantage)
        if settled or not violating.any():
            return Filtered(kept_case, knowledge, seen, passes)
        kept_case = kept_case.copy()
        kept_case[log.case[violating]] = False
