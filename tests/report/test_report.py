"""The report: every claim with its verdict, and nothing of the original log."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amun_dp
import amun_dp.article.methods
from accounting.accountant import public_account, strictest
from accounting.guarantee import Guarantee, Reading, Relation, Scope, Verdict
from accounting.publication import PublicTree
from amun_dp._base.units import DAY, MINUTE
from amun_dp.article.conventions import CORRECTED
from amun_dp.article.step5_sampling import ControlFlow
from amun_dp.errors import ReleaseError
from amun_dp.eventlog.log import EventLog
from amun_dp.report.public_report import guarantee_as_dict
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from tests.logs import log_of
from tests.release.test_release import METHODS


def test_the_report_has_its_fields_and_names_every_refuted_claim(tmp_path: Path) -> None:
    release = amun_dp.anonymize(hospital_log(), 0.2, "filtering")
    release.save(tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert list(report) == [
        "schema",
        "release",
        "formats",
        "software",
        "method",
        "releases",
        "individuals",
        "parameters",
        "advantage",
        "noise",
        "released",
        "files",
        "guarantees",
        "earlier_releases",
        "unprotected",
        "mechanisms",
    ]
    assert set(report["released"]) == {"file", "cases", "events", "variants", "escaped_formulas"}
    verdicts = {claim["claim"]: claim["verdict"] for claim in report["guarantees"] if claim["claim"] != "whole-release"}
    assert {line["verdict"] for line in report["guarantees"] if line["claim"] == "whole-release"} == {"refuted"}
    assert verdicts["count-cell"] == "refuted"
    assert verdicts["count-table"] == "refuted"
    assert verdicts["selection-of-groups"] == "refuted"
    assert verdicts["selection-of-variants"] == "refuted"
    assert verdicts["selection-of-cases"] == "refuted"
    assert verdicts["event-time"] == "refuted"
    assert verdicts["released-counts"] == "refuted"


def test_the_cell_claim_states_the_epsilon_of_the_worst_prior() -> None:
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling").report
    cell = next(claim for claim in report.guarantees if claim.claim == "count-cell")
    assert cell.epsilon.stated() == 0.810931  # 0.81093021…, rounded up
    assert cell.advantage == 0.2
    assert cell.verdict is Verdict.PROVED_UNDER_ASSUMPTIONS


def test_filtering_has_no_bound_for_a_cell_because_one_case_can_save_others() -> None:
    """The counterexample that the report quotes."""
    day, minute = DAY, MINUTE
    gaps = [60 * minute] * 7 + [(600 + 100 * number) * minute for number in range(7, 10)]
    cases = [[("a", 10 * day * number), ("b", 10 * day * number + gap)] for number, gap in enumerate(gaps)]
    cases += [[("z", day * (500 + 10 * number))] for number in range(5)]
    one_more = [*cases, [("a", day * 300), ("b", day * 300 + 5_000 * minute)]]

    def cells_and_filtered(log: EventLog) -> tuple[list[int], int]:
        plan = amun_dp.plan(log, 0.3, "filtering")
        counts = ControlFlow(plan.annotated.dafsa, plan.kept_variant_cases).transition_counts()
        return sorted(counts.tolist()), int(np.count_nonzero(~plan.filtered.kept_case))

    assert len(cases) == 15
    assert cells_and_filtered(log_of(cases)) == ([3, 3, 5], 7)
    assert cells_and_filtered(log_of(one_more)) == ([5, 11, 11], 0)


def test_the_report_states_the_hash_of_every_other_published_file(tmp_path: Path) -> None:
    for format, name in (("xes", "log.xes.gz"), ("csv", "log.csv"), ("parquet", "log.parquet")):
        folder = tmp_path / format
        saved = amun_dp.anonymize(hospital_log(), 0.2).save(folder, format=format)
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        assert report["released"]["file"] == name
        published = {path.name for path in folder.iterdir() if path.is_file()} - {"report.json"}
        assert published == {name, "report.html"}
        digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in published}
        assert report["files"] == digests == saved.files


def test_each_release_has_an_identifier_of_its_own_and_the_date_of_today_in_utc() -> None:
    before = datetime.now(UTC).date().isoformat()
    reports = [amun_dp.anonymize(hospital_log(), 0.2).report for _ in range(3)]
    assert len({report.release_id for report in reports}) == 3
    assert all(before <= report.made_on <= datetime.now(UTC).date().isoformat() for report in reports)


def test_the_guarantees_follow_from_the_published_mechanisms_alone() -> None:
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling").report
    assert report.guarantees == public_account(report.mechanisms)
    of_another = amun_dp.anonymize(hospital_log(), 0.4, "sampling").report
    assert replace(report, mechanisms=of_another.mechanisms).guarantees == of_another.guarantees != report.guarantees


def test_a_report_derives_its_guarantees_once(monkeypatch: pytest.MonkeyPatch) -> None:
    derived: list[PublicTree] = []

    def noting(mechanisms: PublicTree) -> tuple[Guarantee, ...]:
        derived.append(mechanisms)
        return public_account(mechanisms)

    monkeypatch.setattr("amun_dp.report.public_report.public_account", noting)
    report = replace(amun_dp.anonymize(hospital_log(), 0.2, "sampling").report)
    derived.clear()
    assert report.as_dict()["guarantees"] == [guarantee_as_dict(line) for line in report.guarantees]
    assert derived == [report.mechanisms]


def test_the_public_account_of_a_release_is_the_one_that_its_report_derives() -> None:
    for method in METHODS:
        release = amun_dp.anonymize(individuals(hospital_log(), 3), 0.2, method)
        assert release.report.guarantees == release.account.public


def individuals(log: EventLog, cases_each: int) -> EventLog:
    return replace(log, individual=np.arange(log.n_cases) // cases_each)


def test_the_report_depends_on_the_original_only_through_the_released_log() -> None:
    # Logs of different size, shape and cases per person, same parameters: only figures of the released log may differ.
    def public_part(log: EventLog, method: Any) -> str:
        report = amun_dp.anonymize(log, 0.2, method).report.as_dict()
        del report["released"], report["release"]  # figures of the released log, and a random identifier
        return json.dumps(report, sort_keys=True)

    for method in METHODS:
        small, large = hospital_log(cases=60, seed=1), hospital_log(cases=400, seed=2)
        assert public_part(small, method) == public_part(large, method)
        seen = {public_part(individuals(small, number), method) for number in (1, 2, 3, 7, 10)}
        assert len(seen) == 1


def test_the_report_states_the_parameters_that_were_used() -> None:
    rules = replace(CORRECTED, name="custom", window=5_000)
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling", rules, releases=2, max_cases_per_individual=3).report
    stated = report.as_dict()
    assert stated["parameters"] == {
        "of": "article",
        "conventions": "custom",
        "window_ms": 5_000,
        "start_window_ms": CORRECTED.start_window,
        "prior": CORRECTED.prior,
        "value_range": CORRECTED.value_range,
        "filtering": CORRECTED.filtering,
        "compression": CORRECTED.compression,
        "public_variants": False,
        "scope": "event",
        "max_case_length": None,
    }
    assert stated["releases"] == 2
    assert stated["individuals"] == {"max_cases": 3, "by": "declaration"}
    cell = next(claim for claim in report.guarantees if claim.claim == "count-cell")
    # For one case of the three that an individual may have, both releases together.
    assert cell.epsilon.stated() == pytest.approx(0.81093 / 3, rel=1e-4)


def test_individuals_without_a_declared_bound_have_no_proved_cell() -> None:
    report = amun_dp.anonymize(individuals(hospital_log(), 3), 0.2, "sampling").report
    verdicts = {line.claim: line.verdict for line in report.guarantees}
    assert verdicts["individuals-from-the-log"] is Verdict.REFUTED
    assert verdicts["count-cell"] is Verdict.NOT_PROVED
    declared = amun_dp.anonymize(individuals(hospital_log(), 3), 0.2, "sampling", max_cases_per_individual=3).report
    assert {line.claim: line.verdict for line in declared.guarantees}["count-cell"] is Verdict.PROVED_UNDER_ASSUMPTIONS


def check_strict_reading(log: EventLog) -> None:
    """What issue B asks of a ``sampling`` release at advantage 0.2, for any log."""
    release = amun_dp.anonymize(log, 0.2, "sampling")
    inside = {
        (line.claim, line.relation): line.epsilon.value
        for line in release.account.confidential.reveal()
        if line.reading is Reading.STRICT
    }
    cell = inside["count-cell", Relation.ADD_REMOVE]
    longest = int(log.lengths.max())
    assert cell is not None
    assert float(cell) == pytest.approx(0.8109, abs=5e-5)
    assert inside["count-table-composed", Relation.ADD_REMOVE] == longest * cell
    assert inside["count-table-composed", Relation.REPLACE] == 2 * longest * cell
    verdicts = {line.claim: line.verdict for line in release.report.guarantees}
    assert verdicts["released-counts"] is Verdict.REFUTED
    assert verdicts["selection-of-variants"] is Verdict.REFUTED
    assert "selection-of-cases" not in verdicts
    filtered = amun_dp.anonymize(log, 0.2, "filtering").report
    assert {line.claim: line.verdict for line in filtered.guarantees}["selection-of-cases"] is Verdict.REFUTED
    assert str(longest) not in json.dumps([guarantee_as_dict(line) for line in release.report.guarantees])


def test_the_strict_reading_of_a_generated_log() -> None:
    check_strict_reading(
        generate_log(LogShape(cases=300, variants=80, activities=9, mean_length=9, max_length=173, seed=5))
    )


@pytest.mark.real_logs
def test_the_strict_reading_of_sepsis_has_185_and_370_times_the_cell(real_logs: Path) -> None:
    log = amun_dp.read_log(real_logs / "Sepsis.xes.gz")
    assert log.lengths.max() == 185
    check_strict_reading(log)


def test_the_article_s_conventions_say_that_some_times_have_no_noise() -> None:
    article = amun_dp.anonymize(hospital_log(), 0.2, "sampling", "article").report
    corrected = amun_dp.anonymize(hospital_log(), 0.2, "sampling", "corrected").report
    assert any("without noise" in sentence for sentence in article.unprotected)
    assert not any("without noise" in sentence for sentence in corrected.unprotected)


def test_variants_that_are_declared_public_are_an_assumption_and_leave_the_moves_unproved() -> None:
    report = amun_dp.anonymize(hospital_log(), 0.2, "sampling", public_variants=True).report
    assert "selection-of-variants" not in [line.claim for line in report.guarantees]
    whole = strictest(report.guarantees, Scope.CASE, Relation.REPLACE)
    assert whole.verdict is Verdict.REFUTED  # by the times; the control flow alone would be not proved, by the moves
    assert any("declared variants" in sentence for sentence in report.unprotected)


def test_a_plan_shows_nothing_by_accident() -> None:
    plan = amun_dp.plan(hospital_log(), 0.2)
    assert repr(plan) == "<Plan: advantage 0.2, method filtering, conventions corrected>"


@pytest.mark.parametrize(
    ("method", "expected"), [("filtering", 0.8109), ("sampling", 0.8109), ("oversampling", 0.1777)]
)
def test_each_method_gets_the_article_s_epsilon_for_its_counts(method: Any, expected: float) -> None:
    assert amun_dp.plan(hospital_log(), 0.2, method).control_flow_epsilon == pytest.approx(expected, abs=5e-5)


def test_an_advantage_so_small_that_memory_would_end_is_refused() -> None:
    with pytest.raises(ReleaseError, match="nobody to hide among"):
        amun_dp.anonymize(hospital_log(), 1e-6, "oversampling")
    with pytest.raises(ReleaseError, match="nothing but noise"):  # whoever insists is spared the memory all the same
        amun_dp.anonymize(hospital_log(), 1e-6, "oversampling", allow_too_small=True)
