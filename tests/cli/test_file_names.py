"""A file system takes names in any encoding. A log or a release with one is read as any other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from amun_dp.release.anonymize import anonymize
from amun_dp.synthetic import hospital_log
from amun_dp.writing import write_log

STRANGE = os.fsdecode(b"z\xff")


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "amun_dp.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=600, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / STRANGE
    try:
        made.mkdir()
    except OSError:
        pytest.skip("this file system takes no such names")
    return made


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "xes", "xes.gz"])
def test_a_log_whose_name_is_not_text_is_read(ending: str, folder: Path) -> None:
    path = folder / f"{STRANGE}.{ending}"
    write_log(hospital_log(cases=20), path)
    done = run("inspect", path, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cases"] == 20
    assert run("inspect", path).returncode == 0


@pytest.mark.parametrize("format", ["csv", "parquet", "xes"])
def test_a_release_that_was_copied_to_such_a_folder_is_not_accused(format: str, folder: Path, tmp_path: Path) -> None:
    anonymize(hospital_log(cases=80), 0.5).save(tmp_path / "release", format=format)
    shutil.copytree(tmp_path / "release", folder / "release")
    here, there = run("verify", tmp_path / "release", "--no-prove"), run("verify", folder / "release", "--no-prove")
    assert (there.returncode, there.stdout.count(b"ok")) == (here.returncode, here.stdout.count(b"ok"))
    assert here.returncode == 0, here.stdout
