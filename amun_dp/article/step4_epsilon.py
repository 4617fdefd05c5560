"""Step 4: ε estimation. How much each event and each count may lose for the attacker to gain at most A (Eq. 3)."""

from __future__ import annotations

import numpy as np

from accounting.blocks import in_blocks
from accounting.formulas import loss_for_prior, worst_case_loss
from amun_dp._base.arrays import FloatArray
from amun_dp.article.step3_filtering import exceeds


def event_losses(prior: FloatArray, advantage: float) -> FloatArray:
    """Dimensionless loss ε_t·r of every event; NaN where the prior is (events not kept).

    Where Eq. 3 has no value, P + A ≥ 1 or an empty window, the loss is the one valid for every prior.
    """

    def losses(prior: FloatArray) -> FloatArray:
        result = np.full(len(prior), np.nan)
        known = ~np.isnan(prior)
        usable = known & (prior > 0) & ~exceeds(prior, advantage)
        result[known] = worst_case_loss(advantage)
        result[usable] = loss_for_prior(prior[usable], advantage)
        return result

    return in_blocks(losses, prior)
