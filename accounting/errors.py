"""What can go wrong in accounting. Kept apart from the event-log errors: this package knows no event logs."""

from __future__ import annotations


class AccountingError(ValueError):
    """A quantity is outside its domain, or a tree of privacy events does not make sense."""
