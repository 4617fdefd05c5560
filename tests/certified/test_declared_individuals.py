"""What is promised about individuals at scope case: nothing, unless somebody declared how many cases they have."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amun_dp
from accounting.guarantee import Relation, Scope, Verdict
from amun_dp.certified.public_facts import GivenFacts
from amun_dp.errors import AmunError, ParameterError
from amun_dp.release.methods import requested
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.public_report import PublicReport
from amun_dp.verification import Name, Outcome, Verification
from tests.certified.frequent import FORMS, certified, frequent_log, people_log, whole

METHODS: tuple[Any, ...] = ("filtering", "sampling", "oversampling")


@pytest.mark.parametrize("form", FORMS)
def test_a_release_at_scope_case_promises_nothing_about_individuals(form: Any) -> None:
    release = certified(frequent_log(), 0.2, form)
    assert whole(release).epsilon.bounded
    line = whole(release, Scope.INDIVIDUAL)
    assert not line.epsilon.bounded
    assert (line.advantage, line.verdict) == (None, Verdict.NOT_PROVED)
    own = form == "public"  # its variants are the log's
    assert privacy_attributes(release.report)["privacy:unit"] == ("counts and times of a case" if own else "case")


@pytest.mark.parametrize("cases", [1, 2, 3])
@pytest.mark.parametrize("form", ["public", "generated"])
def test_a_declared_number_promises_an_individual_so_many_times_the_epsilon_of_a_case(form: Any, cases: int) -> None:
    given = GivenFacts(cases=2_000)  # read off the log, the number would tell how many cases somebody has
    release = certified(frequent_log(), 0.1, form, max_cases_per_individual=cases, public=given)
    of_case, of_one = whole(release), whole(release, Scope.INDIVIDUAL)
    assert of_case.advantage == pytest.approx(0.1, abs=1e-6)  # nothing is divided
    assert of_one.advantage == pytest.approx(math.tanh(cases * math.atanh(0.1)), abs=1e-5)
    unit = "counts and times of an individual" if form == "public" else "individual"
    assert privacy_attributes(release.report)["privacy:unit"] == unit


def test_under_a_threshold_the_cases_of_one_come_closer_to_it_together() -> None:
    release = certified(frequent_log(6_000), 0.4, max_cases_per_individual=2, public=GivenFacts(cases=6_000))
    one, both = whole(release), whole(release, Scope.INDIVIDUAL)
    [histogram] = [
        node["parameters"] for node in release.report.as_dict()["mechanisms"] if node["kind"] == "thresholded-histogram"
    ]
    q = math.exp(-1 / float.fromhex(histogram["scale"]["float"]))
    # C·P(C + Z ≥ t), the tail of discrete Laplace noise, summed in closed form.
    assert both.delta == pytest.approx(2 * q ** (histogram["threshold"] - 2) / (1 + q), rel=1e-4)
    assert both.delta > 2 * one.delta


@pytest.mark.parametrize("method", ["certified", *METHODS])
def test_one_case_per_individual_is_the_declaration_of_one(method: Any) -> None:
    said = requested(0.2, method, one_case_per_individual=True)
    assert said == requested(0.2, method, max_cases_per_individual=1)
    assert said.max_cases_per_individual == 1


@pytest.mark.parametrize("options", [{"one_case_per_individual": True}, {"max_cases_per_individual": 2}])
@pytest.mark.parametrize("method", ["certified", *METHODS])
def test_a_declaration_that_the_log_contradicts_is_refused_and_spends_nothing(
    method: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    registry = amun_dp.open_registry(tmp_path / "registry.sqlite")
    with pytest.raises(ParameterError, match="Some individual has more than the declared"):
        amun_dp.anonymize(people_log(), 0.2, method, registry=registry, **options)
    assert registry.logs() == ()


def test_a_declaration_that_the_log_bears_out_is_kept_and_nobody_is_truncated() -> None:
    log = people_log()
    release = certified(log, 0.2, "public", max_cases_per_individual=3)
    assert release.report.individuals == {"max_cases": 3, "by": "declaration"}
    assert release.report.as_dict()["parameters"]["cases"] == log.n_cases  # all of them count, and are public


@pytest.mark.parametrize("method", ["certified", *METHODS])
def test_one_person_more_within_the_declared_number_is_no_reason_to_refuse(method: Any) -> None:
    """Cases that name nobody, and people with exactly as many cases as declared."""
    log = people_log(600)
    assert log.individual is not None
    apart = replace(log, individual=np.where(np.arange(log.n_cases) < 300, log.individual, np.arange(log.n_cases)))
    options: dict[str, Any] = {"variants": "generated"} if method == "certified" else {}
    assert amun_dp.plan(apart, 0.2, method, max_cases_per_individual=3, **options) is not None


# --- the report -----------------------------------------------------------------------------------------------------


def test_a_report_reads_back_what_it_says_about_individuals_and_nothing_else() -> None:
    report = certified(frequent_log(), 0.2, "generated", one_case_per_individual=True).report
    data = json.loads(report.to_json())
    assert PublicReport.from_dict(data).individuals == {"max_cases": 1, "by": "declaration"}
    for other in ({"max_cases": 1, "by": "truncation"}, {"max_cases": 1.0, "by": "declaration"}):
        with pytest.raises(AmunError, match="not what it records"):
            PublicReport.from_dict(data | {"individuals": other})


def test_a_report_of_schema_2_is_read_and_its_individuals_have_no_bound() -> None:
    golden = Path(__file__).parent.parent / "golden" / "schema-2"
    bounded = {"threshold": ("none", False), "generated": ("none", False), "individual": ("truncation", True)}
    for name, expected in bounded.items():
        report = PublicReport.from_dict(json.loads((golden / name / "report.json").read_bytes()))
        line = next(
            line
            for line in report.guarantees
            if (line.claim, line.scope, line.relation) == ("whole-release", Scope.INDIVIDUAL, Relation.REPLACE)
        )
        assert (report.individuals["by"], line.epsilon.bounded) == expected


# --- verify ---------------------------------------------------------------------------------------------------------


def judged(found: Verification, name: Name) -> tuple[Outcome, str]:
    [check] = [check for check in found.checks if check.name is name]
    return check.outcome, check.detail


@pytest.mark.parametrize("form", FORMS)
def test_a_demand_for_individuals_is_not_met_by_a_release_that_declares_nothing(form: Any, tmp_path: Path) -> None:
    log = people_log(each=10)
    certified(replace(log, individual=None), 0.2, form).save(tmp_path / "out")
    outcome, detail = judged(
        amun_dp.verify(tmp_path / "out", log, require=["individual:0.2"], prove=False), Name.REQUIRED
    )
    assert outcome is Outcome.FAILED
    assert "somebody may have any number" in detail


@pytest.mark.parametrize("method", ["certified", "sampling"])
def test_the_original_judges_what_was_declared(method: Any, tmp_path: Path) -> None:
    log = people_log(each=10)
    options: dict[str, Any] = {"variants": "generated"} if method == "certified" else {}
    unknown = replace(log, individual=None)  # released by somebody who did not say who stands behind a case
    amun_dp.anonymize(unknown, 0.2, method, one_case_per_individual=True, **options).save(tmp_path / "out")

    def outcome(original: Any) -> tuple[Outcome, str]:
        return judged(amun_dp.verify(tmp_path / "out", original, prove=False), Name.DECLARED)

    assert outcome(unknown)[0] is Outcome.NOT_CHECKED
    failed, why = outcome(log)
    assert failed is Outcome.FAILED
    assert "240 of 240 individuals have more than the declared 1" in why
    alone = replace(log, individual=np.arange(log.n_cases))
    assert outcome(alone)[0] is Outcome.PASSED


def test_a_refuted_declaration_takes_a_demand_with_it(tmp_path: Path) -> None:
    log = people_log(each=10)
    release = certified(replace(log, individual=None), 0.2, "generated", one_case_per_individual=True)
    release.save(tmp_path / "out")
    alone = amun_dp.verify(tmp_path / "out", require=["individual:0.2"])
    assert judged(alone, Name.REQUIRED)[0] is Outcome.PASSED
    found = amun_dp.verify(tmp_path / "out", log, require=["individual:0.2"])
    assert judged(found, Name.REQUIRED)[0] is Outcome.FAILED
    assert "declared cases of an individual" in judged(found, Name.REQUIRED)[1]


@pytest.mark.parametrize("options", [{}, {"one_case_per_individual": True}, {"max_cases_per_individual": 4}])
def test_a_release_with_a_declaration_verifies(options: dict[str, Any], tmp_path: Path) -> None:
    certified(frequent_log(), 0.2, "generated", releases=2, **options).save(tmp_path / "out")
    found = amun_dp.verify(tmp_path / "out", prove=False)
    assert found.failed == ()
