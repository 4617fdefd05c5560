"""Distributions of durations over logarithmic bins: fitted to a mean, and drawn from. Post-processing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from accounting.blocks import in_blocks
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.noise.sources import NoiseSource, shuffled_groups, uniforms

SECOND = 1_000.0
BIN_RATIO = 4.0
_TILTS = 6.0
_HALVINGS = 20
"""Of the interval of tilts; what is left of the error is corrected when the durations are scaled to their total."""
_LARGEST_FACTOR = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Weights of the bins, one row a pair."""

    edges: FloatArray
    weights: FloatArray


def bin_edges(longest: int) -> FloatArray:
    """[0, 1 s), [1, 4), [4, 16) s … up to the public longest duration."""
    powers = max(0, math.ceil(math.log(max(longest / SECOND, 1.0)) / math.log(BIN_RATIO)))
    return SECOND * np.concatenate(([0.0], BIN_RATIO ** np.arange(powers + 1)))


def tilted(shapes: Shapes, mean: FloatArray, cap: float) -> Shapes:
    """Each row times middle^θ, θ such that the row has the given mean; bins beyond the cap are closed."""
    low_edge, high_edge = shapes.edges[:-1], shapes.edges[1:]
    # The mean of a value whose logarithm is uniform in the bin; in the first bin the value itself is.
    with np.errstate(divide="ignore"):
        middle = np.where(low_edge > 0, (high_edge - low_edge) / np.log(high_edge / low_edge), high_edge / 2)
    open_bins = low_edge < cap
    weights = np.where(open_bins, shapes.weights / shapes.weights.sum(axis=1, keepdims=True) + 1e-12, 0.0)
    logarithm = np.log(middle) - np.log(middle).mean()
    low, high = np.full(len(mean), -_TILTS), np.full(len(mean), _TILTS)
    result = weights
    for _ in range(_HALVINGS):
        tilt = (low + high) / 2
        exponent = tilt[:, None] * logarithm
        result = weights * np.exp(exponent - exponent.max(axis=1, keepdims=True))
        too_long = (result * middle).sum(axis=1) > mean * result.sum(axis=1)
        low, high = np.where(too_long, low, tilt), np.where(too_long, tilt, high)
    return Shapes(shapes.edges, result / result.sum(axis=1, keepdims=True))


def drawn(shapes: Shapes, pair: IntArray, total: FloatArray, cap: int, source: NoiseSource) -> IntArray:
    """One duration (ms) for each step of a pair: quantiles (i + u)/n in random order, scaled to the pair's total."""
    order = shuffled_groups(source, pair)
    grouped = pair[order]
    pairs, bins = shapes.weights.shape
    count = np.bincount(pair, minlength=pairs)
    first = np.cumsum(count) - count
    cumulative = np.cumsum(shapes.weights, axis=1)
    levels = (cumulative / cumulative[:, -1:] + np.arange(pairs)[:, None]).ravel()  # one search for all pairs

    def values(of: IntArray, place: IntArray) -> FloatArray:
        quantile = (place - first[of] + uniforms(source, len(of))) / count[of]
        position = np.searchsorted(levels, quantile + of, side="right")
        bin_of = np.clip(position - of * bins, 0, bins - 1)
        low, high = shapes.edges[bin_of], np.minimum(shapes.edges[bin_of + 1], cap)
        return _within(low, high, uniforms(source, len(of)))

    value = in_blocks(values, grouped, np.arange(len(pair)))
    scale = np.clip(total / np.maximum(np.bincount(grouped, value, pairs), 1.0), 0.0, _LARGEST_FACTOR)
    result = np.empty(len(pair), dtype=np.int64)
    result[order] = np.minimum(value * scale[grouped], cap).astype(np.int64)
    return result


def _within(low: FloatArray, high: FloatArray, uniform: FloatArray) -> FloatArray:
    """Log-uniform between the ends of a bin; uniform in the first, which begins at 0."""
    at_least = np.maximum(low, 1.0)
    return np.where(low == 0, high * uniform, at_least * (np.maximum(high, at_least) / at_least) ** uniform)
