"""Rules of composition, as properties of random trees."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import (
    DataDependentSelection,
    LaplaceCount,
    NonPrivate,
    Parallel,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
)
from accounting.guarantee import Relation, Scope
from accounting.losses import View, published_loss, strict_loss
from accounting.quantities import Epsilon
from tests.accounting.trees import any_trees, bounded_trees

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
scopes = st.sampled_from(list(Scope))
relations = st.sampled_from(list(Relation))
views = st.sampled_from(list(View))


@given(any_trees, any_trees, scopes, relations, views)
def test_composing_never_lowers_a_loss(
    one: PrivacyEvent, other: PrivacyEvent, scope: Scope, relation: Relation, view: View
) -> None:
    both = strict_loss(Sequential((one, other)), scope, relation, view)
    for part in (one, other):
        alone = strict_loss(part, scope, relation, view)
        assert alone.epsilon <= both.epsilon
        assert alone.delta <= both.delta
        assert published_loss(part, scope, view) <= published_loss(Sequential((one, other)), scope, view)


@given(any_trees, scopes, relations, views)
def test_the_strict_loss_is_at_least_the_published_one(
    tree: PrivacyEvent, scope: Scope, relation: Relation, view: View
) -> None:
    assert published_loss(tree, scope, view) <= strict_loss(tree, scope, relation, view).epsilon


@given(st.lists(any_trees, min_size=1, max_size=3), scopes, relations, views)
def test_order_and_grouping_of_parts_change_nothing(
    parts: list[PrivacyEvent], scope: Scope, relation: Relation, view: View
) -> None:
    expected = strict_loss(Sequential(tuple(parts)), scope, relation, view)
    for order in permutations(parts):
        assert strict_loss(Sequential(order), scope, relation, view) == expected
        nested = Sequential((order[0], Sequential(order[1:]))) if len(order) > 1 else Sequential(order)
        assert strict_loss(nested, scope, relation, view) == expected
        shuffled = Parallel(order, "value-dependent")
        assert strict_loss(shuffled, scope, relation, view) == strict_loss(
            Parallel(tuple(parts), "value-dependent"), scope, relation, view
        )


@given(any_trees, scopes, relations, views)
def test_an_unbounded_part_makes_every_scope_around_it_unbounded(
    tree: PrivacyEvent, scope: Scope, relation: Relation, view: View
) -> None:
    spoilt = Sequential((tree, NonPrivate("a seed")))
    for around in (spoilt, Parallel((tree, NonPrivate("a seed")), "public"), Replicated(spoilt, 3)):
        assert not strict_loss(around, scope, relation, view).epsilon.bounded


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 50))
def test_division_by_copies_and_multiplication_by_copies_cancel(numerator: int, denominator: int, copies: int) -> None:
    epsilon = Epsilon(Fraction(numerator, denominator))
    assert (epsilon / copies) * copies == epsilon


@given(bounded_trees, st.integers(1, 5), relations)
def test_copies_releases_and_cases_multiply_alike(tree: PrivacyEvent, count: int, relation: Relation) -> None:
    for scope in Scope:
        alone = strict_loss(tree, scope, relation, View.PUBLIC)
        assert strict_loss(Replicated(tree, count), scope, relation, View.PUBLIC).epsilon == alone.epsilon * count
        assert strict_loss(RepeatedRelease(tree, count), scope, relation, View.PUBLIC).epsilon == alone.epsilon * count
    alone = strict_loss(tree, Scope.INDIVIDUAL, relation, View.PUBLIC)
    shared = strict_loss(SharedByIndividual(tree, count), Scope.INDIVIDUAL, relation, View.PUBLIC)
    assert shared.epsilon == alone.epsilon * count


def test_parallel_parts_cost_the_largest_or_the_two_largest() -> None:
    parts = tuple(LaplaceCount(1 / epsilon, cells_per_case=1) for epsilon in (0.5, 0.25, 2.0))

    def loss(partition: str, relation: Relation) -> Fraction | None:
        tree = Parallel(parts, partition)  # type: ignore[arg-type]  # one of the two names
        return strict_loss(tree, Scope.CASE, relation, View.PUBLIC).epsilon.value

    assert loss("public", ADD_REMOVE) == loss("value-dependent", ADD_REMOVE) == 2
    assert loss("public", REPLACE) == 4  # each part counts a replaced case twice
    assert loss("value-dependent", REPLACE) == 4 + 1


def test_changing_a_scale_a_sensitivity_or_a_number_of_copies_changes_the_result() -> None:
    def loss(tree: PrivacyEvent) -> Fraction | None:
        return strict_loss(tree, Scope.CASE, ADD_REMOVE, View.PUBLIC).epsilon.value

    assert loss(LaplaceCount(2.0, 1, 3)) == Fraction(3, 2)
    assert loss(LaplaceCount(4.0, 1, 3)) == Fraction(3, 4)
    assert loss(LaplaceCount(2.0, 2, 3)) == 3
    assert loss(LaplaceCount(2.0, 1, 6)) == 3
    assert loss(Replicated(LaplaceCount(2.0, 1, 3), 5)) == Fraction(15, 2)


def test_a_confidential_length_counts_inside_and_is_no_bound_outside() -> None:
    table = LaplaceCount(2.0, 1, Confidential(185))
    inside = strict_loss(table, Scope.CASE, REPLACE, View.CONFIDENTIAL)
    assert inside.epsilon.value == Fraction(2 * 185, 2)
    assert not strict_loss(table, Scope.CASE, REPLACE, View.PUBLIC).epsilon.bounded


def test_a_selection_is_free_if_declared_public_and_costs_what_made_it_if_that_is_private() -> None:
    free = DataDependentSelection("variants", declared_public=True)
    assert strict_loss(free, Scope.CASE, REPLACE, View.PUBLIC).epsilon.value == 0
    chosen = DataDependentSelection("variants", made_by=ThresholdedHistogram(2.0, 20))
    assert strict_loss(chosen, Scope.CASE, REPLACE, View.PUBLIC).epsilon.value == 1
    with pytest.raises(AccountingError):
        DataDependentSelection("cases", declared_public=True)


def test_approximate_losses_add_both_parameters_and_groups_amplify_delta() -> None:
    histogram = ThresholdedHistogram(2.0, 40)
    alone = strict_loss(histogram, Scope.CASE, ADD_REMOVE, View.PUBLIC)
    twice = strict_loss(Sequential((histogram, histogram)), Scope.CASE, ADD_REMOVE, View.PUBLIC)
    assert twice.delta == 2 * alone.delta
    group = strict_loss(SharedByIndividual(histogram, 3), Scope.INDIVIDUAL, ADD_REMOVE, View.PUBLIC)
    # Group privacy of (ε, δ): g·exp((g-1)·ε)·δ with ε = 1/2.
    assert float(group.delta) == pytest.approx(3 * 2.718281828459045 * float(alone.delta), rel=1e-9)
    assert group.epsilon.value == Fraction(3, 2)


@pytest.mark.parametrize("tree", [Sequential(()), Parallel((), "public"), "not an event", Sequential(("no event",))])  # type: ignore[arg-type]  # wrong on purpose
def test_what_is_no_tree_is_refused_whole(tree: PrivacyEvent) -> None:
    with pytest.raises(AccountingError):
        account(tree)


@pytest.mark.parametrize("make", [lambda: Replicated(NonPrivate("x"), 0), lambda: RepeatedRelease(NonPrivate("x"), 0)])
def test_no_copies_and_no_releases_are_refused(make: object) -> None:
    with pytest.raises(AccountingError):
        make()  # type: ignore[operator]  # a constructor call
