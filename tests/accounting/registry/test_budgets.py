"""What a release spends of a budget, against an independent computation with 50 digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.errors import AccountingError
from accounting.formulas import oversampling_epsilon
from accounting.registry import Amount, Cost, PublishedBudget, StrictBudget
from accounting.registry.budgets import (
    advantage_of,
    budget_of_first_release,
    epsilon_of,
    exactly,
    most_left,
    stated,
    total_price,
)
from tests.accounting.registry.helpers import article, certified, strict

mp = mpmath.mp.clone()  # a context of its own: other tests have theirs
mp.dps = 50
mpf = mp.mpf
PRIORS = [mpf(10) ** -power for power in (300, 30, 12, 6, 3, 2, 1)] + [mpf(one) / 20 for one in range(1, 20)]
advantages = st.fractions(min_value=Fraction(1, 10**6), max_value=1 - Fraction(1, 10**6), max_denominator=10**6)


def exact(value: Fraction) -> Any:
    return mpf(value.numerator) / value.denominator


def allowed(prior: Any, advantage: Fraction) -> Any:
    """ε_P(A) by its definition: from the odds of the prior to the odds of prior + advantage."""
    higher = prior + exact(advantage)
    return mp.log(higher / (1 - higher)) - mp.log(prior / (1 - prior))


def guess(prior: Any, loss: Any) -> Any:
    """How likely a guess of this prior is at most after a loss of ε."""
    odds = prior / (1 - prior) * mp.exp(loss)
    return odds / (1 + odds)


# --- the published reading ------------------------------------------------------------------------------------------


@st.composite
def spendable(draw: st.DrawFn) -> tuple[PublishedBudget, list[Cost]]:
    """A budget, and releases of both sorts that it holds, added until the next one does not fit."""
    budget = PublishedBudget(draw(advantages))
    spent, taken = Amount(Fraction(0)), []
    for _ in range(draw(st.integers(1, 12))):
        if draw(st.booleans()):
            part = draw(st.fractions(min_value=Fraction(1, 1000), max_value=1))
            cost = article(str(budget.advantage * part), draw(st.integers(1, 6)))
        else:
            cost = certified(str(draw(st.fractions(min_value=0, max_value=3))))
        price = budget.price(cost)
        assert price is not None
        if (spent + price).fits(budget.whole):
            spent = spent + price
            taken.append(cost)
    return budget, taken


@given(spendable())
def test_whatever_the_prior_releases_that_fit_keep_every_guess_within_the_budget(
    case: tuple[PublishedBudget, list[Cost]],
) -> None:
    budget, costs = case
    for prior in (*PRIORS, (1 - exact(budget.advantage)) / 2):
        if prior + exact(budget.advantage) >= 1:
            continue  # no guess can rise by more than is left to certainty
        loss = mpf(0)
        for cost in costs:
            if cost.case.replace.epsilon.value is not None:
                loss += exact(cost.case.replace.epsilon.value)
            else:
                assert cost.advantage is not None
                loss += allowed(prior, cost.advantage) / cost.releases
        assert loss <= allowed(prior, budget.advantage) * (1 + mpf(10) ** -40)
        assert guess(prior, loss) - prior <= exact(budget.advantage) * (1 + mpf(10) ** -40)


@given(advantages, st.lists(st.tuples(st.booleans(), st.fractions(0, 1), st.fractions(0, 1)), min_size=1, max_size=8))
def test_shares_of_oversampling_and_of_others_keep_the_articles_advantage_of_a_cell(
    advantage: Fraction, parts: list[tuple[bool, Fraction, Fraction]]
) -> None:
    """Its one-sided counts reveal with probability 1 - exp(-ε) and lose ε otherwise, and the ε is another one."""
    whole = sum(share for _, share, _ in parts)
    if not whole:
        return
    one_sided = two_sided = mpf(0)
    for one, share, lower in parts:
        calibrated = advantage * (1 - lower)
        if calibrated < Fraction(1, 10**7):
            continue
        part = exact(share / max(whole, Fraction(1)))
        if one:
            one_sided += part * exact(Fraction(float(oversampling_epsilon(float(calibrated)))))
        else:
            two_sided += part * 4 * mp.atanh(exact(calibrated))
    kept = mp.exp(-one_sided)
    found = kept * mp.tanh((one_sided + two_sided) / 4) + 1 - kept
    assert found <= exact(advantage) * (1 + mpf(10) ** -9)


def test_the_share_that_the_largest_budget_would_leave() -> None:
    assert most_left([]) == 1
    assert most_left([article("0.2", 3), certified("5")]) == Fraction(2, 3)
    assert most_left([article("0.2"), certified("0.1")]) == 0
    assert most_left([strict(Fraction(1), Fraction("1e-6"), Fraction(1, 5), 2)]) == Fraction(1, 2)


def test_two_undivided_releases_at_a_tenth_raise_a_guess_of_one_per_cent_by_59_points() -> None:
    prior, each = mpf("0.01"), Fraction(1, 10)
    assert mp.nstr(guess(prior, 2 * allowed(prior, each)) - prior, 4) == "0.592"
    budget = PublishedBudget(each)
    assert total_price(budget, [article("0.1")] * 2) == Amount(Fraction(2))


def test_a_smaller_advantage_is_no_smaller_share_because_small_priors_see_hardly_a_difference() -> None:
    ratios = [allowed(prior, Fraction(1, 10)) / allowed(prior, Fraction(3, 10)) for prior in PRIORS[:7]]
    assert [mp.nstr(ratio, 3) for ratio in ratios[-2:]] == ["0.66", "0.453"]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[0] > mpf("0.998")
    assert PublishedBudget(Fraction(3, 10)).price(article("0.1")) == Amount(Fraction(1))


def test_shares_are_exact() -> None:
    budget = PublishedBudget(Fraction(3, 10))
    thirds = total_price(budget, [article("0.3", 3)] * 3)
    assert thirds == Amount(Fraction(1))
    assert thirds is not None
    assert thirds.fits(budget.whole)
    more = total_price(budget, [article("0.3", 3)] * 3 + [article("0.3", 10**6)])
    assert more is not None
    assert not more.fits(budget.whole)


def test_a_larger_advantage_and_an_approximate_guarantee_have_no_share() -> None:
    budget = PublishedBudget(Fraction(3, 10))
    assert budget.price(article("0.3000001", 1000)) is None
    assert budget.price(certified("0.1", "1e-9")) is None
    assert total_price(budget, [article("0.1", 5), article("0.31", 5)]) is None


@given(advantages, st.fractions(min_value=0, max_value=5))
def test_a_uniform_cost_spends_no_less_than_its_part_of_the_smallest_loss(advantage: Fraction, loss: Fraction) -> None:
    price = PublishedBudget(advantage).price(strict(loss))
    assert price is not None
    true = exact(loss) / (4 * mp.atanh(exact(advantage)))
    assert true <= exact(price.value) <= true * (1 + mpf(10) ** -9)


def test_of_two_shares_the_smaller_counts() -> None:
    budget = PublishedBudget(Fraction(1, 2))
    dear, cheap = Fraction(2), Fraction(1, 100)
    assert budget.price(strict(dear, advantage=Fraction(1, 4), releases=2)) == Amount(Fraction(1, 2))
    small = budget.price(strict(cheap, advantage=Fraction(1, 4), releases=2))
    assert small is not None
    assert small.value < Fraction(1, 200)


# --- the strict reading ---------------------------------------------------------------------------------------------


def test_strict_losses_add_exactly_in_both_figures() -> None:
    budget = StrictBudget(Fraction(1), Fraction("1e-6"))
    assert total_price(budget, [certified("0.1", "1e-7")] * 10) == budget.whole
    hair = total_price(budget, [certified("0.1", "1e-7")] * 10 + [certified("1e-30")])
    assert hair is not None
    assert not hair.fits(budget.whole)
    both = total_price(budget, [certified("0.5", "1.1e-6")])
    assert both is not None
    assert not both.fits(budget.whole)


def test_a_release_without_a_strict_bound_has_no_strict_price() -> None:
    assert StrictBudget(Fraction(10**6), Fraction(1, 2)).price(article("0.1", 1000)) is None


# --- the first release ----------------------------------------------------------------------------------------------


def test_the_first_release_sets_the_budget_that_it_was_divided_for() -> None:
    assert budget_of_first_release(article("0.2", 4)) == PublishedBudget(Fraction(1, 5))
    assert budget_of_first_release(certified("0.25", "1e-7", 4)) == StrictBudget(Fraction(1), Fraction("4e-7"))
    with pytest.raises(AccountingError, match="no reading"):
        budget_of_first_release(Cost())


@given(advantages, st.integers(1, 50))
def test_the_first_release_as_often_as_planned_is_all_of_its_budget(advantage: Fraction, releases: int) -> None:
    for cost in (article(str(advantage), releases), strict(advantage, releases=releases)):
        budget = budget_of_first_release(cost)
        assert total_price(budget, [cost] * releases) == budget.whole


# --- figures --------------------------------------------------------------------------------------------------------


@given(advantages)
def test_the_loss_of_an_advantage_is_rounded_down(advantage: Fraction) -> None:
    true = 4 * mp.atanh(exact(advantage))
    assert true * (1 - mpf(10) ** -10) <= exact(epsilon_of(advantage)) <= true


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**5))
def test_the_advantage_of_a_loss_is_rounded_down_and_below_one(epsilon: Fraction) -> None:
    true = mp.tanh(exact(epsilon) / 4)
    found = advantage_of(epsilon)
    assert 0 < found < 1
    assert exact(found) <= true
    assert exact(found) >= true * (1 - mpf(10) ** -5)


def test_figures_are_what_was_written_and_are_stated_on_the_safe_side() -> None:
    assert exactly(0.1) * 10 == 1
    assert (stated(Fraction(1, 3)), stated(Fraction(1, 3), down=True)) == (0.333334, 0.333333)
    assert stated(Fraction(3, 10)) == stated(Fraction(3, 10), down=True) == 0.3


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PublishedBudget(Fraction(0)),
        lambda: PublishedBudget(Fraction(1)),
        lambda: StrictBudget(Fraction(-1)),
        lambda: StrictBudget(Fraction(1), Fraction(1)),
        lambda: Cost(advantage=Fraction(2)),
        lambda: Cost(releases=0),
        lambda: strict(Fraction(1), Fraction(2)),
        lambda: advantage_of(Fraction(0)),
    ],
)
def test_what_is_no_budget_and_no_cost_is_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(AccountingError):
        wrong()
