"""Calibrating and accounting are inverse: noise for an advantage is accounted with that advantage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.accountant import account, strictest
from accounting.calibration import PublicBounds, count_scale, time_scale
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import BoundedLaplace, LaplaceCount, PerEventNoise, SharedByIndividual
from accounting.guarantee import Relation, Scope

advantages = st.floats(0.01, 0.95)
bounds = st.builds(PublicBounds, st.integers(1, 200), st.integers(1, 20))


@given(advantages, st.sampled_from([Scope.CELL, Scope.CASE, Scope.INDIVIDUAL]), bounds)
def test_count_noise_keeps_its_advantage_at_its_scope(advantage: float, scope: Scope, public: PublicBounds) -> None:
    scale = count_scale(advantage, scope, public)
    tree = SharedByIndividual(LaplaceCount(scale, cells_per_case=public.longest_case), public.cases_per_individual)
    found = strictest(account(tree).public, scope, Relation.REPLACE).advantage
    assert found is not None
    assert advantage * (1 - 1e-9) <= found <= advantage * (1 + 1e-5)


@given(advantages, st.sampled_from([Scope.EVENT, Scope.CASE]), st.integers(1, 10**9), st.integers(1, 50))
def test_time_noise_keeps_its_advantage_at_its_scope(
    advantage: float, scope: Scope, value_range: int, length: int
) -> None:
    scale = time_scale(advantage, scope, value_range, PublicBounds(longest_case=length))
    one_case = np.zeros(length, dtype=np.int64)
    columns = PerEventNoise(
        one_case, np.full(length, value_range), np.full(length, scale), one_case + 1, one_case, one_case
    )
    tree = BoundedLaplace(advantage, Confidential(columns), "public")
    found = strictest(account(tree).confidential.reveal(), scope, Relation.REPLACE).advantage
    assert found is not None
    assert found <= advantage * (1 + 1e-5)


def test_the_whole_case_costs_twice_its_length_in_count_noise() -> None:
    public = PublicBounds(longest_case=185)
    assert count_scale(0.2, Scope.CASE, public) / count_scale(0.2, Scope.CELL, public) == pytest.approx(370)


def test_a_scope_without_its_public_bound_or_without_meaning_is_refused() -> None:
    with pytest.raises(AccountingError, match="public bound on the length"):
        count_scale(0.2, Scope.CASE, PublicBounds())
    with pytest.raises(AccountingError, match="time of one event"):
        count_scale(0.2, Scope.EVENT, PublicBounds())
    with pytest.raises(AccountingError, match="no cell"):
        time_scale(0.2, Scope.CELL, 1000, PublicBounds())
    with pytest.raises(AccountingError):
        PublicBounds(longest_case=0)
    assert time_scale(0.2, Scope.EVENT, 1000, PublicBounds()) > 0
