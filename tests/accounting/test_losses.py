"""Rules of composition, as properties of random trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    DataDependentSelection,
    LaplaceCount,
    NonPrivate,
    OneSidedCount,
    Parallel,
    PerEventNoise,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedHistogram,
)
from accounting.guarantee import Relation, Scope
from accounting.loss import times
from accounting.losses import FREE, NO_BOUND, View, strict_loss
from accounting.published import published_loss
from accounting.quantities import Epsilon
from tests.accounting.trees import any_trees, bounded_leaves, bounded_trees, noise_columns

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
        # Parts whose deltas add up to 1 have no bound together, and what has none has no delta.
        assert alone.delta <= both.delta or both == NO_BOUND
        before, after = published_loss(part, scope, view), published_loss(Sequential((one, other)), scope, view)
        assert before is None or after is None or before <= after


@given(any_trees, scopes, relations, views)
def test_the_strict_loss_is_at_least_the_published_one(
    tree: PrivacyEvent, scope: Scope, relation: Relation, view: View
) -> None:
    published = published_loss(tree, scope, view)
    assert published is None or published <= strict_loss(tree, scope, relation, view).epsilon


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


def declares_cases_around_all_that_costs(tree: PrivacyEvent, declared: bool = False) -> bool:
    """By its own walk over the tree. Two declarations, one inside the other, count as one."""
    match tree:
        case PostProcessing() | TakenAsPublic():
            return True
        case DataDependentSelection():
            return tree.made_by is None or declares_cases_around_all_that_costs(tree.made_by, declared)
        case Sequential() | Parallel():
            return all(declares_cases_around_all_that_costs(part, declared) for part in tree.parts)
        case Replicated() | RepeatedRelease():
            return declares_cases_around_all_that_costs(tree.part, declared)
        case SharedByIndividual():
            return declares_cases_around_all_that_costs(tree.part, declared or isinstance(tree.cases, int))
        case _:
            return declared


@given(st.one_of(any_trees, bounded_trees), relations, views)
def test_no_individual_has_a_bound_unless_their_cases_were_declared_around_all_that_costs(
    tree: PrivacyEvent, relation: Relation, view: View
) -> None:
    if strict_loss(tree, Scope.INDIVIDUAL, relation, view).epsilon.bounded:
        assert declares_cases_around_all_that_costs(tree)
    published = published_loss(tree, Scope.INDIVIDUAL, View.PUBLIC)
    if published is not None and published.bounded:
        assert declares_cases_around_all_that_costs(tree)


@given(st.one_of(any_trees, bounded_trees), st.integers(1, 5), relations, views)
def test_what_a_case_loses_does_not_depend_on_how_many_are_declared_of_an_individual(
    tree: PrivacyEvent, cases: int, relation: Relation, view: View
) -> None:
    """Nobody is truncated: the declaration adds a line about individuals and changes none about cases."""
    for scope in (Scope.CELL, Scope.EVENT, Scope.CASE):
        assert strict_loss(SharedByIndividual(tree, cases), scope, relation, view) == strict_loss(
            tree, scope, relation, view
        )


@given(bounded_leaves, st.integers(1, 5), relations)
def test_a_declared_number_of_cases_bounds_an_individual_by_so_many_cases(
    leaf: PrivacyEvent, cases: int, relation: Relation
) -> None:
    whole = strict_loss(SharedByIndividual(leaf, cases), Scope.INDIVIDUAL, relation, View.PUBLIC)
    one = strict_loss(leaf, Scope.CASE, relation, View.PUBLIC)
    assert whole.epsilon == one.epsilon * cases or whole == NO_BOUND  # several may reach a threshold together
    if cases == 1:
        assert whole == one


@given(bounded_trees, st.integers(1, 5), relations)
def test_copies_releases_and_cases_multiply_alike(tree: PrivacyEvent, count: int, relation: Relation) -> None:
    for scope in Scope:
        alone = strict_loss(tree, scope, relation, View.PUBLIC)
        for around in (Replicated(tree, count), RepeatedRelease(tree, count)):
            found = strict_loss(around, scope, relation, View.PUBLIC)
            assert found == times(alone, count) or found == NO_BOUND
    alone = strict_loss(tree, Scope.CASE, relation, View.PUBLIC)
    shared = strict_loss(SharedByIndividual(tree, count), Scope.INDIVIDUAL, relation, View.PUBLIC)
    assert shared.epsilon == alone.epsilon * count or shared == NO_BOUND  # δ of a group may reach 1


def test_a_copy_of_a_release_at_an_nth_of_the_loss_costs_the_whole_again() -> None:
    for copies in (1, 2, 7):
        tree = Replicated(LaplaceCount(2.0 * copies, cells_per_case=1), copies)
        assert strict_loss(tree, Scope.CASE, ADD_REMOVE, View.PUBLIC).epsilon.value == Fraction(1, 2)


def test_cases_of_one_individual_may_lie_in_all_parts_of_a_partition() -> None:
    part = LaplaceCount(1.0, cells_per_case=1)
    apart = Parallel((SharedByIndividual(part, 3), SharedByIndividual(part, 3)), "public")
    assert strict_loss(apart, Scope.INDIVIDUAL, ADD_REMOVE, View.PUBLIC).epsilon.value == 6
    together = SharedByIndividual(Parallel((part, part), "public"), 3)
    assert strict_loss(together, Scope.INDIVIDUAL, ADD_REMOVE, View.PUBLIC).epsilon.value == 3


def test_deltas_add_and_a_replaced_case_may_appear_in_two_parts() -> None:
    parts = (ThresholdedHistogram(2.0, 20), ThresholdedHistogram(2.0, 30))
    deltas = [strict_loss(part, Scope.CASE, REPLACE, View.PUBLIC).delta for part in parts]
    for relation, partition, expected in (
        (REPLACE, "value-dependent", sum(deltas)),
        (REPLACE, "public", max(deltas)),
        (ADD_REMOVE, "value-dependent", max(deltas)),
    ):
        tree = Parallel(parts, partition)  # type: ignore[arg-type]  # one of the two names
        assert strict_loss(tree, Scope.CASE, relation, View.PUBLIC).delta == expected
    assert strict_loss(Replicated(parts[0], 3), Scope.CASE, REPLACE, View.PUBLIC).delta == 3 * deltas[0]


def test_a_delta_of_one_or_more_is_no_guarantee() -> None:
    tree = Replicated(ThresholdedHistogram(50.0, 2), 3)
    assert strict_loss(tree, Scope.CASE, REPLACE, View.PUBLIC) == NO_BOUND


def test_counts_do_not_see_times_and_times_do_not_move_counts() -> None:
    times = BoundedLaplace(0.2, Confidential(noise_columns([5.0])))
    for blind in (LaplaceCount(1.0, cells_per_case=1), OneSidedCount(1.0), CaseMoves(), ThresholdedHistogram(1.0, 9)):
        assert strict_loss(blind, Scope.EVENT, REPLACE, View.CONFIDENTIAL) == FREE
    assert strict_loss(times, Scope.CELL, REPLACE, View.CONFIDENTIAL) == FREE
    assert strict_loss(times, Scope.EVENT, REPLACE, View.CONFIDENTIAL) == NO_BOUND
    for unbounded in (OneSidedCount(1.0), CaseMoves()):
        assert strict_loss(unbounded, Scope.CELL, REPLACE, View.CONFIDENTIAL) == NO_BOUND
    for of, expected in (("variants", FREE), ("groups", FREE), ("cases", NO_BOUND)):
        selection = DataDependentSelection(of)  # type: ignore[arg-type]  # one of the names
        assert strict_loss(selection, Scope.EVENT, REPLACE, View.CONFIDENTIAL) == expected


def test_times_of_public_scale_add_up_by_case_and_by_declared_cases_of_an_individual() -> None:
    columns = PerEventNoise(
        case=np.array([0, 0, 1, 2]),
        value_range=np.full(4, 10),
        scale=np.full(4, 10.0),
        copies=np.ones(4, dtype=np.int64),
        origin=np.array([0, 0, 1, 2]),
        individual=np.array([0, 0, 0, 1]),
    )
    inside = BoundedLaplace(0.2, Confidential(columns), "public")
    for scope, expected in ((Scope.EVENT, 1), (Scope.CASE, 2)):
        assert strict_loss(inside, scope, REPLACE, View.CONFIDENTIAL).epsilon.value == pytest.approx(expected, abs=1e-9)
        assert strict_loss(inside, scope, REPLACE, View.PUBLIC) == NO_BOUND
    assert strict_loss(inside, Scope.CASE, ADD_REMOVE, View.CONFIDENTIAL) == NO_BOUND
    # Whose case is whose in this log bounds nobody: as many cases as were declared, the largest case each time.
    assert strict_loss(inside, Scope.INDIVIDUAL, REPLACE, View.CONFIDENTIAL) == NO_BOUND
    shared = strict_loss(SharedByIndividual(inside, 2), Scope.INDIVIDUAL, REPLACE, View.CONFIDENTIAL)
    assert shared.epsilon.value == pytest.approx(4, abs=1e-9)
    declared = BoundedLaplace(0.2, Confidential(columns), "public", declared_loss=1.5, events_per_case=4)
    for scope, stated in ((Scope.EVENT, Fraction(3, 2)), (Scope.CASE, Fraction(6))):
        found = strict_loss(declared, scope, REPLACE, View.PUBLIC).epsilon.value
        assert found is not None
        assert stated <= found <= stated + Fraction(8, 2**40)  # rounded up to 2⁻⁴⁰
    exact = BoundedLaplace(0.2, Confidential(columns), "public", declared_loss=1.0, events_per_case=2)
    assert strict_loss(exact, Scope.EVENT, REPLACE, View.PUBLIC).epsilon.bounded
    with pytest.raises(AccountingError, match="declared for every case"):
        strict_loss(BoundedLaplace(0.2, Confidential(columns), "public", 1.0, 1), Scope.CASE, REPLACE, View.PUBLIC)
    with pytest.raises(AccountingError, match="declared for every event"):
        strict_loss(BoundedLaplace(0.2, Confidential(columns), "public", 0.5), Scope.EVENT, REPLACE, View.PUBLIC)


@pytest.mark.parametrize("view", list(View))
def test_a_number_of_cases_from_the_log_bounds_nothing(view: View) -> None:
    tree = SharedByIndividual(LaplaceCount(2.0, cells_per_case=1), Confidential(3))
    for scope in (Scope.CELL, Scope.CASE, Scope.INDIVIDUAL):
        assert strict_loss(tree, scope, REPLACE, view) == NO_BOUND
        assert (published_loss(tree, scope, View.PUBLIC)) is None


def test_a_record_derived_from_ours_is_not_taken_for_ours() -> None:
    @dataclass(frozen=True, slots=True)
    class Quieter(LaplaceCount):
        pass

    assert strict_loss(Quieter(2.0, cells_per_case=1), Scope.CELL, REPLACE, View.PUBLIC) == NO_BOUND


def test_parallel_parts_cost_the_largest_or_the_two_largest() -> None:
    parts = tuple(LaplaceCount(1 / epsilon, cells_per_case=1) for epsilon in (0.5, 0.25, 2.0))

    def loss(partition: str, relation: Relation) -> Fraction | None:
        tree = Parallel(parts, partition)  # type: ignore[arg-type]  # one of the two names
        return strict_loss(tree, Scope.CASE, relation, View.PUBLIC).epsilon.value

    assert loss("public", ADD_REMOVE) == loss("value-dependent", ADD_REMOVE) == 2
    assert loss("public", REPLACE) == 4  # each part counts a replaced case twice
    assert loss("value-dependent", REPLACE) == 4 + 1


def test_a_partition_that_follows_times_lets_one_time_move_a_case() -> None:
    tree = Parallel((LaplaceCount(1.0, cells_per_case=1), LaplaceCount(1.0, cells_per_case=1)), "value-dependent")
    # Brute force: the counts (1, 0) become (0, 1), each with noise of scale 1.
    assert strict_loss(tree, Scope.EVENT, REPLACE, View.PUBLIC).epsilon.value == 2
    times = BoundedLaplace(0.2, Confidential(noise_columns([5.0])), "public", 500.0, 3)
    moving = Parallel((times, times), "value-dependent")
    assert strict_loss(moving, Scope.CASE, REPLACE, View.PUBLIC) == NO_BOUND


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


def nested(depth: int) -> PrivacyEvent:
    tree: PrivacyEvent = NonPrivate("x")
    for _ in range(depth):
        tree = Sequential((tree,))
    return tree


WRONG_TREES: list[object] = [
    Sequential(()),
    Parallel((), "public"),
    "not an event",
    Sequential(("no event",)),  # type: ignore[arg-type]  # wrong on purpose
    Sequential(iter([NonPrivate("x")])),  # type: ignore[arg-type]  # wrong on purpose
    nested(5_000),
]


@pytest.mark.parametrize("tree", WRONG_TREES, ids=range(len(WRONG_TREES)))
def test_what_is_no_tree_is_refused_whole(tree: PrivacyEvent) -> None:
    with pytest.raises(AccountingError):
        account(tree)


WRONG_RECORDS: list[Callable[[], object]] = [
    lambda: Replicated(NonPrivate("x"), 0),
    lambda: Replicated(NonPrivate("x"), None),  # type: ignore[arg-type]  # wrong on purpose
    lambda: Replicated(NonPrivate("x"), Confidential(2)),  # type: ignore[arg-type]  # wrong on purpose
    lambda: LaplaceCount("1"),  # type: ignore[arg-type]  # wrong on purpose
    lambda: LaplaceCount(np.int64(3)),  # type: ignore[arg-type]  # wrong on purpose
    lambda: LaplaceCount(1.0, None),  # type: ignore[arg-type]  # wrong on purpose
    lambda: ThresholdedHistogram(1.0, 10**400),
    lambda: BoundedLaplace(0.2, noise_columns([1.0])),  # type: ignore[arg-type]  # wrong on purpose
    lambda: Replicated(NonPrivate("x"), 1.5),  # type: ignore[arg-type]  # wrong on purpose
    lambda: RepeatedRelease(NonPrivate("x"), 0),
    lambda: SharedByIndividual(NonPrivate("x"), 0),
    lambda: Parallel((NonPrivate("x"),), "value_dependent"),  # type: ignore[arg-type]  # wrong on purpose
    lambda: DataDependentSelection("case"),  # type: ignore[arg-type]  # wrong on purpose
    lambda: DataDependentSelection("variants", NonPrivate("x"), True),
    lambda: LaplaceCount(5e-324),
    lambda: LaplaceCount(1.0, float("nan")),  # type: ignore[arg-type]  # wrong on purpose
    lambda: LaplaceCount(1.0, 1, 2.5),  # type: ignore[arg-type]  # wrong on purpose
    lambda: ThresholdedHistogram(1.0, 1),
    lambda: BoundedLaplace(1.0, Confidential(noise_columns([1.0]))),
    lambda: BoundedLaplace(0.2, Confidential(noise_columns([1.0])), "secret"),  # type: ignore[arg-type]  # wrong on purpose
    lambda: BoundedLaplace(0.2, Confidential(noise_columns([1.0])), "public", -1.0),
    lambda: noise_columns([1.0], origin=[-1]),
    lambda: replace(noise_columns([1.0, 1.0]), case=np.array([0, 10**12])),
    lambda: replace(noise_columns([1.0, 1.0]), origin=np.array([0, 0])),  # two copies where one is recorded
    lambda: replace(noise_columns([1.0, 1.0]), case=np.array([0, 0])),  # one released case of two originals
]


@pytest.mark.parametrize("make", WRONG_RECORDS, ids=range(len(WRONG_RECORDS)))
def test_records_that_make_no_sense_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(AccountingError):
        make()
