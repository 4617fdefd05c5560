"""Moving whole cases: what must hold whatever the noise, and the law of the moves against a naive reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from accounting.confidential import Confidential
from accounting.events import CaseMoves, LaplaceCount
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.article import step5_sampling
from amun_dp.article.dafsa import build_dafsa
from amun_dp.article.step5_sampling import (
    ControlFlow,
    Sampled,
    choose_cases,
    laplace_sampling,
    numbers_of_copies,
    oversampling,
    variants_through,
)
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import find_variants
from amun_dp.internals.figures import MoveFigures, move_figures
from amun_dp.noise.sources import NoiseSource, SeededNoise
from tests.logs import words, words_log


def control_flow(log: EventLog) -> ControlFlow:
    variants = find_variants(log)
    return ControlFlow(build_dafsa(variants), variants.cases())


@given(words(), st.integers(0, 2**32), st.sampled_from([0.2, 0.8, 2.0]))
def test_counts_stay_natural_and_the_recorded_change_is_the_real_one(
    spelled: list[str], seed: int, epsilon: float
) -> None:
    flow = control_flow(words_log(spelled))
    for rule in (laplace_sampling, oversampling):
        sampled = rule(flow, epsilon, SeededNoise(seed))
        assert (sampled.cases >= 0).all()
        assert (sampled.cases[flow.cases == 0] == 0).all()
        after = ControlFlow(flow.dafsa, sampled.cases).transition_counts()
        assert sampled.realised is not None
        assert np.array_equal(after - flow.transition_counts(), sampled.realised.reveal())


def test_the_internal_figures_compare_drawn_and_realised_noise() -> None:
    sampled = Sampled(
        np.array([1]), CaseMoves(), Confidential(np.array([2, -1, 0])), Confidential(np.array([2, 1, -4]))
    )
    figures = move_figures(sampled)
    assert figures == MoveFigures(transitions=3, reached=1, drawn_total=3, realised_total=7, distance_total=6)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=5))
def test_how_many_cases_have_how_many_copies_is_known_without_looking_at_them(counts: list[tuple[int, int]]) -> None:
    present = np.array([cases for cases, _ in counts])
    released = np.array([copies if cases else 0 for cases, copies in counts])
    copies = choose_cases(np.repeat(np.arange(len(present)), present), released, SeededNoise(1))
    number, cases = numbers_of_copies(present, released)
    assert np.bincount(copies, minlength=20).tolist() == [int(cases[number == each].sum()) for each in range(20)]


@pytest.mark.parametrize("rule", [laplace_sampling, oversampling])
def test_nothing_is_drawn_for_transitions_that_filtering_emptied(
    rule: Callable[[ControlFlow, float, NoiseSource], Sampled], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = control_flow(words_log(["abcdef", "abcdef", "xyz"]))
    filtered = ControlFlow(whole.dafsa, np.where(whole.dafsa.variants.lengths == 6, whole.cases, 0))
    source, asked = SeededNoise(3), []

    def noting(scales: FloatArray) -> IntArray:
        asked.append(len(scales))
        return SeededNoise(4).discrete_laplace(scales)

    monkeypatch.setattr(source, "discrete_laplace", noting)
    sampled = [rule(flow, 1e-4, source) for flow in (whole, filtered)]
    one_sided = rule is oversampling  # draws twice as many and some, for those that it rejects
    assert asked == [2 * cells + 16 if one_sided else cells for cells in (9, 6)]
    assert sampled[1].drawn is not None
    assert np.array_equal(sampled[1].drawn.reveal() != 0, filtered.transition_counts() > 0)  # with this seed none is 0


@pytest.mark.slow
def test_one_long_case_is_sampled_in_linear_time() -> None:
    # A walk of the whole path for each move took two minutes here.
    flow = control_flow(words_log(["ab" * 20_000]))
    assert laplace_sampling(flow, 0.8, SeededNoise(1)).cases.sum() > 0


@given(words(), st.integers(0, 2**32))
def test_oversampling_never_deletes_and_reaches_every_draw(spelled: list[str], seed: int) -> None:
    flow = control_flow(words_log(spelled))
    sampled = oversampling(flow, 0.2, SeededNoise(seed))
    assert (sampled.cases >= flow.cases).all()
    assert sampled.drawn is not None
    assert sampled.realised is not None
    assert (sampled.realised.reveal() >= sampled.drawn.reveal()).all()


@given(words(), st.integers(0, 2**32))
def test_sampling_never_empties_a_log(spelled: list[str], seed: int) -> None:
    assert laplace_sampling(control_flow(words_log(spelled)), 0.05, SeededNoise(seed)).cases.sum() > 0


@given(words())
def test_the_contingency_table_counts_the_cases_on_each_transition(spelled: list[str]) -> None:
    log = words_log(spelled)
    flow = control_flow(log)
    expected: Counter[int] = Counter()
    for variant in flow.dafsa.variants.of_case:
        start, stop = flow.dafsa.variants.offsets[variant : variant + 2]
        expected.update(flow.dafsa.path[start:stop].tolist())
    assert dict(enumerate(flow.transition_counts().tolist())) == dict(expected)


@given(words())
def test_the_lookup_table_lists_the_variants_through_each_transition(spelled: list[str]) -> None:
    dafsa = control_flow(words_log(spelled)).dafsa
    through, bounds = variants_through(dafsa)
    for transition in range(dafsa.n_transitions):
        expected = {
            variant
            for variant in range(dafsa.variants.count)
            if transition in dafsa.path[dafsa.variants.offsets[variant] : dafsa.variants.offsets[variant + 1]]
        }
        assert set(through[bounds[transition] : bounds[transition + 1]].tolist()) == expected


def naive_moves(flow: ControlFlow, drawn: IntArray, generator: np.random.Generator) -> tuple[int, ...]:
    """The rule of the notes on a bag of single cases, one move after the other."""
    dafsa, offsets = flow.dafsa, flow.dafsa.variants.offsets
    paths = [set(dafsa.path[offsets[v] : offsets[v + 1]].tolist()) for v in range(dafsa.variants.count)]
    bag = [variant for variant, count in enumerate(flow.cases) for _ in range(count)]
    before = [sum(t in paths[v] for v in bag) for t in range(dafsa.n_transitions)]
    todo = [t for t in range(dafsa.n_transitions) if drawn[t] and before[t]]
    while todo:
        weights = np.array([before[t] for t in todo], dtype=float)
        transition = todo.pop(int(generator.choice(len(todo), p=weights / weights.sum())))
        now = sum(transition in paths[v] for v in bag)
        missing = int(drawn[transition]) - (now - before[transition])
        if missing * drawn[transition] <= 0:
            continue
        inside = [index for index, v in enumerate(bag) if transition in paths[v]]
        if missing > 0 and inside:
            bag += [bag[int(generator.choice(inside))] for _ in range(missing)]
        elif missing < 0:
            gone = generator.choice(inside, size=min(-missing, max(len(inside) - 1, 0)), replace=False)
            bag = [v for index, v in enumerate(bag) if index not in set(gone.tolist())]
    return tuple(bag.count(v) for v in range(dafsa.variants.count))


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [(2, -1, 0, 1, -2, 1), (-1, -1, 1, 3, 0, 0), (1, 1, 1, -3, -3, 2)])
def test_moves_have_the_law_of_a_naive_reference(drawn: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    flow = control_flow(words_log(["ab", "ab", "ab", "ac", "ac", "bc", "bab"]))
    noise = np.resize(np.array(drawn), flow.dafsa.n_transitions)
    monkeypatch.setattr(
        step5_sampling, "laplace_count_noise", lambda cells, longest, epsilon, source: (noise, LaplaceCount(1.0))
    )
    runs, source, generator = 3_000, SeededNoise(11), np.random.default_rng(12)
    fast = Counter(tuple(laplace_sampling(flow, 1.0, source).cases.tolist()) for _ in range(runs))
    slow = Counter(naive_moves(flow, noise, generator) for _ in range(runs))
    outcomes = sorted(set(fast) | set(slow))
    table = np.array([[law[outcome] for outcome in outcomes] for law in (fast, slow)])
    common = table.sum(axis=0) >= 20
    table = np.column_stack((table[:, common], table[:, ~common].sum(axis=1)))
    table = table[:, table.sum(axis=0) > 0]
    assert table.shape[1] > 2
    assert stats.chi2_contingency(table).pvalue > 1e-6  # fixed seeds: this either always holds or never


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=30), st.integers(0, 2**32), st.data())
def test_copies_are_spread_as_evenly_as_they_go(of_case: list[int], seed: int, data: st.DataObject) -> None:
    variant = np.array(of_case)
    present = np.bincount(variant[variant >= 0], minlength=4)
    released = np.array([data.draw(st.integers(0, 9)) if count else 0 for count in present])
    copies = choose_cases(variant, released, SeededNoise(seed))
    assert (copies[variant < 0] == 0).all()
    for number in range(4):
        mine = copies[variant == number]
        assert mine.sum() == released[number]
        assert len(mine) == 0 or mine.max() - mine.min() <= 1


def test_every_case_of_a_variant_is_as_likely_to_be_copied() -> None:
    source, copied = SeededNoise(3), np.zeros(4, dtype=np.int64)
    for _ in range(4_000):
        copied += choose_cases(np.zeros(4, dtype=np.int64), np.array([5]), source) - 1
    assert stats.chisquare(copied).pvalue > 1e-6  # fixed seed
