"""The Coq core is about the shipped functions."""

from __future__ import annotations

import os
import shutil

import pytest

pytest.importorskip("sympy")

from proofs.coqcore import DEFINITIONS, DIRECTORY, definitions
from proofs.registry import checkers, run


def test_the_committed_definitions_are_those_of_the_shipped_functions() -> None:
    assert DEFINITIONS.read_text(encoding="utf-8") == definitions(), "run: python -m proofs.coqcore"


def test_no_proof_is_left_out() -> None:
    for path in DIRECTORY.glob("*.v"):
        text = path.read_text(encoding="utf-8")
        assert not any(word in text for word in ("Admitted", "admit", "Axiom", "Parameter", "Hypothesis")), path.name


@pytest.mark.slow
def test_coq_accepts_the_core() -> None:
    if shutil.which("coqc") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("coqc is missing; .ci/run installs Debian's package coq")
        pytest.skip("coqc is not installed (Debian package coq)")
    found = [run(one) for one in checkers() if one.tool == "coq"]
    assert found
    assert all(outcome.agrees and not outcome.skipped for outcome in found)
