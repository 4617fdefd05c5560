"""On a cluster of two hosts, with tasks that are run twice and a lost executor: one draw a row all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def spark_home(session: Any, tmp_path: Path) -> Path:
    """Spark as it is installed, but with a place of its own for what executors write beside it."""
    import pyspark

    home = tmp_path / "home"
    home.mkdir()
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / entry.name).symlink_to(entry)
    return home


def test_copies_of_slow_tasks_and_a_lost_executor_leave_one_draw_a_row_and_a_release_that_passes(
    spark_home: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.on_a_cluster", str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=1_200,
        # Executors work in folders of their own, and must find the same package.
        env={**os.environ, "SPARK_HOME": str(spark_home), "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == 0, done.stderr
