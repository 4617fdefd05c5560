"""The registry's file: SQLite, one writer at a time, every commit on the disk before it counts.

Whoever opens it reads all of it and checks all of it: the header before SQLite touches the file, the tables, SQLite's
own integrity check, and the chain. What does not pass is refused and left as it is. The one thing that opening may
change is what SQLite itself promises: a transaction that a killed process left half-written is undone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from accounting.registry.chain import GENESIS, Entry, Row, head_of, rows_after, verified
from accounting.registry.errors import BusyRegistry, DamagedRegistry, RegistryError
from accounting.registry.files import file_errors, put_in_place, temporary_beside
from accounting.registry.keys import Hasher

T = TypeVar("T")

APPLICATION = 0x414D554E
"""Marks the file as a registry ("AMUN") among the SQLite files of the world."""
VERSION = 3
"""What this version writes: costs and budgets for each unit, releases that were exposed, voided or cleaned away. An
older amun-dp cannot count those, so it refuses a file with this number."""
OLDEST = 2
"""What is read and continued as it is. 1 was never released: its hashes cannot be compared with these."""
PATIENCE = 30.0
"""Seconds to wait for another process; each holds the registry for a fraction of one."""

SCHEMA = {
    "entries": "CREATE TABLE entries (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL, "
    "sealed BLOB, mac BLOB NOT NULL)",
    "head": "CREATE TABLE head (rows INTEGER NOT NULL, mac BLOB NOT NULL)",
}


def create_database(path: Path, first: Entry, hasher: Hasher) -> None:
    """A registry with one entry, made aside and put in place whole; if there is one by then, that one stays."""
    with file_errors(path), temporary_beside(path) as temporary:
        with _sqlite_errors(path), closing(_connect(temporary)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("BEGIN IMMEDIATE")
            for statement in SCHEMA.values():
                connection.execute(statement)
            connection.execute("INSERT INTO head VALUES (0, x'00')")
            _append(connection, 0, GENESIS, [first], hasher)
            connection.execute("COMMIT")
        put_in_place(temporary, path)


def read_entries(path: Path, hasher: Hasher, use: Callable[[list[Entry]], T]) -> T:
    """What ``use`` makes of the entries, all checked. Writes nothing."""
    with _opened(path) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        entries, _ = _checked(connection, path, hasher)
        connection.execute("ROLLBACK")
        return use(entries)


def append_entries(path: Path, hasher: Hasher, decide: Callable[[list[Entry]], tuple[list[Entry], T]]) -> T:
    """Add what ``decide`` makes of the entries so far, while no other process can add any. Durable on return."""
    with _opened(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        entries, last = _checked(connection, path, hasher)
        added, result = decide(entries)
        if added:
            _append(connection, len(entries), last, added, hasher)
            connection.execute(f"PRAGMA user_version = {VERSION}")  # in the same transaction
        connection.execute("COMMIT")
        return result


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection; whatever was not committed at the end is undone."""
    check_header(path)
    with _sqlite_errors(path), closing(_connect(path)) as connection:
        yield connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=PATIENCE, isolation_level=None
    )
    try:
        # EXTRA: also the disappearance of the journal, which is what makes a commit one, reaches the disk.
        for setting in ("synchronous = EXTRA", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def check_header(path: Path) -> None:
    """Refuse what is no registry before SQLite opens it (it would, for one, switch to other journals if told so)."""
    with file_errors(path):
        try:
            with path.open("rb") as file:
                header = file.read(100)
        except FileNotFoundError as error:
            raise DamagedRegistry(
                f"The registry {path} is gone: somebody took it away after it was opened. Bring it back, and try again."
            ) from error
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0") or header[68:72] != _big_endian(APPLICATION):
        raise DamagedRegistry(
            f"{path} is not a registry of amun-dp, or its beginning is damaged; it was left as it is. Bring it back "
            "from a backup, or choose another file for the registry."
        )
    version = int.from_bytes(header[60:64], "big")
    if version > VERSION:
        raise RegistryError(
            f"The registry {path} was made by a newer amun-dp (version {version} of the file; this one knows "
            f"{VERSION}). Use that one."
        )
    if version == 1:
        raise RegistryError(
            f"The registry {path} was made by an amun-dp from before its first release, which knew logs by other "
            "hashes. List what they have spent with that one, and count it: here is no way to take it over."
        )
    if version < OLDEST or header[18:20] != b"\1\1":
        raise _damaged(path, "its header was changed")


def _big_endian(number: int) -> bytes:
    return number.to_bytes(4, "big")


def _checked(connection: sqlite3.Connection, path: Path, hasher: Hasher) -> tuple[list[Entry], bytes]:
    if dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall()) != SCHEMA:
        raise DamagedRegistry("its tables were changed")
    # From here on no other process changes the file, so that its size can be looked at.
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    try:
        length = path.stat().st_size
    except FileNotFoundError as error:
        raise DamagedRegistry("somebody took it away while it was read") from error
    if length != pages * size:
        raise DamagedRegistry("its end is missing, or something was added to it")
    problems = [text for (text,) in connection.execute("PRAGMA integrity_check(1)")]
    if problems != ["ok"]:
        raise DamagedRegistry("SQLite finds its pages damaged")
    heads = connection.execute("SELECT rows, mac FROM head").fetchall()
    if len(heads) != 1:
        raise DamagedRegistry("its head is missing")
    rows = connection.execute("SELECT number, kind, content, sealed, mac FROM entries ORDER BY number")
    return verified((Row(*row) for row in rows), heads[0], hasher)


def _append(connection: sqlite3.Connection, rows: int, last: bytes, entries: list[Entry], hasher: Hasher) -> None:
    added = rows_after(rows, last, entries, hasher)
    connection.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
        [(row.number, row.kind, row.content, row.sealed, row.mac) for row in added],
    )
    count = rows + len(added)
    connection.execute("UPDATE head SET rows = ?, mac = ?", (count, head_of(count, added[-1].mac, hasher)))


# --- what SQLite says, with a way out -------------------------------------------------------------------------------

_CANNOT = {
    sqlite3.SQLITE_FULL: "no space is left on the disk",
    sqlite3.SQLITE_READONLY: "it cannot be written, or a killed process left a transaction that must be undone first",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "there is no permission",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
}


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except DamagedRegistry as error:
        raise _damaged(path, str(error)) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BusyRegistry(
                f"The registry {path} has been held by another process for {PATIENCE:g} seconds. Run again when that "
                "is done."
            ) from error
        if code in _CANNOT:
            raise RegistryError(
                f"The registry {path} cannot be used: {_CANNOT[code]}. Fix the cause, or choose another file for the "
                "registry."
            ) from error
        raise _damaged(path, "SQLite cannot read it") from error
    except UnicodeDecodeError as error:  # Python's, of text in the file
        raise _damaged(path, "SQLite cannot read it") from error


def _damaged(path: Path, why: str) -> DamagedRegistry:
    return DamagedRegistry(
        f"The registry {path} is damaged ({why.rstrip('.')}); nothing was changed or repaired. Bring it back from a "
        f"backup together with {path.name}.key, and count what was released since."
    )
