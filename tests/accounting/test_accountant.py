"""Guarantees derive from the tree of events, verdicts from the registry, and nothing unknown counts as free."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given

from accounting.accountant import account, strictest
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    PerEventNoise,
    PrivacyEvent,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
    WeightedHistogram,
    kind_of,
    register_event,
)
from accounting.formulas import loss_for_prior, worst_case_advantage
from accounting.guarantee import Scope, Verdict
from accounting.trees import leaves
from tests.accounting.accounts import ADD_REMOVE, PROVED, REPLACE, public
from tests.accounting.trees import any_trees, noise_columns

# --- individuals ----------------------------------------------------------------------------------------------------


def test_several_cases_of_one_individual_multiply_the_loss() -> None:
    tree = SharedByIndividual(LaplaceCount(2.0, cells_per_case=1), 3)
    assert strictest(account(tree).public, Scope.INDIVIDUAL, REPLACE).epsilon.value == 3
    assert strictest(account(tree).public, Scope.CASE, REPLACE).epsilon.value == 1
    assert public(tree)["count-cell"].epsilon.value == Fraction(1, 2)  # of one case in one cell


@given(any_trees)
def test_public_figures_are_those_that_are_stated(tree: PrivacyEvent) -> None:
    for line in account(tree).public:
        assert line.epsilon == line.epsilon.rounded()


@pytest.mark.parametrize("cases", [2, 3, 7, 10])
def test_a_confidential_number_of_cases_does_not_show_in_the_public_account_and_bounds_nothing(cases: int) -> None:
    def tree(number: int, scale: float) -> PrivacyEvent:
        return SharedByIndividual(LaplaceCount(scale, cells_per_case=1), Confidential(number))

    assert account(tree(cases, 4.0)).public == account(tree(4, 4.0)).public
    assert account(tree(cases, cases / 0.81)).public == account(tree(4, 4 / 0.81)).public
    assert public(tree(cases, 4.0))["individuals-from-the-log"].verdict is Verdict.REFUTED
    assert public(tree(cases, 4.0))["count-cell"].verdict not in PROVED


@pytest.mark.parametrize("scales", ["public", "data"])
def test_columns_do_not_show_in_the_public_account(scales: str) -> None:
    def tree(columns: PerEventNoise) -> PrivacyEvent:
        return BoundedLaplace(0.2, Confidential(columns), scales, declared_loss=50.0, events_per_case=9)  # type: ignore[arg-type]  # a name

    one = account(tree(noise_columns([500.0, 2000.0])))
    other = account(tree(noise_columns([77.0, 90.0, 1000.0], origin=[0, 0, 1])))
    assert one.public == other.public
    assert one.confidential.reveal() != other.confidential.reveal()


# --- figures and names ----------------------------------------------------------------------------------------------


def test_the_figures_quoted_against_other_priors_are_right() -> None:
    # At advantage 0.3: ε for a prior of 0.01, and what the worst prior gains from it.
    loss = float(loss_for_prior(0.01, 0.3))
    assert round(loss, 3) == 3.795
    assert round(float(worst_case_advantage(loss)), 2) == 0.74


@pytest.mark.parametrize("scale", [1 / 0.8109302162163288, 1 / 3.0, 7.0, 1e-3, 123456.7])
def test_a_stated_epsilon_is_never_below_the_true_one(scale: float) -> None:
    stated = public(LaplaceCount(scale))["count-cell"].epsilon.stated()
    assert stated is not None
    assert 1 / Fraction(scale) <= Fraction(stated) <= (1 / Fraction(scale)) * (1 + Fraction(2, 10**5))


def test_an_event_that_the_accountant_does_not_know_is_unbounded() -> None:
    @dataclass(frozen=True, slots=True)
    class Invented(PrivacyEvent):
        pass

    line = public(Invented())["unknown-step"]
    assert not line.epsilon.bounded
    assert line.verdict is Verdict.NOT_PROVED
    for scope in Scope:
        if scope in (Scope.CASE, Scope.INDIVIDUAL):
            assert not strictest(account(Invented()).public, scope, REPLACE).epsilon.bounded


def test_kinds_are_registered_once_and_unknown_kinds_are_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Foreign(PrivacyEvent):
        pass

    with pytest.raises(AccountingError):
        kind_of(Foreign())
    register_event("test-foreign")(Foreign)
    assert kind_of(Foreign()) == "test-foreign"
    with pytest.raises(AccountingError):
        register_event("laplace-count")(Foreign)
    assert kind_of(LaplaceCount(1.0)) == "laplace-count"


def test_a_tree_flattens_to_its_leaves_in_order() -> None:
    a, b, c = LaplaceCount(1.0), CaseMoves(), NonPrivate("x")
    assert leaves(Sequential((a, SharedByIndividual(Sequential((b, c)), 2)))) == (a, b, c)


@pytest.mark.parametrize(
    ("scale", "sensitivity"), [(0.0, 1), (-1.0, 1), (float("nan"), 1), (float("inf"), 1), (1.0, 0)]
)
def test_noise_without_a_scale_is_no_event(scale: float, sensitivity: int) -> None:
    for kind in (LaplaceCount, OneSidedCount):
        with pytest.raises(AccountingError):
            kind(scale, sensitivity)


@pytest.mark.parametrize(
    "changed",
    [
        {"scale": [float("nan")]},
        {"scale": [-1.0]},
        {"copies": [0]},
        {"value_range": [-1]},
        {"scale": []},
        {"origin": [0, 1]},
    ],
)
def test_columns_that_make_no_sense_are_refused(changed: dict[str, list[int]]) -> None:
    with pytest.raises(AccountingError):
        noise_columns(**{"scale": [1.0], "value_range": [1] * len(changed.get("scale", [1])), **changed})  # type: ignore[arg-type]  # wrong on purpose


def test_an_unequal_column_is_refused() -> None:
    good = noise_columns([1.0, 2.0])
    with pytest.raises(AccountingError):
        PerEventNoise(good.case, good.value_range, good.scale, good.copies, good.origin[:1], good.individual)


def test_truncation_lets_a_case_change_two_of_those_that_count() -> None:
    truncated = SharedByIndividual(WeightedHistogram(64.0, 16, "times"), 3, truncated=True)
    lines = account(truncated).public
    assert strictest(lines, Scope.CASE, REPLACE).epsilon.stated() == 1.0  # two replaced, 0.5 each
    assert strictest(lines, Scope.CASE, ADD_REMOVE).epsilon.stated() == 0.5  # one in, one out
    assert strictest(lines, Scope.INDIVIDUAL, REPLACE).epsilon.stated() == 1.5
    plain = account(SharedByIndividual(WeightedHistogram(64.0, 16, "times"), 3)).public
    assert strictest(plain, Scope.CASE, REPLACE).epsilon.stated() == 0.5


def test_a_cell_that_is_fitted_to_the_others_sees_as_much_as_all_of_them() -> None:
    for event in (WeightedHistogram(64.0, 16, "control flow"), ThresholdedHistogram(4.0, 60)):
        lines = account(event).public
        assert strictest(lines, Scope.CELL, REPLACE).epsilon == strictest(lines, Scope.CASE, REPLACE).epsilon


def test_individuals_within_individuals_have_no_bound() -> None:
    nested = SharedByIndividual(SharedByIndividual(WeightedHistogram(64.0, 16, "times"), 5), 1)
    assert not strictest(account(nested).public, Scope.INDIVIDUAL, REPLACE).epsilon.bounded
