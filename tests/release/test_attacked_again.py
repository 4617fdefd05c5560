"""What a fresh attacker found after the holes of the first attack were closed: each would print more than holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amun_dp
from accounting.accountant import strictest
from accounting.assumptions import Assumption
from accounting.events import SharedByIndividual, TakenAsPublic
from accounting.guarantee import Relation, Scope, Verdict
from accounting.publication import PublicTree
from accounting.registry import UnitLoss
from accounting.trees import leaves
from amun_dp.budgets.spending import open_registry
from amun_dp.certified.public_facts import GivenFacts
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.log import EventLog
from amun_dp.report.card import card_of
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.verification.checks import Fault
from amun_dp.verification.report.expected_certified import certified_mechanisms
from amun_dp.verification.report.report_checks import ReadReport, guarantees
from tests.certified.frequent import frequent_log


def facts_of(report: PublicReport) -> dict[str, bool]:
    return {leaf.what: leaf.from_log for leaf in leaves(report.mechanisms.tree) if isinstance(leaf, TakenAsPublic)}


def with_people(log: EventLog, apiece: int, nobodys: int = 0) -> EventLog:
    individual = np.arange(log.n_cases) // apiece
    names = np.array([f"p{number}" for number in individual], dtype=object)
    names[:nobodys] = ""
    return replace(log, individual=individual, individual_name=names)


# --- facts that bear on a release are recorded, whatever its form ---------------------------------------------------


@pytest.mark.parametrize("own", [False, True])
def test_an_alphabet_that_leaves_cases_out_is_recorded_under_a_threshold_too(own: bool) -> None:
    """It decides which cases are counted: made from the log, it tells neighbouring logs apart for certain."""
    given = GivenFacts(activities=frequent_log().activities, from_log=own)
    release = amun_dp.anonymize(frequent_log(), 0.3, "certified", variants="threshold", public=given)
    assert facts_of(release.report)["labels"] is own
    assumed = strictest(release.report.guarantees, Scope.CASE, Relation.REPLACE).assumptions
    assert (Assumption.PUBLIC_LABELS if own else Assumption.GIVEN_FACTS) in assumed
    assert ("labels" in release.report.parameters.as_dict()["from_log"]) is own
    certified_mechanisms(release.report)  # and verify knows that it may be there


@pytest.mark.parametrize("own", [False, True])
def test_a_number_of_individuals_that_sets_a_threshold_is_recorded(own: bool) -> None:
    given = GivenFacts(individuals=1000, from_log=own)
    choices: dict[str, Any] = {"scope": "individual", "max_cases_per_individual": 2}
    log = with_people(frequent_log(), 2)
    release = amun_dp.anonymize(log, 0.4, "certified", variants="threshold", public=given, **choices)
    assert facts_of(release.report)["number of individuals"] is own
    assumed = strictest(release.report.guarantees, Scope.INDIVIDUAL, Relation.REPLACE).assumptions
    assert (Assumption.PUBLIC_NUMBER_OF_INDIVIDUALS if own else Assumption.GIVEN_FACTS) in assumed
    certified_mechanisms(release.report)


# --- totals ---------------------------------------------------------------------------------------------------------


def test_the_total_adds_up_over_logs_that_a_release_has_joined(tmp_path: Path) -> None:
    """Two logs that turn out to be one: what each of them has spent counts, and counts later on as well."""
    registry = open_registry(tmp_path / "registry.sqlite")
    logs = [generate_log(LogShape(cases=40, variants=4, seed=seed, start=f"20{seed + 10}-01-01")) for seed in (1, 2)]
    releases = [
        amun_dp.anonymize(log, 0.2, "certified", variants="generated", registry=registry, allow_too_small=True)
        for log in logs
    ]
    names = [release.spending.reservation.charges[0].log for release in releases if release.spending is not None]
    for name in names:
        registry.set_budget(name, replace_budget(registry, name))
    third = amun_dp.anonymize(
        logs[1], 0.2, "certified", variants="generated", registry=registry, same_log_as=names[:1], allow_too_small=True
    )
    fourth = amun_dp.anonymize(logs[0], 0.2, "certified", variants="generated", registry=registry, allow_too_small=True)
    alone = strictest(third.report.guarantees, Scope.CASE, Relation.REPLACE).epsilon.value
    assert alone is not None
    for release, times in ((third, 3), (fourth, 4)):
        (case, _individual) = release.report.earlier_releases.total
        assert case.epsilon is not None
        assert case.epsilon >= times * float(alone) * (1 - 1e-5)
        assert release.report.earlier_releases.others == times - 1


def replace_budget(registry: Any, name: str) -> Any:
    budget = registry.log(name).budget
    return replace(budget, epsilon=10 * budget.epsilon)


def test_a_total_below_what_the_release_costs_alone_is_a_fault(tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "registry.sqlite")
    release = amun_dp.anonymize(frequent_log(), 0.2, "certified", variants="generated", registry=registry)
    report = release.report
    read = ReadReport(json.loads(report.to_json()), report, report.guarantees)
    guarantees(read)
    smaller = tuple(replace(line, epsilon=0.04) for line in report.earlier_releases.total)
    forged = replace(report, earlier_releases=replace(report.earlier_releases, total=smaller))
    with pytest.raises(Fault, match="less than this release alone"):
        guarantees(ReadReport(json.loads(forged.to_json()), forged, forged.guarantees))


def test_people_whom_a_second_reading_of_the_same_log_names_are_remembered(tmp_path: Path) -> None:
    """First without individuals, then with them: another log about one of them must be asked about."""
    registry = open_registry(tmp_path / "registry.sqlite")
    plain = generate_log(LogShape(cases=60, variants=4, seed=1))
    other = generate_log(LogShape(cases=60, variants=4, seed=7, start="2031-01-01"))
    choices: dict[str, Any] = {"registry": registry, "releases": 4, "allow_too_small": True}
    amun_dp.anonymize(plain, 0.3, "certified", variants="generated", **choices)
    amun_dp.anonymize(with_people(plain, 1), 0.3, "certified", variants="generated", **choices)
    with pytest.raises(amun_dp.AmunError, match="same"):
        amun_dp.anonymize(with_people(other, 1), 0.3, "certified", variants="generated", **choices)


# --- individuals ----------------------------------------------------------------------------------------------------


def test_a_record_that_declares_what_the_report_does_not_is_a_fault() -> None:
    report = amun_dp.anonymize(frequent_log(), 0.2, "certified", variants="generated").report
    tree: Any = report.mechanisms.tree
    wrapped = tuple(
        part if type(part).__name__ in ("TakenAsPublic", "PostProcessing") else SharedByIndividual(part, 1)
        for part in tree.parts
    )
    forged = replace(report, mechanisms=PublicTree(replace(tree, parts=wrapped)))
    with pytest.raises(Fault, match="cases of an individual"):
        certified_mechanisms(forged)


@pytest.mark.parametrize(("cases", "number", "bounded"), [(1, None, True), (3, None, False), (3, 2_000, True)])
def test_a_number_of_cases_that_is_told_bounds_nobody_who_may_have_several(
    cases: int, number: int | None, bounded: bool
) -> None:
    """Somebody with three cases instead of one makes it larger by two, whatever the noise is."""
    release = amun_dp.anonymize(
        frequent_log(),
        0.1,
        "certified",
        variants="generated",
        max_cases_per_individual=cases,
        public=GivenFacts(cases=number),
    )
    line = strictest(release.report.guarantees, Scope.INDIVIDUAL, Relation.REPLACE)
    assert line.epsilon.bounded is bounded
    assert bounded or line.verdict is Verdict.REFUTED


def test_the_registry_charges_no_less_than_that(tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "registry.sqlite")
    release = amun_dp.anonymize(
        frequent_log(), 0.1, "certified", variants="generated", max_cases_per_individual=3, registry=registry
    )
    assert release.spending is not None
    individual: UnitLoss = release.spending.reservation.cost.individual
    assert not individual.replace.epsilon.bounded
    assert individual.leave_out.epsilon.bounded


@pytest.mark.parametrize(
    "choices", [{"scope": "individual", "max_cases_per_individual": 1}, {"one_case_per_individual": True}]
)
def test_nothing_is_promised_about_individuals_where_somebody_s_cases_are_nobody_s(choices: dict[str, Any]) -> None:
    log = with_people(frequent_log(), 1, nobodys=3)
    with pytest.raises(ReleaseError, match="3 cases have no individual"):
        amun_dp.anonymize(log, 0.3, "certified", variants="generated", **choices)
    amun_dp.anonymize(log, 0.3, "certified", variants="generated")  # about cases it can


# --- words ----------------------------------------------------------------------------------------------------------


def test_wherever_a_delta_is_a_gain_is_not_stated_without_it() -> None:
    release = amun_dp.anonymize(
        frequent_log(), 0.2, "certified", variants="threshold", one_case_per_individual=True, dp_delta=1e-3
    )
    card = card_of(release.report)
    said = [words for _, words in card.remarks] + [line.advantage for line in card.lines]
    assert not any("gains at most" in words for words in said)
    assert any("(1-δ)·(P + 20 points) + δ" in words for words in said)
    assert all("δ" in line.advantage for line in card.lines)


def test_a_delta_for_all_cases_is_not_computed_from_a_number_that_need_not_be_theirs() -> None:
    release = amun_dp.anonymize(
        frequent_log(), 0.3, "certified", variants="threshold", dp_delta=1e-6, public=GivenFacts(cases=50)
    )
    assert "All cases together" not in dict(card_of(release.report).remarks)


def test_no_demand_about_a_case_is_met_where_the_log_s_own_variants_are_taken_as_public(tmp_path: Path) -> None:
    release = amun_dp.anonymize(frequent_log(), 0.2, "certified", variants="public", variants_from_log=True)
    release.save(tmp_path / "out")
    found = amun_dp.verify(tmp_path / "out", require=["case:0.2"])
    assert not found.passed
    assert any("not about which variants occur" in check.detail for check in found.checks)


# --- void -----------------------------------------------------------------------------------------------------------


def test_an_interrupted_call_in_python_stays_spent_because_the_program_lives_on(tmp_path: Path) -> None:
    """The traceback holds what was drawn."""
    registry = open_registry(tmp_path / "registry.sqlite")

    def interrupt(step: str) -> None:
        if step == "comparing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        amun_dp.anonymize(frequent_log(), 0.2, "certified", variants="generated", registry=registry, progress=interrupt)
    (log,) = registry.logs()
    (release,) = log.releases
    assert not release.can_be_voided
