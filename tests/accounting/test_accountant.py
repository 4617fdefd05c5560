"""Guarantees derive from the tree of events, and nothing unknown counts as free."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from accounting.accountant import flatten, guarantees
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    PerEventNoise,
    PostProcessing,
    PrivacyEvent,
    Sequential,
    SharedByIndividual,
    kind_of,
    register_event,
)
from accounting.formulas import loss_for_prior, worst_case_advantage
from accounting.guarantee import Guarantee, Scope, Verdict


def claims(tree: PrivacyEvent) -> dict[str, Guarantee]:
    return {guarantee.claim: guarantee for guarantee in guarantees(tree)}


def per_event() -> BoundedLaplace:
    one = np.ones(1, dtype=np.int64)
    columns = PerEventNoise(case=one, value_range=one, scale=np.ones(1), copies=one)
    return BoundedLaplace(0.2, Confidential(columns))


def test_the_epsilon_of_a_cell_follows_scale_and_sensitivity() -> None:
    cell = claims(LaplaceCount(scale=2.0))["noisy-count-cell"]
    doubled = claims(LaplaceCount(scale=2.0, sensitivity=2))["noisy-count-cell"]
    assert cell.epsilon == pytest.approx(0.5, rel=1e-5)
    assert doubled.epsilon == pytest.approx(1.0, rel=1e-5)
    assert cell.epsilon is not None
    assert cell.epsilon >= 0.5


def test_the_whole_table_is_refuted_with_its_counterexample() -> None:
    table = claims(LaplaceCount(scale=2.0))["noisy-count-table"]
    assert table.verdict is Verdict.REFUTED
    assert table.epsilon is None
    assert "27/28" in table.why


def test_one_sided_noise_is_refuted() -> None:
    assert claims(OneSidedCount(scale=2.0))["one-sided-count-cell"].verdict is Verdict.REFUTED


def test_moving_cases_is_not_proved() -> None:
    assert claims(CaseMoves())["released-counts"].verdict is Verdict.NOT_PROVED


def test_noise_scaled_by_private_data_is_refuted_for_its_prior_for_other_priors_and_for_a_whole_case() -> None:
    found = claims(per_event())
    assert found["event-time"].verdict is Verdict.REFUTED
    assert found["event-time-any-prior"].verdict is Verdict.REFUTED
    assert found["case-times"].verdict is Verdict.REFUTED
    assert found["copies"].verdict is Verdict.NOT_PROVED


def test_the_figures_quoted_against_other_priors_are_right() -> None:
    # At advantage 0.3: ε for a prior of 0.01, and what the worst prior gains from it.
    loss = float(loss_for_prior(0.01, 0.3))
    assert round(loss, 3) == 3.795
    assert round(float(worst_case_advantage(loss)), 2) == 0.74


CASES_SELECTED = DataDependentSelection("cases", "by their times", "an example")


@pytest.mark.parametrize(
    ("event", "verdict"),
    [
        (LaplaceCount(1.0), Verdict.NOT_PROVED),
        (OneSidedCount(1.0), Verdict.NOT_PROVED),
        (CaseMoves(), Verdict.NOT_PROVED),
        (DataDependentSelection("groups", "from the log"), Verdict.NOT_PROVED),
        (CASES_SELECTED, Verdict.REFUTED),
        (NonPrivate("a seed"), Verdict.NOT_PROVED),
        (per_event(), Verdict.NOT_PROVED),
    ],
)
def test_no_step_of_the_article_bounds_a_whole_case(event: PrivacyEvent, verdict: Verdict) -> None:
    for scope in (Scope.CASE, Scope.INDIVIDUAL):
        whole = claims(Sequential((event, PostProcessing("order", "random"))))[f"whole-release-{scope.value}"]
        assert whole.epsilon is None
        assert whole.verdict is verdict


def test_a_selection_without_a_counterexample_is_not_proved_and_with_one_refuted() -> None:
    assert claims(DataDependentSelection("groups", "from the log"))["selection-of-groups"].verdict is Verdict.NOT_PROVED
    assert claims(CASES_SELECTED)["selection-of-cases"].verdict is Verdict.REFUTED


def test_selecting_cases_by_private_data_takes_the_bound_of_a_cell_away() -> None:
    cell = claims(Sequential((CASES_SELECTED, LaplaceCount(1.0))))["noisy-count-cell"]
    assert cell.epsilon is None
    assert cell.verdict is Verdict.REFUTED


def test_predictable_noise_takes_every_bound_away() -> None:
    found = guarantees(Sequential((LaplaceCount(1.0), NonPrivate("a seed"))))
    assert all(claim.epsilon is None and claim.advantage is None for claim in found)
    assert not any(claim.verdict in (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS) for claim in found)


def test_several_cases_of_one_individual_multiply_the_epsilon_of_a_cell() -> None:
    cell = claims(SharedByIndividual(LaplaceCount(2.0), Confidential(3)))["noisy-count-cell"]
    assert cell.epsilon == pytest.approx(1.5, rel=1e-5)


@pytest.mark.parametrize("scale", [1 / 0.8109302162163288, 1 / 3.0, 7.0, 1e-3, 123456.7])
def test_a_stated_epsilon_is_six_digits_and_never_below_the_true_one(scale: float) -> None:
    cell = claims(LaplaceCount(scale))["noisy-count-cell"]
    assert cell.epsilon is not None
    assert Fraction(cell.epsilon) >= 1 / Fraction(scale)
    assert cell.epsilon <= (1 / scale) * (1 + 1e-5)
    stated = cell.statement.split(" is ")[1].split("-differentially")[0]
    assert Fraction(stated) >= 1 / Fraction(scale)


@pytest.mark.parametrize(
    ("scale", "sensitivity"), [(0.0, 1), (-1.0, 1), (float("nan"), 1), (float("inf"), 1), (1.0, 0)]
)
def test_noise_without_a_scale_is_no_event(scale: float, sensitivity: int) -> None:
    for kind in (LaplaceCount, OneSidedCount):
        with pytest.raises(AccountingError):
            kind(scale, sensitivity)


def test_an_event_that_the_accountant_does_not_know_is_unbounded() -> None:
    @dataclass(frozen=True, slots=True)
    class Invented(PrivacyEvent):
        pass

    unknown = claims(Invented())["unknown-event"]
    assert unknown.epsilon is None
    assert unknown.verdict is Verdict.NOT_PROVED
    assert claims(Invented())["whole-release-case"].epsilon is None


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
    assert flatten(Sequential((a, Sequential((b, c))))) == (a, b, c)


def test_columns_of_unequal_length_are_refused() -> None:
    one, two = np.ones(1, dtype=np.int64), np.ones(2, dtype=np.int64)
    with pytest.raises(AccountingError):
        PerEventNoise(case=one, value_range=two, scale=np.ones(1), copies=one)
