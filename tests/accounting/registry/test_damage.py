"""A damaged registry is refused and left as it is: never repaired, never read as something else."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from accounting.registry import (
    BusyRegistry,
    DamagedRegistry,
    NoRegistry,
    Registry,
    RegistryError,
    StrictBudget,
    key_file,
    open_registry,
)
from accounting.registry.chain import entry
from accounting.registry.database import create_database
from accounting.registry.keys import create_key
from accounting.registry.views import export
from tests.accounting.registry.helpers import article, certified, prints

CASES = [f"{number:04}{number:04}" for number in range(20)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A registry with two logs, three releases and a changed budget."""
    registry = open_registry(tmp_path / "registry.sqlite")
    for number, cost in enumerate((article("0.2", 3), article("0.1", 3))):
        registry.reserve(prints(registry.hasher, CASES), cost, f"release-{number}", {"method": "sampling"})
    registry.confirm("release-0", [{"scope": "cell", "epsilon": 0.27}])
    registry.reserve(prints(registry.hasher, ["other"]), certified("0.5"), "release-2", {})
    return registry.path


def everything(registry: Registry) -> object:
    return export(registry.entries(), registry.logs())


def files(path: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in path.parent.iterdir() if one.is_file()}


def refused(path: Path, create: bool = True) -> str:
    """Refused, whether to be read or to be written, and left byte for byte as it was."""
    before = files(path)
    for way in (create, False):
        with pytest.raises(RegistryError) as refusal:
            open_registry(path, create=way)
        assert files(path) == before
    message = str(refusal.value)
    assert str(path) in message
    assert message.endswith(".")
    return message


@pytest.mark.slow
def test_a_flipped_bit_anywhere_is_refused_or_changes_nothing_that_is_read(path: Path) -> None:
    """Not every byte of an SQLite file means something: some are gaps between entries. The others are all guarded."""
    intact, known = path.read_bytes(), everything(open_registry(path, create=False))
    found = harmless = 0
    for place in range(0, len(intact), 7):
        damaged = bytearray(intact)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            same = everything(open_registry(path, create=False))
        except DamagedRegistry:
            found += 1
        except RegistryError as error:
            assert "newer" in str(error) or "before" in str(error)  # the byte that tells the version
        else:
            assert same == known
            harmless += 1
        assert path.read_bytes() == damaged
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name, key_file(path).name]
    assert found > 0.5 * (found + harmless)


@pytest.mark.slow
def test_a_flipped_bit_in_anything_that_is_stored_is_refused(path: Path) -> None:
    """Every entry, hash and token, wherever SQLite put it in the file."""
    intact = path.read_bytes()
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT kind, content, sealed, mac FROM entries").fetchall()
        values = [value for row in rows for value in row] + list(database.execute("SELECT mac FROM head").fetchone())
    for value in values:
        if value is None:
            continue
        content = value.encode() if isinstance(value, str) else value
        part = content[: min(len(content), 40)]  # a long one continues on a page of its own
        start = intact.index(part)
        for place in range(start, start + len(part)):
            damaged = bytearray(intact)
            damaged[place] ^= 0x01
            path.write_bytes(damaged)
            with pytest.raises(DamagedRegistry):
                open_registry(path, create=False)
    path.write_bytes(intact)
    open_registry(path)


