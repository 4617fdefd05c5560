"""An entry for the registry of deployments claims no more than the report."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

import amun_dp
from accounting.accountant import strictest
from accounting.events import (
    BoundedLaplace,
    CaseMoves,
    LaplaceCount,
    NonPrivate,
    Parallel,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Replicated,
    Sequential,
    SharedByIndividual,
    ThresholdedHistogram,
    Undisclosed,
)
from accounting.guarantee import Reading, Relation, Scope
from amun_dp.certified.public_facts import GivenFacts
from amun_dp.report.deployments import deployment_record, deployment_text
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import hospital_log
from tests.accounting.trees import any_trees, noise_columns
from tests.release.test_release import METHODS
from tests.report.deployments.entries import filled_in, loss, with_tree
from tests.report.deployments.registry_schema import problems


@pytest.mark.parametrize("method", METHODS)
def test_no_epsilon_of_the_article_s_methods_is_presented_as_a_guarantee(method: Any) -> None:
    report = amun_dp.anonymize(hospital_log(cases=60), 0.2, method).report
    found = loss(report)
    assert found["privacy_parameters"] == {}
    assert found["privacy_unit"].startswith("None")
    assert "variant_name" not in deployment_record(report)["deployment"]["dp_variant"]
    proved, claimed, *_ = found["privacy_parameters_details"].split("What the article would claim")
    assert proved.count("no bound; refuted") == 6
    assert "ε of" not in proved
    assert "These are claims, and no guarantee" in claimed


def test_every_figure_of_a_claim_that_is_not_proved_is_called_claimed(report: PublicReport) -> None:
    lines = loss(report)["privacy_parameters_details"].splitlines()
    stated = [line for line in lines if "ε of" in line]
    assert len(stated) == 7
    for line in stated:
        assert "claimed ε of" in line or line.endswith("; proved under assumptions")


def test_each_guarantee_of_the_report_is_there_with_its_verdict(report: PublicReport) -> None:
    lines = [line for line in loss(report)["privacy_parameters_details"].splitlines() if line.startswith("- ")]
    verdicts = sorted(guarantee.verdict.value for guarantee in report.guarantees)
    found = [re.search(r"; (proved under assumptions|proved|refuted|not proved)( \(|$)", line) for line in lines]
    assert sorted(each[1] for each in found if each is not None) == verdicts


def test_the_advantage_is_no_delta(report: PublicReport) -> None:
    for tree in (LaplaceCount(2.0, cells_per_case=1), ThresholdedHistogram(2.0, 50), CaseMoves()):
        assert loss(with_tree(report, tree))["privacy_parameters"].get("delta") != report.advantage
    details = loss(report)["privacy_parameters_details"]
    assert "A guessing advantage of 0.2 was asked for" in details
    assert "It is not the δ of approximate differential privacy." in details


def test_a_proved_bound_is_stated_with_its_unit_and_variant(report: PublicReport) -> None:
    pure = with_tree(report, SharedByIndividual(LaplaceCount(4.0, cells_per_case=1), 1))
    assert loss(pure)["privacy_unit"] == "Individual-level"
    assert loss(pure)["privacy_parameters"] == {
        "epsilon": 0.5
    }  # 1/4 for the case that leaves, 1/4 for the one that comes
    assert deployment_record(pure)["deployment"]["dp_variant"]["variant_name"] == "Pure DP"
    case = with_tree(report, LaplaceCount(4.0, cells_per_case=1))  # nobody said how many cases an individual has
    assert loss(case)["privacy_unit"] == "Case-level"
    assert "Adjacent logs differ in one case, replaced." in loss(case)["privacy_unit_details"]
    approximate = with_tree(report, ThresholdedHistogram(4.0, 40))
    assert deployment_record(approximate)["deployment"]["dp_variant"]["variant_name"] == "Approximate DP"
    parameters = loss(approximate)["privacy_parameters"]
    assert parameters["epsilon"] == 0.5
    assert 0 < parameters["delta"] < 1e-4
    for each in (pure, case, approximate):
        assert problems(filled_in(deployment_record(each))) == set()


@pytest.mark.parametrize("form", ["threshold", "public", "generated"])
def test_a_certified_release_has_its_epsilon_and_its_choices_in_the_entry(form: Any) -> None:
    options: dict[str, Any] = {"variants": form, "variants_from_log": form == "public"}
    certified = amun_dp.anonymize(hospital_log(cases=2_000), 0.2, "certified", **options).report
    record = deployment_record(certified)
    assert problems(filled_in(record)) == set()
    assert (loss(certified)["privacy_unit"] == "Case-level") == (form != "public")
    whole = strictest(certified.guarantees, Scope.CASE, Relation.REPLACE)
    stated = loss(certified)["privacy_parameters"]
    assert stated["epsilon"] == whole.epsilon.stated()
    assert stated.get("delta", 0.0) == whole.delta
    variant = record["deployment"]["dp_variant"]
    assert variant["variant_name"] == ("Approximate DP" if form == "threshold" else "Pure DP")
    assert set(record["deployment"]["administrative"]["evidence_sources"]) == {"privacy_report"}
    chosen = record["deployment"]["implementation"]["preprocessing_and_hyperparameter_tuning"]
    assert f"`variants`: {form}" in chosen
    assert "`releases`: 1" in chosen
    assert json.loads(deployment_text(record)) == record


def test_the_log_s_own_variants_make_an_entry_about_counts_and_times() -> None:
    """Whoever demands a bound for a case from ``verify`` does not get one; no more does the registry say so."""
    report = amun_dp.anonymize(
        hospital_log(cases=2_000), 0.2, "certified", variants="public", variants_from_log=True
    ).report
    entry = loss(report)
    assert entry["privacy_unit"] == "Counts and times of a case; which variants occur is not protected"
    assert "Case-level" not in json.dumps(deployment_record(report))
    assert entry["privacy_unit_details"].startswith(
        "Adjacent logs differ in one case, replaced, and agree in what was taken from the log as public: the number of "
        "cases, the time frame, in whole days, the set of variants."
    )


def test_what_was_given_from_outside_need_not_agree() -> None:
    given = GivenFacts(activities=("register", "triage"), first=0, last=10**13, longest=10**9, cases=60)
    report = amun_dp.anonymize(hospital_log(cases=60), 0.2, "certified", variants="generated", public=given).report
    assert loss(report)["privacy_unit_details"].startswith("Adjacent logs differ in one case, replaced. ")


def test_a_declared_number_of_cases_makes_an_entry_about_individuals() -> None:
    log, given = hospital_log(cases=300), GivenFacts(cases=300)
    declared = amun_dp.anonymize(
        log, 0.2, "certified", variants="generated", max_cases_per_individual=2, public=given
    ).report
    assert loss(declared)["privacy_unit"] == "Individual-level"
    case = strictest(declared.guarantees, Scope.CASE, Relation.REPLACE).epsilon.stated()
    assert loss(declared)["privacy_parameters"]["epsilon"] == pytest.approx(2 * (case or 0), rel=1e-5)
    domain = deployment_record(declared)["deployment"]["dp_variant"]["data_domain"]
    assert "declared: at most 2 cases of an individual" in domain


def test_what_is_said_of_the_number_of_units_is_so() -> None:
    """A public number of cases is among the parameters: the entry must not call it confidential beside it."""
    report = amun_dp.anonymize(hospital_log(cases=60), 0.2, "certified", variants="generated").report
    assert "`cases`: 60" in deployment_text(deployment_record(report))
    assert "confidential and not stated" not in loss(report)["privacy_unit_details"]


@pytest.mark.parametrize(
    "tree",
    [
        LaplaceCount(4.0),  # one cell, and trivially one time, but no whole case
        CaseMoves(),
        Undisclosed("magic"),
        Sequential((LaplaceCount(4.0, cells_per_case=1), NonPrivate("seeded"))),
    ],
    ids=str,
)
def test_a_bound_for_less_than_a_case_is_no_parameter_of_the_release(tree: PrivacyEvent, report: PublicReport) -> None:
    assert loss(with_tree(report, tree))["privacy_parameters"] == {}


@given(tree=any_trees)
def test_any_mechanisms_make_an_entry_and_epsilon_is_stated_only_where_it_is_proved(
    tree: PrivacyEvent, report: PublicReport
) -> None:
    described = with_tree(report, tree)
    record = deployment_record(described)
    assert problems(filled_in(record)) == set()
    assert json.loads(deployment_text(record)) == record
    proved = {
        (line.epsilon.stated(), line.delta)
        for line in described.guarantees
        if line.claim == "whole-release"
        and line.reading is Reading.STRICT
        and line.relation is Relation.REPLACE
        and line.scope in (Scope.CASE, Scope.INDIVIDUAL)
        and line.epsilon.bounded
    }
    stated = loss(described)["privacy_parameters"]
    assert bool(stated) == bool(proved)
    if stated:
        assert (stated["epsilon"], stated.get("delta", 0.0)) in proved


def test_seeded_noise_has_no_guarantee_whatever_the_mechanisms_say(report: PublicReport) -> None:
    seeded = replace(with_tree(report, LaplaceCount(4.0, cells_per_case=1)), unpredictable=False)
    record = deployment_record(seeded)["deployment"]
    assert record["privacy_loss"]["privacy_parameters"] == {}
    assert "variant_name" not in record["dp_variant"]
    for text in (
        record["basic"]["description"],
        record["privacy_loss"]["privacy_parameters_details"],
        record["implementation"]["mechanisms"],
    ):
        assert text.endswith("NOT PRIVATE: the noise came from a seed; do not publish this release.")


def test_what_is_not_protected_is_all_there(report: PublicReport) -> None:
    listed = deployment_record(report)["deployment"]["dp_variant"]["unprotected_quantities"]
    assert listed == "\n".join(f"- {sentence}" for sentence in report.unprotected)


def test_the_size_of_the_original_has_no_field(report: PublicReport) -> None:
    assert "number_of_privacy_units" not in loss(report)
    assert "confidential and not stated" in loss(report)["privacy_unit_details"]


def test_every_step_is_listed_and_what_is_withheld_stays_so(report: PublicReport) -> None:
    columns = amun_dp.Confidential(noise_columns([815.0, 815.0]))
    tree = Sequential(
        (
            Parallel((LaplaceCount(2.5, cells_per_case=3), CaseMoves()), "value-dependent"),
            RepeatedRelease(SharedByIndividual(BoundedLaplace(0.2, columns), amun_dp.Confidential(4_711_471_147)), 2),
            Replicated(ThresholdedHistogram(2.0, 50), 6),
            Undisclosed("magic"),
            PostProcessing("rounding", "a function of released things"),
        )
    )
    record = deployment_record(with_tree(report, tree))["deployment"]["implementation"]
    mechanisms = record["mechanisms"]
    kinds = re.findall(r"^ *- `([a-z-]+)`", mechanisms, flags=re.MULTILINE)
    assert kinds == [
        "sequential",
        "parallel",
        "laplace-count",
        "case-moves",
        "repeated-release",
        "shared-by-individual",
        "bounded-laplace",
        "replicated",
        "thresholded-histogram",
        "undisclosed",
    ]
    assert (
        "  - `repeated-release` (releases: 2)\n    - `shared-by-individual` (cases: withheld, truncated: no)"
        in mechanisms
    )
    assert "(scale: 2.5, sensitivity: 1, cells_per_case: 3)" in mechanisms
    assert "columns: withheld" in mechanisms
    assert "4711471147" not in json.dumps(record)
    assert "815" not in json.dumps(record["mechanisms"])
    assert record["post_processing"] == "- rounding: a function of released things"
    assert len(record["composition"].splitlines()) == 6


def test_the_entry_depends_on_nothing_but_the_public_report(report: PublicReport) -> None:
    """What is not in the report cannot be in the entry: it comes back from the report's own JSON."""
    entry = json.dumps(deployment_record(report), ensure_ascii=False)
    for text in (report.release_id, report.made_on, *report.files.values(), report.software["opendp"]):
        assert text in entry
