"""A formula of long columns, a block at a time, is the formula of the columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting import blocks
from accounting.blocks import in_blocks
from accounting.events import PerEventNoise
from accounting.personalised import event_losses, loss_units
from amun_dp.article.step4_epsilon import event_losses as planned_losses
from amun_dp.mechanisms.bounded_laplace import noise_scales


@given(st.lists(st.tuples(st.integers(-9, 9), st.floats(0.1, 9)), max_size=30), st.integers(1, 40))
def test_wherever_blocks_end_the_result_is_the_same(rows: list[tuple[int, float]], size: int) -> None:
    whole, parts = (np.array([row[at] for row in rows], dtype=kind) for at, kind in ((0, np.int64), (1, np.float64)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_ROWS", size)
        found = in_blocks(lambda a, b: a * b, whole, parts)
    assert found.tolist() == (whole * parts).tolist()


def test_no_formula_of_a_release_knows_where_blocks_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    n = 1_000
    value_range, copies = rng.integers(0, 10**9, n), rng.integers(1, 5, n)
    loss, scale, prior = rng.uniform(0.01, 5, n), rng.choice([0.0, 8.0, 1e6], n), rng.uniform(-0.1, 1, n)
    prior[::7] = np.nan
    noise = PerEventNoise(np.arange(n), value_range, scale, copies, np.arange(n), np.arange(n))

    def all_of_them() -> list[list[float]]:
        return [
            noise_scales(value_range, loss, copies).tolist(),
            event_losses(noise).tolist(),
            loss_units(value_range, 1, scale).tolist(),
            np.nan_to_num(planned_losses(prior, 0.2), nan=-1.0).tolist(),
        ]

    at_once = all_of_them()
    monkeypatch.setattr(blocks, "_ROWS", 64)
    assert all_of_them() == at_once
