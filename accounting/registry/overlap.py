"""How much a log has in common with a registered one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overlap:
    """A registered log that has cases in common with another."""

    log: str
    """Identifier of the registered log."""
    common: int
    """Cases of the other log that the registered one has, or has cases like."""
    cases: int
    """Of so many."""
    registered: int
    """Cases of the registered log, when it was last seen."""
    certain: int
    """Of the common cases, those that have a part in common which is their own."""

    @property
    def contained(self) -> bool:
        """Every case is one of the registered log's."""
        return self.certain == self.cases
