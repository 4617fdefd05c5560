"""Edit distances of sequences of activities, against the table of Wagner and Fischer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.evaluation.languages import edit_distances
from amun_dp.eventlog.variants import Sequences
from tests.evaluation.twin import levenshtein


def sequences(words: list[list[int]]) -> Sequences:
    lengths = [len(word) for word in words]
    activity = [symbol for word in words for symbol in word]
    return Sequences(np.array(activity, dtype=np.int64), np.concatenate(([0], np.cumsum(lengths))))


def words(longest: int, symbols: int = 3) -> st.SearchStrategy[list[list[int]]]:
    word = st.lists(st.integers(0, symbols), min_size=1, max_size=longest)
    return st.lists(word, min_size=1, max_size=6)


def check(left: list[list[int]], right: list[list[int]]) -> None:
    found = edit_distances(sequences(left), sequences(right))
    assert found.tolist() == [[levenshtein(one, other) for other in right] for one in left]


def test_one_insertion_one_deletion_and_one_replacement_cost_one_each() -> None:
    found = edit_distances(sequences([[1, 2, 3]]), sequences([[1, 2, 3], [1, 2, 3, 4], [2, 3], [1, 9, 3]]))
    assert found.tolist() == [[0, 1, 1, 1]]


@given(words(8), words(8))
def test_short_sequences_agree_with_the_table(left: list[list[int]], right: list[list[int]]) -> None:
    check(left, right)


@given(words(8, 2**40), words(8, 2**40))
def test_codes_of_any_size_agree_with_the_table(left: list[list[int]], right: list[list[int]]) -> None:
    check(left, right)


@given(words(150, 1), words(150, 1))
def test_sequences_of_several_words_agree_with_the_table(left: list[list[int]], right: list[list[int]]) -> None:
    check(left, right)


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129])
def test_a_length_at_the_border_of_a_word_agrees_with_the_table(length: int) -> None:
    rng = np.random.default_rng(length)
    left, right = ([rng.integers(2, size=size).tolist() for size in (length, length - 1, 3)] for _ in range(2))
    check(left, right)


def test_many_sequences_keep_their_places() -> None:
    rng = np.random.default_rng(0)
    left = [rng.integers(4, size=size).tolist() for size in rng.integers(1, 9, size=300)]
    right = [rng.integers(4, size=size).tolist() for size in rng.integers(1, 90, size=270)]
    found = edit_distances(sequences(left), sequences(right))
    for row, column in zip(rng.integers(300, size=200), rng.integers(270, size=200), strict=True):
        assert found[row, column] == levenshtein(left[row], right[column])
