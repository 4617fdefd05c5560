"""Archives that mean no good."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from amun_dp.errors import InputError
from amun_dp.serve.unpacking import unpack_release


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def unpacked(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


GOOD = {"report.json": b"{}", "report.html": b"<p>", "log.csv": b"x", "internal/ledger.json": b"{}"}


@pytest.mark.parametrize("below", ["", "my-release/"])
def test_a_release_is_unpacked_whether_its_folder_or_its_content_was_packed(tmp_path: Path, below: str) -> None:
    archive = packed(tmp_path / "a.zip", {below + name: content for name, content in GOOD.items()})
    unpack_release(archive, tmp_path / "release", 1000)
    assert unpacked(tmp_path / "release") == set(GOOD)


def test_what_is_no_file_of_a_release_stands_there_by_its_name_alone(tmp_path: Path) -> None:
    """So that verification names it; its content is not unpacked."""
    foreign = {"evil.sh": b"evil", "internal/evil.sh": b"evil", "sub/report.html": b"evil", "log.parquet/x": b"evil"}
    archive = packed(tmp_path / "a.zip", {"report.json": b"{}", "log.parquet/part-00000.parquet": b"PAR1"} | foreign)
    unpack_release(archive, tmp_path / "release", 1000)
    assert unpacked(tmp_path / "release") == {"report.json", "log.parquet/part-00000.parquet", *foreign}
    assert all((tmp_path / "release" / name).read_bytes() == b"" for name in foreign)
    assert (tmp_path / "release" / "log.parquet/part-00000.parquet").read_bytes() == b"PAR1"


@pytest.mark.parametrize(
    "other", ["../report.html", "/report.html", "../../evil.txt", "a/../b", "C:\\\\evil", "a//b", "./log.csv"]
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, other: str) -> None:
    (tmp_path / "in").mkdir()
    archive = packed(tmp_path / "a.zip", {"report.json": b"{}", other: b"x"})
    with pytest.raises(InputError, match="more than the folder of one release"):
        unpack_release(archive, tmp_path / "in" / "release", 1000)
    assert list((tmp_path / "in").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip", "in"}


@pytest.mark.parametrize("other", ["b/report.html", "original.csv", "__MACOSX/a/._report.json", "b/report.json"])
def test_files_beside_the_packed_folder_are_refused(tmp_path: Path, other: str) -> None:
    archive = packed(tmp_path / "a.zip", {"a/report.json": b"{}", "a/log.csv": b"x", other: b"x"})
    with pytest.raises(InputError, match="more than"):
        unpack_release(archive, tmp_path / "release", 1000)
    assert not (tmp_path / "release").exists()


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive, pytest.warns(UserWarning):
        archive.writestr("report.json", "{}")
        archive.writestr("report.json", "[]")
    with pytest.raises(InputError, match="more than one release"):
        unpack_release(tmp_path / "a.zip", tmp_path / "release", 1000)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compression_that_swells_without_bound_is_refused_before_it_is_tried(tmp_path: Path, kind: int) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", kind) as archive:
        archive.writestr("report.json", bytes(10_000_000))
    with pytest.raises(InputError, match="compressed in a way"):
        unpack_release(tmp_path / "a.zip", tmp_path / "release", 10**9)


def test_an_archive_of_very_many_files_is_no_release(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", {"report.json": b"{}"} | {f"{number}/": b"" for number in range(1000)})
    with pytest.raises(InputError, match="more than 1,000 files"):
        unpack_release(archive, tmp_path / "release", 1000)


@pytest.mark.parametrize("place", range(0, 60, 7))
def test_a_damaged_archive_is_refused_in_words(tmp_path: Path, place: int) -> None:
    archive = packed(tmp_path / "a.zip", {"report.json": b'{"schema": "x", "more": "0123456789"}' * 20})
    content = bytearray(archive.read_bytes())
    content[30 + place : 30 + place + 5] = b"\xff\xff\xff\xff\xff"
    archive.write_bytes(content)
    try:
        unpack_release(archive, tmp_path / "release", 100_000)
    except InputError:
        assert not (tmp_path / "release").exists()


def test_a_link_in_an_archive_is_a_link_to_nothing(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("report.json", "{}")
        link = zipfile.ZipInfo("report.html")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    unpack_release(tmp_path / "a.zip", tmp_path / "release", 1000)
    assert unpacked(tmp_path / "release") == {"report.json"}
    assert (tmp_path / "release" / "report.html").is_symlink() and not (tmp_path / "release" / "report.html").exists()


def test_an_archive_that_swells_is_refused(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", {"report.json": b"{}", "log.csv": bytes(5_000_000)})
    assert archive.stat().st_size < 10_000
    with pytest.raises(InputError, match="larger than the page takes"):
        unpack_release(archive, tmp_path / "release", 1_000_000)


def test_an_archive_without_a_report_or_no_archive_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no release"):
        unpack_release(packed(tmp_path / "a.zip", {"log.csv": b"x"}), tmp_path / "release", 1000)
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 this is none")
    with pytest.raises(InputError, match="damaged"):
        unpack_release(tmp_path / "b.zip", tmp_path / "release", 1000)
    assert not (tmp_path / "release").exists()
