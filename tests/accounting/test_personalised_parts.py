"""Losses of rows that come in parts are those of all rows at once, and the telling rows give the account of all."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import BoundedLaplace, PerEventNoise
from accounting.personalised import IntArray, personalised_account
from accounting.personalised_parts import JoinedLosses, join_losses, losses_of_part


@st.composite
def releases_in_parts(draw: st.DrawFn) -> tuple[PerEventNoise, list[int]]:
    """Copies of original cases in any order, some times without noise, and the rows at which parts begin."""
    originals = []
    for origin in range(draw(st.integers(1, 5))):
        events = draw(
            st.lists(
                st.tuples(st.integers(0, 10**9), st.one_of(st.just(0.0), st.floats(1.0, 1e9))), min_size=1, max_size=3
            )
        )
        copies, person = draw(st.integers(1, 3)), draw(st.integers(0, 2))
        originals += [(origin, person, copies, events)] * copies
    cases = draw(st.permutations(originals))
    rows = [
        (case, value_range, scale, copies, origin, person)
        for case, (origin, person, copies, events) in enumerate(cases)
        for value_range, scale in events
    ]
    whole = PerEventNoise(*(np.array(column) for column in zip(*rows, strict=True)))
    firsts = np.flatnonzero(np.diff(whole.case, prepend=-1)).tolist()
    begins = draw(st.sets(st.sampled_from(firsts)))
    return whole, sorted({0, *begins})


def rows_of(columns: PerEventNoise, rows: IntArray) -> PerEventNoise:
    chosen = {item.name: getattr(columns, item.name)[rows] for item in fields(columns)}
    chosen["case"] = np.unique(chosen["case"], return_inverse=True)[1].astype(np.int64)
    return PerEventNoise(**chosen)


def joined(whole: PerEventNoise, begins: list[int]) -> JoinedLosses:
    size = len(whole.case)
    ends = [*begins[1:], size]
    parts = [rows_of(whole, np.arange(first, end)) for first, end in zip(begins, ends, strict=True)]
    return join_losses([losses_of_part(part, size) for part in parts])


@given(releases_in_parts())
def test_losses_in_parts_are_the_losses_of_all_rows(release: tuple[PerEventNoise, list[int]]) -> None:
    assert joined(*release).account == personalised_account(release[0])


@given(releases_in_parts(), st.booleans())
def test_the_account_of_the_telling_rows_is_that_of_all(
    release: tuple[PerEventNoise, list[int]], bounded: bool
) -> None:
    whole, begins = release
    telling = rows_of(whole, np.flatnonzero(joined(whole, begins).telling(whole.origin, whole.individual)))
    declared = int(np.bincount(whole.case).max()) if bounded else None
    found, due = (
        account(BoundedLaplace(0.3, Confidential(columns), "public", events_per_case=declared))
        for columns in (telling, whole)
    )
    assert found.public == due.public
    assert found.confidential.reveal() == due.confidential.reveal()


def test_a_case_that_is_longer_than_declared_is_among_the_telling_ones() -> None:
    """It is neither the one that loses most nor has an event that does."""
    whole = PerEventNoise(
        case=np.array([0, 1, 1, 1, 2]),
        value_range=np.array([10**6, 1, 1, 1, 10]),
        scale=np.array([10.0, 1e6, 1e6, 1e6, 20.0]),
        copies=np.ones(5, dtype=np.int64),
        origin=np.array([4, 7, 7, 7, 9]),
        individual=np.array([4, 7, 7, 7, 9]),
    )
    telling = rows_of(whole, np.flatnonzero(joined(whole, [0, 1, 4]).telling(whole.origin, whole.individual)))
    with pytest.raises(AccountingError, match="more events than are declared"):
        account(BoundedLaplace(0.3, Confidential(telling), "public", events_per_case=2))


def test_an_original_released_more_often_than_its_copies_say_is_refused_across_parts() -> None:
    part = PerEventNoise(*(np.array([value]) for value in (0, 10, 2.0, 1, 5, 5)))
    with pytest.raises(AccountingError, match="no more often"):
        join_losses([losses_of_part(part, 2), losses_of_part(part, 2)])


def test_rows_out_of_the_order_of_cases_are_refused() -> None:
    mixed = PerEventNoise(*(np.array([value, value]) for value in (0, 10, 2.0, 2, 5, 5)))
    object.__setattr__(mixed, "case", np.array([1, 0]))
    with pytest.raises(AccountingError, match="in the order"):
        losses_of_part(mixed, 2)
