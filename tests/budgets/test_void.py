"""A release of which nobody can have seen anything is given up; any other stays spent."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import amun_dp
from accounting.registry import Declared, NotVoidable, Registry, UnknownRelease, VoidedRelease
from amun_dp.budgets.spending import open_registry, reserve_plan
from amun_dp.cli import main
from amun_dp.errors import BudgetError
from amun_dp.synthetic import hospital_log
from tests.budgets.releases import drawn, release
from tests.budgets.steward import Steward


def interrupted(steward: Steward, log: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: BaseException) -> str:
    def stop(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as context:
        context.setattr(where, stop)
        code, _, err = steward.release(log, "--advantage", 0.3)
    assert code != 0
    return err


def test_ctrl_c_before_anything_was_written_names_the_command_that_gives_it_back(
    steward: Steward, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log was unusable for ever."""
    err = interrupted(steward, log, monkeypatch, "amun_dp.release.article.draw", KeyboardInterrupt())
    command = shlex.split(err[err.index("amun-dp registry void") :].splitlines()[0])
    assert steward.release(log, "--advantage", 0.3)[0] == 1
    assert main(command[1:]) == 0
    assert "is void" in capsys.readouterr().out
    name = steward.only_log()
    for _ in range(2):  # it is shown ever after, and the next release sets the budget anew
        text = steward.run("registry", "show", name)[1]
        assert re.search(r"voided \S+, not counted: interrupted", text)
        (voided,) = [one for one in steward.json("registry", "show", name)["releases"] if one["state"] == "voided"]
        assert voided["void_reason"] == "interrupted"
        steward.release(log, "--advantage", 0.3)
    assert [entry["kind"] for entry in steward.json("registry", "export")["entries"]].count("voided") == 1
    assert "1 voided" in steward.run("registry", "list")[1]
    code, _, err = steward.run("registry", "void", voided["release"], "--reason", "again")
    assert (code, "voided already" in err) == (1, True)


@pytest.mark.parametrize(
    ("where", "error", "why"),
    [
        ("amun_dp.release.save.write_log", KeyboardInterrupt(), "its files were being written"),
        ("amun_dp.release.save.write_log", RuntimeError(), "its files were being written"),
        ("amun_dp.release.article.draw", RuntimeError(), "failed on .* after noise was drawn"),
        ("amun_dp.release.article.check_sampled", amun_dp.errors.ReleaseError("nothing left"), "after noise was drawn"),
    ],
    ids=["interrupted while writing", "failed while writing", "failed", "an empty release"],
)
def test_what_was_begun_to_be_written_or_failed_stays_spent(
    steward: Steward, log: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: BaseException, why: str
) -> None:
    err = interrupted(steward, log, monkeypatch, where, error)
    assert "registry void" not in err  # no advice that cannot work
    (found,) = steward.json("registry", "show", steward.only_log())["releases"]
    assert not found["can_be_voided"]
    code, _, err = steward.run("registry", "void", found["release"], "--reason", "please")
    assert code == 1
    assert re.search(why, err)
    assert steward.release(log, "--advantage", 0.3)[0] == 1


def test_a_published_release_is_never_voided(steward: Steward, log: Path) -> None:
    assert steward.release(log, "--advantage", 0.3)[0] == 0
    (found,) = steward.json("registry", "show", steward.only_log())["releases"]
    code, _, err = steward.run("registry", "void", found["release"][:8], "--reason", "typing error")
    assert code == 1
    assert "anybody may have read it" in err


def test_a_release_in_the_hands_of_a_program_stays_spent(registry: Registry) -> None:
    """Its log can be looked at, and whoever may look and throw away chooses among releases."""
    made = release(registry)
    with pytest.raises(NotVoidable, match="handed to the program"):
        registry.void(made.report.release_id, "I did not like it")


def test_a_release_that_was_voided_is_not_written(registry: Registry, tmp_path: Path) -> None:
    made = drawn(registry)
    registry.void(made.report.release_id, "too slow")
    with pytest.raises(BudgetError, match=r"was voided on .* \(too slow\)") as refusal:
        made.save(tmp_path / "out")
    assert isinstance(refusal.value.__cause__, VoidedRelease)
    assert (
        list(tmp_path.iterdir()) == [registry.path, registry.path.with_suffix(".sqlite.key")]
        or not (tmp_path / "out").exists()
    )
    again = drawn(registry)  # the budget is whole again
    again.save(tmp_path / "out")


