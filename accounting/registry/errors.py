"""What a registry refuses.

RegistryError         it cannot be read or written; the message says how to go on
├── DamagedRegistry   it is not what was written, or not whole
├── BusyRegistry      another process holds it
├── UnknownLog        no log, or more than one, has this identifier
├── UnknownRelease    no release, or more than one, has this identifier
├── NotVoidable       a release of which something may have been seen, or one that is void already
├── VoidedRelease     a release that was voided is to be written or handed over
├── NotANewLog        the log was declared to be a new one, and is not
├── UndecidedLog      the log shares cases with registered ones, and nobody said whether it is one of them
└── BudgetExceeded    the release would spend more than is left

No message contains a value of a log: a registry has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from accounting.errors import AccountingError

if TYPE_CHECKING:
    from accounting.registry.budgets import Amount, Budget
    from accounting.registry.costs import Cost
    from accounting.registry.overlap import Overlap


class RegistryError(AccountingError):
    """The registry cannot be read or written as asked."""


class DamagedRegistry(RegistryError):  # noqa: N818 — reads as a statement where it is raised
    """The registry is not what was written, or parts of it are missing. It is left as it is."""


class BusyRegistry(RegistryError):  # noqa: N818
    """Another process holds the registry."""


class UnknownLog(RegistryError):  # noqa: N818
    """No registered log, or more than one, has this identifier."""


class UnknownRelease(RegistryError):  # noqa: N818
    """No registered release, or more than one, has this identifier."""


class NotVoidable(RegistryError):  # noqa: N818
    """A release of which something may have been seen, or that does not count any more."""


class VoidedRelease(RegistryError):  # noqa: N818
    """A release that was voided must not be seen by anybody."""


class NotANewLog(RegistryError):  # noqa: N818
    """The log was declared to be about other people than registered ones, and is about the same."""

    def __init__(self, message: str, logs: tuple[str, ...], *, part: bool = False) -> None:
        self.logs = logs
        """Those that it is."""
        self.part = part
        """Whether it is part of each; otherwise it is them, case for case."""
        super().__init__(message)


class UndecidedLog(RegistryError):  # noqa: N818
    """The log shares cases with registered logs, and nobody has said yet whether it is about the same people."""

    def __init__(self, overlaps: tuple[Overlap, ...]) -> None:
        self.overlaps = overlaps
        super().__init__(f"the log shares cases with {', '.join(overlap.log for overlap in overlaps)}.")


@dataclass(frozen=True, slots=True)
class Shortage:
    """What a release asks of a log's budget, and what the budget has."""

    log: str
    """Identifier of the log."""
    budget: Budget
    """The budget that does not hold it."""
    left: Amount
    """What is left of it."""
    asked: Amount | None
    """None: the budget's reading puts no bound on the release."""
    releases: tuple[Cost, ...] = ()
    """What the log's releases so far cost."""


class BudgetExceeded(RegistryError):  # noqa: N818
    """A release, or a smaller budget, that the budget of a log does not hold."""

    def __init__(self, shortage: Shortage) -> None:
        self.shortage = shortage
        super().__init__(f"the budget of {shortage.log} does not hold it.")
