"""The report that entries are made of."""

from __future__ import annotations

import pytest

import amun_dp
from amun_dp.generator import hospital_log
from amun_dp.report import PublicReport


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> PublicReport:
    folder = tmp_path_factory.mktemp("release") / "out"
    return amun_dp.anonymize(hospital_log(cases=60), 0.2, "sampling").save(folder, format="csv")
