"""Budget across releases: which log it is, what it may spend, what it has spent. See docs/registry.md."""

from __future__ import annotations

from accounting.registry.budgets import Amount, Budget, Cost, PublishedBudget, StrictBudget
from accounting.registry.decisions import Charge, Declared, Reservation
from accounting.registry.errors import (
    BudgetExceeded,
    BusyRegistry,
    DamagedRegistry,
    RegistryError,
    Shortage,
    UndecidedLog,
    UnknownLog,
)
from accounting.registry.fingerprints import Fingerprint, Overlap
from accounting.registry.keys import Hasher, key_file
from accounting.registry.state import OtherPeople, Recognised, RegisteredLog, RegisteredRelease
from accounting.registry.store import NoRegistry, Registry, open_registry

__all__ = [
    "Amount",
    "Budget",
    "BudgetExceeded",
    "BusyRegistry",
    "Charge",
    "Cost",
    "DamagedRegistry",
    "Declared",
    "Fingerprint",
    "Hasher",
    "NoRegistry",
    "OtherPeople",
    "Overlap",
    "PublishedBudget",
    "Recognised",
    "RegisteredLog",
    "RegisteredRelease",
    "Registry",
    "RegistryError",
    "Reservation",
    "Shortage",
    "StrictBudget",
    "UndecidedLog",
    "UnknownLog",
    "key_file",
    "open_registry",
]
