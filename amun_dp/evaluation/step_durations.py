"""How long the steps of an edge take in two logs: the durations between two activities that follow directly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import FloatArray
from amun_dp._base.units import HOUR
from amun_dp.evaluation.distances import EdgeTable, Steps
from amun_dp.evaluation.wasserstein import wasserstein_by_group


@dataclass(frozen=True, slots=True, eq=False)
class StepDurations:
    """How far the durations of each edge moved, in hours; one entry per edge."""

    mean: tuple[FloatArray, FloatArray]
    """Mean duration, before and after; NaN where the edge does not occur."""
    distance: FloatArray
    """Wasserstein distance of the durations; NaN where the edge does not occur in both logs."""
    overall: float
    """Mean of the distances, each edge as often as it occurs in the original; NaN if the logs share none."""
    overall_mean: float
    """Mean duration, in the original, of the same steps, for comparison."""


def step_durations(steps: Steps, table: EdgeTable) -> StepDurations:
    before, after = (
        np.divide(duration, count, out=np.full(steps.edges, np.nan), where=count > 0)
        for duration, count in zip(table.duration, table.count, strict=True)
    )
    samples = [(gap, edge) for gap, edge in zip(steps.gap, steps.edge, strict=True)]
    distance = wasserstein_by_group(steps.edges, samples[0], samples[1]) / HOUR
    shared = ~np.isnan(distance)
    weight = table.count[0][shared]
    whole = float(weight.sum())
    return StepDurations(
        mean=(before, after),
        distance=distance,
        overall=float(weight @ distance[shared]) / whole if whole else float("nan"),
        overall_mean=float(weight @ before[shared]) / whole if whole else float("nan"),
    )
