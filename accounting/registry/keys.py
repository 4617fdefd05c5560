"""The key of a registry, in a file of its own beside it (``FILE.key``).

Without the key nothing in the registry can be compared with a log, and nothing can be added that would pass for
genuine. The file says whether its registry exists yet: ``new`` while it is being made, ``in use`` from then on. A key
in use without its registry means that somebody took the registry away, and with it the memory of what was spent.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from accounting.registry.errors import DamagedRegistry, RegistryError
from accounting.registry.files import file_errors, fsync_folder, put_in_place, temporary_beside, write_durably

HEADER = "amun-dp registry key, version 1. Whoever has it can test guesses against the registry: keep it secret."
KEY_BYTES = 32
TOKEN_BYTES = 8
"""A token is a shortened hash: a million of them meet one of a thousand million others by chance once in 18,000."""
NONCE_BYTES = 16
STATES = {"new": False, "in use": True}

Tokens = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, repr=False)
class Hasher:
    """Keyed hashes (HMAC-SHA256). Every use has a purpose, and hashes for different purposes have nothing in common."""

    key: bytes
    """The registry's secret: 32 bytes."""

    def __repr__(self) -> str:
        return "<Hasher: secret>"

    def digest(self, purpose: str, message: bytes) -> bytes:
        """The keyed hash of a ``message`` for a ``purpose``."""
        return hmac.digest(self._derived(purpose), message, "sha256")

    def tokens(self, purpose: str, messages: Iterable[bytes | memoryview]) -> Tokens:
        """One token for each of the ``messages``, for this ``purpose``."""
        key = self._derived(purpose)
        hashes = b"".join([hmac.digest(key, message, "sha256")[:TOKEN_BYTES] for message in messages])
        return np.frombuffer(hashes, dtype="<u8").astype(np.uint64)

    def sealed(self, content: bytes) -> bytes:
        """Unreadable without the key, and another text each time. That nobody changed it is for the chain to see."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._masked(nonce, content)

    def unsealed(self, content: bytes) -> bytes:
        """What ``sealed`` was given."""
        return self._masked(content[:NONCE_BYTES], content[NONCE_BYTES:])

    def _masked(self, nonce: bytes, content: bytes) -> bytes:
        """Content XOR SHAKE-256(key, nonce); twice is as before. Both have a fixed length, so no two pairs meet."""
        stream = hashlib.shake_256(self._derived("sealed content") + nonce).digest(len(content))
        masked = np.frombuffer(content, dtype=np.uint8) ^ np.frombuffer(stream, dtype=np.uint8)
        return masked.tobytes()

    def _derived(self, purpose: str) -> bytes:
        return hmac.digest(self.key, f"amun-dp registry: {purpose}".encode(), "sha256")


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """The content of a key file."""

    secret: bytes
    in_use: bool

    def __repr__(self) -> str:
        return f"<Key: secret, {'in use' if self.in_use else 'new'}>"

    @property
    def hasher(self) -> Hasher:
        return Hasher(self.secret)


def key_file(registry: Path) -> Path:
    """Where the key of a registry is kept: beside it, under its name with ``.key``."""
    return registry.with_name(f"{registry.name}.key")


def read_key(path: Path) -> Key | None:
    """The key; None if there is no such file."""
    with file_errors(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
    lines = content.decode("ascii", errors="replace").splitlines()
    for state, in_use in STATES.items():
        if lines[:2] == [HEADER, state]:
            try:
                key = Key(bytes.fromhex(lines[-1]), in_use)
            except ValueError:
                break
            if len(key.secret) == KEY_BYTES and content == _content(key):
                return key
    raise DamagedRegistry(
        f"The registry's key {path} is damaged; it was left as it is. Bring it back from a backup: without it the "
        "registry cannot be read."
    )


def create_key(path: Path) -> Key:
    """A new key, or the one that another process put there first."""
    made = Key(os.urandom(KEY_BYTES), in_use=False)
    with file_errors(path), temporary_beside(path) as temporary:
        write_durably(temporary, _content(made))
        if put_in_place(temporary, path):
            return made
    found = read_key(path)
    if found is None:
        raise RegistryError(f"{path} vanished while it was read. Run again.")
    return found


def mark_in_use(path: Path, key: Key) -> None:
    """Say that the registry exists. One rename, so that the key is whole at any moment."""
    with file_errors(path), temporary_beside(path) as temporary:
        write_durably(temporary, _content(Key(key.secret, in_use=True)))
        temporary.replace(path)
        fsync_folder(path)


def _content(key: Key) -> bytes:
    return f"{HEADER}\n{'in use' if key.in_use else 'new'}\n{key.secret.hex()}\n".encode("ascii")
