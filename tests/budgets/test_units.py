"""Every release is charged at each unit, and a budget has one."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from accounting.guarantee import Relation, Scope
from accounting.losses import Loss, View, strict_loss
from accounting.registry import Registry, StrictBudget
from accounting.registry.costs import UNITS
from amun_dp.budgets.spending import alone, open_registry
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.plan import plan_release
from amun_dp.certified.public_facts import GivenFacts
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.errors import BudgetError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log
from amun_dp.synthetic import hospital_log
from tests.budgets.releases import alike, people
from tests.budgets.steward import Steward

GOLDEN = Path(__file__).parents[1] / "golden"


def released(registry: Registry | None, log: EventLog, advantage: float = 0.3, **more: Any) -> amun_dp.Release:
    return amun_dp.anonymize(log, advantage, "certified", registry=registry, **{"variants": "generated", **more})


PERSON: dict[str, Any] = {"scope": "individual", "max_cases_per_individual": 10}


def test_a_budget_that_one_release_for_individuals_exhausts_holds_no_second_one(registry: Registry) -> None:
    """Counted by cases, five of them fitted into what one exhausts: 0.91 instead of 0.3."""
    released(registry, people(), **PERSON)
    (log,) = registry.logs()
    assert isinstance(log.budget, StrictBudget)
    assert log.budget.unit is Scope.INDIVIDUAL
    assert float(log.budget.epsilon) == pytest.approx(4 * math.atanh(0.3))  # of a person, all cases together
    assert log.left is not None
    assert log.left.value == 0
    with pytest.raises(BudgetError, match="has nothing left"):
        released(registry, people(), **PERSON)
    # One case is one of ten, and may push another one in or out.
    case = log.cost_of(Scope.CASE).epsilon.value
    assert case is not None
    assert float(case) == pytest.approx(2 * 4 * math.atanh(0.3) / 10)


def test_a_release_for_cases_costs_an_individual_as_often_as_cases_were_declared() -> None:
    for declared, log in ((1, hospital_log(200)), (3, hospital_log(200)), (10, people()), (12, people())):
        choices = CertifiedChoices("generated", declared_cases=declared)
        plan = plan_release(log, CertifiedSettings(0.3, choices, GivenFacts(cases=log.n_cases)))
        case, person = (plan.cost.at(unit).replace.epsilon.value for unit in UNITS)
        assert case is not None
        assert person == declared * case
    plan = plan_release(people(), CertifiedSettings(0.3, CertifiedChoices("generated")))
    assert not plan.cost.individual.replace.epsilon.bounded


def test_under_a_threshold_an_individuals_delta_is_that_of_all_their_cases_in_one_variant() -> None:
    """δ = C·P(C + Z ≥ t), here with the sum of the noise's law, not the formula of the package."""
    log = hospital_log(200)
    choices = CertifiedChoices("threshold", 1e-4, declared_cases=3)
    plan = plan_release(log, CertifiedSettings(0.5, choices, GivenFacts(cases=200)))
    threshold, scale = plan.plan.threshold, float(2 / plan.plan.budget.flow)
    assert threshold is not None
    q = math.exp(-1 / scale)
    tail = sum((1 - q) / (1 + q) * q**step for step in range(threshold - 3, threshold + int(100 * scale)))
    assert float(plan.cost.individual.replace.delta) == pytest.approx(3 * tail, rel=1e-6)
    assert plan.cost.individual.replace.delta > plan.cost.case.replace.delta
    many = plan_release(log, CertifiedSettings(0.5, CertifiedChoices("threshold", 1e-4, declared_cases=10**4)))
    assert not many.cost.individual.replace.epsilon.bounded  # more cases than a threshold hides


def test_a_budget_for_individuals_refuses_a_release_that_says_nothing_of_them_and_names_what_helps(
    registry: Registry,
) -> None:
    released(registry, people(), releases=2, **PERSON)
    with pytest.raises(BudgetError, match="scope='individual' and max_cases_per_individual=C") as refusal:
        released(registry, people())
    assert "--unit case --epsilon" in str(refusal.value)


def test_a_budget_is_set_at_a_unit(steward: Steward, log: Path) -> None:
    shown = steward.json("registry", "set-budget", log, "--reading", "strict", "--epsilon", 2, "--unit", "individual")
    assert shown["budget"]["scope"] == "individual"
    again = steward.json("registry", "set-budget", shown["log"], "--epsilon", 3)
    assert again["budget"]["scope"] == "individual"  # it stays
    assert "an individual with all their cases" in steward.run("registry", "show", shown["log"])[1]
    code, _, err = steward.run(
        "registry", "set-budget", log, "--reading", "published", "--epsilon", 1, "--unit", "case"
    )
    assert (code, "has no unit" in err) == (2, True)


def test_list_show_and_export_say_what_a_case_and_an_individual_have_lost(steward: Steward) -> None:
    registry = open_registry(steward.registry)
    released(registry, people(), releases=2, **PERSON)
    (shown,) = steward.json("registry", "list")["logs"]
    cost = shown["cost_at_each_unit"]
    assert cost["individual"]["epsilon"] == pytest.approx(4 * math.atanh(0.3) / 2, rel=1e-5)
    assert cost["case"]["epsilon"] == pytest.approx(4 * math.atanh(0.3) / 10, rel=1e-5)
    assert steward.json("registry", "export")["logs"][0]["cost_at_each_unit"] == cost
    for command in (["list"], ["show", shown["log"]]):
        text = steward.run("registry", *command)[1]
        assert "0.619039" in text
        assert "0.123808" in text


