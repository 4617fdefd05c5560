"""What a release spent: the tree of events as a columnar, append-only, hash-chained ledger, and back, bit for bit.

A ledger is confidential. Its parameters and columns are those of the events, opened, and its ``head`` is a plain hash
of them: whoever guesses the figures can confirm the guess by it. Publish a ``seal`` (keyed), not the head.

What the chain detects without a key: accidental change, and a change of any byte (of a parameter, a column, the order)
that is not followed by recomputing every later hash, and in files the checksums too. What it does not detect:

- someone who rewrites the whole chain: the hashes need no secret;
- a removed tail, if the head is not known elsewhere: each beginning of a ledger is a ledger;
- another, genuine ledger put in its place.

A head kept where the ledger's keeper cannot write it detects all three. A seal, with a key that the keeper does not
have, detects the first, and the second and third unless the ledger put in place was sealed with the same key (an
earlier state, another release); if the seal is kept elsewhere, these too.
"""

from __future__ import annotations

from accounting.ledger.files import write_ledger
from accounting.ledger.in_parts import read_ledger
from accounting.ledger.records import SCHEMA, Ledger, LedgerError, Record, check_seal, seal
from accounting.ledger.texts import TextColumn
from accounting.ledger.trees import append, ledger_of, tree_of

__all__ = [
    "SCHEMA",
    "Ledger",
    "LedgerError",
    "Record",
    "TextColumn",
    "append",
    "check_seal",
    "ledger_of",
    "read_ledger",
    "seal",
    "tree_of",
    "write_ledger",
]