def test_a_shortened_file_is_refused(path: Path) -> None:
    intact = path.read_bytes()
    for size in (0, 1, 99, 100, 4096, len(intact) // 2, len(intact) - 4096, len(intact) - 1):
        path.write_bytes(intact[:size])
        refused(path)
    path.write_bytes(intact + b"\0")
    refused(path)


def change(statement: str) -> Callable[[Path], None]:
    """By hand, with SQLite's own tools, so that the file itself is whole."""

    def apply(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.executescript(statement)

    return apply


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entries WHERE number = (SELECT max(number) FROM entries)",
        "DELETE FROM entries WHERE number = (SELECT min(number) FROM entries WHERE kind = 'reserved')",
        "DELETE FROM entries WHERE kind = 'published'",
        "DELETE FROM entries",
        "DELETE FROM head",
        "INSERT INTO head SELECT * FROM head",
        "UPDATE head SET rows = rows - 1",
        "DELETE FROM entries WHERE number = (SELECT max(number) FROM entries); UPDATE head SET rows = rows - 1",
        "UPDATE entries SET content = replace(content, '\"releases\":3', '\"releases\":9')",
        "UPDATE entries SET content = content || ' '",
        "UPDATE entries SET kind = 'published' WHERE kind = 'reserved'",
        "UPDATE entries SET sealed = NULL",
        "UPDATE entries SET sealed = zeroblob(length(sealed)) WHERE sealed IS NOT NULL",
        "UPDATE entries SET sealed = 'text' WHERE sealed IS NOT NULL",
        "UPDATE entries SET content = CAST(content AS BLOB)",
        "UPDATE entries SET mac = zeroblob(32) WHERE number = 1",
        "UPDATE entries SET number = number + 1 WHERE number = (SELECT max(number) FROM entries)",
        "UPDATE entries SET number = -number",
        "INSERT INTO entries SELECT max(number) + 1, kind, content, sealed, mac FROM entries",
        "CREATE TABLE more (x)",
        "CREATE TRIGGER forget AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE number = new.number; END",
        "CREATE INDEX faster ON entries (kind)",
        "ALTER TABLE entries ADD COLUMN x",
        "DROP TABLE head",
        "PRAGMA journal_mode = WAL",
        "PRAGMA user_version = 0",
    ],
)
def test_a_registry_changed_by_hand_is_refused(path: Path, statement: str) -> None:
    change(statement)(path)
    message = refused(path)
    assert "damaged" in message
    assert "backup" in message


def test_swapped_entries_are_refused(path: Path) -> None:
    change(
        "UPDATE entries SET number = 100 WHERE number = 5; UPDATE entries SET number = 5 WHERE number = 6;"
        "UPDATE entries SET number = 6 WHERE number = 100"
    )(path)
    refused(path)


def test_an_entry_from_another_copy_of_the_registry_is_refused(path: Path, tmp_path: Path) -> None:
    """Genuine, with its number and the right key, but with another past or another future."""
    log = open_registry(path).logs()[1].log
    open_registry(path).set_budget(log, StrictBudget(Fraction(10)))
    copy = tmp_path / "copy" / path.name
    shutil.copytree(path.parent, copy.parent, ignore=shutil.ignore_patterns("copy"))
    for place, epsilon in ((path, "1"), (copy, "1/1000")):
        registry = open_registry(place)
        for name in ("more", "most"):
            registry.reserve(prints(registry.hasher, ["other"]), certified(epsilon), name, {})
    number = len(registry.entries()) - 1  # not the last one, which the head names
    change(
        f"ATTACH '{copy}' AS copy; UPDATE entries SET (content, mac) = "
        f"(SELECT content, mac FROM copy.entries WHERE number = {number}) WHERE number = {number}"
    )(path)
    assert f"entry {number + 1} was changed" in refused(path)


def test_vacuuming_changes_no_entry_and_is_no_damage(path: Path) -> None:
    known = everything(open_registry(path))
    change("VACUUM")(path)
    assert everything(open_registry(path)) == known


