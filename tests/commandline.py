"""Running the command line in a test."""

from __future__ import annotations

import re

import pytest

from amun_dp._base.options import OPTIONS
from amun_dp.cli import main

SECRET = "Jane Doe 4711"
"""A value of a row: it must not show in any message."""
_PYTHON = re.compile(rf"`(?:{'|'.join(OPTIONS)})`|(?<![\w-])(?:{'|'.join(OPTIONS)})=(?!=)")


def assert_in_flags(*texts: str) -> None:
    """Whatever the command line prints, options are flags there, and never spelled as in Python."""
    for text in texts:
        assert _PYTHON.search(text) is None, text


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command. ``anonymize`` without a word about a registry records nothing: these tests release one made-up log
    again and again. Budgets are tested in tests/budgets."""
    if "anonymize" in arguments and not {"--registry", "--no-registry"} & set(arguments):
        arguments = (*arguments, "--no-registry")
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    assert_in_flags(captured.out, captured.err)
    return code, captured.out, captured.err


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """A refusal: exit code 2, one paragraph on standard error, nothing on standard output, no traceback."""
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert SECRET not in err
    paragraph = [line for line in err.splitlines() if not line.startswith("amun-dp: note:")]
    assert len(paragraph) == 1
    return paragraph[0]
