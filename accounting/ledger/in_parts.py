"""A ledger whose rows are in parts, each written where its rows are: ``ledger.json``, and ``ledger.parquet`` a folder.

The rows of the one event that has columns are cut into files. Each file is described as a record's columns are: the
SHA-256 of every column, and one of the file. What the event's record states of a column is a digest over its parts, and
the chain goes on from there, so that nobody needs to have all rows at hand to write it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from accounting.errors import AccountingError
from accounting.events import PrivacyEvent
from accounting.ledger import files
from accounting.ledger.columns import read_columns, write_batches
from accounting.ledger.files import (
    JSON_FILE,
    PARQUET_FILE,
    expect,
    expect_columns,
    file_digest,
    new_file,
    read_document,
    write_document,
    written_record,
)
from accounting.ledger.records import (
    GENESIS,
    Column,
    ColumnFacts,
    Ledger,
    LedgerError,
    Record,
    canonical,
    chained,
    describe,
    read_only,
    record_hash,
    type_name,
)
from accounting.ledger.texts import TextColumn, joined_texts
from accounting.ledger.trees import decoded, ledger_of

SCHEMA: Final = "amun-dp/ledger-in-parts/1"
_LAYOUT: Final = {"schema": str, "records": list, "parts": list, "head": str, "checksum": str}
_PART_LAYOUT: Final = {"name": str, "sha256": str, "columns": list}


@dataclass(frozen=True, slots=True)
class LedgerPart:
    """What ``ledger.json`` says of one file of rows."""

    sha256: str
    """Of the file."""
    columns: tuple[ColumnFacts, ...]


def part_name(number: int) -> str:
    """How the files are named, from 0 on."""
    return f"part-{number:05}.parquet"


def record_with_rows(tree: PrivacyEvent) -> int:
    """Which record of the tree's ledger has columns; one must, and one only."""
    found = [index for index, record in enumerate(ledger_of(tree).records) if record.columns]
    if len(found) != 1:
        raise AccountingError("exactly one event of a ledger in parts has columns.")
    return found[0]


def write_part(columns: Mapping[str, Column], record: int, path: Path) -> LedgerPart:
    """A file of some rows of that record, for its owner only."""
    types = {name: type_name(column) for name, column in columns.items()}
    with new_file(path) as file:
        write_batches(types, record, [columns], file)
    return LedgerPart(file_digest(path), tuple(describe(columns)))


def write_parts_document(tree: PrivacyEvent, parts: Sequence[LedgerPart], folder: Path) -> None:
    """``ledger.json`` of a tree in which some rows stand for all of those in the parts, which are in place already."""
    if (folder / JSON_FILE).exists():
        raise LedgerError(f"{JSON_FILE} exists, and a ledger is never overwritten.")
    with_rows, facts = record_with_rows(tree), _over_parts(parts)
    previous, written = GENESIS, []
    for index, record in enumerate(ledger_of(tree).records):
        columns = facts if index == with_rows else []
        digest = record_hash(previous, record.kind, record.parameters, columns)
        written.append(written_record(record.kind, record.parameters, columns, previous, digest))
        previous = digest
    listed = [
        {"name": part_name(number), "sha256": part.sha256, "columns": [asdict(column) for column in part.columns]}
        for number, part in enumerate(parts)
    ]
    write_document(folder / JSON_FILE, {"schema": SCHEMA, "records": written, "parts": listed, "head": previous})


def read_ledger(folder: Path, key: bytes | None = None) -> Ledger:
    """The ledger in a folder, in one piece or in parts, whole and verified, or LedgerError.

    Schema, checksums, every column, the chain, the head and every record's meaning are checked. With a key the seal
    is too, and an unsealed ledger is refused; without one, the ``sealed`` of a sealed ledger is "unchecked".
    """
    if not (folder / PARQUET_FILE).is_dir():
        return files.read_ledger(folder, key)
    if key is not None:
        raise LedgerError("a key was given, but a ledger in parts is not sealed.")
    return _read_parts(folder)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LedgerInParts:
    """A ledger whose document is whole: chain, head, and that all parts are there. Its rows are checked as they are
    read, some at a time."""

    folder: Path
    parts: tuple[LedgerPart, ...]
    records: tuple[Mapping[str, Any], ...]
    """As they are written, without rows."""
    with_rows: int
    """Which of them has the rows."""

    @property
    def rows(self) -> int:
        """Of all parts together."""
        return sum(max(column.length for column in part.columns) for part in self.parts)

    def columns(self, number: int) -> dict[str, Column]:
        """The rows of a part, or LedgerError if they are not what was hashed."""
        name, part = part_name(number), self.parts[number]
        try:
            if file_digest(self.folder / PARQUET_FILE / name) != part.sha256:
                raise LedgerError(f"{name} is not the file that {JSON_FILE} describes.")
            listed = {"columns": [asdict(column) for column in part.columns]}
            found = read_columns(self.folder / PARQUET_FILE / name, [listed])[0]
        except OSError as error:
            raise LedgerError(f"a part of {PARQUET_FILE} cannot be read: {error.strerror}.") from error
        if tuple(describe(found)) != part.columns:
            raise LedgerError(f"{name} has a column that is not what was hashed.")
        return found

    def ledger(self, columns: Mapping[str, Column]) -> Ledger:
        """The ledger with these rows, in one piece: all of them, or some that stand for all. It has a chain of its
        own."""
        records: list[Record] = []
        for index, written in enumerate(self.records):
            before = records[-1].hash if records else GENESIS
            own = columns if index == self.with_rows else MappingProxyType({})
            records.append(chained(before, written["kind"], written["parameters"], own))
        return Ledger(tuple(records))


