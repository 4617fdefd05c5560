"""Format numbers: raised when what they stand for changes; and releases of older formats are judged."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from accounting.accountant import public_account
from accounting.guarantee import Relation, Scope, Verdict
from accounting.quantities import Epsilon
from amun_dp._base import software
from amun_dp.report import formats
from amun_dp.report.public_report import PublicReport
from amun_dp.verification import Judgement, Name, Outcome, verify
from amun_dp.verification.folder.contents import contents_of
from amun_dp.verification.report import report_checks
from amun_dp.writing.packing import packer
from tests.golden.make_formats import GOLDEN, RELEASES, golden_files
from tests.verification import forging
from tests.verification.releases import Shelf, checked, outcome

OLD = GOLDEN / "schema-2"


@pytest.mark.parametrize("kind", ["schema", "page", "drawing"])
def test_what_a_format_number_stands_for_has_not_changed(kind: str) -> None:
    wrong = [
        name
        for name, content in golden_files().items()
        if name.startswith(kind) and (GOLDEN / "formats" / name).read_bytes() != content
    ]
    assert not wrong, (
        f"{', '.join(wrong)} changed. If a version with this number was published, raise {kind.upper()} in "
        "amun_dp/report/formats.py; then run python -m tests.golden.make_formats (--open if none was), and look at the "
        "change."
    )


def copied(name: str, to: Path) -> Path:
    shutil.copytree(OLD / name, to)
    if (to / "internal").exists():  # git keeps no access rights
        (to / "internal").chmod(0o700)
        for path in (to / "internal").iterdir():
            path.chmod(0o600)
    return to


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_of_schema_2_is_judged(name: str, tmp_path: Path) -> None:
    found = checked(copied(name, tmp_path / "release"))
    assert found.failed == () and found.outcome is Judgement.NOT_JUDGED  # nobody here saw what is on its page
    assert {Name.TEXTS, Name.PAGE} <= {check.name for check in found.unchecked}
    for judged in (Name.FORMATS, Name.MECHANISMS, Name.ATTRIBUTES, Name.FIGURES, Name.HASHES):
        assert outcome(found, judged) is Outcome.PASSED
    assert any("schema 2" in note for note in found.notes)


def test_a_demand_on_a_release_of_schema_2_could_not_be_judged_unless_it_is_clearly_not_met(tmp_path: Path) -> None:
    folder = copied("generated", tmp_path / "release")
    assert verify(folder, require=["case:0.2"]).outcome is Judgement.NOT_JUDGED
    assert verify(folder, require=["case:0.1"]).outcome is Judgement.FAILED


def test_a_release_of_schema_2_that_was_changed_fails(tmp_path: Path) -> None:
    folder = copied("generated", tmp_path / "release")
    data = forging.report_in(folder)
    data["mechanisms"][3]["parameters"]["scale"] = {"float": (1e9).hex()}
    forging.write_report(folder, data)
    assert Name.MECHANISMS in {check.name for check in checked(folder).failed}


def test_an_old_report_that_states_more_than_is_derived_today_is_not_believed(tmp_path: Path) -> None:
    """As where the accountant of then derived a bound for individuals that does not follow."""
    folder = copied("generated", tmp_path / "release")
    data = forging.report_in(folder)
    for line in data["guarantees"]:
        if line["claim"] == "whole-release":
            line["epsilon"] = 0.01
    forging.write_report(folder, data)
    found = checked(folder)
    assert found.failed == ()
    assert outcome(found, Name.GUARANTEES) is Outcome.NOT_CHECKED
    assert any("states ε 0.01 about one case" in note and "derives ε 0.8" in note for note in found.notes)


def test_an_old_bound_that_is_derived_no_more_is_noted() -> None:
    read = report_checks.read_report(contents_of(OLD / "threshold"))[0]
    without = tuple(
        replace(line, epsilon=Epsilon(None), verdict=Verdict.NOT_PROVED) if line.scope is Scope.CASE else line
        for line in public_account(read.report.mechanisms)
        if line.relation is Relation.REPLACE or line.scope is not Scope.CASE
    )
    notes = report_checks.states_more(replace(read, derived=without))
    assert any("about one case (replace)" in note and "derives none" in note for note in notes)


def test_a_report_carries_its_formats_and_what_made_it(shelf: Shelf) -> None:
    data = forging.report_in(shelf.kept())
    assert data["formats"] == {"schema": 3, "page": formats.PAGE, "drawing": formats.DRAWING, "packing": packer()}
    assert list(data["software"]) == [name for name in software.ORDER if name in data["software"]]
    assert PublicReport.from_dict(data).formats == data["formats"]


def test_the_commit_is_read_from_a_copy_of_the_repository(tmp_path: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    assert software.checked_out_commit(tmp_path) is None
    place = tmp_path / ".git"
    place.mkdir()
    (place / "HEAD").write_text(f"{commit}\n")
    assert software.checked_out_commit(tmp_path) == commit
    (place / "HEAD").write_text("ref: refs/heads/main\n")
    assert software.checked_out_commit(tmp_path) is None
    (place / "packed-refs").write_text(f"# pack-refs\n{commit} refs/heads/main\n")
    assert software.checked_out_commit(tmp_path) == commit
    further = tmp_path / "further"
    (place / "worktrees" / "one").mkdir(parents=True)
    further.mkdir()
    (further / ".git").write_text(f"gitdir: {place / 'worktrees' / 'one'}\n")
    (place / "worktrees" / "one" / "HEAD").write_text("ref: refs/heads/main\n")
    (place / "worktrees" / "one" / "commondir").write_text("../..\n")
    assert software.checked_out_commit(further) == commit
