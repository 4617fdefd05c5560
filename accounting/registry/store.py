"""The registry: a file that remembers what every release of a log has spent."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from accounting.registry import decisions, outcomes
from accounting.registry.budgets import Budget
from accounting.registry.chain import Entry, entry
from accounting.registry.costs import Cost
from accounting.registry.database import append_entries, check_header, create_database, read_entries
from accounting.registry.decisions import Declared, Reservation
from accounting.registry.errors import DamagedRegistry, RegistryError
from accounting.registry.files import file_errors, make_folder
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher, Key, create_key, key_file, mark_in_use, read_key
from accounting.registry.outcomes import Exposure
from accounting.registry.state import Recognised, RegisteredLog, RegisteredRelease, state_of

T = TypeVar("T")
UNDECLARED = Declared()


class NoRegistry(RegistryError):  # noqa: N818 — reads as a statement where it is raised
    """There is no registry there, and none was to be made."""


@dataclass(frozen=True, slots=True)
class Registry:
    """An open registry. Nothing is kept open or in memory between two calls: every call reads and checks the file."""

    path: Path
    """The file."""
    hasher: Hasher
    """Makes the keyed hashes by which this registry, and no other, knows a log."""

    def reserve(
        self,
        fingerprint: Fingerprint,
        cost: Cost,
        release: str,
        details: Mapping[str, Any],
        declared: Declared = UNDECLARED,
    ) -> Reservation:
        """Charge a release to the log of this ``fingerprint`` before its noise is drawn: its ``cost``, its identifier
        ``release`` and its public parameters (``details``). On return it is on the disk, and it is spent.

        Raises BudgetExceeded if too little is left, UndecidedLog if the log shares cases with another and nothing was
        declared about that. Nothing is written then.
        """
        return append_entries(
            self.path,
            self.hasher,
            lambda entries: decisions.reserve(entries, fingerprint, declared, cost, release, details),
        )

    def would_reserve(self, fingerprint: Fingerprint, cost: Cost, declared: Declared = UNDECLARED) -> Reservation:
        """What ``reserve`` would return or raise for this ``fingerprint``, this ``cost`` and what is ``declared``.
        Writes nothing."""
        return self._read(lambda entries: decisions.reserve(entries, fingerprint, declared, cost, "?", {})[1])

    def expose(self, release: str, by: Exposure) -> None:
        """Note that something of a reserved release may leave this process from now on (``by`` writing, handing over or
        an error), so that it stays spent for good.

        Raises VoidedRelease if it was voided, and RegistryError if the registry does not have it (any more)."""
        append_entries(self.path, self.hasher, lambda entries: outcomes.expose(entries, release, by))

    def void(self, release: str, reason: str) -> RegisteredRelease:
        """Give up a release, named by its identifier or the beginning of it, so that it counts for nothing. Raises
        NotVoidable if something of it may have been seen. It stays in the registry, with the ``reason``."""
        return append_entries(self.path, self.hasher, lambda entries: outcomes.void(entries, release, reason))

    def clean(self, release: str) -> RegisteredRelease:
        """Note that files of a release, named by its identifier or the beginning of it, which a killed process had left
        are removed, so that it stays spent for good. To be called before they are. Raises UnknownRelease if the
        registry does not have it."""
        return append_entries(self.path, self.hasher, lambda entries: outcomes.clean(entries, release))

    def release(self, identifier: str) -> RegisteredRelease:
        """A release by its identifier, or the beginning of it."""
        return self._read(lambda entries: state_of(entries).release_named(identifier))

    def confirm(self, release: str, lines: Sequence[Mapping[str, Any]]) -> None:
        """Note that a reserved release is in place, and what it spent at each scope (``lines``)."""
        append_entries(self.path, self.hasher, lambda entries: outcomes.publish(entries, release, lines))

    def set_budget(self, log: str | Fingerprint, budget: Budget, declared: Declared = UNDECLARED) -> str:
        """Give a log, known by its identifier or met for the first time, a budget. Returns its identifier. What is
        ``declared`` decides where the log shares cases with registered ones."""
        return append_entries(
            self.path, self.hasher, lambda entries: decisions.set_budget(entries, log, declared, budget)
        )

    def recognise(self, fingerprint: Fingerprint) -> Recognised:
        """Which registered logs a log is, or shares cases with."""
        return self._read(lambda entries: state_of(entries).recognise(fingerprint))

    def logs(self) -> tuple[RegisteredLog, ...]:
        """All registered logs."""
        return self._read(lambda entries: tuple(state_of(entries).logs.values()))

    def log(self, identifier: str) -> RegisteredLog:
        """A log by its identifier, or the beginning of it."""

        def find(entries: list[Entry]) -> RegisteredLog:
            state = state_of(entries)
            return state.logs[state.named(identifier)]

        return self._read(find)

    def entries(self) -> list[Entry]:
        """Everything that happened, in order."""
        return self._read(list)

    def _read(self, use: Callable[[list[Entry]], T]) -> T:
        return read_entries(self.path, self.hasher, use)


def open_registry(path: str | Path, *, create: bool = True) -> Registry:
    """The registry in the file ``path``, checked from end to end; made, with its key beside it, if it is not there.

    Without ``create`` nothing is written, and NoRegistry says that there is none.
    """
    file = Path(os.path.realpath(path))
    with file_errors(file):  # whether a file is there cannot be asked everywhere
        if file.is_dir():
            raise RegistryError(f"{file} is a folder. Name a file in it.")
    keys = key_file(file)
    # The key is made before the registry and marked after it. Read in that order, a key in use means that there was a
    # registry before, and a registry that there was a key.
    key = read_key(keys) or _missing_key(file, keys, create)
    if not file.exists():
        if key.in_use:
            raise DamagedRegistry(
                f"The registry {file} is gone, but its key is still there: what was spent would be forgotten. Bring "
                f"the registry back from a backup. To begin again with nothing spent, remove {keys} yourself."
            )
        if not create:
            raise _no_registry(file)
        create_database(file, entry("created"), key.hasher)
    registry = Registry(file, key.hasher)
    registry.logs()  # reads and checks all of it
    if create and not key.in_use:
        mark_in_use(keys, key)
    return registry


def _missing_key(file: Path, keys: Path, create: bool) -> Key:
    """Make the key of a new registry; a registry whose key is missing is refused."""
    if file.exists():
        check_header(file)
        key = read_key(keys)  # another process may have made both since
        if key is None:
            raise DamagedRegistry(
                f"The key of the registry {file} is missing: {keys.name} was beside it. Bring it back from a backup; "
                "without it nobody can tell which log is which or what is genuine."
            )
        return key
    if not create:
        raise _no_registry(file)
    with file_errors(file):
        make_folder(file.parent)
    return create_key(keys)


def _no_registry(file: Path) -> NoRegistry:
    return NoRegistry(f"There is no registry at {file}. The first release that is recorded makes it.")
