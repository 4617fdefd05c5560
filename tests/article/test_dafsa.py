"""The automaton is minimal and accepts exactly the variants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from amun_dp.article.dafsa import Dafsa, build_dafsa
from amun_dp.article.step1_annotation import annotate
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import find_variants
from amun_dp.reading import read_log
from amun_dp.synthetic import LogShape, generate_log
from tests.article.common_parts import common_prefixes, common_suffixes
from tests.logs import variants_of, words, words_log


def right_languages(accepted: set[tuple[str, ...]]) -> dict[tuple[str, ...], frozenset[tuple[str, ...]]]:
    """Myhill–Nerode, the slow way: the set of continuations of every prefix."""
    prefixes = {word[:end] for word in accepted for end in range(len(word) + 1)}
    return {
        prefix: frozenset(word[len(prefix) :] for word in accepted if word[: len(prefix)] == prefix)
        for prefix in prefixes
    }


def language(dafsa: Dafsa, log: EventLog) -> set[tuple[str, ...]]:
    """All words the automaton accepts, by walking it."""
    edges: dict[int, list[tuple[str, int]]] = {}
    for source, code, target in zip(dafsa.source, dafsa.activity, dafsa.target, strict=True):
        edges.setdefault(int(source), []).append((log.activities[int(code)], int(target)))
    accepted: set[tuple[str, ...]] = set()
    todo: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    while todo:
        state, word = todo.pop()
        if dafsa.final[state]:
            accepted.add(word)
        todo.extend((target, (*word, label)) for label, target in edges.get(state, []))
    return accepted


@given(words())
def test_it_accepts_exactly_the_variants_of_the_log(spelled: list[str]) -> None:
    log = words_log(spelled)
    assert language(build_dafsa(find_variants(log)), log) == {tuple(word) for word in spelled}


@given(words())
def test_it_has_as_many_states_and_transitions_as_there_are_classes_of_continuations(spelled: list[str]) -> None:
    log = words_log(spelled)
    dafsa = build_dafsa(find_variants(log))
    classes = right_languages({tuple(word) for word in spelled})
    transitions = {(classes[prefix[:-1]], prefix[-1]) for prefix in classes if prefix}
    assert dafsa.n_states == len(set(classes.values()))
    assert dafsa.n_transitions == len(transitions)


@given(words())
def test_every_event_takes_the_transition_of_its_prefix_and_suffix(spelled: list[str]) -> None:
    log = words_log(spelled)
    annotated = annotate(log)
    dafsa = annotated.dafsa
    for start, stop in zip(log.offsets[:-1], log.offsets[1:], strict=True):
        taken = annotated.transition[start:stop]
        assert dafsa.source[taken[0]] == 0
        assert (dafsa.target[taken[:-1]] == dafsa.source[taken[1:]]).all()
        assert (dafsa.activity[taken] == log.activity[start:stop]).all()
        assert dafsa.final[dafsa.target[taken[-1]]]


@given(words())
def test_common_prefixes_and_suffixes_are_those_of_branching_and_joining_states(spelled: list[str]) -> None:
    log = words_log(spelled)
    dafsa = build_dafsa(find_variants(log))
    accepted = {tuple(word) for word in spelled}
    classes = right_languages(accepted)
    ways_on = {state: {word[0] for word in state if word} for state in classes.values()}
    expected_prefixes = {prefix for prefix, state in classes.items() if len(ways_on[state]) > 1}
    ways_in: dict[frozenset[tuple[str, ...]], set[tuple[frozenset[tuple[str, ...]], str]]] = {}
    for prefix, state in classes.items():
        if prefix:
            ways_in.setdefault(state, set()).add((classes[prefix[:-1]], prefix[-1]))
    expected_suffixes = {word for state, ways in ways_in.items() if len(ways) > 1 for word in state}

    def spell(codes: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(log.activities[code] for code in codes)

    assert {spell(prefix) for prefix in common_prefixes(dafsa)} == expected_prefixes
    assert {spell(suffix) for suffix in common_suffixes(dafsa)} == expected_suffixes


@given(words())
def test_variants_are_distinct_sorted_and_point_back_to_their_cases(spelled: list[str]) -> None:
    log = words_log(spelled)
    variants = find_variants(log)
    texts = [
        "".join(log.activities[code] for code in variants.activity[start:stop])
        for start, stop in zip(variants.offsets[:-1], variants.offsets[1:], strict=True)
    ]
    assert texts == sorted(set(spelled))
    assert [texts[variant] for variant in variants.of_case] == spelled
    assert variants.cases().sum() == len(spelled)


@pytest.mark.parametrize("activities", [2, 256, 257, 70_000])
def test_variants_are_told_apart_whatever_the_number_of_activities(activities: int) -> None:
    # Codes are stored in one, two or four bytes.
    length = max(1, activities // 2)
    log = generate_log(LogShape(cases=4, variants=4, activities=activities, mean_length=length, max_length=length + 5))
    assert find_variants(log).count == len(variants_of(log)) == 4


def test_a_chain_of_a_thousand_events_has_a_state_more_than_events() -> None:
    log = words_log(["ab" * 500])
    dafsa = build_dafsa(find_variants(log))
    assert (dafsa.n_states, dafsa.n_transitions) == (1001, 1000)


@pytest.mark.real_logs
def test_sepsis_has_3629_states_and_4371_transitions(real_logs: Path) -> None:
    dafsa = annotate(read_log(real_logs / "Sepsis.xes.gz")).dafsa
    assert (dafsa.n_states, dafsa.n_transitions) == (3629, 4371)


def test_a_generated_log_has_as_many_states_as_classes_of_continuations() -> None:
    log = generate_log(LogShape(cases=300, variants=120, activities=8, mean_length=9, max_length=30, seed=3))
    dafsa = annotate(log).dafsa
    classes = right_languages(variants_of(log))
    assert dafsa.n_states == len(set(classes.values()))
    assert np.array_equal(np.unique(dafsa.source[dafsa.source == 0]), [0])
