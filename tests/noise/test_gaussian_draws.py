"""The discrete Gaussian of every source by its draws: their law, that they agree, and the independence of neighbours.

Draws are counted in cells; the count of a cell is binomial (given both margins: hypergeometric), and both of its tails
are computed exactly. Each test shares FALSE_ALARM among all its cells; the law is that of tests/noise/gaussian_law.py.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from amun_dp._base.arrays import IntArray
from amun_dp.noise import exact
from amun_dp.noise.sources import ExactNoise, NoiseSource, SeededNoise, SystemNoise
from tests.noise.gaussian_law import chi_squared, counts, rarest, upper_tail

FALSE_ALARM = 1e-11
"""Probability with which a test fails a correct sampler; there are about 80 of them."""
SIGMAS = (0.25, 0.6, 1.0, 1.974, 3.0, 7.5, 1e3, 1e9, 1.1 * 2**40, 1e15, 1e17)
"""The last one beyond 2⁵³, where Python's integers take over."""
DRAWS = 20_000
SOURCES: list[NoiseSource] = [SystemNoise(), ExactNoise(), SeededNoise(5)]


@pytest.fixture(scope="module")
def mixed() -> dict[float, IntArray]:
    """All σ interleaved in one call."""
    drawn = ExactNoise().discrete_gaussian(np.tile(SIGMAS, DRAWS))
    return {sigma: drawn[place :: len(SIGMAS)] for place, sigma in enumerate(SIGMAS)}


@pytest.fixture(scope="module")
def opendp() -> dict[float, IntArray]:
    drawn = SystemNoise().discrete_gaussian(np.tile(SIGMAS, DRAWS))
    return {sigma: drawn[place :: len(SIGMAS)] for place, sigma in enumerate(SIGMAS)}


@pytest.mark.parametrize("sigma", SIGMAS)
def test_draws_of_many_sigmas_in_one_call_have_each_its_exact_law(mixed: dict[float, IntArray], sigma: float) -> None:
    assert rarest(mixed[sigma], sigma) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("sigma", SIGMAS)
def test_opendp_draws_from_the_same_law(opendp: dict[float, IntArray], sigma: float) -> None:
    assert rarest(opendp[sigma], sigma) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_draws_are_distributed_as_those_of_opendp(
    mixed: dict[float, IntArray], opendp: dict[float, IntArray], sigma: float
) -> None:
    """Given how many of both samplers fall into a cell, how many of them are ours is hypergeometric."""
    ours, theirs = counts(mixed[sigma], sigma), counts(opendp[sigma], sigma)
    law = stats.hypergeom(2 * DRAWS, ours + theirs, DRAWS)
    sides = np.minimum(law.cdf(ours), law.sf(ours - 1))
    assert 2 * sides.min() * len(ours) > FALSE_ALARM


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("sigma", [0.6, 1.974, 37.0, 5000.0])
def test_discrete_gaussian_noise_has_the_exact_law_in_all_cells_together(source: NoiseSource, sigma: float) -> None:
    assert chi_squared(source.discrete_gaussian(np.full(DRAWS, sigma)), sigma) > FALSE_ALARM


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("sigma", [0.6, 1.974, 37.0, 5000.0])
def test_a_sigma_off_by_a_tenth_would_be_noticed(source: NoiseSource, sigma: float, factor: float) -> None:
    assert chi_squared(source.discrete_gaussian(np.full(DRAWS, sigma * factor)), sigma) < FALSE_ALARM


@pytest.mark.parametrize("sigma", [1.0, 1.974, 3.0, 1e3, 2.0**40])
def test_tails_are_as_heavy_as_they_should_be(sigma: float) -> None:
    """How many of 200,000 draws lie at least so far out, on each side, is binomial."""
    draws = ExactNoise().discrete_gaussian(np.full(10 * DRAWS, sigma))
    far = np.array([math.ceil(times * sigma) for times in (2, 3, 3.5, 4, 4.5, 5)], dtype=np.int64)
    due = upper_tail(far, sigma)
    for found in ((draws[:, None] >= far).sum(axis=0), (draws[:, None] <= -far).sum(axis=0)):
        sides = np.minimum(stats.binom.cdf(found, len(draws), due), stats.binom.sf(found - 1, len(draws), due))
        assert 2 * sides.min() * 2 * len(far) > FALSE_ALARM


def test_tails_of_the_laplace_law_would_be_noticed() -> None:
    """Of the same standard deviation: 2·b² = σ²."""
    draws = ExactNoise().discrete_laplace(np.full(10 * DRAWS, 1e3 / math.sqrt(2)))
    far = int(np.count_nonzero(draws >= 4_000))
    assert stats.binom.sf(far - 1, len(draws), upper_tail(np.array([4_000]), 1e3)[0]) < FALSE_ALARM


def test_neighbours_in_a_call_are_independent(mixed: dict[float, IntArray]) -> None:
    """Of two rows beside each other: how often both are far, or both positive, is hypergeometric given each alone."""
    pairs = list(pairwise(SIGMAS[1:]))  # the first one gives little else than 0
    for left, right in pairs:
        for one, other in (
            (np.abs(mixed[left]) > 0.7 * left, np.abs(mixed[right]) > 0.7 * right),
            (mixed[left] > 0, mixed[right] > 0),
        ):
            both = np.count_nonzero(one & other)
            law = stats.hypergeom(DRAWS, np.count_nonzero(one), np.count_nonzero(other))
            assert 2 * min(law.cdf(both), law.sf(both - 1)) > FALSE_ALARM / (2 * len(pairs))


@pytest.mark.parametrize("source", SOURCES)
def test_every_row_is_drawn_with_its_own_sigma(source: NoiseSource) -> None:
    draws = source.discrete_gaussian(np.tile([0.0, 2.0, 300.0], DRAWS))
    assert (draws[::3] == 0).all()
    assert rarest(draws[1::3], 2.0) > FALSE_ALARM
    assert rarest(draws[2::3], 300.0) > FALSE_ALARM


@pytest.mark.parametrize("source", SOURCES)
def test_enormous_sigmas_saturate_at_both_ends_of_int64_and_do_not_wrap(source: NoiseSource) -> None:
    draws = source.discrete_gaussian(np.full(500, 1e300))
    assert set(draws.tolist()) == {-(1 << 63), (1 << 63) - 1}  # all of one sign: 2^-499


@pytest.mark.parametrize("source", SOURCES)
def test_tiny_sigmas_give_zero(source: NoiseSource) -> None:
    assert not source.discrete_gaussian(np.array([5e-324, 1e-300, 2.0**-11, 2.0**-9, 0.05])).any()  # but for 2e-87


def test_a_block_boundary_loses_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_ROWS", 7)
    assert np.count_nonzero(ExactNoise().discrete_gaussian(np.full(100, 1e15))) > 90  # zero has probability 4e-16
