"""``from accounting import …``: every public name, and nothing that is not asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import accounting


def test_every_name_that_is_offered_is_there_and_is_what_its_module_has() -> None:
    home = {name: module for module, names in accounting._HOME.items() for name in names}
    assert sorted(accounting.__all__) == sorted(home)
    for name, module in home.items():
        assert getattr(accounting, name) is getattr(import_module(f"accounting.{module}"), name)
    assert dir(accounting) == sorted(accounting.__all__)


def test_a_wrong_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        accounting.nonsense  # type: ignore[attr-defined]  # noqa: B018 -- that it does not type-check is meant


def test_one_module_does_not_bring_the_others_along() -> None:
    program = (
        "import sys, accounting.arrow; print(sorted(name for name in sys.modules if name.startswith('accounting')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['accounting', 'accounting.arrow']"
