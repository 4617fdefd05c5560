"""Lists of variants that can only have been made from the log are told from those that need not, with a known error."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from math import factorial
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.eventlog.language import language_of
from amun_dp.release.listed_variants import MOST_ERRORS, Listed, chance_of_so_many, listed_of
from tests.logs import words_log


def looked_at(words: list[str], listed: set[str]) -> Listed:
    log = words_log(words)
    return listed_of(tuple(map(tuple, listed)), language_of(log), tuple(sorted({*log.activities, *"".join(listed)})))


def spelled(number: int) -> str:
    """Another word for every number."""
    return f"{number:b}".translate({ord("0"): "a", ord("1"): "b"})


_WORDS = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=12)


@given(_WORDS, st.sets(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=12))
def test_a_list_is_counted_as_sets_count_it(words: list[str], listed: set[str]) -> None:
    cases = Counter(words)
    found = looked_at(words, listed)
    of_listed = Counter(cases[word] for word in listed)
    assert (found.by_none, found.by_one, found.by_two) == (of_listed[0], of_listed[1], of_listed[2])
    assert found.alone == sum(number == 1 for number in cases.values())
    assert found.equal == (set(words) == listed)


@given(st.integers(1, 5), st.integers(0, 8))
def test_the_chance_is_that_of_balls_thrown_into_boxes(boxes: int, balls: int) -> None:
    """Every way to throw them is looked at."""
    ones: Counter[int] = Counter()
    for thrown in product(range(boxes), repeat=balls):
        in_box = Counter(thrown)
        if not in_box or max(in_box.values()) <= 2:
            ones[sum(number == 1 for number in in_box.values())] += 1
    for one in ones:
        two = (balls - one) // 2
        expected = sum(ways for number, ways in ones.items() if number >= one) / ones.total()
        assert chance_of_so_many(boxes - one - two, one, two) == pytest.approx(expected)


@given(st.lists(st.floats(0.001, 1_000), min_size=1, max_size=6), st.integers(0, 12))
def test_however_likely_its_variants_are_a_list_from_outside_is_no_more_often_refused(
    likely: list[float], cases: int
) -> None:
    """The bound is for equally likely variants; others have fewer of one case alone. Summed over all that can be."""
    ones: defaultdict[int, float] = defaultdict(float)
    for counts in product(range(3), repeat=len(likely)):
        if sum(counts) == cases:
            weight = np.prod([each**number / factorial(number) for each, number in zip(likely, counts, strict=True)])
            ones[counts.count(1)] += float(weight)
    for one in ones:
        two = (cases - one) // 2
        chance = sum(weight for number, weight in ones.items() if number >= one) / sum(ones.values())
        assert chance <= chance_of_so_many(len(likely) - one - two, one, two) * (1 + 1e-9)


OWN = [*[spelled(number) for number in range(1, 41)], *["common"] * 100, *["usual"] * 50]
"""Forty cases of which no other has the variant, and two variants of many."""


@given(st.randoms(use_true_random=False), st.integers(1, 42))
def test_any_part_of_the_log_s_variants_is_refused_from_six_of_one_case_alone_on(random: Random, size: int) -> None:
    listed = set(random.sample(sorted(set(OWN)), size))
    found = looked_at(OWN, listed)
    assert found.by_one == len(listed - {"common", "usual"})
    assert found.from_the_log == (found.by_one >= 6)


@given(st.integers(0, 60))
def test_variants_that_nobody_has_do_not_make_a_list_one_from_outside(invented: int) -> None:
    assert looked_at(OWN, {*OWN, *(f"c{spelled(number)}" for number in range(1, invented + 1))}).from_the_log


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_list_from_another_year_is_hardly_ever_refused(share: float) -> None:
    """Two logs of one process with a long tail: rare variants are in both now and then. Of 200 lists each of which is
    refused with a probability of 1/20, more than 28 are once in 100,000 times; here none is."""
    random = np.random.default_rng(1)
    of_case = random.zipf(1.3, (200, 400)) % 100_000
    refused = 0
    for numbers in of_case:
        words = [spelled(int(number) + 1) for number in numbers]
        cut = int(share * len(words))
        refused += looked_at(words[cut:], set(words[:cut])).from_the_log
    assert refused <= 28


def test_the_worst_list_from_outside_is_refused_as_often_as_is_said() -> None:
    """Equally likely variants, all of them listed, as many as there are cases. Of 400 lists, more than 48 are refused
    once in a million times if each is with a probability of 1/20."""
    random = np.random.default_rng(2)
    refused = 0
    for _ in range(400):
        cases = np.bincount(random.integers(30, size=30), minlength=30)
        by_none, by_one, by_two = (int(np.count_nonzero(cases == number)) for number in range(3))
        refused += chance_of_so_many(by_none, by_one, by_two) <= MOST_ERRORS
    assert 0 < refused <= 48
