"""Neighbouring logs differ in what they say they differ in, and in nothing else."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import amun_dp
from accounting.guarantee import Relation
from amun_dp.article.conventions import ARTICLE, CORRECTED
from amun_dp.auditing.log_pairs import individual_pairs_from_log, pairs_from_log
from amun_dp.auditing.pairs import Kind, Pair
from amun_dp.auditing.worst_cases import worst_case_pairs
from amun_dp.eventlog.log import EventLog
from tests.certified.cases import ordinary_cases, with_individuals
from tests.logs import Case, log_of, logs, variants_of

Cases = Counter[tuple[tuple[str, int], ...]]


def cases_of(log: EventLog) -> Cases:
    """Every case with its activities and times, by plain Python."""
    return Counter(
        tuple((log.activities[code], int(time)) for code, time in zip(log.activity[a:b], log.time[a:b], strict=True))
        for a, b in zip(log.offsets[:-1], log.offsets[1:], strict=True)
    )


def check(pair: Pair) -> None:
    left, right = cases_of(pair.left), cases_of(pair.right)
    gone, come = left - right, right - left
    if pair.relation is Relation.REPLACE:
        assert (gone.total(), come.total()) == (1, 1)
    else:
        assert sorted((gone.total(), come.total())) == [0, 1]
    for side, changed in ((0, gone), (1, come)):
        path = pair.path(0 if side == 0 else 1)
        assert [tuple(label for label, _ in case) for case in changed] == ([] if path is None else [path])
    here, there = variants_of(pair.left), variants_of(pair.right)
    if pair.kind is Kind.OWN_VARIANT:
        assert here != there
    if pair.kind in (Kind.CASE, Kind.TIME):
        assert here == there
    if pair.kind is Kind.TIME:
        check_one_duration(pair, next(iter(gone)), next(iter(come)))


def check_one_duration(pair: Pair, before: tuple[tuple[str, int], ...], after: tuple[tuple[str, int], ...]) -> None:
    gaps = [np.diff([time for _, time in case]) for case in (before, after)]
    assert before[0] == after[0]
    assert np.flatnonzero(gaps[0] != gaps[1]).tolist() == [(pair.place or 0) - 1]
    assert (pair.duration(0), pair.duration(1)) == tuple(int(gap[(pair.place or 0) - 1]) for gap in gaps)


@given(logs())
def test_pairs_of_any_log_differ_in_one_case_or_one_duration(log: EventLog) -> None:
    pairs = pairs_from_log(log)
    # Leaving a case out, public facts held fixed, has no pair of logs: its number of cases is a parameter.
    assert {pair.relation for pair in pairs} == {Relation.ADD_REMOVE, Relation.REPLACE}
    for pair in pairs:
        check(pair)


@pytest.mark.parametrize("advantage", [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9])
def test_made_up_pairs_differ_in_one_case_or_one_duration(advantage: float) -> None:
    for pair in worst_case_pairs(advantage, CORRECTED):
        check(pair)


def test_a_log_of_ordinary_cases_has_every_kind_of_pair_that_a_log_can_have() -> None:
    pairs = pairs_from_log(log_of(ordinary_cases(60)))
    assert {pair.kind for pair in pairs} == {Kind.CASE, Kind.OWN_VARIANT, Kind.TIME}
    assert sum(pair.everything for pair in pairs) == 1
    assert len(pairs) == 12


def test_a_log_with_a_single_case_can_be_audited_too() -> None:
    for pair in pairs_from_log(log_of([[("a", 0)]])):
        check(pair)


@pytest.mark.parametrize("conventions", [CORRECTED, ARTICLE])
@pytest.mark.parametrize("advantage", [0.1, 0.2, 0.3, 0.4, 0.5])
def test_one_case_at_the_filter_saves_many_others(advantage: float, conventions: amun_dp.Conventions) -> None:
    [pair] = [pair for pair in worst_case_pairs(advantage, conventions) if pair.kind is Kind.FILTER]
    kept = [
        int(amun_dp.plan(log, advantage, "filtering", conventions).filtered.kept_case.sum())
        for log in (pair.left, pair.right)
    ]
    assert kept[1] - kept[0] > 4


def test_all_cases_of_an_individual_are_replaced_and_nobody_else_s() -> None:
    cases: list[Case] = ordinary_cases(30)
    log = with_individuals(cases, [number // 3 for number in range(30)])
    pairs = individual_pairs_from_log(log)
    assert len(pairs) == 4
    for pair in pairs:
        gone, come = cases_of(pair.left) - cases_of(pair.right), cases_of(pair.right) - cases_of(pair.left)
        assert 1 <= gone.total() == come.total() <= 3
        assert np.array_equal(pair.left.individuals, pair.right.individuals)
        assert pair.individuals


def test_facts_are_the_left_log_s_unless_they_are_derived_again() -> None:
    pair = pairs_from_log(log_of(ordinary_cases(10)))[0]
    assert pair.public(0) is pair.public(1) is pair.left
    again = pair.with_rederived_facts()
    assert again.public(0) is pair.left
    assert again.public(1) is pair.right
