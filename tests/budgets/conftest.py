"""A steward with a log, and a registry."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounting.registry import Registry
from amun_dp.budgets.spending import open_registry
from amun_dp.synthetic import hospital_log
from tests.budgets.steward import Steward


@pytest.fixture
def steward(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Steward:
    return Steward(tmp_path, capsys)


@pytest.fixture
def log(steward: Steward) -> Path:
    return steward.log(hospital_log(60), "log.csv")


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return open_registry(tmp_path / "registry.sqlite")
