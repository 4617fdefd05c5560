"""Estimators keep totals and signs, and shrink as the posterior that they approximate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from amun_dp.certified.estimators import combine, rounded_at_random, rows_rounded_at_random, shrink, to_total
from amun_dp.noise.sources import SeededNoise, SystemNoise, shuffled_groups, uniforms

numbers = st.lists(st.floats(0, 1e6), min_size=1, max_size=30).map(np.array)


@given(numbers, st.floats(0, 1e6), st.integers(0, 99))
def test_a_total_is_reached_without_negative_numbers(values: np.ndarray, total: float, seed: int) -> None:
    variance = np.random.default_rng(seed).exponential(5, len(values))
    fitted = to_total(values, variance, total)
    assert (fitted >= 0).all()
    assert fitted.sum() == pytest.approx(total, rel=1e-6, abs=1e-6)


def test_what_is_certain_is_shifted_least() -> None:
    assert to_total(np.array([10.0, 10.0, 10.0]), np.array([0.0, 1.0, 3.0]), 34) == pytest.approx([10, 11, 13])
    assert to_total(np.array([10.0, 10.0]), np.zeros(2), 30) == pytest.approx([15, 15])
    assert to_total(np.zeros(4), np.zeros(4), 2) == pytest.approx([0.5] * 4)


@given(numbers, st.integers(0, 1000))
def test_rounding_moves_a_number_by_less_than_one_and_keeps_the_total(values: np.ndarray, seed: int) -> None:
    rounded = rounded_at_random(values, SeededNoise(seed))
    assert (np.abs(rounded - values) < 1.05).all()  # 30 million times 1e-9 may be added to make a total whole
    assert abs(rounded.sum() - values.sum()) < 1.05
    whole = values * (np.rint(values.sum()) / values.sum()) if values.sum() >= 1 else values * 0
    assert rounded_at_random(whole, SeededNoise(seed)).sum() == np.rint(whole.sum())


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_rounding_a_table_keeps_the_totals_of_its_rows(rows: int, columns: int, seed: int) -> None:
    table = np.random.default_rng(seed).exponential(2.0, (rows, columns))
    table[0] *= 7 / table[0].sum()
    rounded = rows_rounded_at_random(table, SeededNoise(seed))
    assert (np.abs(rounded - table) < 1 + 1e-6).all()
    assert (np.abs(rounded.sum(axis=1) - table.sum(axis=1)) < 1 + 1e-6).all()
    assert rounded[0].sum() == 7


def test_rounding_at_random_is_unbiased() -> None:
    # Each entry is a fair coin of known bias; 6 standard errors, 2e-9 for each of the 5 entries.
    values = np.array([0.1, 0.25, 2.5, 0.0, 0.15])
    source = SystemNoise()
    mean = np.mean([rounded_at_random(values, source) for _ in range(4_000)], axis=0)
    assert (np.abs(mean - values) <= 6 * 0.5 / np.sqrt(4_000)).all()
    assert abs(mean[0] - 0.14) > 0.01  # and a bias of 0.04 would be seen


def test_the_better_measurement_counts_more() -> None:
    value, variance = combine(np.array([0.0]), np.array([1.0]), np.array([10.0]), np.array([3.0]))
    assert (value[0], variance[0]) == pytest.approx((2.5, 0.75))
    assert combine(np.array([4.0]), np.array([1.0]), np.array([0.0]), np.array([np.inf]))[0] == pytest.approx(4)


@pytest.mark.parametrize(("noisy", "prior"), [(0.0, 2.0), (3.0, 2.0), (25.0, 2.0), (-20.0, 0.05), (8.0, 60.0)])
def test_shrinking_is_the_posterior_mean(noisy: float, prior: float) -> None:
    scale, spread = 5.0, 1.5

    def density(z: float) -> float:
        return float(np.exp(-z * z / 2 - abs(noisy - prior * np.exp(spread * z - spread**2 / 2)) / scale))

    def weighted(z: float) -> float:
        return density(z) * prior * float(np.exp(spread * z - spread**2 / 2))

    exact = integrate.quad(weighted, -5, 5, limit=300)[0] / integrate.quad(density, -5, 5, limit=300)[0]
    # In a crowd, so that no value is clear of the noise of all cells.
    estimate, variance = shrink(np.append(np.zeros(2_000), noisy), scale, prior, spread)
    assert estimate[-1] == pytest.approx(exact, rel=0.03, abs=0.02 * scale)
    assert variance[-1] > 0


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=50), st.floats(0.01, 1e3), st.floats(1e-6, 1e6))
def test_shrunk_numbers_are_finite_and_not_negative(values: list[float], scale: float, prior: float) -> None:
    for median in (False, True):
        estimate, variance = shrink(np.array(values), scale, prior, 3.0, most=10.0, median=median)
        assert np.isfinite(estimate).all()
        assert (estimate >= 0).all()
        assert (estimate <= 10.3 * prior).all()  # but for the lattice, 1/64 in the logarithm
        assert (variance >= 0).all()


def test_numbers_clear_of_the_noise_are_kept() -> None:
    estimate, _ = shrink(np.array([0, 1, 1_000]), 2.0, 5.0, 3.0)
    assert estimate[2] == 1_000
    assert estimate[0] < estimate[1] < 5


def test_uniform_numbers_fill_the_unit_interval() -> None:
    drawn = uniforms(SystemNoise(), 40_000)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    # A mean beyond 6 standard errors has probability 2e-9.
    assert abs(drawn.mean() - 0.5) < 6 * np.sqrt(1 / 12 / 40_000)


def test_groups_are_shuffled_within_themselves() -> None:
    group = np.array([1, 0, 1, 0, 1])
    orders = {tuple(shuffled_groups(SeededNoise(seed), group).tolist()) for seed in range(300)}
    assert all(group[list(order)].tolist() == [0, 0, 1, 1, 1] for order in orders)
    assert len(orders) == 12  # 2! · 3!; one is missed with probability 12 · (11/12)^300 = 6e-11
