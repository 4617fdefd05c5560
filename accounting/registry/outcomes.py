"""What becomes of a release once it is reserved: exposed, published, voided, cleaned away. And the entries that say so.

Functions of the entries so far and nothing else: the registry calls them while no other process can add an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from accounting.registry.chain import Entry, entry
from accounting.registry.errors import NotVoidable, RegistryError, VoidedRelease
from accounting.registry.state import RegisteredRelease, State, apply, state_of

Exposure = Literal["writing", "handing over", "an error"]
"""How something of a release may leave the process that made it."""


def expose(entries: Iterable[Entry], release: str, by: Exposure) -> tuple[list[Entry], None]:
    """Note that something of a release may be seen from now on. Refused if it was voided; doing so twice changes
    nothing."""
    found = _still_there(entries, release)
    if not found.counts:
        raise VoidedRelease(
            f"Release {release} was voided on {found.voided_at} ({found.void_reason}), so that it is not counted: what "
            "it drew must not be seen by anybody, and nothing of it was written. Release again."
        )
    if found.exposed_at is not None or found.published_at is not None:
        return [], None
    return [entry("exposed", release=release, by=by)], None


def publish(entries: Iterable[Entry], release: str, lines: Sequence[Mapping[str, Any]]) -> tuple[list[Entry], None]:
    """Note that a reserved release was put in place. Doing so twice changes nothing."""
    found = _still_there(entries, release)
    if found.published_at is not None:
        return [], None
    return [entry("published", release=release, lines=[dict(line) for line in lines])], None


def void(entries: Iterable[Entry], release: str, reason: str) -> tuple[list[Entry], RegisteredRelease]:
    """Give up a release of which nothing can have been seen, so that it counts for nothing."""
    state = state_of(entries)
    found = state.release_named(release)
    if not found.can_be_voided:
        raise NotVoidable(f"Release {found.release} stays spent: {_why_it_stays(found)}.")
    return _with(state, found, entry("voided", release=found.release, reason=reason))


def clean(entries: Iterable[Entry], release: str) -> tuple[list[Entry], RegisteredRelease]:
    """Note that files of a release which a killed process had left are removed: from then on it stays spent. Of a
    release that was put in place, or voided, there is nothing to note; doing so twice changes nothing."""
    state = state_of(entries)
    found = state.release_named(release)
    if found.published_at is None and found.cleaned_at is None and found.counts:
        return _with(state, found, entry("cleaned", release=found.release))
    return [], found


def _with(state: State, release: RegisteredRelease, new: Entry) -> tuple[list[Entry], RegisteredRelease]:
    """The entry, and what it makes of the release."""
    apply(state, new)
    return [new], state.releases[release.release]


def _why_it_stays(release: RegisteredRelease) -> str:
    if not release.counts:
        return f"it was voided already, on {release.voided_at}"
    if release.published_at is not None:
        return f"it was put in place on {release.published_at}, where anybody may have read it"
    if release.cleaned_at is not None:
        return (
            f"files of it that a killed process had left were removed on {release.cleaned_at}; somebody may have read "
            "or copied them before"
        )
    if not release.notes_exposure:
        return "it was made by an older amun-dp, which did not note whether anything of it was written"
    return {
        "writing": f"its files were being written from {release.exposed_at} on. Whether they are there, left over in "
        "a hidden folder, or were removed since: somebody may have read or copied them",
        "handing over": f"it was handed to the program that asked for it on {release.exposed_at}, which may have used "
        "it",
    }.get(
        str(release.exposed_by),
        f"it failed on {release.exposed_at} after noise was drawn, and what was said of that may depend on the noise",
    )


def _still_there(entries: Iterable[Entry], release: str) -> RegisteredRelease:
    found = state_of(entries).releases.get(release)
    if found is None:
        raise RegistryError(
            f"Release {release} is not in the registry any more: somebody exchanged the file while the release was "
            "made. Bring the later one back."
        )
    return found
