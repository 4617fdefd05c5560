"""``amun-dp plan --engine spark`` says what ``amun-dp plan`` says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from amun_dp.cli import main
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log


def test_the_command_prints_the_figures_of_one_machine_and_leaves_nothing(
    session: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, work = tmp_path / "log.parquet", tmp_path / "work"
    write_log(hospital_log(cases=80, seed=1), path)
    command = ["plan", str(path), "--advantage", "0.5", "--registry", str(tmp_path / "registry"), "--json", "--quiet"]
    assert main(command) == 0
    expected = json.loads(capsys.readouterr().out)
    spark = ["--engine", "spark", "--master", "local[2]", "--work", str(work)]
    done = subprocess.run(
        [sys.executable, "-m", "amun_dp.cli", *command, *spark], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected
    assert expected["budget"]["charges"] and not work.exists()


def test_what_a_plan_on_spark_does_not_have_is_refused_before_it_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(tmp_path), "--sweep", "--engine", "spark"]) == 2
    assert "no --sweep" in capsys.readouterr().err
    assert main(["plan", str(tmp_path), "--advantage", "0.2", "--master", "local"]) == 2
    assert "needs --engine spark" in capsys.readouterr().err