@pytest.mark.parametrize("form", ["threshold", "public", "generated"])
@pytest.mark.parametrize("asked_for", ["case", "case, declared", "individual"])
@pytest.mark.parametrize("given", [False, True])
def test_what_is_reserved_is_what_the_accountant_finds_at_each_unit_and_relation(
    form: str, asked_for: str, given: bool, tmp_path: Path
) -> None:
    """Never less; and no more than rounding, where the division of ε does not wait for a measured number."""
    person, declared = asked_for == "individual", asked_for == "case, declared"
    log = alike() if form == "threshold" else people(600)
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"cases": log.n_cases}))
    asked: dict[str, Any] = {"variants": form, "releases": 2, **(PERSON if person else {})}
    if declared:
        asked["max_cases_per_individual"] = 10
    if form == "public":
        asked["variants_from_log"] = True
    if given and not person:
        asked["public"] = facts
    plan = amun_dp.plan(log, 0.6, "certified", **asked)
    cost = plan.cost
    tree = alone(amun_dp.anonymize(log, 0.6, "certified", seed=1, **asked).events.reveal())
    for scope in UNITS:
        reserved = cost.at(scope)
        replaced, without = (_loss_of(tree, scope, relation) for relation in (Relation.REPLACE, Relation.ADD_REMOVE))
        bounded = scope is Scope.CASE or person or declared
        # A number of cases that is told says how many somebody has: the registry charges that, too.
        told = scope is Scope.INDIVIDUAL and declared and not given
        for found, most in ((replaced, reserved.replace), (without, reserved.leave_out)):
            assert found.epsilon.bounded == bounded
            assert most.epsilon.bounded == (bounded and not (told and most is reserved.replace))
            assert found.epsilon <= most.epsilon
            assert found.delta <= most.delta or not most.epsilon.bounded
        if not bounded or told:
            assert not reserved.add_remove.epsilon.bounded
            continue
        assert _value(replaced) == pytest.approx(_value(reserved.replace))
        # At the unit asked for the δ that was asked for is charged: one step of the threshold less would exceed it.
        step = math.exp(-float(plan.plan.budget.flow) / 2) if scope.value == ("individual" if person else "case") else 1
        assert replaced.delta >= reserved.replace.delta * Fraction(step * (1 - 1e-9))
        if not person:
            assert _value(without) == pytest.approx(_value(reserved.leave_out))
        # Adding or removing a case is refuted where the log told how many there are.
        assert reserved.add_remove.epsilon.bounded == (given or person)


def _loss_of(tree: Any, scope: Scope, relation: Relation) -> Loss:
    from accounting.events import NonPrivate, Sequential

    parts = tuple(part for part in tree.parts if not isinstance(part, NonPrivate))  # the seed, which is not the point
    return strict_loss(Sequential(parts), scope, relation, View.PUBLIC)


def _value(loss: Loss) -> float:
    assert loss.epsilon.value is not None
    return float(loss.epsilon.value)


# --- registries of older versions -----------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path: Path) -> Registry:
    for name in ("registry.sqlite", "registry.sqlite.key"):
        shutil.copy(GOLDEN / "registry-1" / name, tmp_path / name)
    return open_registry(tmp_path / "registry.sqlite")


def test_an_old_registry_is_read_as_it_is_and_knows_nothing_of_individuals(old: Registry) -> None:
    before = old.path.read_bytes()
    logs = old.logs()
    assert len(logs) == 3
    assert all(not log.cost_of(Scope.INDIVIDUAL).epsilon.bounded for log in logs)
    assert {log.budget.unit for log in logs if isinstance(log.budget, StrictBudget)} == {Scope.CASE}
    strict = [log for log in logs if isinstance(log.budget, StrictBudget)]
    assert all(log.cost_of(Scope.CASE).epsilon.value == log.spent.value for log in strict if log.spent is not None)
    assert old.path.read_bytes() == before


def test_an_old_registry_goes_on_with_its_entries_untouched_and_its_number_raised(old: Registry) -> None:
    def rows() -> list[Any]:
        with closing(sqlite3.connect(old.path)) as connection:
            return connection.execute("SELECT * FROM entries ORDER BY number").fetchall()

    before = rows()
    log = read_log(GOLDEN / "registry-1" / "other.csv")
    made = released(old, log, releases=2)
    assert rows()[: len(before)] == before
    (known,) = [one for one in old.logs() if any(r.release == made.report.release_id for r in one.releases)]
    assert len(known.releases) == 2
    assert known.left is not None
    assert known.left.value == 0
    assert int.from_bytes(old.path.read_bytes()[60:64], "big") == 3
    # The old one is in the label's total, which says nothing about individuals; and because it costs individuals more
    # than was planned, it is not taken for one of the two that are planned now.
    earlier = made.report.earlier_releases
    assert earlier.others == 1
    assert [line.epsilon for line in earlier.total] == [pytest.approx(6 * math.atanh(0.3), rel=1e-5), None]
    with pytest.raises(BudgetError, match="has nothing left"):
        released(old, log, releases=2)


def test_an_old_release_cannot_be_voided_because_nobody_noted_whether_it_was_written(tmp_path: Path) -> None:
    from accounting.registry.chain import entry
    from accounting.registry.errors import NotVoidable
    from accounting.registry.outcomes import void

    cost = {"strict_epsilon": "1", "strict_delta": "0", "advantage": None, "releases": 1}
    old = [
        entry("created"),
        entry("log", log="L-000000"),
        entry("reserved", release="old", logs=["L-000000"], cost=cost, details={}),
    ]
    with pytest.raises(NotVoidable, match="older amun-dp"):
        void(old, "old", "no reason")
