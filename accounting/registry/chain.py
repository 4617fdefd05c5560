"""The entries of a registry, each bound to the one before it by a keyed hash.

The entries are all there is: what a log has left is worked out from them, from the first to the last. A changed,
removed, added or reordered entry breaks the chain, and a removed end does not fit the head, which is hashed with
the number of entries. Nobody without the key can mend either. What a chain cannot show is that the whole file was
exchanged for an older copy of itself.

What an entry says of a log itself (hashes of its cases, and numbers of them) is sealed with the key: two entries about
the same cases have nothing in common for whoever lacks it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from accounting.registry.errors import DamagedRegistry
from accounting.registry.keys import Hasher

GENESIS = bytes(32)
FIGURE_BYTES = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One thing that happened. ``content`` is JSON data."""

    kind: str
    content: Mapping[str, Any]
    secret: Secret | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Secret:
    """What an entry says of a log itself."""

    figures: Mapping[str, Any]
    """JSON data."""
    tokens: bytes

    def as_bytes(self) -> bytes:
        """The figures are filled up, so that the length of what is sealed tells nothing of them."""
        text = _canonical(self.figures).encode()
        text = text.ljust(-(-len(text) // FIGURE_BYTES) * FIGURE_BYTES)
        return len(text).to_bytes(8, "little") + text + self.tokens


def secret_from(content: bytes) -> Secret:
    end = 8 + int.from_bytes(content[:8], "little")
    return Secret(json.loads(content[8:end]), content[end:])


def entry(kind: str, secret: Secret | None = None, **content: Any) -> Entry:
    """An entry of this moment."""
    return Entry(kind, {"at": datetime.now(UTC).isoformat(timespec="seconds"), **content}, secret)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """An entry as it is stored."""

    number: int
    kind: str
    content: str
    sealed: bytes | None
    mac: bytes


def rows_after(rows: int, last: bytes, entries: Iterable[Entry], hasher: Hasher) -> list[Row]:
    """The entries as the rows that follow the last of so many."""
    result = []
    for number, added in enumerate(entries, start=rows + 1):
        content = _canonical(added.content)
        sealed = None if added.secret is None else hasher.sealed(added.secret.as_bytes())
        last = _mac(hasher, last, number, added.kind, content, sealed)
        result.append(Row(number, added.kind, content, sealed, last))
    return result


def head_of(rows: int, last: bytes, hasher: Hasher) -> bytes:
    """What is stored beside the rows, so that a removed end is noticed."""
    return hasher.digest("head", _framed(str(rows).encode(), last))


def verified(rows: Iterable[Row], head: tuple[object, object], hasher: Hasher) -> tuple[list[Entry], bytes]:
    """The entries of a whole chain, and the hash of the last row. DamagedRegistry says where it breaks."""
    last, entries = GENESIS, []
    for number, row in enumerate(rows, start=1):
        # A damaged file may hold anything in a column.
        typed = isinstance(row.kind, str) and isinstance(row.content, str) and isinstance(row.sealed, bytes | None)
        expected = _mac(hasher, last, number, row.kind, row.content, row.sealed) if typed else b""
        if row.number != number or not expected or row.mac != expected:
            what = "or the key is another registry's" if number == 1 else "or the one before it is missing"
            raise DamagedRegistry(f"entry {number} was changed, {what}")
        secret = None if row.sealed is None else secret_from(hasher.unsealed(row.sealed))
        entries.append(Entry(row.kind, json.loads(row.content), secret))
        last = expected
    if not entries or head != (len(entries), head_of(len(entries), last, hasher)):
        raise DamagedRegistry("its last entries are missing, or its head was changed")
    return entries, last


def _canonical(data: Mapping[str, Any]) -> str:
    """The one JSON text of these data."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _mac(hasher: Hasher, previous: bytes, number: int, kind: str, content: str, sealed: bytes | None) -> bytes:
    digest = b"" if sealed is None else hashlib.sha256(sealed).digest()
    fields = (previous, str(number).encode(), kind.encode(), content.encode(), digest)
    return hasher.digest("entry", _framed(*fields))


def _framed(*fields: bytes) -> bytes:
    """Each field after its length, so that no two lists of fields make the same bytes."""
    return b"".join(len(field).to_bytes(8, "little") + field for field in fields)
