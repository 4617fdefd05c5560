"""Budget across releases: which log it is, what it may spend, what it has spent. See docs/registry.md."""

from __future__ import annotations

from accounting.registry.budgets import Amount, Budget, PublishedBudget, StrictBudget
from accounting.registry.costs import Cost, UnitLoss
from accounting.registry.decisions import Charge, Declared, Exposure, Reservation, Total
from accounting.registry.errors import (
    BudgetExceeded,
    BusyRegistry,
    DamagedRegistry,
    NotVoidable,
    RegistryError,
    Shortage,
    UndecidedLog,
    UnknownLog,
    UnknownRelease,
    VoidedRelease,
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
    "Exposure",
    "Fingerprint",
    "Hasher",
    "NoRegistry",
    "NotVoidable",
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
    "Total",
    "UndecidedLog",
    "UnitLoss",
    "UnknownLog",
    "UnknownRelease",
    "VoidedRelease",
    "key_file",
    "open_registry",
]
