"""What a killed run left is removed, and the registry notes that: what was cleaned away stays spent."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from accounting.registry import Registry, UnknownRelease
from amun_dp.budgets.refusals import registry_errors
from amun_dp.folder.leftovers import claimed, release_in, remove_leftover

Entered = Literal["entered", "unknown", "no release"]
"""What the registry has of it: an entry; nothing, because it does not know the release; nothing, because no release was
being written there."""


def clean_away(left: Path, registry: Registry | None) -> tuple[str | None, Entered]:
    """Remove a leftover for good, and note it before. Returns of which release it was, if of any."""
    with claimed(left):
        release = release_in(left)
        entered: Entered = "no release" if release is None else _entered(release, registry)
        remove_leftover(left)
    return release, entered


def _entered(release: str, registry: Registry | None) -> Entered:
    if registry is None:
        return "unknown"
    with registry_errors():
        try:
            registry.clean(release)
        except UnknownRelease:  # it was made without a registry, or with another one
            return "unknown"
    return "entered"
