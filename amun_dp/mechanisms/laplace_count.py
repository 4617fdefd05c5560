"""Laplace count: noise for the cells of a table of counts.

Domain: a vector of non-negative integers, one a cell.
Sensitivity: adding or removing one case changes a cell by at most 1 (a path takes a DAFSA transition at most once).
Relation: add-remove; for a single cell the same ε holds under replace. It says nothing of the whole table, which costs
the length of the case times ε (Prop. CT-DP of the article).
"""

from __future__ import annotations

import math

import numpy as np

from accounting.events import Fact, LaplaceCount, OneSidedCount
from amun_dp._base.arrays import IntArray
from amun_dp.noise.sources import NoiseSource


def count_scale(epsilon: float) -> float:
    """Scale 1/ε, rounded up: the noise is never smaller than ε asks for."""
    return math.nextafter(1.0 / epsilon, math.inf)


def laplace_count_noise(
    cells: int, cells_per_case: Fact, epsilon: float, source: NoiseSource
) -> tuple[IntArray, LaplaceCount]:
    """Independent discrete Laplace noise of scale 1/ε for each cell (the article's Lap(1/ε_d), on integers).

    ``cells`` is how many there are, ``cells_per_case`` how many of them one case moves at most, ``epsilon`` that of one
    cell, and ``source`` where the noise comes from.
    """
    scale = count_scale(epsilon)
    return source.discrete_laplace(np.full(cells, scale)), LaplaceCount(scale, cells_per_case=cells_per_case)


def one_sided_count_noise(
    cells: int, cells_per_case: Fact, epsilon: float, source: NoiseSource
) -> tuple[IntArray, OneSidedCount]:
    """Independent geometric noise, P(k) = (1-q)·q^k with q = exp(-ε), for each cell.

    It is what remains of discrete Laplace draws when the negative ones are rejected. Folding (taking |z|) is another
    law, for which the ratio step of the article's proof fails.
    """
    scale = count_scale(epsilon)
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < cells:
        more = source.discrete_laplace(np.full(2 * (cells - len(drawn)) + 16, scale))
        drawn = np.concatenate((drawn, more[more >= 0]))
    return drawn[:cells], OneSidedCount(scale, cells_per_case=cells_per_case)
