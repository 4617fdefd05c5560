"""What the account says of a release on average over the noise, and what it does not say."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.accountant import account, on_average, public_account, strictest
from accounting.average import mu_squared_of_advantage
from accounting.events import (
    CaseMoves,
    GaussianHistogram,
    NoisyMax,
    NonPrivate,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedGaussian,
    ThresholdedHistogram,
    WeightedHistogram,
)
from accounting.formulas import worst_case_loss
from accounting.guarantee import AVERAGE_RELEASE, Guarantee, Kind, Relation, Scope, Verdict
from accounting.publication import public_tree
from tests.accounting.accounts import PROVED
from tests.accounting.trees import any_trees, average_trees

NOISE = GaussianHistogram(1_000_004, 250, "times", 40)
advantages = st.fractions(Fraction(1, 100), Fraction(9, 10), max_denominator=1000)


def lines(tree: PrivacyEvent) -> list[Guarantee]:
    return [line for line in account(tree).public if line.claim == AVERAGE_RELEASE]


def of_case(tree: PrivacyEvent) -> Guarantee:
    found = on_average(account(tree).public, Scope.CASE)
    assert found is not None
    return found


def pure(advantage: Fraction, shares: tuple[Fraction, ...], choices: int = 0) -> Sequential:
    """A pure release at an advantage: its ε divided among histograms, the first ones of them noisy choices instead."""
    epsilon = Fraction(float(worst_case_loss(float(advantage))))

    def scale(share: Fraction) -> float:
        return math.nextafter(float(2 / (epsilon * share)), math.inf)

    return Sequential(
        tuple(
            NoisyMax(scale(share), 1, "times") if place < choices else WeightedHistogram(scale(share), 1, "times")
            for place, share in enumerate(shares)
        )
    )


def test_an_average_release_has_a_curve_and_no_epsilon_and_the_account_says_why() -> None:
    tree = Sequential((TakenAsPublic("number of cases", from_log=True), NOISE, NoisyMax(40.0, 1, "times")))
    case, replaced, individual, replaced_individual = lines(tree)
    assert (case.relation, replaced.relation) == (Relation.LEAVE_OUT, Relation.REPLACE)
    assert {line.kind for line in lines(tree)} == {Kind.ON_AVERAGE}
    assert case.verdict is replaced.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    assert case.curve is not None
    assert replaced.curve is not None
    # The noisy choice costs the same in both relations, the histogram twice as much where a case is replaced.
    assert replaced.curve.mu_squared - case.curve.mu_squared == Fraction(250**2, 10**6)
    assert case.advantage == pytest.approx(math.erf(math.sqrt(case.curve.mu_squared / 8)), abs=2e-6)
    assert case.advantage is not None
    assert case.advantage >= math.erf(math.sqrt(case.curve.mu_squared / 8))
    assert individual.verdict is replaced_individual.verdict is Verdict.NOT_PROVED
    assert "no bound on the cases" in individual.why
    assert individual.advantage is None
    for scope in (Scope.CASE, Scope.INDIVIDUAL):
        whole = strictest(account(tree).public, scope, Relation.REPLACE)
        assert not whole.epsilon.bounded
        assert whole.advantage is None
    assert strictest(account(tree).public, Scope.CASE, Relation.REPLACE).why.startswith("average-to-each")


@given(advantages, st.integers(1, 9))
def test_a_pure_release_keeps_the_average_reading_at_its_own_advantage_and_costs_that_square(
    advantage: Fraction, parts: int
) -> None:
    line = of_case(pure(advantage, (Fraction(1, parts),) * parts))
    assert line.advantage is not None
    assert line.advantage <= float(advantage) * (1 + 1e-5)
    assert line.curve is not None
    whole = mu_squared_of_advantage(advantage)
    assert whole * (1 - Fraction(1, 10**9)) <= line.curve.mu_squared <= whole


@given(advantages)
def test_a_noisy_choice_leaves_the_advantage_and_raises_the_square(advantage: Fraction) -> None:
    line = of_case(pure(advantage, (Fraction(1, 4),) * 4, choices=1))
    assert line.advantage is not None
    assert line.advantage <= float(advantage) * (1 + 1e-5)
    assert line.curve is not None
    assert line.curve.mu_squared > mu_squared_of_advantage(advantage)
    assert line.curve.advantage > line.advantage


def test_a_pure_release_has_no_line_of_two_values_because_its_epsilon_says_more() -> None:
    assert [line.relation for line in lines(WeightedHistogram(8.0, 2, "times"))] == [Relation.LEAVE_OUT]


def test_a_delta_is_added_to_the_advantage() -> None:
    pure_line, gaussian_line = (
        of_case(tree) for tree in (ThresholdedHistogram(4.0, 60), ThresholdedGaussian(10**6, 250, 6_000))
    )
    for line in (pure_line, gaussian_line):
        assert line.curve is not None
        assert 0 < line.curve.delta <= Fraction(line.delta)
        assert line.advantage is not None
        assert line.advantage >= line.curve.delta
    own = strictest(account(ThresholdedHistogram(4.0, 60)).public, Scope.CASE, Relation.REPLACE)
    assert own.advantage is not None
    assert pure_line.advantage == pytest.approx(own.advantage + own.delta, abs=2e-6)


def test_several_releases_are_accounted_for_together() -> None:
    one, three = of_case(NOISE), of_case(RepeatedRelease(NOISE, 3))
    assert one.curve is not None
    assert three.curve is not None
    assert three.curve.mu_squared == 3 * one.curve.mu_squared
    assert "3 releases" in three.statement


def test_somebody_with_several_cases_who_shows_in_the_number_of_all_has_no_bound() -> None:
    counted = TakenAsPublic("number of cases", from_log=True)
    tree = Sequential((counted, SharedByIndividual(NOISE, 3)))
    found = on_average(account(tree).public, Scope.INDIVIDUAL)
    assert found is not None
    assert found.verdict is Verdict.REFUTED
    assert found.curve is None
    assert found.advantage is None
    alone = on_average(account(Sequential((counted, SharedByIndividual(NOISE, 1)))).public, Scope.INDIVIDUAL)
    assert alone is not None
    assert alone.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS
    truncated = SharedByIndividual(NOISE, 3, truncated=True)
    bound = on_average(account(truncated).public, Scope.INDIVIDUAL)
    assert bound is not None
    assert bound.curve is not None
    assert bound.curve.mu_squared == 9 * Fraction(250**2, 10**6)


@pytest.mark.parametrize(
    ("spoiling", "verdict"), [(NonPrivate("a seed"), Verdict.REFUTED), (CaseMoves(), Verdict.REFUTED)]
)
def test_what_has_no_bound_takes_the_average_with_it(spoiling: PrivacyEvent, verdict: Verdict) -> None:
    line = of_case(Sequential((NOISE, spoiling)))
    assert line.verdict is verdict
    assert line.curve is None
    assert line.advantage is None
    assert not line.epsilon.bounded


def test_a_release_that_promises_nothing_of_the_kind_has_no_such_line() -> None:
    assert lines(CaseMoves()) == []
    assert on_average(account(CaseMoves()).public, Scope.CASE) is None


@given(st.one_of(any_trees, average_trees))
def test_a_line_on_average_is_proved_exactly_where_it_has_a_curve(tree: PrivacyEvent) -> None:
    accounted = account(tree).public
    for line in accounted:
        if line.claim != AVERAGE_RELEASE:
            continue
        assert (line.verdict in PROVED) == (line.curve is not None) == (line.advantage is not None)
        if line.curve is not None and line.advantage is not None:
            assert line.advantage <= min(1.0, line.curve.advantage * (1 + 1e-5))
    assert public_account(public_tree(tree)) == accounted


@given(average_trees)
def test_what_holds_after_every_output_holds_on_average(tree: PrivacyEvent) -> None:
    accounted = account(tree).public
    for scope in (Scope.CASE, Scope.INDIVIDUAL):
        always, average = strictest(accounted, scope, Relation.REPLACE), on_average(accounted, scope)
        if always.advantage is not None and not always.delta and average is not None and average.advantage is not None:
            assert average.advantage <= always.advantage
