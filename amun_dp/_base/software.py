"""What runs here: versions, for information. What can be compared is decided by formats, not by versions."""

from __future__ import annotations

import json
import platform
import re
import zlib
from importlib.metadata import Distribution, PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("amun-dp", "opendp", "numpy", "pyarrow")
ORDER = ("python", *PACKAGES, "zlib", "commit")
"""In which a report lists them."""
UNKNOWN = "unknown"
_VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){1,3}(\.zlib-ng)?")
_RELEASE = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4}){1,3})(?:(a|b|rc|\.dev|\.post)([0-9]{1,4}))?\+?")
_STAGES = (".dev", "a", "b", "rc", None, ".post")
"""Of one version, in the order in which they come out."""
_COMMIT = re.compile(r"[0-9a-f]{40}")


def _own_version() -> str:
    try:
        return version("amun-dp").partition("+")[0]  # without a local build's own mark
    except PackageNotFoundError:  # run from a source tree that was never installed
        return UNKNOWN


__version__ = _own_version()
"""Of the installed package; ``unknown`` in a source tree that was never installed."""


def software_versions() -> dict[str, str]:
    """Versions of what runs here, and the commit of this package where it is known."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package).partition("+")[0]  # without a local build's own mark
        except PackageNotFoundError:  # run from a source tree that was never installed
            versions[package] = UNKNOWN
    found = _VERSION.fullmatch(zlib.ZLIB_RUNTIME_VERSION)
    versions["zlib"] = UNKNOWN if found is None else found[0]
    commit = _installed_commit() or checked_out_commit(Path(__file__).parents[2])
    return versions | ({} if commit is None else {"commit": commit})


def age_of(version: str) -> tuple[int, ...] | None:
    """What sorts versions by their age, of a text that a report may have as one; None if the text is none."""
    found = _RELEASE.fullmatch(version)
    if found is None:
        return None
    numbers = [int(number) for number in found[1].split(".")]
    return (*numbers, *[0] * (4 - len(numbers)), _STAGES.index(found[2]), int(found[3] or 0))


def _installed_commit() -> str | None:
    """Of an installation from a repository, as pip records it (PEP 610)."""
    try:
        recorded = json.loads(Distribution.from_name("amun-dp").read_text("direct_url.json") or "{}")
        found = str(recorded.get("vcs_info", {}).get("commit_id", ""))
    except (PackageNotFoundError, OSError, ValueError, AttributeError):
        return None
    return found if _COMMIT.fullmatch(found) else None


def checked_out_commit(folder: Path) -> str | None:
    """Of a copy of the repository that this is run from. Files may have been changed since; it is for information."""
    try:
        place = folder / ".git"
        if place.is_file():  # a further work tree: the file says where its own folder is
            place = folder / place.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (place / "HEAD").read_text(encoding="utf-8").strip()
        common = place / "commondir"
        shared = place / common.read_text(encoding="utf-8").strip() if common.is_file() else place
        if head.startswith("ref:"):
            head = _commit_of(shared, head.removeprefix("ref:").strip())
    except (OSError, ValueError):
        return None
    return head if _COMMIT.fullmatch(head) else None


def _commit_of(repository: Path, reference: str) -> str:
    loose = repository / reference
    if loose.is_file():
        return loose.read_text(encoding="utf-8").strip()
    lines = (repository / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in lines if line.endswith(f" {reference}")), "")
