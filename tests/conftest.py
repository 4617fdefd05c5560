"""Shared by all tests: where the real logs are, and what a skip means."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log
from tests.properties import PROFILE, QUICK

# Derandomised so that a run's verdict depends on the code alone; HYPOTHESIS_PROFILE=default explores further.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # by the clock
)
settings.register_profile("quick", settings.get_profile("fixed"), max_examples=QUICK)
settings.load_profile(PROFILE)
if PROFILE in ("fixed", "quick"):
    # It tries constants that it finds in modules of ours that happen to be imported: which are, the schedule decides.
    providers._get_local_constants = lambda: providers._local_constants

# A shell starts what it runs in the background with Ctrl-C ignored, and processes hand that on: those of the tests that
# are interrupted would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


SLOW_FOLDERS = ("tests/spark/",)
"""Every session of Spark takes long to start."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is slow as a kind is marked here; `make test` leaves it to `make test-all`."""
    for item in items:
        if item.nodeid.startswith(SLOW_FOLDERS) or item.get_closest_marker("real_logs"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def real_logs() -> Path:
    """The folder of real event logs (AMUN_DP_LOGS); they are not ours to redistribute, so tests do without."""
    folder = os.environ.get("AMUN_DP_LOGS")
    if not folder:
        pytest.skip("AMUN_DP_LOGS does not name a folder of real event logs")
    return Path(folder)


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's data folder of its own for every test, and for the processes that it starts: no test may touch, or
    depend on, the registry of whoever runs it."""
    folder = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The synthetic hospital log as a file."""
    path = tmp_path / "log.xes.gz"
    write_log(hospital_log(), path)
    return path
