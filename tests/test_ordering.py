"""Sorting by codes is numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.ordering import order_of_codes

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
