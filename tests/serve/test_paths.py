"""What may be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.errors import InputError
from amun_dp.serve.paths import Places
from amun_dp.serve.state import Desk


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """served/ beside a secret, with a link that leads out and one that stays inside."""
    root = tmp_path_factory.mktemp("places").resolve()
    served, private = root / "served", root / "private"
    (served / "deep" / "er").mkdir(parents=True)
    private.mkdir()
    (root / "secret.csv").write_text("secret")
    (served / "log.csv").write_text("a")
    (served / "deep" / "er" / "log.XES.GZ").write_bytes(b"b")
    (served / ".hidden.csv").write_text("c")
    (served / "notes.txt").write_text("d")
    (served / "out.csv").symlink_to(root / "secret.csv")
    (served / "outside").symlink_to(root)
    (served / "inside.csv").symlink_to(served / "log.csv")
    release = served / "release"
    release.mkdir()
    for name in ("report.json", "log.xes.gz"):
        (release / name).write_text("{}")
    return Places(served, private)


def test_logs_and_releases_are_found_but_no_hidden_files_links_or_logs_of_releases(places: Places) -> None:
    found = places.find()
    assert [one.name for one in found.logs] == ["deep/er/log.XES.GZ", "log.csv"]
    assert [one.name for one in found.releases] == ["release"]
    assert found.complete


def test_a_folder_with_too_much_in_it_is_cut_and_says_so(tmp_path: Path) -> None:
    for number in range(301):
        (tmp_path / f"{number}.csv").touch()
    found = Places(tmp_path, tmp_path).find()
    assert len(found.logs) == 300
    assert not found.complete


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../secret.csv",
        "deep/../../secret.csv",
        "/etc/passwd",
        "out.csv",
        "outside/secret.csv",
        "x\0y",
        "..\\secret.csv",
        "nowhere.csv",
        "deep/er/../../../secret.csv",
        "release/../../secret.csv",
    ],
)
def test_what_leads_out_of_the_folder_is_refused_like_what_is_not_there(places: Places, name: str) -> None:
    if name == ".":
        assert places.below(name) == places.folder
        return
    with pytest.raises(InputError, match="nothing of that name"):
        places.below(name)


PIECES = st.sampled_from(
    ["..", ".", "deep", "er", "log.csv", "outside", "secret.csv", "release", "", "/", "out.csv", "%2e%2e"]
)


@given(st.lists(PIECES, max_size=6).map("/".join))
def test_whatever_is_asked_for_nothing_outside_the_folder_is_given(places: Places, name: str) -> None:
    try:
        given_path = places.below(name)
    except InputError:
        return
    assert Path(os.path.realpath(given_path)).is_relative_to(places.folder)


def test_an_upload_keeps_nothing_of_its_name_but_the_ending(places: Places) -> None:
    key, target = places.room_for_upload("../../<b>evil</b>.CSV.gz")
    assert target.name == "upload.csv.gz"
    assert target.parent.parent == places.private
    target.write_bytes(b"x")
    assert places.uploaded(key) == target


@pytest.mark.parametrize("name", ["log.exe", "", "xes", "log.xes.zip.exe"])
def test_an_upload_without_a_known_ending_is_refused(places: Places, name: str) -> None:
    with pytest.raises(InputError, match="ending"):
        places.room_for_upload(name)


def test_names_in_another_encoding_and_folders_that_may_not_be_entered_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.csv")).touch()
    (tmp_path / "log.csv").touch()
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    try:
        found = Places(tmp_path, tmp_path).find()
    finally:
        locked.chmod(0o700)
    assert [one.name for one in found.logs] == ["log.csv"]


@pytest.mark.parametrize("name", ["release/internal", "release/INTERNAL", "release/./internal", "link", ".hidden"])
def test_the_internal_part_does_not_pass_for_a_release(tmp_path: Path, name: str) -> None:
    for folder in ("release", "release/internal", "release/INTERNAL", ".hidden"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "report.json").touch()
    (tmp_path / "link").symlink_to(tmp_path / "release" / "internal")
    places = Places(tmp_path.resolve(), tmp_path)
    assert places.release("release") == tmp_path.resolve() / "release"
    with pytest.raises(InputError):
        places.release(name)


def test_what_a_dead_worker_left_is_taken_away_and_nobody_elses(tmp_path: Path) -> None:
    for name in (".amun-dp-77-x", ".amun-dp-777-x", ".amun-dp-78-x", "other"):
        (tmp_path / name).mkdir()
    Desk(Places(tmp_path, tmp_path), None, read_only=False, largest_upload=1).clear_after(77)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".amun-dp-777-x", ".amun-dp-78-x", "other"]


def test_a_release_of_a_log_with_a_long_name_fits_a_file_system(tmp_path: Path) -> None:
    room = Places(tmp_path, tmp_path).room_for_release("🙂" * 200 + "a" * 300 + ".csv")
    room.mkdir()


@pytest.mark.parametrize("key", ["upload:", "upload:..", "upload:../served", "upload:/", "upload:nosuch"])
def test_an_upload_is_found_by_its_key_alone(places: Places, key: str) -> None:
    with pytest.raises(InputError, match="gone"):
        places.uploaded(key)


def test_a_release_gets_a_new_folder_named_after_its_log(places: Places) -> None:
    assert places.room_for_release("deep/My log.xes.gz").name == "My log-release"
    (places.folder / "log-release").mkdir()
    assert places.room_for_release("log.csv").name == "log-release-2"
    assert places.room_for_release('<img src="x">.csv').name == "-img src--x---release"
    assert places.room_for_release("....csv").name == "log-release-2"
