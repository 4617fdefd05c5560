"""A demanded guarantee is met by a proof, and by nothing less."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from accounting.events import LaplaceCount, PostProcessing, PrivacyEvent, Sequential
from accounting.guarantee import Scope
from accounting.publication import public_tree
from amun_dp.errors import ParameterError
from amun_dp.verification import Judgement, Name, Outcome, Part, Requirement, verify
from amun_dp.verification.checks import Fault, NotPossible
from amun_dp.verification.folder.contents import contents_of
from amun_dp.verification.report import report_checks
from amun_dp.verification.report.requirements import required, requirement
from tests.verification import forging
from tests.verification.releases import ADVANTAGE, Shelf, certified, checked, failing, made, outcome


def outside(folder: Path, *mechanisms: PrivacyEvent) -> Path:
    """A release by a method from outside the package that records these mechanisms and nothing else."""
    release = made("sampling")
    report = replace(release.report, method="outside", mechanisms=public_tree(Sequential(mechanisms)))
    replace(release, report=report).save(folder)
    shutil.rmtree(folder / "internal")  # it tells of the method that really made the log
    return folder


def test_a_proved_bound_meets_the_demand(shelf: Shelf) -> None:
    found = verify(shelf.kept(method="certified"), require=[f"case:{ADVANTAGE}", "case:0.9"])
    assert found.failed == ()
    demanded = [check for check in found.checks if check.name is Name.REQUIRED]
    assert [check.outcome for check in demanded] == [Outcome.PASSED] * 2
    assert "advantage 0.5 " in demanded[0].detail
    assert "exact sampler" in demanded[0].detail


def test_a_smaller_advantage_than_is_proved_is_not_met(shelf: Shelf) -> None:
    found = verify(shelf.kept(method="certified"), require=["case:0.487"])
    assert {check.name for check in found.failed} == {Name.REQUIRED}


def test_a_release_that_fails_another_check_meets_no_demand(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", method="certified")
    (folder / "original.csv").write_text("x")
    assert {check.name for check in verify(folder, require=["case:0.5"]).failed} == {Name.FILES, Name.REQUIRED}


def test_a_demand_is_not_met_without_the_proofs_that_it_rests_on(shelf: Shelf) -> None:
    found = verify(shelf.kept(method="certified"), require=["case:0.5"], prove=False)
    assert found.outcome is Judgement.NOT_JUDGED and not found.failed
    assert "claims against prove" in next(check.detail for check in found.checks if check.name is Name.REQUIRED)


@pytest.mark.parametrize("free", [PostProcessing("the whole log", "as it is"), LaplaceCount(4.0, 1, 1)])
def test_no_method_that_is_not_known_meets_a_demand(free: PrivacyEvent, tmp_path: Path) -> None:
    """Whatever it records: nobody here can say what it should have recorded."""
    folder = outside(tmp_path / "release", free)
    found = verify(folder, require=["case:0.9", "individual:0.9"])
    assert not found.passed and "individual" in " ".join(check.detail for check in found.checks)
    assert outcome(found, Name.MECHANISMS) is Outcome.NOT_CHECKED
    for check in found.checks:
        if check.name is Name.REQUIRED and check.outcome is Outcome.NOT_CHECKED:
            assert Name.MECHANISMS.value in check.detail


def test_a_message_in_the_records_of_a_method_that_is_not_known_does_not_pass(tmp_path: Path) -> None:
    """Report and page repeat what such a method records, and nobody here can say that it should not."""
    folder = outside(tmp_path / "release", PostProcessing("the original", "p17,A,2020-01-01\n" * 100))
    found = checked(folder)
    assert not found.failed and found.outcome is Judgement.NOT_JUDGED
    assert any("recorded mechanisms say" in sentence for sentence in found.undetectable)


def test_a_demand_rests_on_every_check_of_the_release(shelf: Shelf) -> None:
    found = verify(shelf.kept(method="certified"), require=["case:0.5"])
    read = report_checks.read_report(contents_of(shelf.kept(method="certified")))[0]
    made_checks = [check for check in found.checks if check.name is not Name.REQUIRED]
    assert required(requirement("case:0.5"), read, made_checks)
    for name in (name for name in Name if name.part is Part.RELEASE):
        for left_open in (Outcome.NOT_CHECKED, Outcome.TOLD, Outcome.FAILED):
            checks = [replace(each, outcome=left_open) if each.name is name else each for each in made_checks]
            with pytest.raises(Fault if left_open is Outcome.FAILED else NotPossible, match=name.value[:20]):
                required(requirement("case:0.5"), read, checks)


@pytest.mark.slow
def test_an_approximate_bound_meets_a_demand_only_within_its_probability(tmp_path: Path) -> None:
    certified("threshold").save(tmp_path / "release")
    assert verify(tmp_path / "release", require=["case:0.5"]).failed == ()
    for too_much in ("case:0.5:0", "case:0.5:1e-9"):
        assert [check.name for check in verify(tmp_path / "release", require=[too_much]).failed] == [Name.REQUIRED]


@pytest.mark.parametrize("scope", ["cell", "event", "case", "individual"])
@pytest.mark.parametrize("method", ["filtering", "sampling", "oversampling"])
def test_the_article_s_methods_meet_no_demand_for_the_whole_release(method: str, scope: str, shelf: Shelf) -> None:
    assert failing(shelf.kept(method=method), require=[f"{scope}:0.999"]) == {Name.REQUIRED}


def test_a_stated_guarantee_that_does_not_follow_meets_no_demand(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    data = forging.report_in(folder)
    for line in data["guarantees"]:
        line |= {"verdict": "proved", "epsilon": 0.01, "advantage": 0.0025, "bounded": True, "withheld": False}
    forging.reseal(folder, data)
    assert Name.REQUIRED in failing(folder, require=["case:0.3"])


def test_a_demand_on_an_unreadable_report_is_not_met(tmp_path: Path) -> None:
    assert outcome(verify(tmp_path, require=["case:0.3"]), Name.REQUIRED) is Outcome.FAILED


def test_demands_are_written_as_scope_and_advantage() -> None:
    assert requirement("case:0.3") == Requirement(Scope.CASE, 0.3)
    assert requirement("individual:0.25:1e-6") == Requirement(Scope.INDIVIDUAL, 0.25, 1e-6)
    assert requirement(Requirement(Scope.EVENT, 0.1)) == Requirement(Scope.EVENT, 0.1)


@pytest.mark.parametrize(
    "text", ["case", "case:", "case:0", "case:1", "case:nan", "person:0.3", "case:0,3", "case:0.3:1:2"]
)
def test_what_is_no_demand_is_refused(text: str, shelf: Shelf) -> None:
    with pytest.raises(ParameterError, match="SCOPE:ADVANTAGE"):
        checked(shelf.kept(), require=[text])
