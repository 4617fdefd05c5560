"""Whether what is installed is what is pinned: ``python -m requirements.installed requirements/development.txt``."""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from requirements.pins import pinned_versions

OURS = frozenset({canonicalize_name("amun-dp"), canonicalize_name("pip")})
"""The project itself, and what Python brings along to install it."""


def differences(pinned: dict[NormalizedName, str], installed: dict[NormalizedName, str]) -> list[str]:
    """One sentence for each package that is absent, of another version, or not pinned."""
    found = []
    for name in sorted(pinned.keys() | installed.keys() - OURS):
        if name not in installed:
            found.append(f"{name} is pinned to {pinned[name]} and not installed.")
        elif name not in pinned:
            found.append(f"{name} {installed[name]} is installed and not pinned.")
        elif Version(installed[name]) != Version(pinned[name]):
            found.append(f"{name} is pinned to {pinned[name]} and installed as {installed[name]}.")
    return found


def installed_versions() -> dict[NormalizedName, str]:
    """Names and versions in this environment."""
    return {canonicalize_name(one.metadata["Name"]): one.version for one in distributions()}


def main(arguments: list[str]) -> int:
    pinned = {name: version for path in arguments for name, version in pinned_versions(Path(path)).items()}
    found = differences(pinned, installed_versions())
    for sentence in found:
        print(sentence, file=sys.stderr)
    if found:
        print(
            "Install it anew: make clean, then make test. After a change of pyproject.toml: make lock.", file=sys.stderr
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
