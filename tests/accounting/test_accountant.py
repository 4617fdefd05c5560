"""Guarantees derive from the tree of events, and nothing unknown counts as free."""

from __future__ import annotations

from dataclasses import dataclass

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
    ScaleSource,
    Sequential,
    kind_of,
    register_event,
)
from accounting.guarantee import Guarantee, Scope, Verdict


def claims(tree: PrivacyEvent) -> dict[str, Guarantee]:
    return {guarantee.claim: guarantee for guarantee in guarantees(tree)}


def per_event(scale_source: ScaleSource) -> BoundedLaplace:
    one = np.ones(1, dtype=np.int64)
    columns = PerEventNoise(case=one, value_range=one, scale=np.ones(1), copies=one)
    return BoundedLaplace(0.2, Confidential(columns), scale_source=scale_source, range_source=scale_source)


def test_the_epsilon_of_a_cell_follows_scale_and_sensitivity() -> None:
    cell = claims(LaplaceCount(scale=2.0))["noisy-count-cell"]
    doubled = claims(LaplaceCount(scale=2.0, sensitivity=2))["noisy-count-cell"]
    assert cell.epsilon == pytest.approx(0.5)
    assert doubled.epsilon == pytest.approx(1.0)
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


def test_noise_scaled_by_private_data_is_refuted_and_by_public_facts_is_not() -> None:
    assert claims(per_event("data"))["event-time"].verdict is Verdict.REFUTED
    assert claims(per_event("public"))["event-time"].verdict is Verdict.PROVED_UNDER_ASSUMPTIONS


@pytest.mark.parametrize(
    "event",
    [
        LaplaceCount(1.0),
        OneSidedCount(1.0),
        CaseMoves(),
        DataDependentSelection("selection-of-cases", "cases", "by their times"),
        NonPrivate("a seed"),
        per_event("data"),
    ],
)
def test_no_step_of_the_article_bounds_a_whole_case(event: PrivacyEvent) -> None:
    for scope in (Scope.CASE, Scope.INDIVIDUAL):
        whole = claims(Sequential((event, PostProcessing("order", "random"))))[f"whole-release-{scope.value}"]
        assert whole.epsilon is None
        assert whole.verdict is Verdict.NOT_PROVED


def test_post_processing_alone_costs_nothing() -> None:
    whole = claims(PostProcessing("order", "random"))["whole-release-case"]
    assert whole.epsilon == 0.0


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
