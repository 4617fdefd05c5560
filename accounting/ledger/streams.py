"""A ledger whose per-event columns are too long to be at hand: written from batches, to the same two files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from accounting.errors import AccountingError
from accounting.events import PrivacyEvent
from accounting.ledger.columns import write_batches
from accounting.ledger.files import place_ledger, written_record
from accounting.ledger.records import (
    GENESIS,
    Column,
    ColumnFacts,
    number_bytes,
    record_hash,
    type_name,
)
from accounting.ledger.texts import TextColumn
from accounting.ledger.trees import ledger_of

Batches = Callable[[], Iterable[Mapping[str, Column]]]
"""The rows from the beginning, as often as it is called: for each batch its columns, named as a ledger names them."""


def write_streamed_ledger(tree: PrivacyEvent, rows: Batches, folder: Path) -> None:
    """Write the ledger of a tree in which some rows stand for all of those that ``rows`` gives.

    The files are those of ``write_ledger`` for the whole tree, but for the row groups of the Parquet file.
    """
    records = ledger_of(tree).records
    with_columns = [index for index, record in enumerate(records) if record.columns]
    if len(with_columns) != 1:
        raise AccountingError("exactly one event of a streamed ledger has columns.")
    facts = _facts(rows)
    previous, written = GENESIS, []
    for index, record in enumerate(records):
        columns = facts if index == with_columns[0] else []
        digest = record_hash(previous, record.kind, record.parameters, columns)
        written.append(written_record(record.kind, record.parameters, columns, previous, digest))
        previous = digest

    def write(file: BinaryIO) -> None:
        write_batches({each.name: each.type for each in facts}, with_columns[0], rows(), file)

    place_ledger(folder, written, previous, None, write)


def _facts(rows: Batches) -> list[ColumnFacts]:
    """What the record's hash covers of each column. The texts of a column come after all their lengths: a second
    pass."""
    types: dict[str, str] = {}
    lengths: dict[str, int] = {}
    digests: dict[str, hashlib._Hash] = {}
    for batch in rows():
        for name, column in batch.items():
            types.setdefault(name, type_name(column))
            lengths[name] = lengths.get(name, 0) + len(column)
            digest = digests.setdefault(name, hashlib.sha256())
            for part in column.lengths() if isinstance(column, TextColumn) else [number_bytes(column)]:
                digest.update(part)
    for batch in rows():
        for name, column in batch.items():
            if isinstance(column, TextColumn):
                for part in column.spelled():
                    digests[name].update(part)
    return [ColumnFacts(name, types[name], lengths[name], digests[name].hexdigest()) for name in sorted(types)]
