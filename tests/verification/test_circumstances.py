"""What cannot be checked is said, and never counted as passed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from accounting.guarantee import Verdict
from amun_dp.methods import method_named, register_method, unregister_method
from amun_dp.verification import Name, Outcome, Part, claims, logs, reports, verify
from amun_dp.verification.limits import undetectable
from tests.verification import forging
from tests.verification.broken_logs import hidden_in_parquet
from tests.verification.releases import Shelf, checked, failed_in, failing, made, outcome


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of this software is installed than the one that made the release."""
    monkeypatch.setattr(reports, "software_versions", lambda: {"amun-dp": "99.0"})


@pytest.mark.usefixtures("elsewhere")
def test_a_release_of_another_version_fails_because_not_all_of_it_can_be_checked(shelf: Shelf) -> None:
    found = checked(shelf.kept(), with_original=True)
    assert failed_in(found) == {Name.VERSION}
    assert "pip install amun-dp==" in found.failed[0].detail
    unchecked = {check.name for check in found.checks if check.outcome is Outcome.NOT_CHECKED}
    assert unchecked == {Name.TEXTS, Name.BYTES, Name.PAGE, Name.CLAIMS}


@pytest.mark.usefixtures("elsewhere")
def test_of_another_version_the_figures_are_checked_all_the_same(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    data = forging.report_in(folder)
    data["guarantees"][0]["why"] = "because"
    forging.reseal(folder, data)
    assert failing(folder) == {Name.VERSION}
    data["guarantees"][0]["epsilon"] = 1e-3
    forging.reseal(folder, data)
    assert failing(folder) == {Name.VERSION, Name.GUARANTEES}


def test_without_the_tools_of_proof_claims_are_not_checked(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "find_spec", lambda name: None)
    assert outcome(verify(shelf.kept()), Name.CLAIMS) is Outcome.NOT_CHECKED


def test_a_proof_that_finds_another_verdict_fails_every_release(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = claims._outcomes

    def doubted(name: str) -> tuple[object, ...]:
        found = genuine(name)
        return tuple(replace(each, verdict=Verdict.PROVED) for each in found) if name == "event-time" else found

    monkeypatch.setattr(claims, "_outcomes", doubted)
    found = verify(shelf.kept())
    assert failed_in(found) == {Name.CLAIMS}
    assert "event-time" in found.failed[0].detail


def test_a_claim_that_no_solver_here_can_check_is_not_checked(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = claims._outcomes

    def idle(name: str) -> tuple[object, ...]:
        return tuple(replace(each, skipped=name == "event-time") for each in genuine(name))

    monkeypatch.setattr(claims, "_outcomes", idle)
    assert outcome(verify(shelf.kept()), Name.CLAIMS) is Outcome.NOT_CHECKED


def test_an_outside_method_is_held_to_its_own_records_only(tmp_path: Path) -> None:
    register_method(replace(method_named("sampling"), name="outside"))
    try:
        made("outside").save(tmp_path / "release")
    finally:
        unregister_method("outside")
    found = checked(tmp_path / "release", with_original=True)
    assert found.failed == ()
    assert outcome(found, Name.MECHANISMS) is Outcome.NOT_CHECKED
    assert outcome(found, Name.PLAN) is Outcome.NOT_CHECKED
    assert outcome(found, Name.R1) is Outcome.PASSED
    assert outcome(found, Name.EQUAL_TIMES) is Outcome.TOLD


def test_new_variants_are_told_of_a_method_that_does_not_exclude_them(shelf: Shelf) -> None:
    found = checked(shelf.kept(method="certified"), with_original=True)
    assert found.failed == ()
    assert outcome(found, Name.R1) is Outcome.TOLD


def test_of_another_arrow_the_bytes_are_not_checked_and_the_release_does_not_fail(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", "parquet", internal=False)
    hidden_in_parquet(folder, b"")
    found = checked(folder)
    assert found.failed == ()
    assert outcome(found, Name.BYTES) is Outcome.NOT_CHECKED
    assert "install that pyarrow" in next(check.detail for check in found.checks if check.name is Name.BYTES)


def test_a_check_that_breaks_off_has_failed(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("patient-0001")

    monkeypatch.setattr(logs, "find_variants", broken)
    found = checked(shelf.kept())
    assert failed_in(found) == {Name.FIGURES}
    assert "ZeroDivisionError" in found.failed[0].detail
    assert "patient" not in found.failed[0].detail
    monkeypatch.setenv("AMUN_DP_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        checked(shelf.kept())


def test_the_list_of_what_is_not_seen_shrinks_with_what_is_at_hand(shelf: Shelf, tmp_path: Path) -> None:
    alone, with_original, with_both = undetectable(False, False), undetectable(True, False), undetectable(True, True)
    assert len(alone) > len(with_original) > len(with_both) > 4
    assert any("drawn at the recorded scales" in sentence for sentence in alone)
    assert not any("drawn at the recorded scales" in sentence for sentence in with_both)
    assert any("seeded generator" in sentence for sentence in with_both)
    assert any("counts got all of their noise" in sentence for sentence in with_both)
    assert any("owners" in sentence for sentence in with_both)
    assert any("hardly moved" in sentence for sentence in with_original)
    folder = shelf.copy(tmp_path / "release", internal=False)
    assert checked(folder).undetectable == alone
    assert checked(folder, with_original=True).undetectable == with_original
    assert checked(shelf.kept(), with_original=True).undetectable == with_both
    unplanned = checked(shelf.kept(method="certified"), with_original=True).undetectable
    assert any("noise drawn at their scales" in sentence for sentence in unplanned)


def test_every_check_belongs_to_a_part_and_is_named_once() -> None:
    assert [name.part for name in Name] == sorted((name.part for name in Name), key=list(Part).index)
    assert len({name.value for name in Name}) == len(Name)
