"""The report that entries are made of."""

from __future__ import annotations

import pytest

import amun_dp
from amun_dp.report.public_report import PublicReport
from amun_dp.synthetic import hospital_log


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> PublicReport:
    folder = tmp_path_factory.mktemp("release") / "out"
    return amun_dp.anonymize(hospital_log(cases=60), 0.2, "sampling").save(folder, format="csv")