def test_a_foreign_file_is_refused_and_not_turned_into_a_registry(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("case,activity,time\n")
    (tmp_path / "empty").touch()
    change("CREATE TABLE entries (x); PRAGMA user_version = 1")(tmp_path / "sqlite")
    for name in ("text", "empty", "sqlite"):
        assert "not a registry" in refused(tmp_path / name)
    (tmp_path / "folder").mkdir()
    with pytest.raises(RegistryError, match="folder"):
        open_registry(tmp_path / "folder")


def test_a_registry_of_a_newer_version_is_refused_with_that_reason(path: Path) -> None:
    change("PRAGMA user_version = 4")(path)
    assert "newer" in refused(path)


def test_a_registry_from_before_the_first_release_is_refused_with_that_reason(path: Path) -> None:
    """It would be opened, and every log in it taken for a new one."""
    change("PRAGMA user_version = 1")(path)
    assert "before its first release" in refused(path)


@pytest.mark.parametrize("use", [Registry.logs, Registry.entries, lambda registry: registry.confirm("release-1", [])])
def test_a_registry_that_vanished_after_it_was_opened_is_refused(path: Path, use: Callable[[Registry], object]) -> None:
    registry = open_registry(path)
    path.unlink()
    with pytest.raises(DamagedRegistry, match="is gone"):
        use(registry)
    assert not path.exists()


def test_a_folder_that_vanished_is_refused_in_words(path: Path) -> None:
    registry = open_registry(path)
    shutil.rmtree(path.parent)
    with pytest.raises(DamagedRegistry, match="is gone"):
        registry.logs()
    with pytest.raises(RegistryError, match="choose another file for the registry"):
        create_key(key_file(path))
    with pytest.raises(RegistryError, match="choose another file for the registry"):
        create_database(path, entry("created"), registry.hasher)


# --- the key --------------------------------------------------------------------------------------------------------


def test_a_registry_without_its_key_is_refused(path: Path) -> None:
    key_file(path).unlink()
    assert "key" in refused(path)


def test_a_key_without_its_registry_is_refused_because_budgets_would_be_forgotten(path: Path) -> None:
    path.unlink()
    message = refused(path)
    assert "forgotten" in message
    assert str(key_file(path)) in message  # the way out
    key_file(path).unlink()
    assert open_registry(path).logs() == ()


def test_another_registrys_key_is_refused(path: Path, tmp_path: Path) -> None:
    other = open_registry(tmp_path / "other" / "registry.sqlite")
    shutil.copy(key_file(other.path), key_file(path))
    with pytest.raises(DamagedRegistry, match="another registry's"):
        open_registry(path)


def test_a_damaged_key_is_refused(path: Path) -> None:
    intact = key_file(path).read_bytes()
    for place in range(len(intact)):
        damaged = bytearray(intact)
        damaged[place] ^= 1 << place % 8
        key_file(path).write_bytes(damaged)
        with pytest.raises(DamagedRegistry):
            open_registry(path)
        assert key_file(path).read_bytes() == damaged
    for content in (b"", intact[:-1], intact + b"\n", intact * 2, b"\xff" * 300):
        key_file(path).write_bytes(content)
        with pytest.raises(DamagedRegistry):
            open_registry(path)


def test_a_registry_that_was_begun_but_never_finished_is_finished(tmp_path: Path) -> None:
    """A key that is not in use yet: the process that made it was killed before it made the registry."""
    path = tmp_path / "r"
    open_registry(path)
    path.unlink()
    key = key_file(path)
    key.write_bytes(key.read_bytes().replace(b"in use", b"new"))
    with pytest.raises(NoRegistry):
        open_registry(path, create=False)
    open_registry(path)
    assert b"in use" in key.read_bytes()


# --- the disk -------------------------------------------------------------------------------------------------------


def test_a_registry_that_another_process_holds_is_waited_for_and_then_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounting.registry.database.PATIENCE", 0.1)
    registry = open_registry(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BusyRegistry, match="another process"):
            registry.logs()
        with pytest.raises(BusyRegistry):
            registry.confirm("release-1", [])
    registry.confirm("release-1", [])


def test_a_place_that_cannot_be_written_is_refused_with_a_way_out(path: Path) -> None:
    path.parent.chmod(0o500)
    user = os.geteuid()
    try:
        if user == 0:  # root may write anywhere; nobody may not
            os.seteuid(65534)
        with pytest.raises(RegistryError, match="choose another file for the registry"):
            open_registry(path.parent / "new")
    finally:
        os.seteuid(user)
        path.parent.chmod(0o700)


def test_a_folder_that_is_a_file_is_refused_with_a_way_out(path: Path) -> None:
    with pytest.raises(RegistryError, match="choose another file for the registry"):
        open_registry(path / "registry")
