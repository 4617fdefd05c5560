"""What is said where a budget is held on average over the noise, and where a release is made for that."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from pathlib import Path

import pytest

from accounting.guarantee import Scope
from accounting.loss import Loss
from accounting.quantities import Epsilon
from accounting.registry import AverageBudget, Budget, Cost, Declared, PublishedBudget, Registry, StrictBudget, UnitLoss
from accounting.registry.budgets import epsilon_of
from amun_dp.budgets.spending import open_registry, reserve
from amun_dp.errors import BudgetError
from tests.accounting.registry.helpers import article, certified, prints
from tests.commandline import run

HELD = AverageBudget.of_advantage(Fraction(1, 5))
AVERAGE = Cost(UnitLoss(mu_squared=HELD.mu_squared, set_aside=Fraction(1, 10**28)))


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return open_registry(tmp_path / "registry.sqlite")


def refusal(registry: Registry, budget: Budget, cost: Cost) -> str:
    known = prints(registry.hasher, ["abcd", "efgh"])
    registry.set_budget(known, budget)
    with pytest.raises(BudgetError) as refused:
        reserve(registry, known, cost, "aa", {}, Declared())
    return str(refused.value)


def pure(advantage: str, choices: Fraction) -> Cost:
    """A pure release at an advantage, of whose ε noisy choices have a part."""
    epsilon = epsilon_of(Fraction(advantage))
    without = epsilon * choices + epsilon * (1 - choices) / 2
    return Cost(UnitLoss(Loss(Epsilon(epsilon)), leave_out=Loss(Epsilon(without))))


def test_a_release_that_keeps_the_advantage_alone_may_cost_more_than_its_square_and_the_refusal_says_so(
    registry: Registry,
) -> None:
    said = refusal(registry, HELD, pure("0.2", Fraction(1, 10)))
    assert "Alone it keeps the advantage of this budget" in said
    assert "noisy choice" in said
    assert "--reading average" in said


def test_a_histogram_of_that_advantage_fits(registry: Registry) -> None:
    known = prints(registry.hasher, ["abcd", "efgh"])
    registry.set_budget(known, HELD)
    spending = reserve(registry, known, pure("0.2", Fraction(0)), "aa", {}, Declared())
    assert spending.reservation.charges[0].after.value < HELD.mu_squared / 10**9


@pytest.mark.parametrize("budget", [StrictBudget(Fraction(100)), PublishedBudget(Fraction(9, 10))])
def test_a_release_for_the_average_is_refused_where_a_budget_counts_otherwise(
    registry: Registry, budget: Budget
) -> None:
    said = refusal(registry, budget, AVERAGE)
    assert "no ε bounds what one output of it tells" in said
    assert "--reading average" in said


def test_the_command_that_is_advised_allows_the_release(
    registry: Registry, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = refusal(registry, AverageBudget(HELD.mu_squared / 3), AVERAGE)
    advised = re.search(r"amun-dp (registry set-budget [^()]*) \(", said)
    assert advised is not None
    fits = re.search(r"With advantage=([0-9.]+) it fits", said)
    assert fits is not None
    code, out, _ = run(capsys, *shlex.split(advised[1]))
    assert code == 0
    assert "average reading for a whole case" in out
    known = prints(registry.hasher, ["abcd", "efgh"])
    reserve(registry, known, AVERAGE, "aa", {}, Declared())


def test_a_release_without_a_bound_is_refused_with_the_reason(registry: Registry) -> None:
    assert "bounds nothing on average" in refusal(registry, HELD, article("0.2"))


def test_a_budget_for_individuals_refuses_what_nobody_declared(registry: Registry) -> None:
    individuals = AverageBudget(HELD.mu_squared, unit=Scope.INDIVIDUAL)
    assert "was not declared" in refusal(registry, individuals, AVERAGE)


def test_a_budget_is_not_set_below_what_is_spent_nor_in_a_reading_that_cannot_hold_it(
    registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    known = prints(registry.hasher, ["abcd", "efgh"])
    reserve(registry, known, AVERAGE, "aa", {}, Declared())
    [log] = registry.logs()
    place = ("--registry", str(registry.path))
    for flags in (
        ("--reading", "average", "--advantage", "0.1"),
        ("--reading", "strict", "--epsilon", "100"),
        ("--reading", "published", "--advantage", "0.9"),
    ):
        code, _, said = run(capsys, "registry", "set-budget", log.log, *flags, *place)
        assert code == 1
        assert log.log in said
    code, out, _ = run(capsys, "registry", "set-budget", log.log, "--advantage", "0.3", "--dp-delta", "0.001", *place)
    assert code == 0
    assert "δ 0.001" in out
    assert registry.logs()[0].budget == AverageBudget.of_advantage(Fraction(3, 10), Fraction(1, 1000))
    for wrong in (("--epsilon", "1"), ("--advantage", "0.3", "--dp-delta", "0.3")):
        assert run(capsys, "registry", "set-budget", log.log, *wrong, *place)[0] == 2


def test_a_log_with_a_strict_history_can_be_held_on_average(registry: Registry) -> None:
    known = prints(registry.hasher, ["abcd", "efgh"])
    reserve(registry, known, certified("0.4"), "aa", {}, Declared())
    [log] = registry.logs()
    registry.set_budget(log.log, AverageBudget.of_advantage(Fraction(1, 2)))
    reserve(registry, known, AVERAGE, "bb", {}, Declared())
    assert registry.logs()[0].cost_of(Scope.CASE).epsilon.value is None
