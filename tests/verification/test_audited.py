"""``verify --audit``: the mechanism that a report names is attacked."""

from __future__ import annotations

from pathlib import Path

import pytest

import amun_dp
from amun_dp.auditing.experiment import FEWEST_RUNS
from amun_dp.verification import Name, Outcome, verify
from tests.certified.cases import ordinary_cases, with_individuals
from tests.commandline import run
from tests.verification import forging
from tests.verification.releases import Shelf


@pytest.fixture(autouse=True)
def a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same experiment each time: a fresh one would fail by chance with up to 5 %."""
    monkeypatch.setattr("amun_dp.auditing.run.fresh_seed", lambda: 11)


def audited(folder: Path) -> tuple[Outcome, str]:
    found = verify(folder, prove=False, audit_runs=FEWEST_RUNS)
    [check] = [each for each in found.checks if each.name is Name.AUDIT]
    return check.outcome, check.detail


def test_claims_that_are_recorded_as_not_holding_may_break(shelf: Shelf) -> None:
    outcome, detail = audited(shelf.kept("xes", "sampling"))
    assert outcome is Outcome.PASSED
    assert "recorded as not holding" in detail
    assert "selection-of-variants" in detail
    assert "count-cell" not in detail


def test_without_being_asked_nothing_is_audited(shelf: Shelf) -> None:
    names = [each.name for each in verify(shelf.kept("xes", "sampling"), prove=False).checks]
    assert Name.AUDIT not in names


def test_a_claim_that_is_recorded_as_proved_must_not_break(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same release, checked by software whose counts have a quarter of their noise."""
    monkeypatch.setattr("amun_dp.mechanisms.laplace_count.count_scale", lambda epsilon: 0.25 / epsilon)
    outcome, detail = audited(shelf.kept("xes", "sampling"))
    assert outcome is Outcome.FAILED
    assert "count-cell is recorded as proved under assumptions and is broken" in detail


def test_a_method_from_elsewhere_is_not_audited(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", "xes", "sampling", False)
    data = forging.report_in(folder)
    data["method"] = "elsewhere"
    forging.reseal(folder, data)
    assert audited(folder)[0] is Outcome.NOT_CHECKED


def test_individuals_cannot_be_audited_without_knowing_who_they_are(tmp_path: Path) -> None:
    log = with_individuals(ordinary_cases(60), [number // 2 for number in range(60)])
    release = amun_dp.anonymize(
        log, 0.9, "certified", variants="generated", scope="individual", max_cases_per_individual=2
    )
    release.save(tmp_path / "release")
    assert audited(tmp_path / "release")[0] is Outcome.NOT_CHECKED


def test_a_report_that_cannot_be_read_is_not_audited(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", "xes", "sampling", False)
    (folder / "report.json").write_text("{", encoding="utf-8")
    assert audited(folder)[0] is Outcome.NOT_CHECKED


def test_the_command_has_a_line_for_it(
    shelf: Shelf, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    code, out, _ = run(capsys, "verify", shelf.kept("xes", "sampling"), "--no-prove", "--audit", FEWEST_RUNS)
    assert code == 0
    assert "By attack (confidential):" in out
    assert "audit of the mechanism" in out


def test_too_few_runs_are_refused_and_do_not_pass(shelf: Shelf) -> None:
    found = verify(shelf.kept("xes", "sampling"), prove=False, audit_runs=3)
    assert [each.outcome for each in found.checks if each.name is Name.AUDIT] == [Outcome.FAILED]
