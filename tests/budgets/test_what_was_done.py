"""What a release really did is held against what was reserved for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import amun_dp
from accounting.accountant import account
from accounting.events import (
    LaplaceCount,
    OneSidedCount,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
    register_event,
)
from accounting.registry import Amount, Budget, Cost, Declared, PublishedBudget, Registry, StrictBudget
from accounting.registry.budgets import epsilon_of
from accounting.registry.views import PUBLISHED_FACT
from amun_dp.article.methods import article_method_named
from amun_dp.article.planning_rules import _divided
from amun_dp.article.step5_sampling import ControlFlow, Sampled
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.budgets.spending import Spending, alone, reserve
from amun_dp.errors import BudgetError
from amun_dp.mechanisms.laplace_count import count_scale
from amun_dp.noise.sources import NoiseSource
from amun_dp.release.methods import method_named, register_method, unregister_method
from amun_dp.synthetic import hospital_log
from tests.accounting.registry.helpers import strict
from tests.budgets.releases import LOG, release


@register_event("test-unknown-step")
@dataclass(frozen=True, slots=True)
class UnknownStep(PrivacyEvent):
    """Nobody told the accountant."""


@pytest.mark.parametrize("fault", ["an unknown step", "less noise"])
def test_a_method_that_costs_more_than_was_reserved_is_refused_and_stays_spent(registry: Registry, fault: str) -> None:
    def faulty(control_flow: ControlFlow, epsilon: float, source: NoiseSource) -> Sampled:
        more = UnknownStep() if fault == "an unknown step" else LaplaceCount(0.9 / epsilon)
        return Sampled(cases=control_flow.cases, event=Sequential((LaplaceCount(1 / epsilon), more)))

    register_method(replace(article_method_named("sampling"), name="faulty", sample=faulty))
    try:
        with pytest.raises(BudgetError, match="more than was reserved"):
            amun_dp.anonymize(LOG, 0.3, method_named("faulty"), registry=registry)
    finally:
        unregister_method("faulty")
    (log,) = registry.logs()
    assert log.left == Amount(Fraction(0))


@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
@pytest.mark.parametrize("conventions", ["article", "corrected"])
@pytest.mark.parametrize("individuals", [None, 3])
def test_the_articles_methods_cost_what_they_reserve(
    method: Any, conventions: str, individuals: int | None, registry: Registry
) -> None:
    for number in range(2):
        amun_dp.anonymize(
            LOG,
            0.37,
            method,
            conventions,
            releases=2,
            max_cases_per_individual=individuals,
            registry=registry,
            allow_too_small=True,  # filtering leaves one case under the article's conventions
        )
        assert registry.logs()[0].left == Amount(Fraction(1 - number, 2))


@given(
    st.one_of(st.floats(1e-6, 1 - 1e-6), st.integers(1, 99).map(lambda percent: percent / 100)),
    st.sampled_from([1, 2, 3, 7, 1000]),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(["sampling", "oversampling"]),
)
def test_counts_calibrated_as_planned_are_never_taken_for_dearer(
    advantage: float, releases: int, individuals: int | None, method: Any
) -> None:
    """A false alarm would cost the steward a budget, so none is allowed at any advantage."""
    whole = np.array([article_method_named(method).control_flow_epsilon(advantage)])
    epsilon = float(_divided(whole, releases * (individuals or 1))[0])
    tree: PrivacyEvent = (LaplaceCount if method == "sampling" else OneSidedCount)(count_scale(epsilon))
    tree = tree if individuals is None else SharedByIndividual(tree, individuals)
    tree = Sequential((tree if releases == 1 else RepeatedRelease(tree, releases),))
    cost = Cost(advantage=Fraction(repr(advantage)), releases=releases)
    pending(cost).check(tree, account(tree))


def pending(cost: Cost) -> Spending:
    """A reservation that is in no registry: enough for what is checked without one."""
    from accounting.registry import Hasher, Reservation, Total

    return Spending(Registry(Path("none"), Hasher(bytes(32))), Reservation("name", (), cost, Total(0, ())))


def test_a_strict_release_is_held_to_the_bound_that_was_reserved() -> None:
    tree = Sequential((RepeatedRelease(LaplaceCount(10.0, cells_per_case=1), 4),))
    for epsilon, fits in ((Fraction(1, 5), True), (Fraction(19, 100), False)):  # 2 cells of 1/10, in this one release
        spending = pending(strict(epsilon, releases=4))
        if fits:
            spending.check(tree, account(tree))
        else:
            with pytest.raises(BudgetError):
                spending.check(tree, account(tree))
    assert alone(tree) == Sequential((LaplaceCount(10.0, cells_per_case=1),))


def test_a_strict_budget_is_spent_by_a_method_that_has_a_bound(registry: Registry) -> None:
    cost = strict(Fraction(1, 2), Fraction("1e-7"), releases=2)
    spending = charge(registry, cost, "one", {"method": "certified"}, Declared())
    assert spending.reservation.charges[0].budget == StrictBudget(Fraction(1), Fraction("2e-7"))
    with pytest.raises(BudgetError, match=r"has ε 0\.5, δ 1e-07 left, and this release would spend ε 0\.6"):
        charge(registry, strict(Fraction(3, 5)), "two", {}, Declared())
    with pytest.raises(BudgetError, match="no release without a strict bound"):
        release(registry)


def charge(registry: Registry, cost: Cost, release: str, details: dict[str, Any], declared: Declared) -> Spending:
    return reserve(registry, fingerprint(LOG, registry.hasher), cost, release, details, declared)


UNCALIBRATED = strict(Fraction(1, 2))
APPROXIMATE = strict(Fraction(1, 2), Fraction("1e-7"))
THIRD = Cost(advantage=Fraction(1, 5), releases=3)
WHOLE = Cost(advantage=Fraction(1, 5))
STRICT, PUBLISHED = StrictBudget(Fraction(1), Fraction("1e-6")), PublishedBudget(Fraction(1, 5))


@pytest.mark.parametrize(
    ("budget", "before", "asked", "says", "never"),
    [
        (PUBLISHED, [WHOLE], THIRD, "cannot be released again", "set-budget"),
        (PUBLISHED, [WHOLE], UNCALIBRATED, "cannot be released again", "set-budget"),
        (PUBLISHED, [WHOLE], APPROXIMATE, "cannot be released again", "set-budget"),
        (PUBLISHED, [THIRD], WHOLE, "releases=2", "set-budget"),
        (PUBLISHED, [THIRD], APPROXIMATE, "Nor would a budget in the strict reading", "set-budget"),
        (PUBLISHED, [], APPROXIMATE, "--reading strict --unit case --epsilon 0.5 --dp-delta 1e-07", "Nor would"),
        (
            PUBLISHED,
            [THIRD],
            Cost(advantage=Fraction(1, 2)),
            "0.2 or less with releases=2 or more, or raise the budget: use releases=2, and amun-dp registry",
            "strict",
        ),
        (STRICT, [APPROXIMATE], WHOLE, "no way out", "set-budget"),
        (
            STRICT,
            [strict(Fraction(9, 10))],
            WHOLE,
            "as the article does: use releases=2, and amun-dp registry set-budget",
            "no way out",
        ),
        (STRICT, [], WHOLE, "--reading published --advantage 0.2", "no way out"),
        (STRICT, [strict(Fraction(9, 10))], UNCALIBRATED, "raise the budget", "published"),
    ],
)
def test_a_refusal_advises_only_what_helps(
    registry: Registry, budget: Budget, before: list[Cost], asked: Cost, says: str, never: str
) -> None:
    registry.set_budget(fingerprint(LOG, registry.hasher), budget)
    for number, cost in enumerate(before):
        charge(registry, cost, str(number), {}, Declared())
    with pytest.raises(BudgetError) as refusal:
        charge(registry, asked, "asked", {}, Declared())
    assert says in str(refusal.value)
    assert never not in str(refusal.value).replace(PUBLISHED_FACT, "")


def test_a_spent_published_budget_of_releases_with_a_strict_bound_can_be_raised(registry: Registry) -> None:
    """Their part of a larger budget is smaller; that of a calibrated release is not."""
    log = registry.set_budget(fingerprint(LOG, registry.hasher), PUBLISHED)
    bound = strict(epsilon_of(PUBLISHED.advantage) / 2)
    for number, cost in enumerate((bound, bound)):
        charge(registry, cost, str(number), {}, Declared())
    with pytest.raises(BudgetError, match="--reading strict"):
        charge(registry, bound, "more", {}, Declared())
    registry.set_budget(log, PublishedBudget(Fraction(1, 2)))
    reserve(
        registry,
        fingerprint(LOG, registry.hasher),
        Cost(advantage=Fraction(1, 5), releases=2),
        "calibrated",
        {},
        Declared(),
    )
    left = registry.log(log).left
    assert left is not None
    reserve(
        registry,
        fingerprint(LOG, registry.hasher),
        strict(left.value * epsilon_of(Fraction(1, 2))),
        "rest",
        {},
        Declared(),
    )
    with pytest.raises(BudgetError, match="leaves some again: amun-dp registry set-budget"):
        charge(registry, bound, "more", {}, Declared())


def test_a_certified_release_sets_a_strict_budget_and_spends_its_part(registry: Registry, tmp_path: Path) -> None:
    made = amun_dp.anonymize(hospital_log(600), 0.5, "certified", variants="generated", releases=2, registry=registry)
    (log,) = registry.logs()
    assert isinstance(log.budget, StrictBudget)
    assert log.strictly_bounded
    assert log.spent == log.left
    assert log.releases[0].details["method"] == "certified"
    made.save(tmp_path / "out")
    assert registry.logs()[0].releases[0].published_at is not None
