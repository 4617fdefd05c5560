"""Budgets that are held on average over the noise, against an independent computation with 50 digits."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.average import mu_squared_of_advantage
from accounting.errors import AccountingError
from accounting.events import (
    GaussianHistogram,
    NoisyMax,
    PrivacyEvent,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
    ThresholdedGaussian,
    WeightedHistogram,
)
from accounting.guarantee import Scope
from accounting.loss import NO_BOUND, Loss
from accounting.quantities import Epsilon
from accounting.registry import (
    Amount,
    AverageBudget,
    BudgetExceeded,
    Cost,
    PublishedBudget,
    StrictBudget,
    UnitLoss,
    open_registry,
    unit_loss,
)
from accounting.registry.budgets import ROOM_FOR_ROUNDING, budget_of_first_release, epsilon_of, total_price
from accounting.registry.records import budget_as_json, budget_from, cost_as_json, cost_from
from accounting.registry.views import amount_text, budget_as_dict, budget_text, cost_text, log_as_dict
from tests.accounting.registry.helpers import article, certified, prints, strict

mp = mpmath.mp.clone()  # a context of its own: other tests have theirs
mp.dps = 50
advantages = st.fractions(Fraction(1, 100), Fraction(9, 10), max_denominator=10**4)
NOISE = GaussianHistogram(1_000_004, 250, "times", 40)


def exact(value: Fraction) -> Any:
    return mp.mpf(value.numerator) / value.denominator


def gained(mu_squared: Fraction, delta: Fraction) -> Any:
    return mp.erf(mp.sqrt(exact(mu_squared) / 8)) + exact(delta)


def converted(epsilon: Fraction) -> Fraction:
    found = Loss(Epsilon(epsilon)).mu_squared.value
    assert found is not None
    return found


def pure(replace: Fraction, leave_out: Fraction, releases: int = 1) -> Cost:
    unit = UnitLoss(Loss(Epsilon(replace)), leave_out=Loss(Epsilon(leave_out)))
    return Cost(unit, releases=releases)


def average(mu_squared: Fraction, delta: Fraction = Fraction(0), releases: int = 1) -> Cost:
    return Cost(UnitLoss(mu_squared=mu_squared, set_aside=delta), releases=releases)


# --- what a release costs on average --------------------------------------------------------------------------------


def test_a_gaussian_release_costs_a_square_and_no_epsilon() -> None:
    found = unit_loss(Sequential((TakenAsPublic("number of cases", from_log=True), NOISE)), Scope.CASE)
    assert (found.replace, found.add_remove, found.leave_out) == (NO_BOUND, NO_BOUND, NO_BOUND)
    assert found.mu_squared == Fraction(250**2, 10**6)
    assert 0 < found.set_aside < ROOM_FOR_ROUNDING
    assert unit_loss(NOISE, Scope.INDIVIDUAL).on_average is None
    shared = unit_loss(SharedByIndividual(NOISE, 3), Scope.INDIVIDUAL)
    assert shared.mu_squared == 9 * Fraction(250**2, 10**6)
    threshold = unit_loss(ThresholdedGaussian(10**6 + 4, 250, 6_000), Scope.CASE)
    assert threshold.set_aside > ROOM_FOR_ROUNDING


def test_a_pure_release_costs_what_follows_from_its_leave_out_loss() -> None:
    tree = Sequential((WeightedHistogram(8.0, 2, "times"), NoisyMax(8.0, 1, "times")))
    found = unit_loss(tree, Scope.CASE)
    assert (found.replace.epsilon.value, found.leave_out.epsilon.value) == (Fraction(3, 4), Fraction(1, 2))
    assert found.add_remove == found.leave_out
    assert found.mu_squared is None
    assert found.on_average == (converted(Fraction(1, 2)), Fraction(0))


def test_where_only_a_replaced_unit_is_known_its_loss_counts_in_full() -> None:
    old = strict(Fraction(1, 2)).case
    assert old.on_average == (converted(Fraction(1, 2)), Fraction(0))
    told = UnitLoss(leave_out=Loss(Epsilon(Fraction(1, 2))))
    assert told.on_average is None  # somebody with several cases shows in the number of all


def test_somebody_who_shows_in_the_number_of_cases_has_no_price() -> None:
    tree: PrivacyEvent = Sequential((TakenAsPublic("number of cases", from_log=True), SharedByIndividual(NOISE, 3)))
    assert unit_loss(tree, Scope.INDIVIDUAL).on_average is None
    pure_tree = Sequential(
        (TakenAsPublic("number of cases", from_log=True), SharedByIndividual(WeightedHistogram(8.0, 2, "times"), 3))
    )
    told = unit_loss(pure_tree, Scope.INDIVIDUAL)
    assert told.leave_out.epsilon.value == Fraction(3, 4)
    assert told.on_average is None


# --- budgets --------------------------------------------------------------------------------------------------------


@given(advantages)
def test_a_pure_histogram_release_of_an_advantage_is_all_of_that_budget(advantage: Fraction) -> None:
    epsilon = epsilon_of(advantage)
    budget = AverageBudget.of_advantage(advantage)
    price = budget.price(pure(epsilon, epsilon / 2))
    assert price is not None
    assert price.fits(budget.whole)
    assert price.value >= budget.mu_squared * (1 - Fraction(1, 10**9))
    dearer = budget.price(pure(epsilon, epsilon * Fraction(3, 5)))  # with a noisy choice
    assert dearer is not None
    assert not dearer.fits(budget.whole)


@given(
    advantages,
    st.lists(
        st.tuples(st.sampled_from(["pure", "average", "threshold"]), st.fractions(Fraction(1, 100), 1)), max_size=8
    ),
)
def test_releases_that_fit_keep_the_best_guess_within_the_budget(
    advantage: Fraction, parts: list[tuple[str, Fraction]]
) -> None:
    budget = AverageBudget.of_advantage(advantage, advantage / 10)
    spent, taken = Amount(Fraction(0)), list[Cost]()
    for kind, share in parts:
        square = budget.mu_squared * share
        cost = {
            "pure": pure(share / 2, share / 4),
            "average": average(square, Fraction(1, 10**28)),
            "threshold": average(square, budget.delta * share),
        }[kind]
        price = budget.price(cost)
        assert price is not None
        if (spent + price).fits(budget.whole):
            spent, taken = spent + price, [*taken, cost]
    squares, deltas = mp.mpf(0), mp.mpf(0)
    for cost in taken:
        epsilon = cost.case.leave_out.epsilon.value
        if epsilon is None:
            assert cost.case.mu_squared is not None
            squares += exact(cost.case.mu_squared)
            deltas += exact(cost.case.set_aside)
        else:
            # By the definition: 2Φ(μ/2) - 1 = tanh(ε/2).
            squares += 8 * mp.erfinv(mp.tanh(exact(epsilon) / 2)) ** 2
    room = exact(ROOM_FOR_ROUNDING)
    assert mp.erf(mp.sqrt(squares / 8)) + deltas <= exact(advantage) + room
    assert gained(budget.mu_squared, budget.delta) <= exact(advantage)
    assert Fraction(budget.advantage) <= advantage * (1 + Fraction(1, 10**5))


def test_several_releases_add_squares_and_never_advantages() -> None:
    budget = AverageBudget.of_advantage(Fraction(1, 5))
    quarter = average(budget.mu_squared / 4)
    assert total_price(budget, [quarter] * 4) == Amount(budget.mu_squared)
    five = total_price(budget, [quarter] * 5)
    assert five is not None
    assert not five.fits(budget.whole)
    # Four releases at a quarter of the square have an advantage of about half of it each.
    assert gained(budget.mu_squared / 4, Fraction(0)) > exact(Fraction(1, 5)) * mp.mpf("0.49")


def test_a_release_for_the_average_has_no_price_in_an_epsilon_and_no_share() -> None:
    cost = average(Fraction(1, 10**6))
    assert StrictBudget(Fraction(10**6), Fraction(1, 2)).price(cost) is None
    assert PublishedBudget(Fraction(9, 10)).price(cost) is None
    assert not cost.strictly_bounded
    assert AverageBudget(Fraction(1)).price(article("0.2")) is None


def test_the_first_release_for_the_average_sets_a_budget_of_its_kind() -> None:
    assert budget_of_first_release(average(Fraction(1, 8), Fraction(1, 10**28), 4)) == AverageBudget(Fraction(1, 2))
    with_delta = budget_of_first_release(average(Fraction(1, 8), Fraction(1, 10**7), 4))
    assert with_delta == AverageBudget(Fraction(1, 2), Fraction(4, 10**7))
    assert isinstance(budget_of_first_release(certified("0.5")), StrictBudget)
    individual = Cost(individual=UnitLoss(mu_squared=Fraction(1, 8)), unit=Scope.INDIVIDUAL)
    assert budget_of_first_release(individual) == AverageBudget(Fraction(1, 8), unit=Scope.INDIVIDUAL)


# --- entries and views ----------------------------------------------------------------------------------------------


@given(advantages, st.sampled_from([Scope.CASE, Scope.INDIVIDUAL]), st.fractions(0, Fraction(1, 10**4)))
def test_budgets_and_costs_come_back_from_their_entries(advantage: Fraction, unit: Scope, delta: Fraction) -> None:
    budget = AverageBudget.of_advantage(advantage, delta * advantage, unit)
    assert budget_from(json.loads(json.dumps(budget_as_json(budget)))) == budget
    cost = average(budget.mu_squared, budget.delta, 3)
    assert cost_from(json.loads(json.dumps(cost_as_json(cost)))) == cost


def test_entries_from_before_there_were_losses_on_average_are_read() -> None:
    data = cost_as_json(certified("0.5"))
    for unit in data["units"].values():
        del unit["set_aside"]
    assert cost_from(data) == certified("0.5")


def test_what_is_said_of_a_budget_is_on_the_safe_side() -> None:
    budget = AverageBudget.of_advantage(Fraction(1, 5))
    assert budget_text(budget) == "μ² 0.256739 (advantage 0.2), average reading for a whole case"
    assert amount_text(budget, Amount(budget.mu_squared, Fraction(1, 10**28))) == "μ² 0.25674"
    assert amount_text(budget, budget.whole, down=True) == "μ² 0.256739"
    stated = budget_as_dict(budget)
    assert (stated["reading"], stated["relation"], stated["advantage"]) == ("average", "leave-out", 0.2)
    assert "δ 1e-07" in amount_text(budget, Amount(Fraction(1), Fraction(1, 10**7)))


def test_a_registry_charges_both_sorts_and_says_what_all_cost_together(tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "registry.sqlite")
    known = prints(registry.hasher, ["abcd", "efgh"])
    whole = mu_squared_of_advantage(Fraction(1, 5))
    first = registry.reserve(known, average(whole / 2, releases=2), "aa", {})
    assert first.charges[0].budget == AverageBudget(whole)
    assert dict(first.total.on_average)[Scope.CASE] == Amount(whole)  # as often as planned
    epsilon = epsilon_of(Fraction(1, 20))
    second = registry.reserve(known, pure(epsilon, epsilon / 2), "bb", {})
    together = dict(second.total.on_average)[Scope.CASE]
    assert together is not None
    assert together.value == whole / 2 + converted(epsilon / 2)
    assert dict(second.total.on_average)[Scope.INDIVIDUAL] is None
    with pytest.raises(BudgetExceeded):
        registry.reserve(known, average(whole / 2), "cc", {})
    with pytest.raises(BudgetExceeded):
        registry.set_budget(registry.logs()[0].log, StrictBudget(Fraction(100)))
    gain = float(gained(together.value, Fraction(0)))
    assert f"on average (advantage {gain:.4f}" in cost_text(registry.logs()[0], Scope.CASE)
    assert cost_text(registry.logs()[0], Scope.INDIVIDUAL) == "unbounded"
    view = log_as_dict(registry.logs()[0])
    assert view["average_at_each_unit"]["individual"] is None
    assert view["budget"]["reading"] == "average"
    assert view["releases"][0]["cost"]["units"]["case"]["average"]["mu_squared"] == 0.12837
    assert view["releases"][0]["cost"]["units"]["case"]["replace"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: AverageBudget(Fraction(-1)),
        lambda: AverageBudget(Fraction(1), Fraction(1)),
        lambda: AverageBudget(Fraction(1), unit=Scope.EVENT),
        lambda: AverageBudget.of_advantage(Fraction(1, 10), Fraction(1, 10)),
        lambda: average(Fraction(-1)),
        lambda: average(Fraction(1), Fraction(2)),
    ],
)
def test_what_is_no_budget_and_no_cost_on_average_is_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(AccountingError):
        wrong()
