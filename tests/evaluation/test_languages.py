"""Variants kept, lost and new, and the distance between stochastic languages."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from amun_dp.evaluation import languages
from amun_dp.evaluation.languages import LanguageDistance, language_distance, variants_kept
from amun_dp.eventlog.language import languages_of
from amun_dp.eventlog.log import EventLog
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from tests.evaluation import twin
from tests.logs import words, words_log


def distance(before: EventLog, after: EventLog) -> LanguageDistance:
    return language_distance(languages_of(before, after))


def exact(before: list[str], after: list[str]) -> float:
    found = distance(words_log(before), words_log(after))
    assert found.exact
    return found.high


# --- by hand --------------------------------------------------------------------------------------------------------


def test_identical_logs_are_at_0_and_so_is_one_that_has_every_case_twice() -> None:
    log = hospital_log()
    assert distance(log, log).high == 0
    assert exact(["ab", "abc", "abc"], ["ab", "abc", "abc"] * 2) == 0


def test_one_case_of_four_with_one_activity_of_three_replaced_costs_a_twelfth() -> None:
    assert exact(["abc"] * 4, ["abc", "abc", "abc", "abd"]) == pytest.approx(1 / 12)


def test_nothing_in_common_costs_1() -> None:
    assert exact(["ab", "b"], ["xyz"]) == 1


def test_what_is_inserted_counts_against_the_longer_variant() -> None:
    assert exact(["ab"], ["abcd"]) == pytest.approx(2 / 4)


def test_what_both_share_is_moved_where_that_is_cheaper() -> None:
    # In place, half of the cases go from ab to ba at 1. Through aba, they go from ab to aba and from aba to ba at 1/3.
    found = distance(words_log(["ab", "aba"]), words_log(["aba", "ba"]))
    assert found.high == pytest.approx(1 / 3)
    assert found.moved == pytest.approx(1 / 2)


def test_variants_are_kept_lost_and_new() -> None:
    found = variants_kept(languages_of(words_log(["ab", "ab", "ac", "ad"]), words_log(["ab", "ax", "ax"])))
    assert (found.kept, found.lost, found.new) == (1, 2, 1)
    assert (found.cases_of_lost, found.cases_of_new) == (2, 2)
    assert [(each.activities, each.before, each.after) for each in found.top[:2]] == [
        (("a", "x"), 0, 2),
        (("a", "b"), 2, 1),
    ]


# --- independently --------------------------------------------------------------------------------------------------


@given(words(), words())
def test_it_is_the_optimum_of_the_linear_program(before: list[str], after: list[str]) -> None:
    wanted = twin.language_distance(Counter(map(tuple, before)), Counter(map(tuple, after)))
    assert exact(before, after) == pytest.approx(wanted, abs=1e-7)


@given(words(), words())
def test_it_is_symmetric_below_the_moved_share_and_0_only_for_equal_shares(before: list[str], after: list[str]) -> None:
    found = distance(words_log(before), words_log(after))
    assert 0 <= found.high <= found.moved + 1e-12 <= 1 + 1e-12
    assert found.high == pytest.approx(exact(after, before))
    assert (found.high == 0) == (found.moved == 0)


@given(words(), words())
def test_the_counts_of_variants_are_those_of_plain_sets(before: list[str], after: list[str]) -> None:
    found = variants_kept(languages_of(words_log(before), words_log(after)))
    old, new = Counter(before), Counter(after)
    assert (found.kept, found.lost, found.new) == (len(old.keys() & new), len(old.keys() - new), len(new.keys() - old))
    assert found.cases_of_lost == sum(old[word] for word in old.keys() - new)
    assert found.cases_of_new == sum(new[word] for word in new.keys() - old)
    alone = {word for word, number in old.items() if number == 1}
    assert (found.one_of_a_kind.variants, found.one_of_a_kind.released) == (len(alone), len(alone & new.keys()))
    assert {("".join(each.activities), each.before, each.after) for each in found.top} == {
        (word, old[word], new[word]) for word in {*old, *new}
    }


@pytest.mark.slow
def test_it_is_what_pm4py_computes() -> None:
    # pm4py announces that it will drop this one day.
    pm4pys = pytest.importorskip("pm4py.algo.evaluation.earth_mover_distance.algorithm")
    logs = hospital_log(cases=60), hospital_log(cases=80, seed=3)
    shares = []
    for log in logs:
        counts = twin.words_of(log)
        shares.append({word: number / counts.total() for word, number in counts.items()})
    assert distance(*logs).high == pytest.approx(pm4pys.apply(*shares), abs=1e-7)


# --- too many variants ----------------------------------------------------------------------------------------------


@given(words(), words())
def test_the_bounds_of_a_log_with_too_many_variants_hold(before: list[str], after: list[str]) -> None:
    wanted = exact(before, after)
    for pairs in (0, 1, 4, 9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(languages, "MOST_PAIRS", pairs)
            found = distance(words_log(before), words_log(after))
        assert found.low - 1e-9 <= wanted <= found.high + 1e-9
        assert found.high <= found.moved + 1e-9


def test_a_lower_bound_allows_for_what_moving_the_shared_part_would_save(monkeypatch: pytest.MonkeyPatch) -> None:
    # Left in place, aba makes the plan cost 1/2; the distance is 1/3, and D(ab, ba) = 2·2 / (2 + 2 + 2) says just that.
    monkeypatch.setattr(languages, "MOST_PAIRS", 1)
    found = distance(words_log(["ab", "aba"]), words_log(["aba", "ba"]))
    assert (found.matched, found.left_out) == ((1, 1), (0, 0))
    assert (found.low, found.high) == pytest.approx((1 / 3, 1 / 2))


def test_where_only_the_shared_part_is_left_in_place_the_lower_bound_is_at_least_two_thirds_of_the_upper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logs = [generate_log(LogShape(cases=300, variants=60, activities=8, seed=seed)) for seed in (1, 2)]
    wanted = distance(*logs)
    assert wanted.exact
    # Fewer pairs than there are, and enough for those with something to move.
    both = languages_of(*logs)
    before, after = both.before / both.before.sum(), both.after / both.after.sum()
    moving = int((before > after).sum()), int((after > before).sum())
    assert max(moving) < 60
    monkeypatch.setattr(languages, "MOST_PAIRS", max(moving) ** 2)
    found = language_distance(both)
    assert found.left_out == (0, 0)
    assert 2 / 3 * found.high <= found.low <= wanted.high <= found.high


def test_variants_too_long_to_compare_are_left_out_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "MOST_STEPS", 10)
    found = distance(words_log(["a" * 40, "b"]), words_log(["b" * 40, "b"]))
    assert found.left_out == (1, 1)
    assert (found.low, found.high) == (0, found.moved)
    assert not found.exact
