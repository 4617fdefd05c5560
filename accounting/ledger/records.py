"""Records, their hash chain, and the seal.

A record's hash is SHA-256 over length-prefixed fields: what is hashed, schema version, previous hash, kind, the
parameters as canonical JSON, and for each column its name, type, length and the SHA-256 of its little-endian bytes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from accounting.errors import AccountingError
from accounting.ledger.texts import TextColumn

SCHEMA: Final = "amun-dp/ledger/1"
"""Name and version of the format; any other is refused."""
GENESIS: Final = "0" * 64
"""What the first record has for a previous hash, and an empty ledger for a head."""
TEXT: Final = "text"
NUMBERS: Final = frozenset(
    ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
)
SHORTEST_KEY: Final = 16
"""Bytes. A shorter key can be searched for."""

Numbers = npt.NDArray[Any]
Column = Numbers | TextColumn


class LedgerError(AccountingError):
    """A ledger is damaged, tampered with, or of a kind this version does not know. Says what and where."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Record:
    """One event: its registered kind, its parameters as JSON data, its columns, and its place in the chain."""

    kind: str
    """Registered name of the kind of event."""
    parameters: Mapping[str, Any]
    """Its parameters as JSON data, what JSON lacks tagged."""
    columns: Mapping[str, Column]
    """Its columns by name, annotations among them."""
    previous: str
    """Hash of the record before it."""
    hash: str
    """SHA-256 over the previous hash, kind, parameters and columns."""

    def __repr__(self) -> str:
        return f"<Record {self.kind}: confidential>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ledger:
    """Records, children before parents. A record no other refers to is a root; what several roots spent adds up."""

    records: tuple[Record, ...] = ()
    """In post-order: the parts of an event before it."""
    sealed: Literal["no", "unchecked", "checked"] = field(default="no", kw_only=True)
    """Whether it was read from a sealed file, and whether the key was at hand to check the seal."""

    @property
    def head(self) -> str:
        """The last hash. Keep it elsewhere to notice a removed tail; it is no secret-keeper (see ``seal``)."""
        return self.records[-1].hash if self.records else GENESIS

    def verify(self) -> None:
        """Recompute every hash; LedgerError names the first record that does not fit."""
        self.verify_links()
        for index, record in enumerate(self.records):
            verified(index, record)

    def verify_links(self) -> None:
        """Each record names the hash before it; whether the hashes are right is for ``verify``."""
        previous = GENESIS
        for index, record in enumerate(self.records):
            if record.previous != previous:
                raise LedgerError(f"record {index} ({record.kind}) does not follow the one before it.")
            previous = record.hash

    def __repr__(self) -> str:
        return f"<Ledger of {len(self.records)} records: confidential>"


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a record's hash covers of a column."""

    name: str
    type: str
    length: int
    sha256: str


def chained(previous: str, kind: str, parameters: Mapping[str, Any], columns: Mapping[str, Column]) -> Record:
    """The record that follows ``previous``."""
    digest = record_hash(previous, kind, parameters, describe(columns))
    return Record(kind, MappingProxyType(dict(parameters)), MappingProxyType(dict(columns)), previous, digest)


def record_hash(previous: str, kind: str, parameters: Mapping[str, Any], columns: Iterable[ColumnFacts]) -> str:
    """The hash of a record with these contents after ``previous``."""
    fields = ["amun-dp ledger record", SCHEMA, previous, kind, canonical(dict(parameters))]
    for column in columns:
        fields += [column.name, column.type, str(column.length), column.sha256]
    return hashlib.sha256(_framed(fields)).hexdigest()


def describe(columns: Mapping[str, Column]) -> list[ColumnFacts]:
    """The columns in their canonical order (by name), each with its digest."""
    return [
        ColumnFacts(name, type_name(column), len(column), _digest(column)) for name, column in sorted(columns.items())
    ]


def verified(index: int, record: Record) -> list[ColumnFacts]:
    """What the hash of a record covers of its columns, after the hash is recomputed."""
    facts = describe(record.columns)
    if record.hash != record_hash(record.previous, record.kind, record.parameters, facts):
        raise LedgerError(f"record {index} ({record.kind}) is not what was hashed.")
    return facts


def canonical(data: Any) -> str:
    """The one JSON text of these data: sorted keys, no spaces, ASCII, no NaN."""
    try:
        return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise LedgerError("the parameters of a record are not plain JSON data.") from error


def type_name(column: Column) -> str:
    """The type of a column as a ledger names it; without byte order, which a ledger has none of."""
    if isinstance(column, TextColumn):
        return TEXT
    name = column.dtype.name
    if column.ndim != 1 or name not in NUMBERS:
        raise LedgerError(f"a column is one-dimensional and of numbers or text, not {column.ndim}-dimensional {name}.")
    return name


def read_only(column: Numbers) -> Numbers:
    """A view through which the column cannot be changed; nothing is copied."""
    view = column.view()
    view.flags.writeable = False
    return view


def seal(ledger: Ledger, key: bytes) -> str:
    """HMAC-SHA256 of the head of a ledger. Unlike the head it can be published: without the key it confirms no
    guess."""
    ledger.verify()
    return mac(ledger, key)


def check_seal(ledger: Ledger, key: bytes, expected: str) -> bool:
    """Whether the ledger is whole and ``expected`` is its seal under this key."""
    return hmac.compare_digest(seal(ledger, key).encode(), expected.encode(errors="replace"))


def mac(ledger: Ledger, key: bytes) -> str:
    """The seal of a ledger that is known to be whole."""
    if len(key) < SHORTEST_KEY:
        raise AccountingError(f"a key to seal a ledger has at least {SHORTEST_KEY} bytes.")
    return hmac.new(key, _framed(["amun-dp ledger seal", SCHEMA, ledger.head]), hashlib.sha256).hexdigest()


def _framed(fields: Iterable[str]) -> bytes:
    """Each field after its length, so that no two lists of fields make the same bytes."""
    encoded = [text.encode(errors="surrogatepass") for text in fields]
    return b"".join(len(part).to_bytes(8, "little") + part for part in encoded)


def _digest(column: Column) -> str:
    if not isinstance(column, TextColumn):
        return hashlib.sha256(number_bytes(column)).hexdigest()
    # Lengths in characters, then all texts on end in UTF-8: together they determine each text.
    digest = hashlib.sha256()
    for part in chain(column.lengths(), column.spelled()):
        digest.update(part)
    return digest.hexdigest()


def number_bytes(column: Numbers) -> memoryview:
    """What is hashed of a column of numbers."""
    little = column.astype(column.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8).data