def test_an_output_folder_that_cannot_be_used_is_refused_before_the_release_is_exposed(
    registry: Registry, tmp_path: Path
) -> None:
    made = drawn(registry)
    (tmp_path / "file").write_text("")
    with pytest.raises(amun_dp.errors.OutputError):
        made.save(tmp_path / "file")
    assert registry.release(made.report.release_id).can_be_voided


@pytest.mark.parametrize("step", ["check_target", "release_folder", "write_log", "write_public_report"])
def test_voiding_at_any_step_of_writing_either_wins_before_the_first_file_or_is_refused(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    made = drawn(registry)
    outcome: list[bool] = []
    place = "amun_dp.release.made" if step == "check_target" else "amun_dp.release.save"
    module: Any = __import__(place, fromlist=[step])
    real = getattr(module, step)

    def meanwhile(*arguments: Any, **named: Any) -> Any:
        if not outcome:
            try:
                registry.void(made.report.release_id, "meanwhile")
                outcome.append(True)
            except NotVoidable:
                outcome.append(False)
        return real(*arguments, **named)

    monkeypatch.setattr(f"{place}.{step}", meanwhile)
    if step == "check_target":
        with pytest.raises(BudgetError, match="voided"):
            made.save(tmp_path / "out")
    else:
        made.save(tmp_path / "out")
    assert outcome == [step == "check_target"]
    assert (tmp_path / "out").exists() != outcome[0]


def test_an_identifier_that_is_none_and_a_reason_that_is_none_are_wrong_use(
    steward: Steward, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert steward.release(log, "--advantage", 0.3)[0] == 0
    code, _, err = steward.run("registry", "void", "zz", "--reason", "x")
    assert (code, "No release of the registry" in err) == (2, True)
    for reason in ("", "  ", "x" * 501, "\x1b[2J"):
        with pytest.raises(SystemExit) as stop:
            steward.run("registry", "void", "zz", "--reason", reason)
        assert stop.value.code == 2
    capsys.readouterr()


def test_of_two_releases_with_one_beginning_none_is_meant(tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "r")
    for name in ("aa1", "aa2"):
        reserve_plan(registry, amun_dp.plan(hospital_log(20), 0.3, releases=3), name, declared=Declared())
    with pytest.raises(UnknownRelease, match="2 releases"):
        registry.void("aa", "which?")
    registry.void("aa1", "this one")
    (log,) = registry.logs()
    assert [one.counts for one in log.releases] == [False, True]
    assert log.budget is not None  # a release that counts still needs it


def test_what_was_cleaned_away_is_noted_once_and_stays_spent(tmp_path: Path) -> None:
    registry = open_registry(tmp_path / "r")
    reserve_plan(registry, amun_dp.plan(hospital_log(20), 0.3), "aa1", declared=Declared())
    spent = registry.logs()[0].spent
    assert registry.release("aa1").can_be_voided
    found = registry.clean("aa1")
    assert registry.clean("aa1") == found  # twice is once
    assert [entry.kind for entry in registry.entries()].count("cleaned") == 1
    assert not found.can_be_voided
    assert registry.logs()[0].spent == spent
    with pytest.raises(NotVoidable, match="were removed on"):
        registry.void("aa1", "nobody saw it, I think")
    with pytest.raises(UnknownRelease):
        registry.clean("bb")


def test_of_a_release_that_is_in_place_or_voided_nothing_is_noted_when_an_old_copy_is_cleaned_away(
    tmp_path: Path,
) -> None:
    registry = open_registry(tmp_path / "r")
    for name in ("aa1", "bb1"):
        reserve_plan(registry, amun_dp.plan(hospital_log(20), 0.3, releases=3), name, declared=Declared())
    registry.confirm("aa1", [])
    registry.void("bb1", "interrupted")
    for name in ("aa1", "bb1"):
        assert registry.clean(name).cleaned_at is None
    assert [entry.kind for entry in registry.entries()].count("cleaned") == 0
