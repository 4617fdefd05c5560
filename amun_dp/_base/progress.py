"""How a long task reports which step it is at."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str], None]
"""Called with the name of each step as it begins."""


def silent(step: str) -> None:
    """Show no progress."""
