"""How many examples a property gets that names a number of its own: `make test` takes few of each."""

from __future__ import annotations

import os

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fixed")
QUICK = 20
"""Examples of each property in `make test`; `make test-all` runs every property again, with all of them."""


def examples(number: int) -> int:
    """``number``, or as many as the quick profile takes if that is less."""
    return min(number, QUICK) if PROFILE == "quick" else number
