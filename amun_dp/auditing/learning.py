"""A score learnt from runs: logistic regression on standardised features, with a ridge. Numpy only; seconds at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import FloatArray

_STEPS = 12
_RIDGE = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class LearntScore:
    """The more a release looks like those of the left log, the larger."""

    middle: FloatArray
    spread: FloatArray
    weight: FloatArray

    def __call__(self, features: FloatArray) -> FloatArray:
        result: FloatArray = _standardised(features, self.middle, self.spread) @ self.weight
        return result


def learn(left: FloatArray, right: FloatArray) -> LearntScore:
    """Newton's method for the ridge-penalised likelihood; it is convex, so a dozen steps are plenty."""
    both = np.vstack((left, right))
    middle, spread = both.mean(axis=0), both.std(axis=0)
    spread = np.where(spread > 1e-9 * (1 + np.abs(middle)), spread, np.inf)  # a constant feature says nothing
    x = np.hstack((_standardised(both, middle, spread), np.ones((len(both), 1))))
    y = np.concatenate((np.ones(len(left)), np.zeros(len(right))))
    weight = np.zeros(x.shape[1])
    penalty = np.full(x.shape[1], _RIDGE)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(x @ weight, -30, 30)))
        slope = x.T @ (y - chance) - penalty * weight
        curvature = (x * np.maximum(chance * (1 - chance), 1e-6)[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        weight += step
        if float(np.abs(step).max()) < 1e-6:
            break
    return LearntScore(middle, spread, weight[:-1])


def _standardised(features: FloatArray, middle: FloatArray, spread: FloatArray) -> FloatArray:
    result: FloatArray = np.clip((features - middle) / spread, -20.0, 20.0)
    return result
