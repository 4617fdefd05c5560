"""Every refusal names a command that helps: it is run as it is printed, and then the release fits."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.guarantee import Scope
from accounting.losses import Loss
from accounting.quantities import Epsilon
from accounting.registry import Budget, Cost, Declared, PublishedBudget, Registry, StrictBudget, UnitLoss
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.budgets.spending import open_registry, reserve
from amun_dp.cli import main
from amun_dp.cli.as_flags import in_flags
from amun_dp.errors import BudgetError
from amun_dp.synthetic import hospital_log
from tests.budgets.releases import LOG
from tests.budgets.steward import Steward
from tests.properties import examples

epsilons = st.fractions(Fraction(1, 50), 2, max_denominator=50)
deltas = st.sampled_from([Fraction(0), Fraction(0), Fraction("1e-7")])


def _certified(epsilon: Fraction, delta: Fraction, cases: int | None, releases: int) -> Cost:
    """A release for cases; of an individual, if so many cases were declared."""
    person = UnitLoss() if cases is None else UnitLoss(Loss(Epsilon(epsilon * cases), delta * cases))
    return Cost(UnitLoss(Loss(Epsilon(epsilon), delta)), person, releases=releases)


certified = st.builds(_certified, epsilons, deltas, st.sampled_from([None, 1, 3]), st.integers(1, 3))
article = st.builds(
    lambda advantage, releases: Cost(advantage=advantage, releases=releases),
    st.sampled_from([Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)]),
    st.integers(1, 4),
)
budgets: st.SearchStrategy[Budget] = st.one_of(
    st.builds(StrictBudget, epsilons, st.just(Fraction("1e-7")), st.sampled_from([Scope.CASE, Scope.INDIVIDUAL])),
    st.builds(PublishedBudget, st.sampled_from([Fraction(1, 10), Fraction(1, 5), Fraction(2, 5)])),
)


def charge(registry: Registry, cost: Cost, name: str) -> None:
    reserve(registry, fingerprint(LOG, registry.hasher), cost, name, {}, Declared())


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budgets, st.lists(st.one_of(certified, article), max_size=3), st.one_of(certified, article))
def test_the_command_of_a_refusal_makes_the_release_fit(
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    budget: Budget,
    before: list[Cost],
    asked: Cost,
) -> None:
    registry = open_registry(tmp_path_factory.mktemp("a place") / "r")
    registry.set_budget(fingerprint(LOG, registry.hasher), budget)
    for number, cost in enumerate(before):
        with suppress(BudgetError):
            charge(registry, cost, str(number))
    try:
        charge(registry, asked, "asked")
    except BudgetError as refusal:
        said = in_flags(refusal.message)
    else:
        return
    assert "smaller ε" not in said
    command = re.search(r"amun-dp (registry set-budget .*?) \(", said)
    if command is None:
        ways = ("cannot be released again like this", "--releases", "no way out", "--variants generated", "--scope")
        assert any(way in said for way in ways), said
        return
    divided = re.search(r"use --releases (\d+), and amun-dp", said)
    assert main(shlex.split(command[1])) == 0, capsys.readouterr().err
    capsys.readouterr()
    charge(registry, asked if divided is None else replace(asked, releases=int(divided[1])), "asked again")


def test_a_smaller_advantage_is_advised_only_where_it_fits(steward: Steward) -> None:
    log = steward.log(hospital_log(300), "log.csv")
    flags = ("--method", "certified", "--variants", "generated")
    assert steward.run("registry", "set-budget", log, "--reading", "strict", "--advantage", 0.3)[0] == 0
    assert steward.release(log, *flags, "--advantage", 0.2)[0] == 0
    code, _, err = steward.release(log, *flags, "--advantage", 0.2)
    assert code == 1
    fits = re.search(r"With --advantage (\S+) it fits what is left", err)
    assert fits is not None
    assert 0.1 < float(fits[1]) < 0.11  # tanh(artanh 0.3 - artanh 0.2) = 0.1064
    assert steward.release(log, *flags, "--advantage", fits[1])[0] == 0
    code, _, err = steward.release(log, *flags, "--advantage", 0.2)
    assert "it fits what is left" not in err
    assert "all 3 releases together" in err


def test_a_command_names_the_registry_it_is_about_unless_it_is_the_users_own(
    data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from amun_dp.budgets.registry_file import default_registry, registry_command

    assert registry_command("list", tmp_path / "a file") == f"amun-dp registry list --registry '{tmp_path}/a file'"
    assert registry_command("list", open_registry(default_registry()).path) == "amun-dp registry list"
    assert registry_command("list", None) == "amun-dp registry list"
