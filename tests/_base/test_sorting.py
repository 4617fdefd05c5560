"""Sorting by codes, and of random words, is numpy's stable sort."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp._base import sorting
from amun_dp._base.sorting import order_of_codes, order_of_words

EDGES = (1, 2, 1 << 16, (1 << 16) + 1, 1 << 32, (1 << 32) + 1, 1 << 48, 1 << 62)
"""Around the places where another digit begins."""


@given(st.data(), st.sampled_from(EDGES))
def test_the_order_is_that_of_a_stable_sort(data: st.DataObject, below: int) -> None:
    near = st.integers(max(0, below - 3), below - 1) | st.integers(0, min(below - 1, 3)) | st.integers(0, below - 1)
    codes = np.array(data.draw(st.lists(near, max_size=40)), dtype=np.int64)
    assert order_of_codes(codes, below).tolist() == sorted(range(len(codes)), key=lambda place: codes[place])


@pytest.mark.parametrize("below", [1 << 16, 1 << 20, 1 << 40])
def test_many_codes_are_ordered_alike(below: int) -> None:
    codes = np.random.default_rng(1).integers(0, below, 100_000)
    assert np.array_equal(order_of_codes(codes, below), np.argsort(codes, kind="stable"))


WORDS = {
    "random": np.random.default_rng(2).integers(0, 1 << 64, 150_000, dtype=np.uint64),
    "with equal ones": np.random.default_rng(3).integers(0, 1 << 64, 9_000, dtype=np.uint64).repeat(17)[::-1],
    "of one digit": np.random.default_rng(4).integers(0, 1 << 40, 100_000, dtype=np.uint64),
    "of two digits": np.tile(np.array([0, (1 << 64) - 1], dtype=np.uint64), 40_000),
    "few": np.array([3, 1, 2, 1], dtype=np.uint64),
    "one more than a block": np.arange((1 << 15) + 1, dtype=np.uint64)[::-1] << np.uint64(48),
    "none": np.empty(0, dtype=np.uint64),
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS.keys())
def test_words_are_ordered_as_by_a_stable_sort(words: npt.NDArray[np.uint64]) -> None:
    assert np.array_equal(order_of_words(words), np.argsort(words, kind="stable"))


@given(st.lists(st.integers(0, (1 << 64) - 1) | st.integers(0, 5), max_size=60), st.integers(1, 9))
def test_words_are_ordered_alike_wherever_blocks_end(numbers: list[int], block: int) -> None:
    words = np.array(numbers, dtype=np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "_BLOCK", block)
        assert order_of_words(words).tolist() == sorted(range(len(words)), key=numbers.__getitem__)
