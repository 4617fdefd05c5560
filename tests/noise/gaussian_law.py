"""The law N_Z(0, σ²), computed apart from any sampler: by summing exp(-k²/2σ²), or where that are too many terms by the
normal law, which differs from it by 1/(24σ²) of a probability."""

from __future__ import annotations

import numpy as np
from scipy import stats

from amun_dp._base.arrays import FloatArray, IntArray

_SUMMED = 2_000.0


def upper_tail(k: IntArray, sigma: float) -> FloatArray:
    """P(Z ≥ k) for each k."""
    if sigma > _SUMMED:
        tail: FloatArray = stats.norm.sf((k - 0.5) / sigma)
        return tail
    reach = int(40 * sigma) + 2
    heights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    above = np.cumsum(heights[::-1])[::-1] / heights.sum()  # small terms first
    return np.append(above, 0.0)[np.clip(k + reach, 0, 2 * reach + 1)]


def edges(sigma: float, cells: int = 30) -> IntArray:
    """Where cells begin: of comparable probability, and two in each tail; fewer where few numbers have any."""
    levels = np.linspace(0, 1, cells + 1)[1:-1]
    quantiles = stats.norm.ppf(np.concatenate(([1e-4, 1e-3], levels, [0.999, 0.9999])), scale=sigma)
    return np.unique(np.round(quantiles).astype(np.int64))


def counts(draws: IntArray, sigma: float) -> IntArray:
    """How many draws there are in each cell."""
    starts = edges(sigma)
    return np.bincount(np.searchsorted(starts, draws, side="right"), minlength=len(starts) + 1)


def chances(sigma: float) -> FloatArray:
    """The probability of each cell."""
    cells: FloatArray = -np.diff(np.concatenate(([1.0], upper_tail(edges(sigma), sigma), [0.0])))
    return np.clip(cells, 0, 1)


def rarest(draws: IntArray, sigma: float) -> float:
    """The smallest two-sided binomial tail of any cell, times the number of cells: a p-value, rather too large."""
    expected, found = chances(sigma), counts(draws, sigma)
    sides = np.minimum(stats.binom.cdf(found, len(draws), expected), stats.binom.sf(found - 1, len(draws), expected))
    return float(2 * sides.min() * len(expected))


def chi_squared(draws: IntArray, sigma: float) -> float:
    """p-value of the draws in all cells together; cells of fewer than 20 expected draws are put together."""
    expected, found = chances(sigma) * len(draws), counts(draws, sigma)
    large = expected >= 20
    observed = np.append(found[large], found[~large].sum())
    due = np.append(expected[large], expected[~large].sum())
    if due[-1] < 20:
        observed, due = observed[:-1], due[:-1] * (observed[:-1].sum() / due[:-1].sum())
    return float(stats.chisquare(observed, due * (observed.sum() / due.sum())).pvalue)
