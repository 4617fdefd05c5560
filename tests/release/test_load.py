"""A release folder, read back by anybody: the log, the report, and guarantees that are derived and never read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import amun_dp
from accounting.accountant import replay
from amun_dp.errors import AmunError, InputError
from amun_dp.eventlog.log import PublicLog
from amun_dp.folder.names import FILE_NAMES
from amun_dp.release.made import Release
from amun_dp.report.publisher_choices import choices
from amun_dp.synthetic import hospital_log
from tests.logs import log_of

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "everything": {
        "method": "sampling",
        "conventions": "article",
        "releases": 2,
        "max_cases_per_individual": 3,
        "scope": "case",
        "max_case_length": 40,
        "public_variants": True,
        "seed": 3,
        "allow_too_small": True,  # what is read is looked at, not what it is worth
    },
    "certified": {"method": "certified", "variants": "public", "variants_from_log": True, "releases": 2},
    "certified, from a seed": {"method": "certified", "variants": "generated", "seed": 3},
}


def made(folder: Path, format: str = "csv", **options: Any) -> Release:
    release = amun_dp.anonymize(hospital_log(cases=60), 0.2, **options)
    release.save(folder, format=format)
    return release


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made(tmp_path / "out")
    return tmp_path / "out"


def rewritten(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the report on disk."""
    path = folder / "report.json"
    report = json.loads(path.read_bytes())
    change(report)
    path.write_text(json.dumps(report), encoding="utf-8")


def refused(folder: Path) -> str:
    """The message of a refusal: one plain sentence or two, that names the place."""
    with pytest.raises(AmunError) as refusal:
        amun_dp.load_release(folder)
    message = str(refusal.value)
    assert "\n" not in message
    assert len(message) < 400
    for jargon in ("Traceback", "Error", "Exception", "<", "jsonschema"):
        assert jargon not in message
    return message


# --- what is read ---------------------------------------------------------------------------------------------------


def test_a_label_with_a_line_break_comes_back_from_csv(tmp_path: Path) -> None:
    """Nobody's rows are in a released log, so it needs no word."""
    log = log_of([[("first\nline", number), ("end", number + 1)] for number in range(60)])
    amun_dp.anonymize(log, 0.2, "sampling").save(tmp_path / "out", format="csv")
    assert "first\nline" in amun_dp.load_release(tmp_path / "out").event_log.activities
    assert amun_dp.verify(tmp_path / "out").passed


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("format", FILE_NAMES)
def test_the_report_comes_back_bit_for_bit_and_the_log_as_it_was_released(
    format: str, options: dict[str, Any], tmp_path: Path
) -> None:
    release = made(tmp_path / "out", format, **options)
    loaded = amun_dp.load_release(tmp_path / "out")
    assert loaded.report.to_json().encode() == (tmp_path / "out" / "report.json").read_bytes()
    assert loaded.report.guarantees == release.report.guarantees
    assert loaded.report.unprotected == release.report.unprotected
    assert loaded.directory == tmp_path / "out"
    assert isinstance(loaded.event_log, PublicLog)
    pd.testing.assert_frame_equal(loaded.log, release.log)


def test_a_report_of_which_nobody_knows_the_sampler_is_read(folder: Path) -> None:
    rewritten(folder, lambda report: report["noise"].pop("sampler"))
    report = amun_dp.load_release(folder).report
    assert report.sampler is None
    assert "Noise" not in {choice.name for choice in choices(report)}


@pytest.mark.parametrize("method", ["filtering", "certified"])
def test_a_release_with_exact_noise_says_so_and_is_private(method: str, tmp_path: Path) -> None:
    own: dict[str, Any] = {"variants_from_log": True} if method == "certified" else {}
    release = made(tmp_path / "out", method=method, noise="exact", variants="public", **own)
    assert release.report.unpredictable
    loaded = amun_dp.load_release(tmp_path / "out").report
    assert loaded.sampler == "exact"
    assert loaded.guarantees == release.report.guarantees


def test_a_folder_may_be_named_by_text(folder: Path) -> None:
    assert amun_dp.load_release(str(folder)).report.as_dict() == amun_dp.load_release(folder).report.as_dict()


def test_the_guarantees_are_derived_and_not_read(folder: Path) -> None:
    before = amun_dp.load_release(folder).report

    def embellish(report: dict[str, Any]) -> None:
        for line in report["guarantees"]:
            line.update(epsilon=0.01, verdict="proved", bounded=True, advantage=0.001, why="trust us", assumptions={})

    rewritten(folder, embellish)
    after = amun_dp.load_release(folder).report
    assert after.guarantees == before.guarantees
    assert after.to_json() == before.to_json()  # what the report says of itself is gone
    assert "trust us" not in after.to_json()


