"""A ledger as two files: ``ledger.json`` (records, hashes, seal) and ``ledger.parquet`` (all columns).

The JSON is canonical to the byte and carries a checksum of itself and one of the Parquet file, so a change of any byte
of either is refused, also of bytes without meaning.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from accounting.ledger.columns import read_columns, write_columns
from accounting.ledger.records import (
    SCHEMA,
    Column,
    ColumnFacts,
    Ledger,
    LedgerError,
    Record,
    canonical,
    describe,
    mac,
    record_hash,
    verified,
)
from accounting.ledger.trees import decoded

JSON_FILE: Final = "ledger.json"
PARQUET_FILE: Final = "ledger.parquet"
_LAYOUT: Final = {
    "schema": str,
    "records": list,
    "head": str,
    "seal": (str, type(None)),
    "parquet_sha256": str,
    "checksum": str,
}
_RECORD_LAYOUT: Final = {"kind": str, "parameters": dict, "columns": list, "previous": str, "hash": str}
_COLUMN_LAYOUT: Final = {"name": str, "type": str, "length": int, "sha256": str}


def write_ledger(ledger: Ledger, folder: Path, key: bytes | None = None) -> None:
    """Write both files, readable by their owner only, sealed if there is a key. A ledger is never overwritten.

    The JSON is put in place last: until then the folder holds no ledger.
    """
    ledger.verify_links()
    written = [
        written_record(record.kind, record.parameters, verified(index, record), record.previous, record.hash)
        for index, record in enumerate(ledger.records)
    ]
    decoded(ledger)  # what could not be read back is not written
    sealed = None if key is None else mac(ledger, key)
    place_ledger(folder, written, ledger.head, sealed, lambda file: write_columns(ledger.records, file))


def place_ledger(
    folder: Path,
    records: list[dict[str, Any]],
    head: str,
    sealed: str | None,
    write: Callable[[BinaryIO], None],
) -> None:
    """Both files from records as they are written (``written_record``) and a way to write their columns."""
    document: dict[str, Any] = {"schema": SCHEMA, "records": records, "head": head, "seal": sealed}
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / PARQUET_FILE, folder / JSON_FILE]
    for target in targets:
        if target.exists():
            raise LedgerError(f"{target.name} exists, and a ledger is never overwritten.")
    # Private to the owner from the first byte, and on the same file system as the target.
    staging = Path(tempfile.mkdtemp(prefix=".ledger-", dir=folder))
    try:
        with new_file(staging / PARQUET_FILE) as file:
            write(file)
        document["parquet_sha256"] = file_digest(staging / PARQUET_FILE)
        write_document(staging / JSON_FILE, document)
        placed: list[Path] = []
        try:
            for target in targets:
                (staging / target.name).rename(target)
                placed.append(target)
        except OSError:
            for target in placed:
                target.unlink()
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def read_ledger(folder: Path, key: bytes | None = None) -> Ledger:
    """The ledger in a folder, whole and verified, or LedgerError.

    Schema, checksums, every column, the chain, the head and every record's meaning are checked. With a key the seal
    is too, and an unsealed ledger is refused; without one, the ``sealed`` of a sealed ledger is "unchecked".
    """
    document = read_document(folder / JSON_FILE, SCHEMA, _LAYOUT)
    try:
        if file_digest(folder / PARQUET_FILE) != document["parquet_sha256"]:
            raise LedgerError(f"{PARQUET_FILE} is not the file that {JSON_FILE} describes.")
        columns = read_columns(folder / PARQUET_FILE, document["records"])
    except OSError as error:
        raise LedgerError(f"{PARQUET_FILE} cannot be read: {error.strerror}.") from error
    records = tuple(map(_checked, range(len(columns)), document["records"], columns))
    ledger = Ledger(records, sealed="no" if document["seal"] is None else "unchecked" if key is None else "checked")
    ledger.verify_links()
    if ledger.head != document["head"]:
        raise LedgerError("the last record is not the head that the ledger names.")
    if key is not None:
        if document["seal"] is None:
            raise LedgerError("a key was given, but the ledger is not sealed.")
        if not hmac.compare_digest(mac(ledger, key).encode(), document["seal"].encode(errors="replace")):
            raise LedgerError("the seal is not one of this ledger under this key.")
    decoded(ledger)
    return ledger


def written_record(
    kind: str, parameters: Mapping[str, Any], columns: Iterable[ColumnFacts], previous: str, digest: str
) -> dict[str, Any]:
    """A record as it stands in the JSON file."""
    return {
        "kind": kind,
        "parameters": dict(parameters),
        "columns": [asdict(facts) for facts in columns],
        "previous": previous,
        "hash": digest,
    }


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """The JSON file, with its checksum."""
    with new_file(path) as file:
        file.write(_page({**document, "checksum": _checksum(document)}))


def _page(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, indent=1, ensure_ascii=True, allow_nan=False).encode() + b"\n"


def _checksum(document: Mapping[str, Any]) -> str:
    """Covers also what the chain does not: the seal, and the digest of the Parquet file."""
    content = {name: value for name, value in document.items() if name != "checksum"}
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def read_document(path: Path, schema: str, layout: Mapping[str, Any]) -> dict[str, Any]:
    """What is in the JSON file, of this schema and whole; its records are described as a ledger describes them."""
    try:
        page = path.read_bytes()
        document: dict[str, Any] = json.loads(page)
        is_canonical = _page(document) == page
    except OSError as error:
        raise LedgerError(f"{JSON_FILE} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise LedgerError(f"{JSON_FILE} is not JSON.") from error
    if not is_canonical:
        raise LedgerError(f"{JSON_FILE} is not written as a ledger is, to the byte.")
    if isinstance(document, dict) and document.get("schema") != schema:
        raise LedgerError(f"{JSON_FILE} is not of schema {schema}.")
    expect(document, layout, JSON_FILE)
    if _checksum(document) != document["checksum"]:
        raise LedgerError(f"{JSON_FILE} does not match its checksum.")
    for index, record in enumerate(document["records"]):
        expect(record, _RECORD_LAYOUT, f"record {index}")
        expect_columns(record["columns"], f"record {index}")
    return document


def expect_columns(columns: list[Any], where: str) -> None:
    """Refuse columns that are not described as a ledger describes them."""
    for column in columns:
        expect(column, _COLUMN_LAYOUT, f"a column of {where}")
    names = [column["name"] for column in columns]
    if names != sorted(set(names)) or any(column["length"] < 0 for column in columns):
        raise LedgerError(f"the columns of {where} are not listed as a ledger lists them.")


def expect(data: object, layout: Mapping[str, Any], where: str) -> None:
    """Refuse data without exactly these fields of these types."""
    if not isinstance(data, dict) or data.keys() != layout.keys():
        raise LedgerError(f"{where} does not have the fields of its schema.")
    for name, kind in layout.items():
        if not isinstance(data[name], kind) or isinstance(data[name], bool):
            raise LedgerError(f"{where}: '{name}' is of the wrong type.")


def _checked(index: int, written: dict[str, Any], columns: dict[str, Column]) -> Record:
    """The record, its columns and its hash verified."""
    facts = describe(columns)
    for column, expected in zip(facts, written["columns"], strict=True):
        if column != ColumnFacts(**expected):
            raise LedgerError(f"record {index}: column {column.name!a} is not what was hashed.")
    kind, parameters, previous, digest = (written[name] for name in ("kind", "parameters", "previous", "hash"))
    if record_hash(previous, kind, parameters, facts) != digest:
        raise LedgerError(f"record {index} ({kind}) is not what was hashed.")
    return Record(kind, MappingProxyType(parameters), MappingProxyType(columns), previous, digest)


def new_file(path: Path) -> BinaryIO:
    """A new file that only its owner can read, from the first byte on."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
