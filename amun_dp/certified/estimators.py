"""Estimators: functions of noisy cells and public facts, so they cost nothing (post-processing)."""

from __future__ import annotations

import math

import numpy as np

from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.noise.sources import NoiseSource, permutation, shuffled_groups, uniforms

COUNT_SPREAD = 3.0
"""Log-spread of the prior of counts (variants, directly-follows pairs) around their expectation: Pareto-like."""
TIME_SPREAD = 1.5
"""Log-spread of the prior of a pair's durations around what the whole log suggests."""

_Z = np.linspace(-5, 5, 121)
_DENSITY = np.exp(-_Z * _Z / 2)
_CLEAR = 4.0
_LATTICE = (64.0, 32.0)
"""Steps of the lattice of noisy values (a unit of noise) and of priors (a factor e): far finer than the noise."""
_CHUNK = 8_192


def shrink(
    noisy: FloatArray | IntArray,
    scale: float,
    prior: FloatArray | float,
    spread: float,
    most: float = math.inf,
    median: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Bayes estimate of numbers that are not negative from Laplace noise; and the variance that is left.

    The prior of a number is ``prior`` times a lognormal variable of mean 1 and log-spread ``spread``, cut at ``most``
    times the prior. Numbers clear of the noise of all cells together are kept as they are: the prior is flat there.
    The estimate in units of the noise depends on the noisy value and the prior in these units alone, and a negative
    value says as much as 0, so it is computed once for each point of a lattice.
    """
    noisy = np.asarray(noisy, dtype=np.float64)
    priors = np.broadcast_to(np.asarray(prior, dtype=np.float64), noisy.shape)
    estimate = np.minimum(noisy, priors * most)
    variance = np.full(len(noisy), 2.0 * scale**2)
    small = np.flatnonzero(noisy <= (math.log(max(len(noisy), 1)) + _CLEAR) * scale)
    value = np.rint(np.clip(noisy[small] / scale, 0, 1e6) * _LATTICE[0]).astype(np.int64)
    level = np.rint(np.clip(np.log(np.maximum(priors[small], 1e-300) / scale), -60, 60) * _LATTICE[1]).astype(np.int64)
    points, of_cell = np.unique((value << 16) + level + (1 << 15), return_inverse=True)
    x, left = _posterior(
        (points >> 16) / _LATTICE[0],
        np.exp(((points & 0xFFFF) - (1 << 15)) / _LATTICE[1]),
        np.minimum(np.exp(spread * _Z - spread**2 / 2), most),
        median,
    )
    estimate[small] = x[of_cell] * scale
    variance[small] = left[of_cell] * scale**2
    return estimate, variance


def _posterior(noisy: FloatArray, prior: FloatArray, ratios: FloatArray, median: bool) -> tuple[FloatArray, FloatArray]:
    """Mean (or median) and variance, in units of the noise, by summing over the quantiles of the prior."""
    mean, variance = np.empty(len(noisy)), np.empty(len(noisy))
    for start in range(0, len(noisy), _CHUNK):  # bounds the memory
        rows = slice(start, start + _CHUNK)
        grid = prior[rows, None] * ratios
        exponent = -np.abs(noisy[rows, None] - grid)
        weight = np.exp(exponent - exponent.max(axis=1, keepdims=True)) * _DENSITY
        weight /= weight.sum(axis=1, keepdims=True)
        mean[rows] = (weight * grid).sum(axis=1)
        variance[rows] = np.maximum((weight * grid * grid).sum(axis=1) - mean[rows] ** 2, 0.0)
        if median:
            at = np.minimum((np.cumsum(weight, axis=1) < 0.5).sum(axis=1), len(_Z) - 1)
            mean[rows] = grid[np.arange(len(grid)), at]
    return mean, variance


def to_total(estimate: FloatArray, variance: FloatArray, total: float) -> FloatArray:
    """Shifts the numbers to a total, each in proportion to its variance (Gaussian conditioning), none below 0."""
    result = np.maximum(estimate, 0.0)
    tolerance = 1e-9 * max(total, 1.0)
    for _ in range(60):
        missing = total - result.sum()
        weight = np.where((result > 0) | (missing > 0), variance, 0.0)
        if abs(missing) <= tolerance or weight.sum() <= 0:
            break
        result = np.maximum(result + missing * (weight / weight.sum()), 0.0)
    whole = result.sum()
    if abs(total - whole) <= tolerance:
        return result
    # Numbers without variance cannot be shifted; what is left is scaled, and a sum of 0 is spread evenly.
    return result * (total / whole) if whole > 0 else np.full(len(result), total / max(len(result), 1))


def combine(
    one: FloatArray, one_variance: FloatArray, other: FloatArray, other_variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Two measurements of the same numbers, weighted by their precision."""
    one_variance, other_variance = np.maximum(one_variance, 1e-9), np.maximum(other_variance, 1e-9)
    variance = 1.0 / (1.0 / one_variance + 1.0 / other_variance)
    return variance * (one / one_variance + other / other_variance), variance


def rounded_at_random(numbers: FloatArray, source: NoiseSource) -> IntArray:
    """Whole numbers within 1 of the given ones, each with its expectation, with the same total if that is whole."""
    order = permutation(source, len(numbers))
    result = np.empty(len(numbers), dtype=np.int64)
    result[order] = _systematic(numbers[order], source)
    return result


def rows_rounded_at_random(table: FloatArray, source: NoiseSource) -> IntArray:
    """The same for a table; each row's total is within 1 of the given one, and the first row's the same if whole."""
    row = np.repeat(np.arange(len(table)), table.shape[1])
    order = shuffled_groups(source, row)
    result = np.empty(table.size, dtype=np.int64)
    result[order] = _systematic(table.ravel()[order], source, first=table.shape[1])
    return result.reshape(table.shape)


def _systematic(numbers: FloatArray, source: NoiseSource, first: int | None = None) -> IntArray:
    """How many marks, one a unit and shifted by one random number, each stretch of the line of all numbers holds."""
    marks = np.concatenate(([0.0], np.cumsum(np.maximum(numbers, 0.0))))
    for end in {len(numbers), len(numbers) if first is None else first}:
        if abs(marks[end] - np.rint(marks[end])) <= 1e-6 + 1e-9 * marks[end]:
            marks[end] = np.rint(marks[end])  # so that a whole total is not missed by a rounding error
    # Fewer bits than a float has, so that a whole number plus the shift is exact.
    shift = (np.floor(uniforms(source, 1)[0] * 2.0**20) + 0.5) * 2.0**-20
    result: IntArray = np.diff(np.floor(np.maximum.accumulate(marks) + shift)).astype(np.int64)
    return result
