"""The exact sampler by its draws: their law, OpenDP's, and the independence of neighbours.

Draws are counted in cells; the count of a cell is binomial (given both margins: hypergeometric), and both of its tails
are computed exactly. Each test shares FALSE_ALARM among all its cells.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from amun_dp._base.arrays import BoolArray, FloatArray, IntArray
from amun_dp.noise import exact
from amun_dp.noise.sources import ExactNoise, SystemNoise

FALSE_ALARM = 1e-11
"""Probability with which a test fails a correct sampler; there are 25 of them."""
SCALES = (0.01, 0.3, 1.0, 7.5, 1e3, 1e9, 1e15, 1e17)
"""The last one beyond 2⁵³, where Python's integers take over."""
DRAWS = 20_000


def upper_tail(k: IntArray, scale: float) -> FloatArray:
    """P(Z ≥ k) = q^k/(1+q) for k ≥ 1, and by symmetry 1 - P(Z ≥ 1-k) otherwise."""
    q = math.exp(-1 / scale)
    far = np.exp(-np.where(k >= 1, k, 1 - k) / scale) / (1 + q)
    return np.where(k >= 1, far, 1 - far)


def edges(scale: float) -> IntArray:
    """Where cells begin: about thirty of comparable probability, fewer where few numbers have any."""
    quantiles = stats.laplace.ppf(np.linspace(0, 1, 31)[1:-1], scale=scale)
    return np.unique(np.round(quantiles).astype(np.int64))


def counts(draws: IntArray, scale: float) -> IntArray:
    starts = edges(scale)
    return np.bincount(np.searchsorted(starts, draws, side="right"), minlength=len(starts) + 1)


def rarest(draws: IntArray, scale: float) -> float:
    """The smallest two-sided binomial tail of any cell, times the number of cells: a p-value, rather too large."""
    tails = upper_tail(edges(scale), scale)
    chances = np.clip(-np.diff(np.concatenate(([1.0], tails, [0.0]))), 0, 1)
    found = counts(draws, scale)
    sides = np.minimum(stats.binom.cdf(found, len(draws), chances), stats.binom.sf(found - 1, len(draws), chances))
    return float(2 * sides.min() * len(chances))


@pytest.fixture(scope="module")
def mixed() -> dict[float, IntArray]:
    """All scales interleaved in one call."""
    drawn = ExactNoise().discrete_laplace(np.tile(SCALES, DRAWS))
    return {scale: drawn[place :: len(SCALES)] for place, scale in enumerate(SCALES)}


@pytest.mark.parametrize("scale", SCALES)
def test_draws_of_many_scales_in_one_call_have_each_its_exact_law(mixed: dict[float, IntArray], scale: float) -> None:
    assert rarest(mixed[scale], scale) > FALSE_ALARM


@pytest.mark.parametrize("scale", SCALES)
def test_draws_of_one_scale_have_its_exact_law(scale: float) -> None:
    assert rarest(ExactNoise().discrete_laplace(np.full(DRAWS, scale)), scale) > FALSE_ALARM


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("scale", [0.3, 1.0, 7.5, 1e3, 1e9, 1e15, 1e17])
def test_a_scale_off_by_a_tenth_would_be_seen_in_the_cells(scale: float, factor: float) -> None:
    assert rarest(ExactNoise().discrete_laplace(np.full(8 * DRAWS, scale * factor)), scale) < FALSE_ALARM


@pytest.mark.parametrize("scale", SCALES)
def test_the_draws_are_distributed_as_those_of_opendp(mixed: dict[float, IntArray], scale: float) -> None:
    """Given how many of both samplers fall into a cell, how many of them are ours is hypergeometric."""
    ours, theirs = (
        counts(draws, scale) for draws in (mixed[scale], SystemNoise().discrete_laplace(np.full(DRAWS, scale)))
    )
    law = stats.hypergeom(2 * DRAWS, ours + theirs, DRAWS)
    sides = np.minimum(law.cdf(ours), law.sf(ours - 1))
    assert 2 * sides.min() * len(ours) > FALSE_ALARM


def is_far(draws: IntArray, scale: float) -> BoolArray:
    return np.abs(draws) > 0.7 * scale


def is_positive(draws: IntArray, scale: float) -> BoolArray:
    return draws > 0


def test_neighbours_in_a_call_are_independent(mixed: dict[float, IntArray]) -> None:
    """Of two rows beside each other: how often both are far, or both positive, is hypergeometric given each alone."""
    pairs = list(pairwise(SCALES[2:]))  # the first two give little else than 0
    for left, right in pairs:
        for seen in (is_far, is_positive):
            one, other = seen(mixed[left], left), seen(mixed[right], right)
            both = np.count_nonzero(one & other)
            law = stats.hypergeom(DRAWS, np.count_nonzero(one), np.count_nonzero(other))
            assert 2 * min(law.cdf(both), law.sf(both - 1)) > FALSE_ALARM / (2 * len(pairs))


def test_enormous_scales_reach_both_ends_of_int64() -> None:
    draws = ExactNoise().discrete_laplace(np.full(500, 1e300))
    assert set(draws.tolist()) == {-(1 << 63), (1 << 63) - 1}  # all of one sign: 2^-499


def test_a_block_boundary_loses_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_ROWS", 7)
    draws = ExactNoise().discrete_laplace(np.full(100, 1e15))
    assert np.count_nonzero(draws) > 90  # zero has probability 5e-16
