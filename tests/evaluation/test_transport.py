"""The cheapest shipment, against a linear program; and what is left of it when the work is broken off."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from amun_dp.evaluation.transport import Shipment, cheapest_shipment
from tests.evaluation.twin import least_cost

Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Any masses with one sum, and costs with many ties, zeros and no triangle inequality."""
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    supply = draw(st.lists(st.integers(0, 20), min_size=rows, max_size=rows))
    cuts = sorted(draw(st.lists(st.integers(0, sum(supply)), min_size=columns - 1, max_size=columns - 1)))
    assume(sum(supply))
    demand = np.diff([0, *cuts, sum(supply)])
    levels = draw(st.lists(st.integers(0, 5), min_size=rows * columns, max_size=rows * columns))
    return np.array(supply), demand, np.array(levels, dtype=np.float64).reshape(rows, columns) / 5


def check_complete(sent: Shipment, supply: np.ndarray, demand: np.ndarray) -> None:
    assert (sent.amount > 0).all()
    assert np.bincount(sent.row, weights=sent.amount, minlength=len(supply)).tolist() == supply.tolist()
    assert np.bincount(sent.column, weights=sent.amount, minlength=len(demand)).tolist() == demand.tolist()


def test_a_shipment_that_must_be_rerouted_is_found() -> None:
    # Row 0 would take column 0 for nothing, but row 1 has nowhere else to go.
    cost = np.array([[0.0, 0.2], [0.1, 1.0]])
    sent = cheapest_shipment(np.array([1, 1]), np.array([1, 1]), cost)
    assert sent.cheapest
    assert sent.cost(cost) == pytest.approx(0.3)


@given(problems())
def test_it_costs_what_the_linear_program_costs(problem: Problem) -> None:
    supply, demand, cost = problem
    sent = cheapest_shipment(supply, demand, cost)
    check_complete(sent, supply, demand)
    assert sent.cheapest
    least = least_cost(cast(list[float], supply), cast(list[float], demand), cost)
    assert sent.cost(cost) == pytest.approx(least, abs=1e-7)
    assert sent.low == pytest.approx(least, abs=1e-7)


@given(problems())
def test_what_can_stay_is_moved_where_that_is_cheaper(problem: Problem) -> None:
    supply, demand, cost = problem
    both = min(cost.shape)
    cost[range(both), range(both)] = 0
    sent = cheapest_shipment(supply, demand, cost, (np.arange(both), np.arange(both)))
    check_complete(sent, supply, demand)
    least = least_cost(cast(list[float], supply), cast(list[float], demand), cost)
    assert sent.cost(cost) == pytest.approx(least, abs=1e-7)


@given(problems(), st.integers(0, 60))
def test_work_that_is_broken_off_gives_bounds_that_hold(problem: Problem, effort: int) -> None:
    supply, demand, cost = problem
    sent = cheapest_shipment(supply, demand, cost, most_effort=effort)
    check_complete(sent, supply, demand)
    least = least_cost(cast(list[float], supply), cast(list[float], demand), cost)
    assert sent.low <= least + 1e-7
    assert sent.cost(cost) >= least - 1e-7
    if sent.cheapest:
        assert sent.cost(cost) == pytest.approx(least, abs=1e-7)


def test_no_effort_at_all_is_an_upper_bound_and_0() -> None:
    cost = np.array([[1.0, 0.0], [0.0, 1.0]])
    sent = cheapest_shipment(np.array([2, 1]), np.array([2, 1]), cost, most_effort=0)
    assert not sent.cheapest
    assert (sent.low, sent.cost(cost)) == (0, 3)
