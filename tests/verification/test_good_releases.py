"""Releases that are in order pass, whatever the method, the conventions and the format."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import amun_dp
from amun_dp._base.units import MINUTE
from amun_dp.release.certified import carry_out_certified
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from amun_dp.verification import Name, Outcome, Part, verify
from tests.release.test_release import METHODS
from tests.verification.releases import Repeatable, Shelf, certified, checked, made, original, outcome


@pytest.mark.parametrize("format", ["xes", "csv", "parquet"])
@pytest.mark.parametrize("conventions", ["corrected", "article"])
@pytest.mark.parametrize("method", METHODS)
def test_a_good_release_passes_every_check(method: Any, conventions: str, format: str, shelf: Shelf) -> None:
    found = checked(shelf.kept(format, method, conventions), with_original=True)
    assert {check.name for check in found.checks if check.outcome is Outcome.NOT_CHECKED} == {Name.CLAIMS}
    told = {check.name for check in found.checks if check.outcome is Outcome.TOLD}
    # Of so small a log at so large an advantage the two-sided noise on counts could be none by chance.
    assert told == {Name.LINKAGE} | ({Name.COUNT_SIZE} if method != "oversampling" else set())
    assert found.failed == ()
    assert {check.name for check in found.checks} == set(Name) - {Name.REQUIRED, Name.AUDIT}
    assert found.passed


@pytest.mark.parametrize("format", ["xes", "csv", "parquet"])
def test_a_good_certified_release_passes(format: str, shelf: Shelf) -> None:
    found = checked(shelf.kept(format, "certified"), with_original=True)
    assert found.failed == ()
    assert {check.name for check in found.checks if check.name.part is Part.RELEASE} - {
        check.name for check in found.checks if check.outcome is Outcome.PASSED
    } == {Name.CLAIMS}


@pytest.mark.parametrize("form", ["threshold", "public"])
def test_a_good_certified_release_of_every_form_passes(form: Any, tmp_path: Path) -> None:
    certified(form).save(tmp_path / "release")
    assert checked(tmp_path / "release").failed == ()


def test_a_certified_release_about_individuals_passes(tmp_path: Path) -> None:
    log = replace(original(), individual=np.arange(original().n_cases) // 2)
    planned = amun_dp.plan(
        log, 0.9, "certified", variants="generated", scope="individual", max_cases_per_individual=2, releases=2
    )
    carry_out_certified(planned, Repeatable(11)).save(tmp_path / "release")
    assert verify(tmp_path / "release", log, prove=False).failed == ()


@pytest.mark.slow
def test_the_proofs_behind_the_claims_are_run_unless_told_not_to(shelf: Shelf) -> None:
    found = verify(shelf.kept())
    assert outcome(found, Name.CLAIMS) is Outcome.PASSED


def test_a_release_without_its_internal_part_passes_and_says_what_was_not_checked(shelf: Shelf, tmp_path: Path) -> None:
    found = checked(shelf.copy(tmp_path / "release", internal=False))
    assert found.passed
    assert not found.notes
    assert not found.confidential
    inside = [check for check in found.checks if check.name.part is Part.INTERNAL]
    assert inside and all(
        check.outcome is Outcome.NOT_CHECKED and "no internal part" in check.detail for check in inside
    )


def test_the_original_without_the_ledger_checks_what_it_can(shelf: Shelf, tmp_path: Path) -> None:
    found = checked(shelf.copy(tmp_path / "release", internal=False), with_original=True)
    assert found.passed
    assert found.confidential
    done = {
        check.name for check in found.checks if check.name.part is Part.ORIGINAL and check.outcome is Outcome.PASSED
    }
    assert done == {
        Name.PLAN, Name.DECLARED, Name.R1, Name.KEPT, Name.SURVIVING_IDS, Name.TIME_FRAME, Name.EQUAL_TIMES
    }  # fmt: skip
    assert "nothing is declared" in next(check.detail for check in found.checks if check.name is Name.DECLARED)
    assert outcome(found, Name.COUNT_SIZE) is Outcome.TOLD
    assert "only exact equality" in next(check.detail for check in found.checks if check.name is Name.EQUAL_TIMES)


@pytest.mark.parametrize("conventions", ["corrected", "article"])
@pytest.mark.parametrize("method", METHODS)
def test_the_original_alone_raises_no_false_alarm(method: Any, conventions: str, shelf: Shelf, tmp_path: Path) -> None:
    shutil.copytree(shelf.kept("csv", method, conventions), tmp_path / "release")
    shutil.rmtree(tmp_path / "release" / "internal")
    found = checked(tmp_path / "release", with_original=True)
    assert found.failed == ()
    assert outcome(found, Name.EQUAL_TIMES) is Outcome.PASSED


def test_the_internal_part_is_noted_as_not_to_be_published(shelf: Shelf) -> None:
    assert any("do not publish" in note for note in checked(shelf.kept()).notes)


@pytest.mark.parametrize(
    "choices",
    [
        {"releases": 3},
        {"max_cases_per_individual": 2, "releases": 2},
        {"scope": "case", "max_case_length": 30},
        {"public_variants": True},
        {"max_case_length": 30, "max_cases_per_individual": 4},
    ],
    ids=str,
)
def test_a_good_release_with_declared_facts_passes(choices: dict[str, Any], tmp_path: Path) -> None:
    made("sampling", **choices).save(tmp_path / "release")
    assert checked(tmp_path / "release", with_original=True).failed == ()


def test_individuals_taken_from_the_log_are_checked_with_the_same_column(tmp_path: Path) -> None:
    log = replace(original(), individual=np.arange(original().n_cases) // 3)
    made("sampling", log=log).save(tmp_path / "release")
    assert verify(tmp_path / "release", log, prove=False).failed == ()
    without = verify(tmp_path / "release", original(), prove=False)
    assert outcome(without, Name.PLAN) is Outcome.NOT_CHECKED
    assert without.failed == ()


def test_conventions_of_one_s_own_pass_under_a_name_of_their_own(tmp_path: Path) -> None:
    rules = replace(amun_dp.CORRECTED, name="custom", window=MINUTE)
    amun_dp.anonymize(original(), 0.3, "sampling", rules).save(tmp_path / "release")
    assert checked(tmp_path / "release", with_original=True).failed == ()


def test_another_log_than_the_original_fails(shelf: Shelf) -> None:
    found = verify(shelf.kept(), hospital_log(cases=80, seed=2), prove=False)
    assert {check.name for check in found.failed} >= {Name.ORIGINS}


def test_noise_of_the_real_source_passes(tmp_path: Path) -> None:
    """Chance decides here: by the stated bounds it fails with a probability below 5·10⁻⁹ a release."""
    for number, method in enumerate(METHODS):
        folder = tmp_path / str(number)
        amun_dp.anonymize(original(), 0.3, method).save(folder)
        assert checked(folder, with_original=True).failed == ()


@pytest.mark.slow
def test_a_large_log_takes_seconds(tmp_path: Path) -> None:
    """A twin of the tests on real logs; the bound is generous, what it excludes is a quadratic step."""
    log = generate_log(LogShape(cases=4_000, variants=300, activities=12, mean_length=9, max_length=60, seed=3))
    amun_dp.anonymize(log, 0.2, "sampling").save(tmp_path / "release")
    begin = time.process_time()
    assert verify(tmp_path / "release", log, prove=False).failed == ()
    assert time.process_time() - begin < 30


@pytest.mark.real_logs
@pytest.mark.parametrize("method", METHODS)
def test_releases_of_sepsis_pass(method: Any, real_logs: Path, tmp_path: Path) -> None:
    log = amun_dp.read_log(real_logs / "Sepsis.xes.gz")
    amun_dp.anonymize(log, 0.2, method).save(tmp_path / "release")
    begin = time.process_time()
    assert verify(tmp_path / "release", log, prove=False).failed == ()
    assert time.process_time() - begin < 30
    shutil.rmtree(tmp_path / "release" / "internal")
    assert verify(tmp_path / "release", log, prove=False).failed == ()
