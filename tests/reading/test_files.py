"""What is accepted as a file, and how anything else is refused."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.errors import AmunError, InputError
from amun_dp.reading import read_log
from tests.reading.samples import event, log, trace, write

XES = log(trace("1", event()))
CSV = "case:concept:name,concept:name,time:timestamp\n1,a,2020-01-01T10:00:00Z\n"


@pytest.mark.parametrize("name", ["log.xes", "LOG.XES", "log.csv", "Log.Csv"])
def test_endings_are_recognised_in_any_case(tmp_path: Path, name: str) -> None:
    content = XES if name.lower().endswith("xes") else CSV
    assert read_log(write(tmp_path, content, name)).n_events == 1
    compressed = write(tmp_path, gzip.compress(content.encode()), name + ".GZ")
    read = read_log(str(compressed))
    assert (read.n_events, read.facts.format) == (1, name.lower()[-3:])


def test_a_parquet_file_is_recognised_by_its_ending(tmp_path: Path) -> None:
    frame = pd.DataFrame({"case": ["1"], "activity": ["a"], "time": ["2020-01-01"]})
    frame.to_parquet(tmp_path / "log.PARQUET")
    assert read_log(tmp_path / "log.PARQUET").facts.format == "parquet"


@pytest.mark.parametrize("name", ["log", "log.txt", "log.xes.zip", "log.gz", "xes", "log.mxml"])
def test_another_ending_is_refused_with_the_accepted_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.xes, \.xes\.gz, \.csv, \.csv\.gz, \.parquet"):
        read_log(write(tmp_path, XES, name))


@pytest.mark.parametrize("ending", [".xes", ".xes.gz", ".csv", ".csv.gz", ".parquet"])
class TestEveryFormat:
    def test_a_missing_file_is_refused(self, tmp_path: Path, ending: str) -> None:
        with pytest.raises(InputError, match="no such file"):
            read_log(tmp_path / f"absent{ending}")

    def test_a_folder_is_refused(self, tmp_path: Path, ending: str) -> None:
        (tmp_path / f"folder{ending}").mkdir()
        with pytest.raises(InputError, match="is a folder"):
            read_log(tmp_path / f"folder{ending}")

    def test_an_empty_file_is_refused(self, tmp_path: Path, ending: str) -> None:
        with pytest.raises(InputError, match="is empty"):
            read_log(write(tmp_path, b"", f"log{ending}"))

    @pytest.mark.parametrize(
        "junk",
        [
            b"PK\x03\x04" + b"\0" * 200,
            b"\x89PNG\r\n\x1a\n" + b"\0" * 200,
            bytes(range(256)) * 20,
            b"\xff\xfe" + "case,activity".encode("utf-16-le"),
            b"\x1f\x8b" + b"junk" * 20,
            b"PAR1" + b"junk" * 20 + b"PAR1",
        ],
        ids=["zip", "png", "bytes", "utf-16", "gzip", "parquet"],
    )
    def test_a_file_of_another_kind_is_refused(self, tmp_path: Path, ending: str, junk: bytes) -> None:
        with pytest.raises(InputError):
            read_log(write(tmp_path, junk, f"log{ending}"))

    @given(junk=st.binary(min_size=1, max_size=300))
    def test_junk_is_refused_and_never_crashes(
        self, tmp_path_factory: pytest.TempPathFactory, ending: str, junk: bytes
    ) -> None:
        folder = tmp_path_factory.mktemp("junk")
        with pytest.raises(AmunError):
            read_log(write(folder, junk, f"log{ending}"))


@pytest.mark.parametrize("name", ["log.xes.gz", "log.csv.gz"])
class TestCompressed:
    def content(self, name: str) -> bytes:
        if "xes" in name:
            return log(*(trace(str(i), event(f"a{i}")) for i in range(50))).encode()
        rows = "".join(f"{i},a{i},2020-01-01T10:00:00Z\n" for i in range(50))
        return f"case,activity,time\n{rows}".encode()

    def test_a_truncated_gzip_file_is_refused_wherever_it_is_cut(self, tmp_path: Path, name: str) -> None:
        whole = gzip.compress(self.content(name))
        assert read_log(write(tmp_path, whole, name)).n_events == 50
        for length in range(len(whole)):
            with pytest.raises(InputError):
                read_log(write(tmp_path, whole[:length], name))

    def test_a_damaged_gzip_file_is_refused(self, tmp_path: Path, name: str) -> None:
        whole = gzip.compress(self.content(name))
        for position in range(10, len(whole)):  # after the header, which says nothing about the content
            damaged = bytearray(whole)
            damaged[position] ^= 0xFF
            with pytest.raises(InputError):
                read_log(write(tmp_path, bytes(damaged), name))

    def test_a_plain_file_called_gz_is_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(InputError, match=r"not a gzip file.*Remove \.gz"):
            read_log(write(tmp_path, self.content(name), name))

    def test_a_gzip_file_not_called_gz_is_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(InputError, match=r"is a gzip file.*Add \.gz"):
            read_log(write(tmp_path, gzip.compress(self.content(name)), name.removesuffix(".gz")))

    def test_an_empty_file_inside_is_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(InputError, match="is empty"):
            read_log(write(tmp_path, gzip.compress(b""), name))

    def test_members_one_after_another_are_one_file(self, tmp_path: Path, name: str) -> None:
        whole = self.content(name)
        joined = gzip.compress(whole[:700]) + gzip.compress(whole[700:])
        assert read_log(write(tmp_path, joined, name)).n_events == 50


def test_xml_called_csv_is_refused_as_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds XML"):
        read_log(write(tmp_path, XES, "log.csv"))


def test_a_truncated_parquet_file_is_refused_wherever_it_is_cut(tmp_path: Path) -> None:
    frame = pd.DataFrame({"case": ["1"], "activity": ["a"], "time": ["2020-01-01"]})
    frame.to_parquet(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for length in range(0, len(whole), 7):
        with pytest.raises(InputError):
            read_log(write(tmp_path, whole[:length], "log.parquet"))


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log.xes")
    with pytest.raises(InputError, match="not a regular file"):
        read_log(tmp_path / "log.xes")


def test_a_name_that_no_file_can_have_is_refused() -> None:
    for name in ("a\0b.xes", "a" * 5000 + ".xes"):
        with pytest.raises(InputError):
            read_log(name)


def test_a_source_that_is_neither_file_nor_frame_is_refused() -> None:
    with pytest.raises(InputError, match="not from list"):
        read_log([1, 2, 3])  # type: ignore[arg-type]  # what the type forbids is what is tested


def test_reading_changes_no_file(tmp_path: Path) -> None:
    for name, content in (("log.xes", XES), ("log.csv", CSV)):
        path = write(tmp_path, content, name)
        read_log(path)
        assert path.read_text() == content
