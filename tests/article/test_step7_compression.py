"""Timestamps after noise: within public bounds, in order, whatever the noise was."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.article.conventions import ARTICLE, CORRECTED
from amun_dp.article.step7_compression import PublicFacts, compress, fold, rebuild_times
from amun_dp.mechanisms.bounded_laplace import lattice_scale, noise_scales

YEAR_1, YEAR_9999 = -62_135_596_800_000, 253_402_300_799_000
noise = st.integers(-(2**62), 2**62)


@st.composite
def noised_cases(draw: st.DrawFn) -> tuple[list[list[int]], PublicFacts]:
    cases = draw(st.lists(st.lists(noise, min_size=1, max_size=5), min_size=1, max_size=5))
    first, last_start, last = sorted(draw(st.lists(st.integers(YEAR_1, YEAR_9999), min_size=3, max_size=3)))
    return cases, PublicFacts(first, last_start, last)


@given(noised_cases(), st.sampled_from([CORRECTED, ARTICLE]))
def test_times_are_in_order_and_within_the_public_bounds(drawn: tuple[list[list[int]], PublicFacts], rules) -> None:  # type: ignore[no-untyped-def]  # hypothesis fills it
    cases, public = drawn
    offsets = np.cumsum([0, *map(len, cases)])
    times, _ = rebuild_times(np.array([x for case in cases for x in case]), offsets, public, rules)
    assert times.min() >= public.first_start
    assert times.max() <= public.last_time
    for start, stop in pairwise(offsets):
        assert (np.diff(times[start:stop]) >= 0).all()
        assert times[start] <= public.last_start


def test_durations_that_fit_are_untouched_under_the_corrected_conventions() -> None:
    public = PublicFacts(first_start=1_000, last_start=5_000, last_time=100_000)
    times, _ = rebuild_times(np.array([500, 20, -7, 30, 4_500, 1]), np.array([0, 4, 6]), public, CORRECTED)
    assert times.tolist() == [1_500, 1_520, 1_520, 1_550, 5_000 - 500, 4_501]


def test_a_case_of_250000_enormous_durations_ends_at_the_last_timestamp() -> None:
    noised = np.full(250_000, 2**62)
    times, _ = rebuild_times(noised, np.array([0, 250_000]), PublicFacts(YEAR_1, YEAR_9999, YEAR_9999), CORRECTED)
    assert (np.diff(times) >= 0).all()
    assert times[-1] == YEAR_9999


@given(noise, st.integers(0, 2**48))
def test_folding_lands_inside_and_leaves_what_is_inside_alone(offset: int, width: int) -> None:
    folded = int(fold(np.array([offset]), width)[0])
    assert 0 <= folded <= width
    if 0 <= offset <= width:
        assert folded == offset


@given(st.integers(-(2**50), 2**50), st.integers(1, 2**40), st.floats(0, 1))
def test_folding_never_moves_away_from_a_true_offset_inside(offset: int, width: int, share: float) -> None:
    true = int(share * width)
    folded = int(fold(np.array([offset]), width)[0])
    assert abs(folded - true) <= abs(offset - true)


def test_the_article_s_factor_is_a_quarter_when_the_ranges_agree() -> None:
    public = PublicFacts(first_start=0, last_start=1_000, last_time=9_000)
    assert compress(np.array([0, 800, 1_000]), 1_000, public).tolist() == [0, 200, 250]


@given(st.floats(1e-6, 1e18))
def test_a_lattice_scale_is_at_most_a_thirtysecond_too_large_and_never_too_small(scale: float) -> None:
    rounded = float(lattice_scale(np.array([scale]))[0])
    assert scale <= rounded <= scale * (1 + 1 / 32)
    assert lattice_scale(np.array([rounded]))[0] == rounded


@given(st.integers(1, 2**48), st.floats(1e-3, 30), st.integers(1, 60))
def test_a_case_released_d_times_loses_no_more_than_its_loss(value_range: int, loss: float, copies: int) -> None:
    scale = noise_scales(np.array([value_range]), np.array([loss]), np.array([copies]))
    assert copies * value_range / scale[0] <= loss


def test_a_range_of_zero_gets_no_noise() -> None:
    assert noise_scales(np.array([0]), np.array([1.0]), np.array([3]))[0] == 0
