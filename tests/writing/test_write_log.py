"""Choosing the format by the ending, and a file that appears whole or not at all."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from amun_dp.errors import OutputError
from amun_dp.eventlog.log import EventLog
from amun_dp.writing import ENDINGS, tables, write_log
from tests.writing.logs import small_log

FIRST_BYTES = {
    ".xes": b"<?xml",
    ".csv": b"case:concept:name,",
    ".parquet": b"PAR1",
}


@pytest.mark.parametrize("ending", [*ENDINGS, ".XES", ".Csv.GZ"])
def test_the_ending_chooses_the_format(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"some.log{ending}"
    write_log(small_log(), path)
    content = path.read_bytes()
    plain = gzip.decompress(content) if ending.lower().endswith(".gz") else content
    assert plain.startswith(FIRST_BYTES[ending.lower().removesuffix(".gz")])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["log", "log.txt", "log.gz", "log.parquet.gz", "xes"])
def test_an_unknown_ending_is_refused_with_the_known_ones(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"Use one of \.xes, \.xes\.gz, \.csv, \.csv\.gz, \.parquet"):
        write_log(small_log(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_csv_has_no_place_for_log_attributes(tmp_path: Path) -> None:
    write_log(small_log(), tmp_path / "with.csv", {"source": "test"})
    write_log(small_log(), tmp_path / "without.csv")
    assert (tmp_path / "with.csv").read_bytes() == (tmp_path / "without.csv").read_bytes()


@pytest.mark.parametrize("ending", [".xes", ".parquet"])
def test_the_other_formats_carry_log_attributes(ending: str, tmp_path: Path) -> None:
    write_log(small_log(), tmp_path / f"with{ending}", {"source": "test"})
    write_log(small_log(), tmp_path / f"without{ending}")
    assert b"source" in (tmp_path / f"with{ending}").read_bytes()
    assert b"source" not in (tmp_path / f"without{ending}").read_bytes()


def test_the_file_has_the_mode_that_umask_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_log(small_log(), tmp_path / "log.csv")
    finally:
        os.umask(before)
    assert (tmp_path / "log.csv").stat().st_mode & 0o777 == 0o640


def test_a_missing_folder_is_an_output_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=os.strerror(errno.ENOENT)):
        write_log(small_log(), tmp_path / "missing" / "log.csv")


def test_a_full_disk_leaves_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_log: EventLog, stream: BinaryIO, _escape: bool) -> None:
        stream.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "log.csv"
    path.write_text("precious")
    monkeypatch.setattr(tables, "write_csv", full)
    with pytest.raises(OutputError, match="No space left for"):
        write_log(small_log(), path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.csv"]
    assert path.read_text() == "precious"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_write_that_the_kernel_refuses_leaves_no_file(ending: str, tmp_path: Path) -> None:
    program = """
import resource, sys
from pathlib import Path
from amun_dp.errors import OutputError
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.writing import write_log

log = generate_log(LogShape(cases=20_000, variants=2_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    write_log(log, Path(sys.argv[1]))
except OutputError as error:
    sys.stdout.write(str(error))
"""
    command = [sys.executable, "-W", "error", "-c", program, str(tmp_path / f"log{ending}")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "would exceed the largest size allowed here" in run.stdout
    assert run.stderr == ""
    assert not list(tmp_path.iterdir())
