"""A release folder comes from a stranger: whatever is in it, verification ends, says no, and shows no traceback."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amun_dp.errors import InputError
from amun_dp.verification import Name, Outcome, verify
from amun_dp.verification.checks import safe
from tests.properties import examples
from tests.verification import forging
from tests.verification.releases import Shelf, checked, failing, outcome


@pytest.fixture
def folder(shelf: Shelf, tmp_path: Path) -> Path:
    return shelf.copy(tmp_path / "release", internal=False)


def test_a_folder_that_is_not_there_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name in ("nowhere", "file"):
        with pytest.raises(InputError):
            verify(tmp_path / name)


def test_a_folder_without_any_file_of_a_release_fails_and_that_is_all_that_is_said(tmp_path: Path) -> None:
    for _ in range(2):
        found = verify(tmp_path)
        assert [(check.name, check.outcome) for check in found.checks] == [(Name.REPORT, Outcome.FAILED)]
        (tmp_path / "holiday.jpg").write_bytes(b"x")


@pytest.mark.parametrize("attribute", ["user.p17", "security.p17"])
def test_data_attached_to_a_file_fail(attribute: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (".", "log.xes.gz", "report.json"):
        carrying = folder / name

        def attached(path: Path, follow_symlinks: bool, carrying: Path = carrying) -> list[str]:
            assert not follow_symlinks
            return ["security.selinux", "system.posix_acl_access", *([attribute] if path == carrying else [])]

        monkeypatch.setattr(os, "listxattr", attached, raising=False)
        assert failing(folder) == {Name.FILES}
        assert f"'{name}'" in checked(folder).failed[0].detail


def test_data_really_attached_to_a_file_fail(folder: Path) -> None:
    try:
        os.setxattr(folder / "report.html", "user.p17", b"was here")
    except (AttributeError, OSError):
        pytest.skip("this system has no extended attributes")
    assert failing(folder) == {Name.FILES}


def test_marks_of_the_system_are_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = ["security.selinux", "security.SMACK64EXEC", "system.posix_acl_access", "trusted.overlay.opaque"]
    monkeypatch.setattr(os, "listxattr", lambda *_path, **_options: marks, raising=False)
    assert failing(folder) == set()


def test_a_file_system_without_attributes_is_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_path: object, **_options: object) -> list[str]:
        raise OSError("not supported")

    monkeypatch.setattr(os, "listxattr", refuse, raising=False)
    assert failing(folder) == set()
    monkeypatch.delattr(os, "listxattr")
    assert failing(folder) == set()


@pytest.mark.parametrize("name", ["report.json", "report.html", "log.xes.gz"])
def test_links_out_of_the_folder_are_not_followed(name: str, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / f"outside-{name}"
    (folder / name).rename(outside)
    (folder / name).symlink_to(outside)
    assert Name.FILES in failing(folder)
    assert failing(folder) - {Name.FILES}  # and what it leads to is not read in its place


def test_a_pipe_in_place_of_the_log_is_not_waited_for(folder: Path) -> None:
    (folder / "log.xes.gz").unlink()
    os.mkfifo(folder / "log.xes.gz")
    assert failing(folder) >= {Name.FILES, Name.LOG, Name.HASHES}


def test_an_internal_part_behind_a_link_is_no_internal_part(shelf: Shelf, folder: Path) -> None:
    (folder / "internal").symlink_to(shelf.kept() / "internal")
    assert failing(folder) == {Name.FILES}


def test_names_with_control_characters_do_not_reach_the_terminal(folder: Path) -> None:
    (folder / "\x1b[2Jlog.xes").write_text("x")
    detail = next(check.detail for check in checked(folder).failed)
    assert "\x1b" not in detail
    assert "\x1b" not in safe("\x1b[31m") and len(safe("x" * 10_000)) < 1_000


# --- the report -----------------------------------------------------------------------------------------------------


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"tuple": []}
    for _ in range(depth):
        value = {"tuple": [value]}
    return value


def reports() -> Iterator[tuple[str, Any]]:
    def change(*path: str, value: Any) -> Any:
        def apply(data: dict[str, Any]) -> str:
            inner = data
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            return json.dumps(data, indent=2, ensure_ascii=False) + "\n"

        return apply

    yield "path traversal", change("files", "../../log.xes.gz", value="0" * 64)
    yield "log outside the folder", change("released", "file", value="../log.xes.gz")
    yield "infinite number", change("advantage", value=float("inf"))
    yield "no number", change("advantage", value=float("nan"))
    yield "number of thousands of digits", change("released", "cases", value=10**4_000)
    yield "huge divisor", change("releases", value=10**300)
    yield "huge length", change("parameters", "max_case_length", value=1 << 70)
    yield "fraction for a whole number", change("released", "cases", value=70.0)
    yield "truth for a number", change("releases", value=True)
    yield "fraction for a number of releases", change("releases", value=1.0)
    yield "fraction for a window", change("parameters", "window_ms", value=1.0)
    yield "list", lambda data: "[]\n"
    yield "null", lambda data: "null\n"
    yield "nothing", lambda data: ""
    yield "text", lambda data: "trust me\n"
    yield "brackets without end", lambda data: "[" * 200_000
    yield "objects without end", lambda data: '{"a":' * 200_000
    yield "half a surrogate pair", change("method", value="\ud800")
    yield (
        "more mechanisms than a release has",
        change("mechanisms", value=[{"kind": "case-moves", "parameters": {}}] * 5_000),
    )
    yield "unknown mechanism", change("mechanisms", value=[{"kind": "\x1b[2J", "parameters": {}}])
    for depth in (10, 150, 300):
        yield (
            f"mechanisms nested {depth} deep",
            change("mechanisms", value=[{"kind": "sequential", "parameters": {"parts": nested(depth)}}]),
        )
    yield (
        "a mechanism that contains itself",
        change("mechanisms", value=[{"kind": "sequential", "parameters": {"parts": {"tuple": [{"event": 0}]}}}]),
    )
    yield (
        "a scale beyond the floats",
        change(
            "mechanisms",
            value=[{"kind": "laplace-count", "parameters": {"scale": 10**350, "sensitivity": 1, "cells_per_case": 1}}],
        ),
    )


@pytest.mark.parametrize(("what", "change"), list(reports()), ids=[what for what, _ in reports()])
def test_a_hostile_report_fails_without_a_traceback(what: str, change: Any, folder: Path) -> None:
    text = change(forging.report_in(folder))
    (folder / "report.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    found = checked(folder)
    assert not found.passed
    assert all(check.detail.isprintable() for check in found.checks)


def test_a_report_that_is_no_text_fails(folder: Path) -> None:
    for page in (b"\xff\xfe\x00", b"\xef\xbb\xbf{}", bytes(100), (folder / "log.xes.gz").read_bytes()):
        (folder / "report.json").write_bytes(page)
        assert failing(folder) == {Name.REPORT}


def leaves(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(value, (*path, key))
    else:
        yield path, data


def another(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return 3 if value is None else not value
    return value + "1" if isinstance(value, str) else value / 2 if isinstance(value, float) and value else value + 1


@pytest.mark.slow
def test_no_value_of_the_report_can_be_changed_unnoticed(folder: Path) -> None:
    text = (folder / "report.json").read_text(encoding="utf-8")
    changed = 0
    for path, value in leaves(json.loads(text)):
        if path[0] == "guarantees" and path[1] != 5:  # one line stands for all of them
            continue
        data = json.loads(text)
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = another(value)
        forging.write_report(folder, data)
        assert checked(folder).failed, path
        changed += 1
    assert changed > 50


# --- the log --------------------------------------------------------------------------------------------------------


def put_xes(folder: Path, xml: bytes) -> None:
    (folder / "log.xes.gz").write_bytes(forging.zipped(xml))
    forging.reseal(folder, page=False)


@pytest.mark.parametrize(
    "xml",
    [
        b"",
        b"<log>",
        b"<html></html>",
        b"\xff\xfe<\x00l\x00o\x00g\x00/\x00>\x00",
        b'<?xml version="1.0" encoding="rot13"?><log/>',
        b'<!DOCTYPE log [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><log>&b;</log>',
        b'<!DOCTYPE log SYSTEM "file:///etc/passwd"><log/>',
        b"<log>" * 100_000,
        b"<log>" + b"<trace><event/></trace>" * 100_000 + b"</log>",
    ],
    ids=lambda xml: f"{xml[:40]!r} ({len(xml)})",
)
def test_a_hostile_xes_file_fails_without_a_traceback(xml: bytes, folder: Path) -> None:
    put_xes(folder, xml)
    assert Name.LOG in failing(folder)


def test_a_tag_of_many_megabytes_is_not_judged(folder: Path) -> None:
    put_xes(folder, b'<log><trace><event><string key="' + b"x" * 20_000_000 + b'"/></event></trace></log>')
    found = checked(folder)
    assert outcome(found, Name.LOG) is Outcome.NOT_CHECKED
    assert not found.passed


@pytest.mark.slow
def test_a_log_that_grows_without_end_is_not_read_to_its_end(folder: Path) -> None:
    """Five hundred megabytes of events in half a megabyte: the scan stops at the first event too many."""
    event = b'<event><string key="concept:name" value="a"/></event>'
    packed = gzip.compress(b"<log><trace>" + event * 10_000_000, 1, mtime=0)
    (folder / "log.xes.gz").write_bytes(packed)
    forging.reseal(folder, page=False)
    found = checked(folder)
    assert any("more than" in check.detail for check in found.failed)
    assert outcome(found, Name.LOG) is Outcome.FAILED


def test_a_table_that_grows_without_end_is_not_read(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", "parquet", internal=False)
    rows = 50_000_000
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int8)), pa.array(["x" * 1_000]))
    pq.write_table(pa.table({"case:concept:name": column}), folder / "log.parquet")
    forging.reseal(folder, page=False)
    assert failing(folder) == {Name.LOG}


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"a,b\n1,2\n", b'case:concept:name\n"', b"PAR1" * 10])
def test_a_hostile_table_fails_without_a_traceback(content: bytes, shelf: Shelf, tmp_path: Path) -> None:
    for format, name in (("csv", "log.csv"), ("parquet", "log.parquet")):
        folder = shelf.copy(tmp_path / format, format, internal=False)
        (folder / name).write_bytes(content)
        forging.reseal(folder, page=False)
        assert Name.LOG in failing(folder)


@pytest.mark.slow
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_byte_of_a_release_can_be_changed_unnoticed(data: st.DataObject, shelf: Shelf) -> None:
    """Anywhere but in the internal report and its page, which are not derived again in full; nothing breaks off."""
    folder = shelf.kept(data.draw(st.sampled_from(["xes", "csv", "parquet"])))
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    names = [name for name in names if name not in ("internal/report.json", "internal/report.html")]
    path = folder / data.draw(st.sampled_from(names))
    before = path.read_bytes()
    at = data.draw(st.integers(0, len(before) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != before[at]))
    try:
        path.write_bytes(before[:at] + bytes((byte,)) + before[at + 1 :])
        assert failing(folder)
    finally:
        path.write_bytes(before)
