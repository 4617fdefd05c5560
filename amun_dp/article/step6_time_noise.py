"""Step 6: noise on the relative times of all released events (Alg. 1 of the article).

Every event has a noise scale of its own, from the loss that step 4 allows it and the range of its group. A case that
is released D times gives each copy a D-th of the loss: ``mechanisms.bounded_laplace.noise_scales`` multiplies the scale
by the number of copies.
"""

from __future__ import annotations

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.article.plan import Plan
from amun_dp.article.replicated_cases import ReplicatedCases
from amun_dp.mechanisms.bounded_laplace import NoisedTimes, RelativeTimes
from amun_dp.noise.sources import NoiseSource


def noise_on_times(plan: Plan, cases: ReplicatedCases, copies: IntArray, source: NoiseSource) -> NoisedTimes:
    """Noised relative times of the released ``cases``; ``copies`` is how often each original case is released."""
    original = plan.annotated.log
    lengths = np.diff(cases.offsets)
    origin = np.repeat(cases.origin, lengths)
    return plan.method.noise_times(
        RelativeTimes(
            value=plan.annotated.relative_time[cases.row],
            value_range=plan.filtered.knowledge.value_range[cases.row],
            loss=plan.losses[cases.row],
            copies=np.repeat(copies[cases.origin], lengths),
            case=cases.case,
            origin=origin,
            individual=origin if original.individual is None else np.repeat(original.individual[cases.origin], lengths),
        ),
        plan.parameters.advantage,
        source,
    )
