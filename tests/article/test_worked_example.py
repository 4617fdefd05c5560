"""The article's tables, to the digit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import amun_dp
from amun_dp._base.units import MINUTE
from amun_dp.article.conventions import ARTICLE, CORRECTED, Conventions
from amun_dp.article.step1_annotation import AnnotatedLog, annotate
from amun_dp.article.step2_prior import find_windows
from amun_dp.article.step3_filtering import filter_cases, keep_all
from amun_dp.article.step5_sampling import ControlFlow
from tests.article import worked_example as table
from tests.article.common_parts import common_prefixes, common_suffixes
from tests.logs import worked_example_log


@pytest.fixture(scope="module")
def annotated() -> AnnotatedLog:
    return annotate(worked_example_log())


def by_case(annotated: AnnotatedLog, column: np.ndarray[tuple[int], np.dtype[np.float64]]) -> dict[str, list[float]]:
    offsets = annotated.log.offsets
    return {str(case + 1): column[offsets[case] : offsets[case + 1]].tolist() for case in range(annotated.log.n_cases)}


def priors(annotated: AnnotatedLog, conventions: Conventions) -> dict[str, list[float]]:
    windows = find_windows(annotated, conventions)
    return by_case(annotated, keep_all(annotated, windows, table.ADVANTAGE, conventions).knowledge.prior)


def test_the_automaton_has_five_states_and_six_transitions(annotated: AnnotatedLog) -> None:
    assert annotated.dafsa.n_states == 5
    assert annotated.dafsa.n_transitions == 6


def test_common_prefixes_and_suffixes_follow_the_definition(annotated: AnnotatedLog) -> None:
    # The article lists ⟨A,B⟩ among the prefixes, but its state has one way on (C), and leaves out the suffix ⟨C⟩.
    def spelled(sequences: list[tuple[int, ...]]) -> list[str]:
        return ["".join(annotated.log.activities[code] for code in sequence) for sequence in sequences]

    assert spelled(list(common_prefixes(annotated.dafsa))) == ["", "A", "DA"]
    assert spelled(list(common_suffixes(annotated.dafsa))) == ["BC", "C", "EC"]


def test_priors_before_filtering_are_those_of_table_2(annotated: AnnotatedLog) -> None:
    for case, found in priors(annotated, ARTICLE).items():
        assert found == pytest.approx(table.PRIOR_BEFORE[case], abs=0.0005)


def test_priors_and_epsilons_after_filtering_are_those_of_table_3() -> None:
    plan = amun_dp.plan(table.dataframe(), advantage=table.ADVANTAGE, method="filtering", conventions="article")
    events = plan.events.reveal()
    kept = events[events["kept"]]
    assert sorted(kept["case"].unique()) == sorted(table.PRIOR_AFTER)
    for case, rows in kept.groupby("case"):
        assert rows["prior"].tolist() == pytest.approx(table.PRIOR_AFTER[str(case)], abs=0.0005)
        assert rows["epsilon"].round(2).tolist() == table.EPSILON_AFTER[str(case)]
    assert events[~events["kept"]]["case"].unique().tolist() == ["1"]
    assert plan.control_flow_epsilon == pytest.approx(1.238, abs=0.0005)


def test_the_contingency_table_after_filtering_is_that_of_table_4() -> None:
    plan = amun_dp.plan(table.dataframe(), advantage=table.ADVANTAGE, method="filtering", conventions="article")
    dafsa, labels = plan.annotated.dafsa, plan.annotated.log.activities
    state_after = {"": 0}
    for prefix in ("A", "D", "AB"):
        code = labels.index(prefix[-1])
        taken = (dafsa.source == state_after[prefix[:-1]]) & (dafsa.activity == code)
        state_after[prefix] = int(dafsa.target[taken][0])
    counts = ControlFlow(dafsa, plan.kept_variant_cases).transition_counts()
    found = {
        (int(source), labels[int(code)]): int(count)
        for source, code, count in zip(dafsa.source, dafsa.activity, counts, strict=True)
    }
    expected = {(state_after[prefix], label): count for (prefix, label), count in table.CONTINGENCY_AFTER.items()}
    assert found == expected


def test_corrected_windows_of_ten_minutes_filter_cases_1_3_and_6(annotated: AnnotatedLog) -> None:
    conventions = replace(CORRECTED, window=10 * MINUTE)
    found = priors(annotated, conventions)
    assert [found[case][-2] for case in ("1", "3", "4", "6")] == pytest.approx([1, 0.75, 0.5, 0.75])
    once = replace(conventions, filtering="once")
    kept = filter_cases(annotated, find_windows(annotated, once), table.ADVANTAGE, once).kept_case
    assert [str(case + 1) for case in np.flatnonzero(~kept)] == ["1", "3", "6"]


def test_the_corrected_conventions_take_shares_of_closed_ten_second_windows(annotated: AnnotatedLog) -> None:
    # By hand: gaps in minutes for B 30, 25, 40, 27 and for C 325, 324, 420, 325, 1800, 378; starts within a day.
    assert priors(annotated, CORRECTED) == {
        "1": pytest.approx([2 / 6, 1 / 4, 2 / 6]),
        "2": pytest.approx([2 / 6, 0.35, 0.35, 1 / 6]),
        "3": pytest.approx([3 / 6, 1 / 4, 1 / 6]),
        "4": pytest.approx([3 / 6, 0.35, 1 / 4, 2 / 6]),
        "5": pytest.approx([3 / 6, 0.35, 1 / 6]),
        "6": pytest.approx([1 / 6, 1 / 4, 1 / 6]),
    }


def test_the_corrected_epsilons_follow_from_their_priors() -> None:
    plan = amun_dp.plan(table.dataframe(), advantage=table.ADVANTAGE)
    events = plan.events.reveal()
    assert events["kept"].all()
    p, a = events["prior"].to_numpy(), table.ADVANTAGE
    assert events["epsilon"].to_numpy() == pytest.approx(-np.log(p / (1 - p) * (1 / (a + p) - 1)), rel=1e-12)