def open_parts(folder: Path) -> LedgerInParts:
    """A ledger in parts, its document verified, or LedgerError."""
    document = read_document(folder / JSON_FILE, SCHEMA, _LAYOUT)
    parts = _listed_parts(folder / PARQUET_FILE, document["parts"])
    facts, records = _over_parts(parts), document["records"]
    with_rows = [index for index, record in enumerate(records) if record["columns"]]
    if len(with_rows) != 1 or records[with_rows[0]]["columns"] != [asdict(each) for each in facts]:
        raise LedgerError(f"{JSON_FILE} states other columns than the parts have.")
    previous = GENESIS
    for index, written in enumerate(records):
        kind, own = written["kind"], facts if index == with_rows[0] else []
        digest = record_hash(previous, kind, written["parameters"], own)
        if (written["previous"], written["hash"]) != (previous, digest):
            raise LedgerError(f"record {index} ({kind}) is not what was hashed, or does not follow the one before it.")
        previous = digest
    if previous != document["head"]:
        raise LedgerError("the last record is not the head that the ledger names.")
    return LedgerInParts(folder, parts, tuple(records), with_rows[0])


def _listed_parts(folder: Path, listed: list[Any]) -> tuple[LedgerPart, ...]:
    names = [part_name(number) for number in range(len(listed))]
    try:
        there = {entry.name for entry in folder.iterdir()}
    except OSError as error:
        raise LedgerError(f"a part of {PARQUET_FILE} cannot be read: {error.strerror}.") from error
    if not listed or there != set(names):
        raise LedgerError(f"{PARQUET_FILE} does not hold the parts that {JSON_FILE} lists.")
    for name, stated in zip(names, listed, strict=True):
        expect(stated, _PART_LAYOUT, name)
        expect_columns(stated["columns"], name)
        if stated["name"] != name:
            raise LedgerError(f"{name} is not the file that {JSON_FILE} describes.")
    return tuple(
        LedgerPart(stated["sha256"], tuple(ColumnFacts(**column) for column in stated["columns"])) for stated in listed
    )


def _read_parts(folder: Path) -> Ledger:
    """All parts put together. Its head is that of the same ledger in one piece; that of the file was compared."""
    opened = open_parts(folder)
    pieces = [opened.columns(number) for number in range(len(opened.parts))]
    ledger = opened.ledger({name: _joined([piece[name] for piece in pieces]) for name in pieces[0]})
    decoded(ledger)
    return ledger


def _joined(pieces: Sequence[Column]) -> Column:
    texts = [piece for piece in pieces if isinstance(piece, TextColumn)]
    if texts:
        return joined_texts(texts)
    return read_only(np.concatenate([piece for piece in pieces if not isinstance(piece, TextColumn)]))


def _over_parts(parts: Sequence[LedgerPart]) -> list[ColumnFacts]:
    """Of each column its length and a digest: SHA-256 of the lengths and digests of its parts, as canonical JSON."""
    kinds = {tuple((column.name, column.type) for column in part.columns) for part in parts}
    if len(kinds) != 1:
        raise LedgerError("the parts of a ledger have different columns.")
    return [
        ColumnFacts(
            same[0].name,
            same[0].type,
            sum(column.length for column in same),
            hashlib.sha256(canonical([[column.length, column.sha256] for column in same]).encode()).hexdigest(),
        )
        for same in zip(*(part.columns for part in parts), strict=True)
    ]
