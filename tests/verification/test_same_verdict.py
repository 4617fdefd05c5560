"""The page judges a zip of a folder as the command line judges the folder: one suite over both."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from amun_dp.serve.tasks import Bench, verify_release
from amun_dp.verification import Judgement, Name, verify
from amun_dp.verification.as_data import as_dict
from tests.verification import forging
from tests.verification.broken_logs import hidden_in_padding
from tests.verification.cutting import EVENTS_A_PART, PARTS, write_in_parts
from tests.verification.releases import Shelf


def zipped(folder: Path, archive: Path, below: str) -> Path:
    """As zip programs do it: folders and links, too."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for path in sorted(folder.rglob("*")):
            name = below + path.relative_to(folder).as_posix()
            if path.is_symlink():
                link = zipfile.ZipInfo(name)
                link.external_attr = 0o120777 << 16
                written.writestr(link, "elsewhere")
            elif path.is_dir():
                written.writestr(f"{name}/", b"")
            else:
                written.write(path, name)
    return archive


def on_the_page(archive: Path, place: Path) -> dict[str, Any]:
    question: dict[str, Any] = {
        "log": None, "archive": str(archive), "folder": str(place), "largest": 10**9, "require": [], "name": "a",
        "limits": {"events": 10**7, "unpacked": 10**10}
    }  # fmt: skip
    return verify_release(Bench(lambda message: None), question)


def nothing(folder: Path) -> None:
    pass


def a_foreign_file(folder: Path) -> None:
    (folder / "original.csv").write_text("p17,A,2020-01-01\n", encoding="utf-8")


def a_foreign_file_inside(folder: Path) -> None:
    (folder / "internal").mkdir(mode=0o700)
    (folder / "internal" / "notes.txt").write_text("p17\n", encoding="utf-8")


def a_foreign_folder(folder: Path) -> None:
    (folder / "p17").mkdir()


def a_file_far_below(folder: Path) -> None:
    (folder / "more" / "deep").mkdir(parents=True)
    (folder / "more" / "deep" / "report.json").write_text("{}", encoding="utf-8")


def a_second_log(folder: Path) -> None:
    (folder / "log.csv").write_text("case,activity\n", encoding="utf-8")


def a_link(folder: Path) -> None:
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to("elsewhere")


def fields_in_another_order(folder: Path) -> None:
    forging.write_report(folder, dict(reversed(forging.report_in(folder).items())))


def data_in_padding(folder: Path) -> None:
    path = folder / "log.xes.gz"
    path.write_bytes(hidden_in_padding(path.read_bytes(), b"p17 was here"))
    forging.reseal(folder)


def a_later_schema(folder: Path) -> None:
    data = forging.report_in(folder) | {"schema": "amun-dp/report/9"}
    data["software"]["amun-dp"] = "9.9.9"
    forging.write_report(folder, data)


def a_page_of_a_later_version(folder: Path) -> None:
    forging.of_another_format(folder, "9.9.9", page=2)


@pytest.mark.parametrize(
    ("change", "judged", "fails"),
    [
        (nothing, Judgement.PASSED, None),
        (a_foreign_file, Judgement.FAILED, Name.FILES),
        (a_foreign_file_inside, Judgement.FAILED, Name.FILES),
        (a_foreign_folder, Judgement.FAILED, Name.FILES),
        (a_file_far_below, Judgement.FAILED, Name.FILES),
        (a_second_log, Judgement.FAILED, Name.FILES),
        (a_link, Judgement.FAILED, Name.FILES),
        (fields_in_another_order, Judgement.FAILED, Name.REPORT),
        (data_in_padding, Judgement.FAILED, Name.PACKING),
        (a_later_schema, Judgement.NOT_JUDGED, None),
        (a_page_of_a_later_version, Judgement.NOT_JUDGED, None),
    ],
)
@pytest.mark.parametrize("below", ["", "my release/"], ids=["content", "folder"])
def test_the_same_content_has_the_same_verdict(
    change: Callable[[Path], None], judged: Judgement, fails: Name | None, below: str, shelf: Shelf, tmp_path: Path
) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    change(folder)
    there = as_dict(verify(folder))
    here = on_the_page(zipped(folder, tmp_path / "a.zip", below), tmp_path / "unpacked")
    assert there["outcome"] == here["outcome"] == judged.value
    assert json.dumps(there["checks"]) == json.dumps(here["checks"])
    if fails is not None:
        assert fails.value in {check["check"] for check in here["checks"] if check["outcome"] == "failed"}


def test_a_log_in_parts_is_verified_from_a_zip_as_well(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shelf.copy(tmp_path / "release", "parquet", internal=False)
    log = forging.log_in(folder)
    monkeypatch.setattr(EVENTS_A_PART, log.n_events // PARTS + 1)
    from amun_dp.folder.parts import first_cases

    write_in_parts(folder, log, first_cases(log.n_cases, PARTS)[1:].tolist())
    here = on_the_page(zipped(folder, tmp_path / "a.zip", ""), tmp_path / "unpacked")
    assert here["outcome"] == as_dict(verify(folder))["outcome"] == "passed"
    shutil.rmtree(tmp_path / "unpacked")
