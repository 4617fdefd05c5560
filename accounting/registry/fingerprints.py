"""How a log is known without being stored: keyed hashes of the whole and of each case.

Several tokens a case, each from another part of it, so that a case is met again although it grew, lost events or was
renumbered. Which parts these are is decided where logs are known; here a token is a number.

Some parts of a case are its own: one common token is then enough. Others (a number and a day) meet by chance too, and
count only where they meet in a share of the cases that chance does not explain.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from accounting.errors import AccountingError
from accounting.registry.errors import RegistryError
from accounting.registry.keys import TOKEN_BYTES, Tokens
from accounting.registry.overlap import Overlap

LEAST_STORED = 1024
"""Tokens are stored in groups of a power of two, filled up at random: the size of a registry tells no number of cases
more precisely than that."""
MOST_TOKENS = 1 << 26
"""Of one log: what SQLite takes as one value has less than 10^9 bytes."""
LEAST_ALIKE = 3
"""So many cases, or all of a smaller log, must be alike before likeness counts."""

_Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Likeness:
    """Tokens by which cases are alike and yet perhaps not the same."""

    tokens: Tokens
    """One row a case."""
    share: Fraction
    """Of the cases of the smaller log; from there on likeness counts."""
    least: int = LEAST_ALIKE
    """So many cases at least."""

    def enough(self, smaller: int) -> int:
        """How many cases must be alike."""
        return max(min(self.least, smaller), -(-self.share.numerator * smaller // self.share.denominator))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprint:
    """A log as its registry sees it."""

    whole: bytes
    """Hash of all cases; the same for the same cases in any order."""
    tokens: Tokens
    """One row a case, one column a kind of token."""
    alike: tuple[Likeness, ...] = ()
    """Further tokens, which count only where many cases share them."""

    def __post_init__(self) -> None:
        if self.tokens.ndim != 2 or not len(self.tokens):
            raise AccountingError("a fingerprint has a row of tokens for each case, and at least one case.")
        if any(one.tokens.ndim != 2 or len(one.tokens) != len(self.tokens) for one in self.alike):
            raise AccountingError("likenesses have a row of tokens for each case, too.")

    def __repr__(self) -> str:
        return "<Fingerprint>"

    @property
    def cases(self) -> int:
        """Number of cases."""
        return len(self.tokens)


def overlap(log: str, fingerprint: Fingerprint, known: list[Tokens], registered: int) -> Overlap | None:
    """What a log has in common with a registered one of so many cases; None: nothing."""
    certain = _known_cases(fingerprint.tokens, known)
    common = certain.copy()
    for likeness in fingerprint.alike:
        found = _known_cases(likeness.tokens, known)
        if np.count_nonzero(found) >= likeness.enough(min(fingerprint.cases, registered)):
            common |= found
    count = int(np.count_nonzero(common))
    if not count:
        return None
    return Overlap(log, count, fingerprint.cases, registered, int(np.count_nonzero(certain)))


def _known_cases(tokens: Tokens, known: Iterable[Tokens]) -> _Flags:
    """Which cases have a token among the known ones (each group of them sorted)."""
    found = np.zeros(tokens.shape, dtype=np.bool_)
    for group in known:
        place = np.minimum(np.searchsorted(group, tokens), len(group) - 1)
        found |= group[place] == tokens
    return np.asarray(found.any(axis=1))


def unknown_tokens(fingerprint: Fingerprint, known: Iterable[Tokens]) -> Tokens:
    """The log's tokens of every kind that are not among the known ones, sorted, each once."""
    kinds = (fingerprint.tokens, *(one.tokens for one in fingerprint.alike))
    tokens = np.unique(np.concatenate([kind.reshape(-1) for kind in kinds]))
    for group in known:
        tokens = tokens[group[np.minimum(np.searchsorted(group, tokens), len(group) - 1)] != tokens]
    return tokens


def stored(tokens: Tokens) -> bytes:
    """As bytes: sorted, so that no order of cases shows, and filled up, so that no number of them does."""
    size = max(LEAST_STORED, 1 << (len(tokens) - 1).bit_length())
    if size > MOST_TOKENS:
        raise RegistryError(f"a registry knows at most {MOST_TOKENS:,} tokens of a log; this one has too many cases.")
    filling = np.frombuffer(os.urandom(TOKEN_BYTES * (size - len(tokens))), dtype="<u8").astype(np.uint64)
    return np.sort(np.concatenate((tokens, filling))).astype("<u8").tobytes()


def loaded(content: bytes) -> Tokens:
    return np.frombuffer(content, dtype="<u8").astype(np.uint64, copy=False)