def test_what_is_not_protected_is_not_read_either(folder: Path) -> None:
    before = amun_dp.load_release(folder).report.unprotected
    rewritten(
        folder, lambda report: report.update(unprotected=["nothing"], noise={**report["noise"], "means": "it is safe"})
    )
    assert amun_dp.load_release(folder).report.unprotected == before
    assert "it is safe" not in amun_dp.load_release(folder).report.to_json()


def test_other_mechanisms_make_other_guarantees(folder: Path) -> None:
    rewritten(folder, lambda report: report.update(mechanisms=[{"kind": "case-moves", "parameters": {}}]))
    assert {line.claim for line in amun_dp.load_release(folder).report.guarantees} == {
        "whole-release",
        "released-counts",
    }


def test_the_ledger_is_there_for_the_publisher_and_accounts_for_the_same_release(folder: Path) -> None:
    loaded = amun_dp.load_release(folder)
    assert loaded.ledger is not None
    assert replay(loaded.ledger.reveal()).public == loaded.report.guarantees


def test_without_the_internal_part_there_is_no_ledger_and_all_else_is_as_before(folder: Path) -> None:
    inside = amun_dp.load_release(folder)
    shutil.rmtree(folder / "internal")
    outside = amun_dp.load_release(folder)
    assert outside.ledger is None
    assert outside.report.to_json() == inside.report.to_json()
    pd.testing.assert_frame_equal(outside.log, inside.log)


def test_showing_a_loaded_release_shows_nothing_confidential(folder: Path) -> None:
    loaded = amun_dp.load_release(folder)
    assert "<Confidential Ledger: call .reveal() to see it>" in repr(loaded)
    with pytest.raises(TypeError):
        str(loaded.ledger)


def test_every_name_of_the_library_is_where_its_table_says() -> None:
    assert set(amun_dp.__all__) == set(amun_dp._HOME)
    assert amun_dp._HOME["load_release"] == amun_dp._HOME["PublishedRelease"] == "amun_dp.release.load"
    for name in amun_dp.__all__:
        assert getattr(amun_dp, name).__class__ is not None
    program = "import sys, amun_dp; assert not {'jsonschema', 'numpy', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


# --- what is refused ------------------------------------------------------------------------------------------------


def test_a_missing_or_empty_folder_is_no_release(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere") == f"{tmp_path / 'nowhere'} is no release: there is no report.json in it."
    assert refused(tmp_path) == f"{tmp_path} is no release: there is no report.json in it."


def test_a_file_is_no_release(folder: Path) -> None:
    assert "cannot be read (Not a directory)" in refused(folder / "log.csv")


def test_a_folder_in_place_of_the_report_is_refused(folder: Path) -> None:
    (folder / "report.json").unlink()
    (folder / "report.json").mkdir()
    assert "cannot be read (Is a directory)" in refused(folder)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"not json", b"{'a': 1}", b"\xff\xfe\x00", b"\x80", b"[" * 100_000 + b"]" * 100_000, b"9" * 10_000],
    ids=["empty", "half", "words", "python", "half-utf-16", "no-utf-8", "deep", "long-number"],
)
def test_what_is_not_json_is_refused(text: bytes, folder: Path) -> None:
    (folder / "report.json").write_bytes(text)
    assert refused(folder) == f"{folder / 'report.json'} is not JSON."


@pytest.mark.parametrize("text", ["[]", "null", "1", '"amun-dp/report/3"', "{}"])
def test_json_that_is_no_report_is_refused(text: str, folder: Path) -> None:
    (folder / "report.json").write_text(text)
    assert "is no report of schema amun-dp/report/3" in refused(folder)


@pytest.mark.parametrize("version", ["amun-dp/report/1", "amun-dp/report/4", "amun-dp/report/30", "someone-else/2"])
def test_another_version_of_the_schema_is_refused(version: str, folder: Path) -> None:
    rewritten(folder, lambda report: report.update(schema=version))
    assert "is no report of schema amun-dp/report/3: schema is not what the schema demands." in refused(folder)


def test_a_report_that_departs_from_the_schema_is_refused_without_its_values(folder: Path) -> None:
    rewritten(folder, lambda report: report["released"].update(cases="SECRET"))
    assert "released/cases is of the wrong type." in refused(folder)
    assert "SECRET" not in refused(folder)


def nested(folder: Path, place: str, value: str, levels: int) -> None:
    """Put a deep value into the report."""
    text = (folder / "report.json").read_text(encoding="utf-8")
    deep = '{"tuple":[' * levels + "1" + "]}" * levels
    assert f'"{place}": "{value}"' in text
    (folder / "report.json").write_text(text.replace(f'"{place}": "{value}"', f'"{place}": {deep}'), encoding="utf-8")


