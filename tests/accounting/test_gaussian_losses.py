"""Gaussian noise in trees: exact fractions, against the true laws of discrete Gaussian noise on small logs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.accountant import account, strictest
from accounting.confidential import WITHHELD
from accounting.curve import Curve, curve_of
from accounting.errors import AccountingError
from accounting.events import (
    GaussianHistogram,
    NoisyMax,
    Parallel,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedGaussian,
    WeightedHistogram,
)
from accounting.guarantee import Relation, Scope, Verdict
from accounting.loss import FREE, NO_BOUND, Loss, times
from accounting.losses import View, loss_of_dependent_cases, strict_loss
from accounting.quantities import Epsilon
from tests.accounting.trees import average_trees, gaussian_leaves

LEAVE_OUT, REPLACE, ADD_REMOVE = Relation.LEAVE_OUT, Relation.REPLACE, Relation.ADD_REMOVE


def lost(tree: PrivacyEvent, relation: Relation = LEAVE_OUT, scope: Scope = Scope.CASE) -> Loss:
    return strict_loss(tree, scope, relation, View.PUBLIC)


def square(tree: PrivacyEvent, relation: Relation = LEAVE_OUT, scope: Scope = Scope.CASE) -> Fraction | None:
    return lost(tree, relation, scope).mu_squared.value


# --- rules ----------------------------------------------------------------------------------------------------------


def test_a_histogram_loses_the_square_of_its_norm_once_twice_or_four_times() -> None:
    plain = GaussianHistogram(104, 5, "times", 12)
    centred = GaussianHistogram(104, 5, "times", 12, centred=True)
    assert square(plain) == square(centred) == Fraction(25, 100)
    assert square(plain, ADD_REMOVE) == Fraction(25, 100)
    assert square(plain, REPLACE) == Fraction(50, 100)
    assert square(centred, REPLACE) == Fraction(100, 100)
    assert square(plain, REPLACE, Scope.EVENT) == Fraction(50, 100)
    assert lost(plain).cells == 12
    assert not lost(plain).epsilon.bounded
    assert lost(GaussianHistogram(104, 5, "control flow", 12), REPLACE, Scope.EVENT) == FREE
    assert lost(GaussianHistogram(WITHHELD, 5, "times", 12)) == NO_BOUND
    exact = GaussianHistogram(Fraction(1, 3) + 4, 1, "times", 1)
    assert square(exact) == 3


@given(st.one_of(average_trees, gaussian_leaves), st.sampled_from([Scope.CELL, Scope.CASE, Scope.INDIVIDUAL]))
def test_leaving_a_unit_out_costs_at_most_as_much_as_replacing_it(tree: PrivacyEvent, scope: Scope) -> None:
    without, other = lost(tree, LEAVE_OUT, scope), lost(tree, REPLACE, scope)
    assert without.epsilon <= other.epsilon
    assert without.mu_squared <= other.mu_squared
    assert without.delta <= other.delta or other == NO_BOUND


def test_the_log_s_own_number_of_cases_takes_the_bound_from_add_remove_and_not_from_leave_out() -> None:
    tree = Sequential((TakenAsPublic("number of cases", from_log=True), WeightedHistogram(8.0, 2, "times")))
    assert lost(tree).epsilon.value == Fraction(1, 4)
    assert strictest(account(tree).public, Scope.CASE, ADD_REMOVE).verdict is Verdict.REFUTED
    [line] = [line for line in account(tree).public if line.relation is LEAVE_OUT]
    assert line.epsilon.value == Fraction(1, 4)
    assert line.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS


def test_pure_and_gaussian_parts_compose_by_the_epsilon_of_each_pure_one_in_the_same_relation() -> None:
    histogram, choice = WeightedHistogram(8.0, 2, "times"), NoisyMax(8.0, 1, "times")
    tree = Sequential((GaussianHistogram(104, 5, "times", 12), histogram, choice))
    for relation, pure in ((LEAVE_OUT, (Fraction(1, 4), Fraction(1, 4))), (REPLACE, (Fraction(1, 2), Fraction(1, 4)))):
        own = square(GaussianHistogram(104, 5, "times", 12), relation)
        converted = [Loss(Epsilon(epsilon)).mu_squared.value for epsilon in pure]
        assert own is not None
        assert square(tree, relation) == own + sum(found for found in converted if found is not None)
        assert not lost(tree, relation).epsilon.bounded


def test_releases_add_squares_and_cases_of_an_individual_multiply_the_norm() -> None:
    part = GaussianHistogram(104, 5, "times", 12)
    assert lost(RepeatedRelease(part, 3)) == times(lost(part), 3)
    assert square(SharedByIndividual(part, 3), scope=Scope.INDIVIDUAL) == 9 * Fraction(25, 100)
    assert square(SharedByIndividual(part, 3), REPLACE, Scope.INDIVIDUAL) == 9 * Fraction(50, 100)
    assert square(part, scope=Scope.INDIVIDUAL) is None
    # One case that is left out lets another one in: one that counts is replaced. One that is replaced changes two.
    truncated = SharedByIndividual(part, 3, truncated=True)
    assert square(truncated, scope=Scope.INDIVIDUAL) == 9 * Fraction(25, 100)
    assert square(truncated) == square(truncated, ADD_REMOVE) == Fraction(50, 100)
    assert square(truncated, REPLACE) == 4 * Fraction(50, 100)


def test_a_replaced_case_may_change_two_parts_of_a_partition_and_one_that_is_left_out_one() -> None:
    parts = tuple(GaussianHistogram(4 + variance, 1, "times", 1) for variance in (10, 5, 20))
    tree = Parallel(parts, "value-dependent")
    assert square(tree) == Fraction(1, 5)
    assert square(tree, REPLACE) == Fraction(2, 5) + Fraction(2, 10)


def test_a_threshold_sets_a_probability_aside_for_so_many_cases_in_one_cell() -> None:
    part = ThresholdedGaussian(10_000, 100, 1_200)
    one, three = lost(part), lost(SharedByIndividual(part, 3), scope=Scope.INDIVIDUAL)
    assert one.mu_squared.value == Fraction(100**2, 9_996)
    assert three.mu_squared.value == Fraction(300**2, 9_996)
    assert square(part, REPLACE) == 2 * Fraction(100**2, 9_996)
    assert 0 < one.delta < three.delta < Fraction(1, 1000)
    assert lost(part, REPLACE, Scope.EVENT) == FREE
    assert lost(SharedByIndividual(part, 12), scope=Scope.INDIVIDUAL) == NO_BOUND


def test_cases_that_depend_on_each_other_are_asked_about_at_once() -> None:
    threshold, noise = ThresholdedGaussian(10_000, 100, 1_200), GaussianHistogram(104, 5, "times", 12)
    tree = Sequential((threshold, SharedByIndividual(noise, 1), WeightedHistogram(8.0, 2, "times")))
    found = loss_of_dependent_cases(tree, 3, LEAVE_OUT, View.PUBLIC)
    alone = lost(SharedByIndividual(threshold, 3), scope=Scope.INDIVIDUAL)
    assert found.delta == alone.delta
    pure = Loss(Epsilon(3 * Fraction(1, 4))).mu_squared
    assert found.mu_squared.value == sum(
        part.value for part in (alone.mu_squared, lost(noise).mu_squared.of_group(3), pure) if part.value is not None
    )
    assert loss_of_dependent_cases(tree, 1, REPLACE, View.PUBLIC) == lost(tree, REPLACE)
    truncated = SharedByIndividual(noise, 3, truncated=True)
    assert loss_of_dependent_cases(truncated, 2, LEAVE_OUT, View.PUBLIC).mu_squared.value == 4 * Fraction(50, 100)
    assert loss_of_dependent_cases(truncated, 2, REPLACE, View.PUBLIC).mu_squared.value == 16 * Fraction(50, 100)
    with pytest.raises(AccountingError):
        loss_of_dependent_cases(noise, 0, LEAVE_OUT, View.PUBLIC)


@pytest.mark.parametrize("variance", [4, Fraction(7, 2), -1, 0, True, 10.0, math.nan, 1 << 130])
def test_a_variance_that_is_too_small_or_not_exact_is_refused(variance: object) -> None:
    for make in (
        lambda: GaussianHistogram(variance, 1, "times", 1),  # type: ignore[arg-type]  # wrong on purpose
        lambda: ThresholdedGaussian(variance, 1, 9),  # type: ignore[arg-type]  # wrong on purpose
    ):
        with pytest.raises(AccountingError, match="variance"):
            make()


# --- against the true laws ------------------------------------------------------------------------------------------


def law(variance: Fraction, centre: int, reach: int) -> dict[int, mpmath.mpf]:
    """Masses of discrete Gaussian noise around a whole number, by their definition."""
    spread = mpmath.mpf(variance.numerator) / variance.denominator
    weights = {k: mpmath.exp(-mpmath.mpf((k - centre) ** 2) / (2 * spread)) for k in range(-reach, reach + 1)}
    whole = mpmath.fsum(mpmath.exp(-mpmath.mpf(k**2) / (2 * spread)) for k in range(-3 * reach, 3 * reach + 1))
    return {k: weight / whole for k, weight in weights.items()}


def excess(one: dict[tuple[int, ...], mpmath.mpf], other: dict[tuple[int, ...], mpmath.mpf], ratio: float) -> float:
    """Σ (p - ratio·q)₊ over the outputs that are looked at; the few others have less than 10⁻²⁰."""
    return float(mpmath.fsum(max(p - ratio * other[at], mpmath.mpf(0)) for at, p in one.items()))


def noisy(variance: Fraction, centres: tuple[int, ...], reach: int) -> dict[tuple[int, ...], mpmath.mpf]:
    cells = [law(variance, centre, reach) for centre in centres]
    return {at: mpmath.fprod(cell[k] for cell, k in zip(cells, at, strict=True)) for at in product(*cells)}


@pytest.mark.parametrize(("variance", "norm"), [(Fraction(9), 1), (Fraction(9), 3), (Fraction(25, 4), 2)])
def test_the_distance_and_the_curve_of_one_cell_are_never_above_what_is_stated(variance: Fraction, norm: int) -> None:
    with mpmath.workdps(30):
        curve = curve_of(lost(GaussianHistogram(variance, norm, "times", 1)), LEAVE_OUT)
        assert curve is not None
        there, gone = noisy(variance, (norm,), 60), noisy(variance, (0,), 60)
        assert excess(there, gone, 1.0) <= curve.advantage
        for epsilon in (0.1, 0.5, 1.0, 2.0):
            assert excess(there, gone, math.exp(epsilon)) <= curve.delta_at(epsilon)
            assert excess(gone, there, math.exp(epsilon)) <= curve.delta_at(epsilon)


def test_the_distance_of_two_values_over_two_cells_is_never_above_what_is_stated() -> None:
    variance = Fraction(9)
    with mpmath.workdps(20):
        plain = curve_of(lost(GaussianHistogram(variance, 2, "times", 2), REPLACE), REPLACE)
        assert plain is not None
        assert excess(noisy(variance, (2, 0), 30), noisy(variance, (0, 2), 30), 1.0) <= plain.advantage
        centred = curve_of(lost(GaussianHistogram(variance, 2, "times", 2, centred=True), REPLACE), REPLACE)
        assert centred is not None
        opposite = excess(noisy(variance, (2, 0), 30), noisy(variance, (-2, 0), 30), 1.0)
        assert plain.advantage < opposite <= centred.advantage


def test_the_same_variance_without_the_cost_of_whole_numbers_would_understate_it() -> None:
    """At σ = 5 the discrete law is easier to tell apart than the continuous one (refuted: the same σ)."""
    with mpmath.workdps(30):
        true = excess(noisy(Fraction(25), (1,), 80), noisy(Fraction(25), (0,), 80), 1.0)
        assert Curve(Fraction(1, 25)).advantage < true <= Curve(Fraction(1, 21), cells=1).advantage


def test_a_threshold_keeps_the_distance_within_what_is_stated() -> None:
    """Two variants: one that others have (three cases), one that the case in question has alone."""
    variance, threshold = Fraction(9), 8
    stated = curve_of(lost(ThresholdedGaussian(variance, 1, threshold)), LEAVE_OUT)
    assert stated is not None
    with mpmath.workdps(30):

        def shown(count: int) -> dict[int | None, mpmath.mpf]:
            if not count:
                return {None: mpmath.mpf(1)}
            masses: dict[int | None, mpmath.mpf] = {k: p for k, p in law(variance, count, 60).items() if k >= threshold}
            return masses | {None: 1 - mpmath.fsum(masses.values())}

        def released(others: int, own: int) -> dict[tuple[int | None, int | None], mpmath.mpf]:
            one, two = shown(others), shown(own)
            return {(a, b): p * q for a, p in one.items() for b, q in two.items()}

        reference = released(3, 0)
        for counts in ((4, 0), (3, 1)):
            found = released(*counts)
            distance = mpmath.fsum(max(p - reference.get(at, mpmath.mpf(0)), mpmath.mpf(0)) for at, p in found.items())
            assert distance <= stated.advantage


# --- curves ---------------------------------------------------------------------------------------------------------


def test_what_follows_from_a_curve_at_an_advantage_of_a_fifth() -> None:
    """The figures of docs/average.md, for one measurement at μ₀ = 0.507."""
    curve = Curve(Fraction(257, 1000))
    assert curve.mu == pytest.approx(0.507, abs=1e-3)
    assert curve.advantage == pytest.approx(0.2, abs=1e-3)
    assert curve.success_after(0.1) == pytest.approx(0.2193, abs=1e-3)
    replaced = Curve(Fraction(514, 1000), relation=REPLACE)
    assert replaced.epsilon_at(1e-6) == pytest.approx(3.36, abs=1e-2)
    assert replaced.yes_no_advantage == pytest.approx(0.14, abs=1e-3)
    assert replaced.chance_of_more_than(0.5) == pytest.approx(8.1e-3, rel=2e-2)
    assert curve.of_group(2).mu_squared == 4 * curve.mu_squared


def test_a_curve_says_only_what_its_relation_says() -> None:
    left_out = Curve(Fraction(1))
    with pytest.raises(AccountingError, match="replace"):
        _ = left_out.yes_no_advantage
    with pytest.raises(AccountingError, match="replace"):
        left_out.chance_of_more_than(0.5)
    with pytest.raises(AccountingError, match="group"):
        Curve(Fraction(1), Fraction(1, 100)).of_group(2)
    set_aside = Curve(Fraction(1), Fraction(1, 100))
    assert set_aside.epsilon_at(0.0099) == math.inf
    assert set_aside.delta_at(set_aside.epsilon_at(0.02)) <= 0.02
    assert set_aside.advantage == pytest.approx(Curve(Fraction(1)).advantage + 0.01)


@given(st.fractions(Fraction(1, 10**6), 100), st.integers(0, 10**9), st.floats(0.0, 20.0))
def test_the_two_sides_of_a_curve_undo_each_other(mu_squared: Fraction, cells: int, epsilon: float) -> None:
    curve = Curve(mu_squared, cells=cells)
    delta = curve.delta_at(epsilon)
    if 1e-300 < delta < 1:
        assert curve.delta_at(curve.epsilon_at(delta)) <= delta
