"""``amun-dp prove``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

pytest.importorskip("sympy")

from accounting.guarantee import Verdict
from amun_dp.cli.prove import add_parser
from amun_dp.errors import ParameterError
from proofs import registry


def prove(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    options = parser.parse_args(["prove", *arguments])
    code: int = options.run(options)
    return code


def test_it_prints_a_table_and_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove("--only", "worst-prior", "count-table", "unknown-step") == 0
    printed = capsys.readouterr().out
    assert "worst-prior" in printed
    assert "refuted" in printed
    assert "By argument only (docs/claims.md says why): unknown-step." in printed
    assert "all find the recorded verdict" in printed


def test_it_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove("--json", "--only", "worst-prior") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["agree"] is True
    assert {outcome["found"] for outcome in result["outcomes"]} <= {"proved", "skipped"}


def test_a_differing_verdict_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = registry.Checker("count-table", "exact", Verdict.PROVED, lambda subject: "a wrong proof")
    monkeypatch.setattr(registry, "_CHECKERS", [wrong])
    assert prove("--only", "count-table") == 1
    assert "DIFFERS: count-table" in capsys.readouterr().out


def test_a_failed_check_is_exit_code_1(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(subject: object) -> str:
        raise registry.CheckFailed("as it should")

    monkeypatch.setattr(registry, "_CHECKERS", [registry.Checker("copies", "exact", Verdict.NOT_PROVED, fails)])
    assert prove("--only", "copies") == 1  # "not proved" is no excuse for a check that fails
    assert "check failed" in capsys.readouterr().out


def test_a_missing_solver_is_said_plainly(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.TOOLS, "cvc5", "no_such_solver")
    monkeypatch.setitem(registry.TOOLS, "flint", "no_such_library")
    assert prove("--only", "worst-prior", "numeric-loss") == 0
    printed = capsys.readouterr().out
    assert "Skipped: 1 checkers, because cvc5 is not installed (pip install amun-dp[proofs])." in printed
    assert "Not checked at all here, for want of solvers: numeric-loss." in printed


def test_without_sympy_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amun_dp.cli.prove.find_spec", lambda name: None)
    with pytest.raises(ParameterError, match=r"pip install amun-dp\[proofs\]"):
        prove()


def test_an_unknown_claim_is_refused() -> None:
    with pytest.raises(ParameterError, match="no claim called 'nonsense'"):
        prove("--only", "nonsense")


def test_the_questions_to_the_solvers_are_exported(tmp_path: Path) -> None:
    assert prove("--only", "count-table", "--export-smtlib", str(tmp_path / "queries")) == 0
    assert len(list((tmp_path / "queries").glob("*.smt2"))) >= 30
