"""Losses by event, case and individual, against sums of fractions."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import BoundedLaplace, PerEventNoise
from accounting.personalised import (
    UNIT_BITS,
    CapExceededError,
    event_losses,
    largest_losses,
    losses_by,
    personalised_account,
    refuse_above,
    sum_by,
    summarise,
)
from accounting.quantities import UNBOUNDED, Epsilon
from tests.accounting.trees import noise_columns

UNIT = Fraction(1, 1 << UNIT_BITS)


@st.composite
def releases(draw: st.DrawFn) -> PerEventNoise:
    """Original cases with copies; every copy of a case has the same events and scales."""
    rows = []
    released = 0
    for origin in range(draw(st.integers(1, 4))):
        copies = draw(st.integers(1, 3))
        person = draw(st.integers(0, 2))
        events = draw(st.lists(st.tuples(st.integers(0, 10**9), st.floats(1.0, 1e9)), min_size=1, max_size=3))
        for _ in range(copies):
            rows += [(released, value_range, scale, copies, origin, person) for value_range, scale in events]
            released += 1
    case, value_range, scale, copies_, origin_, individual = (list(column) for column in zip(*rows, strict=True))
    return PerEventNoise(
        np.array(case),
        np.array(value_range),
        np.array(scale),
        np.array(copies_),
        np.array(origin_),
        np.array(individual),
    )


@given(releases())
def test_event_losses_are_exact_up_to_one_unit_and_never_below(columns: PerEventNoise) -> None:
    for units, value_range, scale, copies in zip(
        event_losses(columns), columns.value_range, columns.scale, columns.copies, strict=True
    ):
        true = Fraction(int(value_range)) * int(copies) / Fraction(float(scale))
        if units < 0:
            assert true > 200_000
        else:
            assert true <= int(units) * UNIT <= true * (1 + Fraction(1, 2**50)) + UNIT


@given(releases(), st.sampled_from(["origin", "individual"]))
def test_losses_add_by_case_and_by_individual_over_all_copies(columns: PerEventNoise, by: str) -> None:
    owners, sums = losses_by(getattr(columns, by), columns)
    expected: dict[int, Fraction] = defaultdict(Fraction)
    for row in range(len(columns.case)):
        expected[int(getattr(columns, by)[row])] += Fraction(int(columns.value_range[row])) / Fraction(
            float(columns.scale[row])
        )
    assert owners.tolist() == sorted(expected)
    for owner, units in zip(owners.tolist(), sums.tolist(), strict=True):
        if units >= 0:
            assert expected[owner] <= units * UNIT <= expected[owner] * (1 + Fraction(1, 2**50)) + 40 * UNIT


def test_sums_that_would_wrap_count_as_unbounded_and_smaller_ones_are_exact() -> None:
    largest = (1 << 58) - 1
    _, huge = sum_by(np.zeros(64, dtype=np.int64), np.full(64, largest))  # above 2⁶³ units
    assert huge.tolist() == [-1]
    _, fits = sum_by(np.zeros(3, dtype=np.int64), np.full(3, largest))
    assert fits.tolist() == [3 * largest]
    _, small = sum_by(np.array([3, 3, 5]), np.array([(1 << 45) + 7, 9, -1]))
    assert small.tolist() == [(1 << 45) + 16, -1]


@given(releases())
def test_an_event_loses_no_more_than_its_case_and_a_case_no_more_than_its_individual(columns: PerEventNoise) -> None:
    found = largest_losses(columns)
    if not found.event.bounded:
        return
    # Each of the rows of a case is rounded up, so its sum may exceed the one of an individual only by that.
    slack = Epsilon(40 * UNIT)
    assert found.event <= found.case + slack
    assert found.case <= found.individual + slack


@given(releases(), st.randoms())
def test_the_order_of_rows_changes_nothing(columns: PerEventNoise, random: object) -> None:
    order = np.random.default_rng(len(columns.case)).permutation(len(columns.case))
    shuffled = PerEventNoise(*(getattr(columns, field.name)[order] for field in fields(PerEventNoise)))
    assert largest_losses(shuffled) == largest_losses(columns)


def test_an_event_without_noise_makes_its_case_unbounded_and_no_other() -> None:
    columns = noise_columns([0.0, 10.0, 10.0], origin=[0, 0, 1])
    _, sums = losses_by(columns.origin, columns)
    assert sums[0] < 0 < sums[1]
    assert largest_losses(columns).case == UNBOUNDED
    account = personalised_account(columns)
    assert account.cases.unbounded == 1
    assert account.cases.worst == 0


def test_the_summary_ranks_losses_without_interpolating() -> None:
    summary = summarise(np.array([4, 1, 3, 2]) << UNIT_BITS, np.array([7, 8, 9, 10]))
    assert [float(str(x)) for x in (summary.smallest, summary.median, summary.largest)] == [1, 3, 4]
    assert summary.worst == 7
    with pytest.raises(AccountingError):
        summarise(np.array([], dtype=np.int64), np.array([], dtype=np.int64))


def test_a_cap_refuses_what_exceeds_it_and_nothing_else() -> None:
    refuse_above(Epsilon(Fraction(2)), Epsilon(Fraction(2)))
    with pytest.raises(CapExceededError) as refused:
        refuse_above(Epsilon(Fraction(2)), Epsilon(Fraction(21, 10)))
    assert "2.1" not in str(refused.value)
    with pytest.raises(CapExceededError):
        refuse_above(Epsilon(Fraction(2)), UNBOUNDED)


@pytest.mark.parametrize("scales", ["public", "data"])
def test_a_million_events_are_accounted_without_a_loop_over_them(scales: str) -> None:
    # Half a second of processor time when measured; the generous limit only catches a loop over events.
    n = 1_000_000
    cases = np.arange(n) // 10
    columns = PerEventNoise(cases, np.full(n, 1000), np.full(n, 777.0), np.ones(n, dtype=np.int64), cases, cases // 2)
    began = time.process_time()
    accounted = account(BoundedLaplace(0.2, Confidential(columns), scales))  # type: ignore[arg-type]  # a name
    assert time.process_time() - began < 5
    assert accounted.public
    assert personalised_account(columns).individuals.owners == 50_000