@pytest.mark.parametrize("levels", [10, 100, 300])
def test_values_nested_deeply_are_refused(levels: int, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "other")
    nested(folder, "of", "variants", levels)
    assert "'of' is not of its declared type" in refused(folder)
    nested(tmp_path / "other", "method", "filtering", levels)
    assert "method is of the wrong type" in refused(tmp_path / "other")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("of", "variants"),
        ("method", "filtering"),
        ("prior", "closed-window"),
    ],
)
def test_there_is_no_depth_at_which_reading_breaks(place: str, value: str, folder: Path) -> None:
    """Just below the depth that JSON readers refuse, everything after them is near the end of the stack."""
    report = (folder / "report.json").read_bytes()
    for levels in range(300, 520, 2):
        nested(folder, place, value, levels)
        refused(folder)
        (folder / "report.json").write_bytes(report)


@pytest.mark.parametrize(
    "number",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
    ],
)
def test_numbers_that_json_does_not_have_are_refused(number: str, folder: Path) -> None:
    text = (folder / "report.json").read_text(encoding="utf-8")
    for place in ('\n  "advantage": 0.2', '"delta": 0.0', '"epsilon": null'):
        assert place in text
        spoilt = text.replace(place, f"{place.split(':')[0]}: {number}")
        (folder / "report.json").write_text(spoilt, encoding="utf-8")
        refused(folder)


@pytest.mark.parametrize(
    "mechanisms",
    [
        [{"kind": "no-such-thing", "parameters": {}}],
        [{"kind": "case-moves", "parameters": {"more": 1}}],
        [{"kind": "laplace-count", "parameters": {}}],
        [{"kind": "sequential", "parameters": {"parts": {"tuple": [{"event": 7}]}}}],
        [{"kind": "sequential", "parameters": {"parts": {"tuple": []}}}],
        [{"kind": "non-private", "parameters": {"why": 1}}],
    ],
    ids=["unknown", "too-much", "too-little", "from-nowhere", "empty", "wrong-type"],
)
def test_mechanisms_that_make_no_sense_are_refused(mechanisms: list[dict[str, Any]], folder: Path) -> None:
    rewritten(folder, lambda report: report.update(mechanisms=mechanisms))
    assert refused(folder).startswith("The report records something that does not make sense: ")


def test_a_confidential_figure_in_a_doctored_report_is_dropped(folder: Path) -> None:
    """Whoever puts one there, it does not travel further."""
    figure = 4_711_471_147  # so long that no hash in the report has these digits by chance
    shared = {"part": {"event": 0}, "cases": {"confidential": figure}, "truncated": False}
    records = [{"kind": "case-moves", "parameters": {}}, {"kind": "shared-by-individual", "parameters": shared}]
    rewritten(folder, lambda report: report.update(mechanisms=records))
    assert str(figure) not in refused(folder)  # the report goes on saying that nobody counted the cases of people
    rewritten(folder, lambda report: report.update(individuals={"max_cases": None, "by": "log"}))
    assert str(figure) not in amun_dp.load_release(folder).report.to_json()


@pytest.mark.parametrize("format", FILE_NAMES)
def test_a_missing_or_damaged_log_is_refused(format: str, tmp_path: Path) -> None:
    made(tmp_path / "out", format)
    log = tmp_path / "out" / FILE_NAMES[format]
    log.write_bytes(log.read_bytes()[:40])
    assert "is not the file that the report was made for" in refused(tmp_path / "out")
    log.unlink()
    assert "No such file" in refused(tmp_path / "out")


def test_a_log_that_the_report_does_not_name_is_not_read(folder: Path) -> None:
    rewritten(folder, lambda report: report["released"].update(file="log.parquet"))
    assert refused(folder) == f"{folder / 'log.parquet'} cannot be read (No such file or directory)."
    (folder / "log.parquet").write_bytes((folder / "log.csv").read_bytes())
    assert refused(folder) == f"{folder / 'log.parquet'} is not the file that the report was made for."


def test_a_readable_log_that_is_not_the_report_s_is_refused(folder: Path, tmp_path: Path) -> None:
    made(tmp_path / "other")
    for log in ((tmp_path / "other" / "log.csv").read_bytes(), (folder / "log.csv").read_bytes() + b"\n"):
        (folder / "log.csv").write_bytes(log)
        assert refused(folder) == f"{folder / 'log.csv'} is not the file that the report was made for."


def test_parameters_of_the_wrong_family_are_refused(folder: Path) -> None:
    rewritten(folder, lambda report: report["parameters"].update(of="certified"))
    assert "is no report of schema amun-dp/report/3: parameters" in refused(folder)


@pytest.mark.parametrize("file", ["ledger.json", "ledger.parquet"])
def test_a_damaged_or_missing_ledger_is_refused(file: str, folder: Path) -> None:
    path = folder / "internal" / file
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    assert refused(folder).startswith(f"The ledger in {folder / 'internal'} is damaged: ")
    path.unlink()
    assert refused(folder).startswith(f"The ledger in {folder / 'internal'} is damaged: ")


def test_refusals_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        amun_dp.load_release(tmp_path)
