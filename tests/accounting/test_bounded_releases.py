"""Releases with a bound: what it is, for whom, and under which assumptions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from accounting.accountant import account, strictest
from accounting.assumptions import Assumption
from accounting.claims import CLAIMS, claim
from accounting.confidential import Confidential
from accounting.events import (
    BoundedLaplace,
    DataDependentSelection,
    LaplaceCount,
    NoisyMax,
    NonPrivate,
    OneSidedCount,
    Parallel,
    PrivacyEvent,
    Replicated,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.formulas import oversampling_epsilon, worst_case_advantage
from accounting.guarantee import Kind, Reading, Relation, Scope, Verdict
from tests.accounting.accounts import ADD_REMOVE, PROVED, REPLACE, article_tree, inside, public, times
from tests.accounting.trees import any_trees, bounded_trees, noise_columns


def test_a_histogram_of_variants_has_a_proved_bound_for_a_case() -> None:
    whole = strictest(account(LaplaceCount(4.0, cells_per_case=1)).public, Scope.CASE, REPLACE)
    assert whole.epsilon.value == Fraction(1, 2)
    assert whole.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert whole.advantage == pytest.approx(float(worst_case_advantage(0.5)), abs=1e-6)
    assert Assumption.INDEPENDENT_CASES in whole.assumptions


def test_adding_or_removing_a_case_bounds_what_can_be_guessed_about_it_by_twice_the_epsilon() -> None:
    # Two variants, prior 1/2: replacing the case moves both cells. Brute force over the counts that can be released.
    scale = 4.0
    line = strictest(account(LaplaceCount(scale, cells_per_case=1)).public, Scope.CASE, ADD_REMOVE)
    q = np.exp(-1 / scale)
    k = np.arange(-200, 201)
    with_case, without = q ** np.abs(k - 1), q ** np.abs(k)
    best = (np.outer(with_case, without) / np.outer(without, with_case)).max()  # cells (1, 0) against (0, 1)
    gained = best / (1 + best) - 0.5
    assert line.epsilon.value == Fraction(1, 4)
    assert line.advantage is not None
    assert gained <= line.advantage


def test_an_approximate_guarantee_bounds_guesses_only_where_it_is_a_mixture() -> None:
    lines = account(ThresholdedHistogram(4.0, 60)).public
    whole = strictest(lines, Scope.CASE, REPLACE)
    assert whole.kind is Kind.APPROXIMATE
    assert whole.delta > 0
    assert whole.advantage == pytest.approx(math.tanh(2 / 4.0 / 4), abs=1e-6)
    assert "(1-δ)·(P+A)+δ" in whole.statement
    assert "except" not in whole.statement  # refuted: mixture-exception
    assert strictest(lines, Scope.CASE, ADD_REMOVE).advantage is None
    published = [line for line in lines if line.reading is Reading.PUBLISHED]
    assert not any(line.verdict in PROVED for line in published if line.scope is not Scope.EVENT)
    # Two cases that may lie in two parts: only the chain of neighbours is left, and that is no mixture.
    apart = (ThresholdedHistogram(4.0, 60), ThresholdedHistogram(4.0, 60))
    twice = SharedByIndividual(Parallel(apart, "public"), 2)
    assert strictest(account(twice).public, Scope.INDIVIDUAL, REPLACE).advantage is None


def test_a_threshold_protects_the_cases_of_one_individual_together() -> None:
    scale, threshold, cases = 4.0, 60, 3
    whole = strictest(
        account(SharedByIndividual(ThresholdedHistogram(scale, threshold), cases)).public, Scope.INDIVIDUAL, REPLACE
    )
    assert whole.epsilon.value is not None
    assert float(whole.epsilon.value) == pytest.approx(2 * cases / scale, rel=1e-5)
    # Each of three cells that only they are in, with at most all three of their cases in it, summed term by term.
    q = math.exp(-1 / scale)
    tail = sum((1 - q) / (1 + q) * q**k for k in range(threshold - cases, 2000))
    assert whole.delta == pytest.approx(cases * tail, rel=1e-4)
    assert whole.advantage == pytest.approx(math.tanh(2 * cases / scale / 4), abs=1e-5)
    no_room = account(SharedByIndividual(ThresholdedHistogram(scale, 3), 3)).public
    assert not strictest(no_room, Scope.INDIVIDUAL, REPLACE).epsilon.bounded


def test_a_weighted_histogram_costs_its_weight_once_or_twice_and_control_flow_sees_no_times() -> None:
    def stated(tree: PrivacyEvent, scope: Scope, relation: Relation) -> float | None:
        return strictest(account(tree).public, scope, relation).epsilon.stated()

    times, control = WeightedHistogram(64.0, 16, "times"), WeightedHistogram(64.0, 16, "control flow")
    for event in (times, control):
        assert stated(event, Scope.CASE, ADD_REMOVE) == 0.25
        assert stated(event, Scope.CASE, REPLACE) == 0.5
        assert stated(event, Scope.INDIVIDUAL, REPLACE) is None
        assert stated(SharedByIndividual(event, 1), Scope.INDIVIDUAL, REPLACE) == 0.5
        assert stated(SharedByIndividual(event, 3), Scope.INDIVIDUAL, REPLACE) == 1.5
    assert stated(times, Scope.EVENT, REPLACE) == 0.5
    assert stated(control, Scope.EVENT, REPLACE) == 0.0
    assert stated(Sequential((times, control)), Scope.CASE, REPLACE) == 1.0


def test_a_noisy_maximum_costs_twice_its_sensitivity_for_either_relation() -> None:
    lines = account(NoisyMax(64.0, 4, "times")).public
    for scope, relation in ((Scope.CASE, ADD_REMOVE), (Scope.CASE, REPLACE), (Scope.EVENT, REPLACE)):
        assert strictest(lines, scope, relation).epsilon.stated() == 0.125
    control = account(NoisyMax(64.0, 4, "control flow")).public
    assert strictest(control, Scope.EVENT, REPLACE).epsilon.stated() == 0.0


def test_noise_of_a_public_scale_bounds_an_event_and_each_millisecond_of_it() -> None:
    found = account(times("public")).confidential.reveal()
    lines = {line.kind: line for line in found if line.claim == "event-time-public-scale"}
    for line in lines.values():
        assert line.epsilon.value == pytest.approx(2.0)  # 1000 ms over a scale of 500 ms
        assert line.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    rate = lines[Kind.PER_UNIT_OF_TIME].rate
    assert rate is not None
    assert Fraction(1, 500) <= rate.value <= Fraction(1, 500) * (1 + Fraction(1, 10**12))
    thrice = account(Replicated(times("public"), 3)).confidential.reveal()
    tripled = next(line.rate for line in thrice if line.kind is Kind.PER_UNIT_OF_TIME)
    assert tripled is not None
    assert tripled.value == 3 * rate.value


def test_an_advantage_that_was_asked_for_is_not_passed_off_as_proved() -> None:
    loose = BoundedLaplace(0.01, Confidential(noise_columns([100.0])), "public", declared_loss=10.1)
    for line in account(loose).public:
        if line.reading is Reading.PUBLISHED and line.scope is Scope.EVENT:
            assert line.advantage == 0.01
            assert line.verdict is Verdict.NOT_PROVED


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
def test_where_nobody_said_how_many_cases_an_individual_has_nothing_is_proved_of_one(relation: Relation) -> None:
    alone = strictest(account(LaplaceCount(2.0, cells_per_case=1)).public, Scope.INDIVIDUAL, relation)
    assert not alone.epsilon.bounded
    assert (alone.advantage, alone.verdict) == (None, Verdict.NOT_PROVED)
    assert alone.why == "no bound on the cases of one individual is declared, and somebody may have any number"
    assert Assumption.PUBLIC_CASES_PER_INDIVIDUAL in alone.assumptions


@pytest.mark.parametrize("cases", [1, 3])
@pytest.mark.parametrize("truncated", [False, True])
def test_a_declared_number_is_what_the_bound_for_an_individual_rests_on(cases: int, truncated: bool) -> None:
    shared = SharedByIndividual(LaplaceCount(2.0, cells_per_case=1), cases, truncated)
    declared = strictest(account(shared).public, Scope.INDIVIDUAL, REPLACE)
    assert declared.epsilon.value == cases  # brute force: a replaced case moves two cells by one, at scale 2
    assert declared.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert {Assumption.PUBLIC_CASES_PER_INDIVIDUAL, Assumption.EXACT_SAMPLER} <= set(declared.assumptions)


def test_a_part_outside_every_declaration_leaves_individuals_without_a_bound() -> None:
    count = LaplaceCount(1.0, cells_per_case=1)
    mixed = strictest(account(Sequential((SharedByIndividual(count, 3), count))).public, Scope.INDIVIDUAL, REPLACE)
    assert not mixed.epsilon.bounded


def test_the_article_claims_nothing_of_individuals_whose_cases_it_does_not_divide_by() -> None:
    def claimed(tree: PrivacyEvent) -> float | None:
        [line] = [
            line
            for line in account(tree).public
            if (line.claim, line.reading, line.scope) == ("whole-release", Reading.PUBLISHED, Scope.INDIVIDUAL)
        ]
        return line.advantage

    assert claimed(article_tree(filters=False)) is None
    assert claimed(LaplaceCount(2.0, cells_per_case=1)) is None
    assert claimed(SharedByIndividual(LaplaceCount(2.0, cells_per_case=1), 2)) is not None


def test_a_private_step_s_columns_do_not_show_in_the_verdict_on_what_it_selected() -> None:
    def tree(scale: list[float]) -> PrivacyEvent:
        step = BoundedLaplace(0.2, Confidential(noise_columns(scale)), "public")
        return Sequential((DataDependentSelection("variants", made_by=step), LaplaceCount(1.0, cells_per_case=1)))

    assert account(tree([0.0, 1.0])).public == account(tree([5.0, 1.0])).public


def test_a_selection_made_by_a_private_step_is_accounted_by_that_step() -> None:
    made = DataDependentSelection("cases", made_by=ThresholdedHistogram(4.0, 60))
    tree = Sequential((made, LaplaceCount(2.0, cells_per_case=1)))
    assert strictest(account(tree).public, Scope.CASE, REPLACE).verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert public(tree)["count-cell"].verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    seeded = DataDependentSelection("variants", made_by=NonPrivate("a seed"))
    assert public(Sequential((seeded, LaplaceCount(2.0))))["count-cell"].verdict is Verdict.REFUTED


def test_the_article_s_assumptions_are_listed_with_its_claims() -> None:
    named = {assumption for line in account(article_tree(filters=True)).public for assumption in line.assumptions}
    assert named >= {
        Assumption.INDEPENDENT_CASES,
        Assumption.PUBLIC_LABELS,
        Assumption.PUBLIC_VARIANTS,
        Assumption.PUBLIC_GROUPS,
        Assumption.PUBLIC_RANGES,
        Assumption.PUBLIC_SCALES,
        Assumption.PUBLIC_TIME_FRAME,
        Assumption.PUBLIC_LENGTH,
        Assumption.ESTIMATED_PRIOR,
        Assumption.COPIES_IGNORE_TIMES,
        Assumption.KNOWN_CONTROL_FLOW,
        Assumption.PUBLIC_CASES_PER_INDIVIDUAL,
    }


def test_the_published_advantage_of_one_sided_noise_is_the_article_s() -> None:
    line = public(OneSidedCount(1 / float(oversampling_epsilon(0.2))))["one-sided-count"]
    assert line.advantage == pytest.approx(0.2, abs=1e-5)
    assert line.verdict is Verdict.REFUTED


def test_filtering_says_the_same_inside_and_outside() -> None:
    tree = article_tree(filters=True)
    for name in ("count-cell", "count-table-composed"):
        assert public(tree)[name].verdict is inside(tree, name, ADD_REMOVE).verdict is Verdict.REFUTED


@given(bounded_trees)
def test_a_bounded_whole_has_an_advantage_and_assumptions_and_an_unbounded_one_has_neither(tree: PrivacyEvent) -> None:
    for line in account(tree).public:
        if line.claim == "whole-release" and line.reading is Reading.STRICT:
            assert line.advantage is None or line.epsilon.bounded
            if not line.delta:
                assert (line.advantage is not None) == line.epsilon.bounded
            elif line.relation is ADD_REMOVE:
                assert line.advantage is None
            assert line.assumptions
            assert (line.verdict in PROVED) == line.epsilon.bounded


@given(any_trees)
def test_no_confidential_figure_is_needed_for_the_public_account_and_every_claim_is_registered(
    tree: PrivacyEvent,
) -> None:
    accounts = account(tree)
    for line in (*accounts.public, *accounts.confidential.reveal()):
        assert line.claim in CLAIMS
        if line.claim not in ("whole-release", "average-release") and line.verdict in PROVED:
            assert claim(line.claim).verdict in PROVED
