"""An entry for the registry of deployments has its shape, and names what is left to the publisher."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import amun_dp
from amun_dp.report.deployments import deployment_record, deployment_text, to_be_filled_in
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import hospital_log
from tests.release.test_release import METHODS
from tests.report.deployments.entries import FOR_THE_PUBLISHER, filled_in
from tests.report.deployments.registry_schema import problems


@pytest.mark.parametrize(
    "options",
    [
        *({"method": method} for method in METHODS),
        {"conventions": "article"},
        {"releases": 3, "max_cases_per_individual": 2},
        {"scope": "case", "max_case_length": 40, "public_variants": True},
        {"seed": 1},
    ],
    ids=str,
)
def test_an_entry_that_its_publisher_completed_is_one_of_the_registry(options: dict[str, Any]) -> None:
    release = amun_dp.anonymize(hospital_log(cases=60), 0.2, allow_too_small=True, **options)  # only its entry counts
    record = deployment_record(release.report)
    assert problems(filled_in(record)) == set()


def test_what_only_the_publisher_knows_is_null_and_listed_and_nothing_else_is(report: PublicReport) -> None:
    record = deployment_record(report)
    assert to_be_filled_in(record) == tuple(FOR_THE_PUBLISHER)
    assert to_be_filled_in(filled_in(record)) == ()


def test_an_entry_that_nobody_completed_is_refused_by_the_registry_for_exactly_that(report: PublicReport) -> None:
    found = problems(deployment_record(report))
    source = "deployment.administrative.evidence_sources.privacy_report"
    untyped = {"deployment.deployment_model.actors", "deployment.implementation.utility", f"{source}.misc.url"}
    assert found == {*FOR_THE_PUBLISHER, source} - untyped


def test_a_wrong_entry_does_not_pass_for_a_right_one(report: PublicReport) -> None:
    record = filled_in(deployment_record(report))
    record["deployment"]["privacy_loss"]["advantage"] = 0.2
    record["deployment"]["basic"]["data_product_type"] = "Event log"
    del record["deployment"]["administrative"]["status"]
    assert problems(record) == {
        "deployment.privacy_loss",
        "deployment.basic.data_product_type",
        "deployment.administrative",
    }


def test_the_same_report_gives_the_same_entry_also_after_it_was_read_back(report: PublicReport) -> None:
    again = PublicReport.from_dict(json.loads(report.to_json()))
    assert deployment_text(deployment_record(again)) == deployment_text(deployment_record(report))


def test_a_method_from_outside_is_not_credited_to_the_article(report: PublicReport) -> None:
    sources = deployment_record(report)["deployment"]["administrative"]["evidence_sources"]
    assert sources["method"]["article"]["author"] == "G. Elkoumy and A. Pankova and M. Dumas"
    other = deployment_record(replace(report, method="mine"))
    assert set(other["deployment"]["administrative"]["evidence_sources"]) == {"privacy_report"}
