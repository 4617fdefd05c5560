"""The page asked by a program: uploads, forms that make no sense, files of a release."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import amun_dp
from amun_dp.serve.guard import REPORT_POLICY
from amun_dp.serve.state import Desk
from amun_dp.synthetic import hospital_log
from tests.serve.page import allowed, desk_below


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_below(tmp_path, largest_upload=1000)


@pytest.fixture
def client(desk: Desk) -> TestClient:
    return allowed(desk)


def private_files(desk: Desk) -> list[Path]:
    return [path for path in desk.places.private.rglob("*") if path.is_file()]


# --- uploads --------------------------------------------------------------------------------------------------------


def test_an_upload_arrives_in_the_private_place_for_its_owner_alone(client: TestClient, desk: Desk) -> None:
    answer = client.put("/upload", params={"name": "my log.csv"}, content=b"a,b\n1,2\n")
    assert answer.json()["name"] == "my log.csv"
    (stored,) = private_files(desk)
    assert stored.read_bytes() == b"a,b\n1,2\n"
    assert stored.parent.stat().st_mode & 0o077 == 0
    assert "my log.csv (dropped here)" in client.get("/section/log").text


@pytest.mark.parametrize("honest", [True, False])
def test_an_upload_that_is_too_large_is_refused_and_leaves_nothing(
    client: TestClient, desk: Desk, honest: bool
) -> None:
    content = bytes(1001)
    chunks: Any = content if honest else iter([content[:600], content[600:]])  # without its length in a header
    answer = client.put("/upload", params={"name": "log.csv"}, content=chunks)
    assert answer.status_code == 413
    assert "larger" in answer.json()["problem"]
    assert private_files(desk) == []
    assert list(desk.places.private.iterdir()) == []


def test_an_upload_of_another_kind_is_refused(client: TestClient, desk: Desk) -> None:
    answer = client.put("/upload", params={"name": "virus.exe"}, content=b"x")
    assert answer.status_code == 422
    assert list(desk.places.private.iterdir()) == []


def test_the_name_of_an_upload_is_shown_as_text(client: TestClient) -> None:
    client.put("/upload", params={"name": "<script>alert(1)</script>.csv"}, content=b"x")
    shown = client.get("/").text
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;.csv" in shown


# --- forms ----------------------------------------------------------------------------------------------------------

ODD: list[Any] = ["\ud800", None, 1, -1, 1e400, "x", "", [], {}, True, ["a"], "x" * 5000, "\0", float("nan")]


@pytest.mark.parametrize("path", ["/log", "/plan", "/declare", "/sweep", "/release", "/verify", "/cancel"])
def test_a_form_that_makes_no_sense_is_answered_with_words(client: TestClient, path: str) -> None:
    names = [
        *("log", "case_id", "drop_incomplete", "advantage", "method", "scope", "releases", "plan", "format"),
        *("release", "require", "original", "job", "same", "other", "max_case_length"),
    ]
    for value in ODD:
        answer = client.post(path, content=json.dumps(dict.fromkeys(names, value)), headers=JSON)
        assert answer.status_code == 422, (value, answer.text)
        assert answer.json()["problem"]


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b"\xff", b"[" * 50_000, b"{" + b" " * 200_000])
def test_a_body_that_is_no_form_is_refused(client: TestClient, body: bytes) -> None:
    assert client.post("/plan", content=body, headers=JSON).status_code == 422


def test_a_log_outside_the_folder_cannot_be_chosen(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("x")
    for name in ("../secret.csv", str(tmp_path / "secret.csv"), "upload:../../secret.csv"):
        assert client.post("/log", json={"log": name}).status_code == 422


def test_a_release_needs_the_plan_that_is_shown(client: TestClient, desk: Desk) -> None:
    (desk.places.folder / "log.csv").write_text("x")
    client.post("/log", json={"log": "log.csv"})
    answer = client.post("/release", json={"plan": 1})
    assert answer.status_code == 422
    assert "Look at it again" in answer.json()["problem"]


# --- files of a release ---------------------------------------------------------------------------------------------


@pytest.fixture
def release(desk: Desk) -> Path:
    folder = desk.places.folder / "a release"
    amun_dp.anonymize(hospital_log(), 0.2, "sampling").save(folder, format="csv")
    return folder


def test_the_public_files_of_a_release_can_be_had_and_the_others_cannot(client: TestClient, release: Path) -> None:
    for name in ("log.csv", "report.html", "report.json"):
        answer = client.get("/file", params={"release": "a release", "name": name})
        assert answer.content == (release / name).read_bytes()
        assert answer.headers["content-disposition"].startswith("attachment")
    for name in ("internal/report.json", "internal/ledger.json", "../a release/report.json", "", "log.parquet"):
        assert client.get("/file", params={"release": "a release", "name": name}).status_code == 404


def test_the_archive_holds_the_public_files_alone_and_is_not_kept(
    client: TestClient, desk: Desk, release: Path
) -> None:
    answer = client.get("/zip", params={"release": "a release"})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert sorted(archive.namelist()) == ["log.csv", "report.html", "report.json"]
        assert archive.read("report.json") == (release / "report.json").read_bytes()
    assert private_files(desk) == []


def test_a_report_is_shown_where_it_can_do_nothing(client: TestClient, release: Path) -> None:
    answer = client.get("/report", params={"release": "a release"})
    assert answer.headers["content-security-policy"] == REPORT_POLICY
    assert REPORT_POLICY.startswith("sandbox;")
    assert "script-src" not in REPORT_POLICY
    assert "default-src 'none'" in REPORT_POLICY


def test_a_report_that_is_a_link_to_something_else_is_not_given(
    client: TestClient, release: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (release / "report.html").unlink()
    (release / "report.html").symlink_to(tmp_path / "secret.txt")
    assert client.get("/report", params={"release": "a release"}).status_code == 404
    assert client.get("/file", params={"release": "a release", "name": "report.html"}).status_code == 404
    (release / "report.html").unlink()
    (release / "report.html").symlink_to("internal/report.html")
    assert client.get("/report", params={"release": "a release"}).status_code == 404


def test_a_job_that_nobody_knows_is_gone(client: TestClient) -> None:
    for number in ("0", "99", "-1", "x", "9" * 5000, "٣"):
        assert client.get(f"/job/{number}").status_code == 404


def test_a_folder_that_is_no_release_or_lies_outside_has_no_files(client: TestClient, desk: Desk) -> None:
    (desk.places.folder / "other").mkdir()
    for name in ("other", "..", "../private", "", "/etc"):
        for path in ("/file?name=report.json", "/zip?", "/report?", "/internal?"):
            assert client.get(f"{path}&release={name}").status_code == 404


# --- for auditors ---------------------------------------------------------------------------------------------------


def test_a_page_for_auditors_neither_releases_nor_shows_what_is_internal(tmp_path: Path) -> None:
    desk = desk_below(tmp_path, read_only=True)
    amun_dp.anonymize(hospital_log(), 0.2, "sampling").save(desk.places.folder / "release", format="csv")
    client = allowed(desk)
    shown = client.get("/").text
    assert "Release an event log" not in shown
    assert 'id="verify"' in shown
    for path in ("/log", "/plan", "/declare", "/sweep", "/release"):
        assert client.post(path, json={}).status_code == 404
    assert client.get("/internal", params={"release": "release"}).status_code == 404
    for path in ("/report", "/zip", "/file?name=report.json", "/file?name=report.html"):
        assert client.get(path, params={"release": "release/internal"}).status_code == 404
    assert client.get("/section/history").status_code == 404
    assert client.get("/report", params={"release": "release"}).status_code == 200
    assert client.put("/upload", params={"name": "log.csv"}, content=b"x").status_code == 422


def test_the_served_folder_is_never_written_to_by_looking(client: TestClient, desk: Desk) -> None:
    before = sorted(desk.places.folder.iterdir())
    client.get("/")
    client.get("/section/verify")
    assert sorted(desk.places.folder.iterdir()) == before
