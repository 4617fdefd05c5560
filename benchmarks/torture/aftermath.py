"""What stands on the disk after a fault: the release in a folder, what a registry knows, what was left beside."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from accounting.registry import RegisteredRelease, open_registry
from amun_dp.verification import verify
from benchmarks.torture.commands import Ended, forked

ADVANTAGE = "0.3"


@dataclass(frozen=True, slots=True)
class Known:
    """What a registry says. ``problem`` is why it cannot be read, or that it is overspent."""

    releases: dict[str, RegisteredRelease]
    problem: str | None = None


def known_to(registry: Path) -> Known:
    if not registry.exists():
        return Known({})
    try:
        logs = open_registry(registry, create=False).logs()
    except Exception as error:  # noqa: BLE001 — whatever it is, it is what these programs look for
        return Known({}, f"the registry cannot be read: {error}")
    releases = {one.release: one for log in logs for one in log.releases}
    for log in logs:
        if log.spent is not None and log.budget is not None and not log.spent.fits(log.budget.whole):
            return Known(releases, "overspent")
    return Known(releases)


def release_identifier(folder: Path) -> str | None:
    """Of the release that stands there; None if there is none."""
    try:
        identifier: str = json.loads((folder / "report.json").read_bytes())["release"]["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return identifier


def hidden_beside(folder: Path) -> list[Path]:
    """Everything that begins as our temporary names do, beside a target."""
    return sorted(path for path in folder.parent.iterdir() if path.name.startswith(".amun-dp-"))


def fault_in_place(folder: Path, known: Known, before: str | None = None) -> str | None:
    """What is wrong with what stands at the target: it is whole, in the registry (or what stood there ``before``), or
    nothing."""
    if known.problem is not None:
        return known.problem
    identifier = release_identifier(folder)
    if identifier is None:
        return "half a release" if folder.exists() and any(folder.iterdir()) else None
    if identifier != before:
        if identifier not in known.releases:
            return "a release that the registry does not know"
        if not known.releases[identifier].counts:
            return "a release stands that was voided"
    return None if verify(folder, prove=False).passed else "the release in place does not verify"


def command(*arguments: object) -> Ended:
    """A command in a fork, to its end."""
    return forked(arguments).wait()
