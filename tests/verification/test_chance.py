"""The tail bounds behind the statistical checks, against exact laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from amun_dp.article.step7_compression import fold
from amun_dp.verification.original.chance import (
    FALSE_ALARM,
    balance_limit,
    chance_between,
    chance_of_fold,
    chance_of_none,
    chance_of_range,
    improbability,
    most_by_chance,
)


@given(n=st.integers(1, 3_000), p=st.floats(1e-12, 1 - 1e-9))
def test_more_than_the_limit_is_as_improbable_as_stated(n: int, p: float) -> None:
    most = most_by_chance(np.full(n, p))
    assert stats.binom.sf(most, n, p) <= FALSE_ALARM
    assert most >= np.floor(n * p)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_limit_holds_for_unequal_probabilities(chances: list[float]) -> None:
    law = np.ones(1)
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    for false_alarm in (1e-9, 1e-3, 0.2):
        most = most_by_chance(np.array(chances), false_alarm)
        assert law[most + 1 :].sum() <= false_alarm + 1e-12


def test_the_limit_is_not_much_too_large() -> None:
    for n, p in ((1_000, 0.4), (100_000, 0.01), (2_000, 1e-7)):
        most = most_by_chance(np.full(n, p))
        assert most <= 1.1 * stats.binom.isf(FALSE_ALARM, n, p) + 1


@given(st.lists(st.floats(1e-15, 0.9), min_size=1, max_size=9))
def test_what_is_called_improbable_is(chances: list[float]) -> None:
    """Over all outcomes: P(improbability ≤ a) ≤ a."""
    p = np.array(chances)
    outcomes = [np.array(bits) for bits in product((False, True), repeat=len(p))]
    masses = np.array([np.where(each, p, 1 - p).prod() for each in outcomes])
    odds = np.array([improbability(each, p) for each in outcomes])
    for threshold in (*odds, 1e-9, 1e-3, 0.3):
        assert masses[odds <= threshold].sum() <= threshold * (1 + 1e-9)


def test_rare_events_weigh_more_than_common_ones() -> None:
    p = np.array([1e-19, *[1e-3] * 80])
    rare, common = np.arange(81) == 0, np.arange(81) == 1
    assert improbability(rare, p) < FALSE_ALARM < improbability(common, p)
    assert improbability(rare, np.where(rare, 0.0, p)) == 0
    assert improbability(np.zeros(81, dtype=np.bool_), p) == 1


@pytest.mark.parametrize("n", [10**4, 10**6])
@pytest.mark.parametrize("p", [0.5, 1.0])
def test_common_events_of_a_large_log_are_no_surprise(n: int, p: float) -> None:
    """Their weight is beyond what exp can take."""
    chances = np.full(n, p)
    assert improbability(np.zeros(n, dtype=np.bool_), chances) == 1
    assert improbability(np.arange(n) < p * n, chances) > 1e-3


def test_without_trials_nothing_may_happen() -> None:
    assert most_by_chance(np.empty(0)) == 0
    assert improbability(np.empty(0, dtype=np.bool_), np.empty(0)) == 1
    assert most_by_chance(np.zeros(5)) == 0
    assert most_by_chance(np.ones(5)) == 5


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.5, 1e3])
def test_probabilities_of_the_noise_are_those_of_the_discrete_laplace_law(scale: float) -> None:
    law, one = stats.dlaplace(1 / scale), np.array([scale])
    assert chance_of_none(one)[0] == pytest.approx(law.pmf(0), rel=1e-12)
    for below, above in ((0, 0), (3, 5), (0, 40)):
        exact = law.cdf(above) - law.cdf(-below - 1)
        found = chance_between(one, np.array([float(below)]), np.array([float(above)]))[0]
        assert found == pytest.approx(exact, rel=1e-9)
    for first, last in ((1, 1), (2, 9), (5, 500)):
        exact = law.cdf(last) - law.cdf(first - 1)
        assert chance_of_range(one, np.array([float(first)]), np.array([float(last)]))[0] >= exact * (1 - 1e-12)


@pytest.mark.parametrize("scale", [0.5, 3.0, 40.0, 1e4])
@pytest.mark.parametrize("width", [1, 7, 50])
def test_the_probability_of_a_folded_time_near_the_true_one_is_bounded(scale: float, width: int) -> None:
    furthest = int(min(40 * scale, 30_000))
    noise = np.arange(-furthest, furthest + 1)
    mass = stats.dlaplace(1 / scale).pmf(noise)
    for value in {0, 1, width // 3, width - 1, width}:
        distance = np.abs(fold(value + noise, width) - value)
        for reach in (0, 1, width // 4, width):
            exact = mass[distance <= reach].sum()
            found = chance_of_fold(np.array([scale]), np.array([float(value)]), np.array([float(reach)]), width)[0]
            assert exact - 1e-9 <= found <= 1
            if value - reach > 0 and value + reach < width:  # no value is then counted twice
                assert found == pytest.approx(exact, abs=max(1e-9, 2 * np.exp(-furthest / scale)))


@given(st.integers(1, 5_000))
def test_bits_are_uneven_beyond_the_limit_as_rarely_as_stated(bits: int) -> None:
    law = stats.binom(bits, 0.5)
    limit = balance_limit(bits)
    assert law.cdf(np.ceil(bits / 2 - limit) - 1) + law.sf(np.floor(bits / 2 + limit)) <= FALSE_ALARM
