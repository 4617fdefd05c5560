"""Wasserstein distances of durations, against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from amun_dp.evaluation.wasserstein import wasserstein, wasserstein_by_group

samples = st.lists(st.integers(0, 10**12), min_size=1, max_size=12)


def column(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_a_sample_that_is_shifted_is_as_far_away_as_it_was_shifted() -> None:
    assert wasserstein(column([1, 5, 9]), column([11, 15, 19])) == 10


def test_samples_of_other_sizes_are_compared_as_distributions() -> None:
    # Half of the mass at 0 must go to 10, in whatever numbers.
    assert wasserstein(column([0]), column([0, 10])) == 5
    assert wasserstein(column([0, 0, 0]), column([0, 10])) == 5


@given(samples, samples)
def test_it_is_scipys_distance_and_symmetric(left: list[int], right: list[int]) -> None:
    found = wasserstein(column(left), column(right))
    assert found == pytest.approx(wasserstein_distance(left, right), rel=1e-9)
    assert found == pytest.approx(wasserstein(column(right), column(left)))


@given(samples, st.integers(1, 7))
def test_the_same_distribution_is_at_exactly_0_however_often_it_is_repeated(values: list[int], times: int) -> None:
    assert wasserstein(column(values), column(values * times)) == 0


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 10**9), st.booleans()), max_size=40))
def test_groups_do_not_touch_each_other(rows: list[tuple[int, int, bool]]) -> None:
    sides = [[(group, value) for group, value, second in rows if second is side] for side in (False, True)]
    before, after = ((column([v for _, v in side]), column([g for g, _ in side])) for side in sides)
    found = wasserstein_by_group(5, before, after)
    for group in range(5):
        left, right = ([value for each, value in side if each == group] for side in sides)
        if left and right:
            assert found[group] == pytest.approx(wasserstein_distance(left, right), rel=1e-9)
        else:
            assert math.isnan(found[group])
