"""Budget across releases: which log it is, what it may spend, what it has spent. See docs/registry.md."""

from __future__ import annotations

from accounting.registry.budgets import Amount, AverageBudget, Budget, PublishedBudget, StrictBudget
from accounting.registry.costs import Cost, UnitLoss, unit_loss
from accounting.registry.decisions import Charge, Declared, Reservation
from accounting.registry.errors import (
    BudgetExceeded,
    BusyRegistry,
    DamagedRegistry,
    NotANewLog,
    NotVoidable,
    RegistryError,
    Shortage,
    UndecidedLog,
    UnknownLog,
    UnknownRelease,
    VoidedRelease,
)
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher, key_file
from accounting.registry.outcomes import Exposure
from accounting.registry.overlap import Overlap
from accounting.registry.state import OtherPeople, Recognised, RegisteredLog, RegisteredRelease
from accounting.registry.store import NoRegistry, Registry, open_registry
from accounting.registry.totals import Total

__all__ = [
    "Amount",
    "AverageBudget",
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
    "NotANewLog",
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
    "unit_loss",
]
