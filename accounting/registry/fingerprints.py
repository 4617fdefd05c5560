"""How a log is known without being stored: keyed hashes of the whole and of each case.

Several tokens a case, each from another part of it, so that a case is met again although it grew, lost events or was
renumbered. Which parts these are is decided where logs are known; here a token is a number.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from accounting.errors import AccountingError
from accounting.registry.keys import TOKEN_BYTES, Tokens

LEAST_STORED = 1024
"""Tokens are stored in groups of a power of two, filled up at random: the size of a registry tells no number of cases
more precisely than that."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprint:
    """A log as its registry sees it."""

    whole: bytes
    """Hash of all cases; the same for the same cases in any order."""
    tokens: Tokens
    """One row a case, one column a kind of token."""

    def __post_init__(self) -> None:
        if self.tokens.ndim != 2 or not len(self.tokens):
            raise AccountingError("a fingerprint has a row of tokens for each case, and at least one case.")

    def __repr__(self) -> str:
        return "<Fingerprint>"

    @property
    def cases(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class Overlap:
    """A registered log that has cases in common with another."""

    log: str
    common: int
    """Cases of the other log with at least one token that the registered log has too."""
    cases: int
    """Of so many."""


def common_cases(fingerprint: Fingerprint, known: Iterable[Tokens]) -> int:
    """How many cases have a token among the known ones (each group of them sorted)."""
    found = np.zeros(fingerprint.tokens.shape, dtype=np.bool_)
    for group in known:
        place = np.minimum(np.searchsorted(group, fingerprint.tokens), len(group) - 1)
        found |= group[place] == fingerprint.tokens
    return int(np.count_nonzero(found.any(axis=1)))


def unknown_tokens(fingerprint: Fingerprint, known: Iterable[Tokens]) -> Tokens:
    """The log's tokens that are not among the known ones, sorted, each once."""
    tokens = np.unique(fingerprint.tokens)
    for group in known:
        tokens = tokens[group[np.minimum(np.searchsorted(group, tokens), len(group) - 1)] != tokens]
    return tokens


def stored(tokens: Tokens) -> bytes:
    """As bytes: sorted, so that no order of cases shows, and filled up, so that no number of them does."""
    size = max(LEAST_STORED, 1 << (len(tokens) - 1).bit_length())
    filling = np.frombuffer(os.urandom(TOKEN_BYTES * (size - len(tokens))), dtype="<u8").astype(np.uint64)
    return np.sort(np.concatenate((tokens, filling))).astype("<u8").tobytes()


def loaded(content: bytes) -> Tokens:
    return np.frombuffer(content, dtype="<u8").astype(np.uint64, copy=False)
