"""The files of pinned requirements, read: which version of what is to be installed where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

FOLDER = Path(__file__).parent
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


@dataclass(frozen=True)
class Pin:
    """One line of such a file."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def name(self) -> NormalizedName:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        (only,) = self.requirement.specifier
        if only.operator != "==":
            raise ValueError(f"{self.requirement} is not pinned to one version.")
        return only.version

    def holds(self, environment: dict[str, str] | None = None) -> bool:
        """Whether it is for this Python and this system, or those of ``environment``."""
        marker = self.requirement.marker
        return marker is None or marker.evaluate(environment)


def read_pins(path: Path) -> list[Pin]:
    """Every pin of a file, for whatever environment it is."""
    lines = path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    wanted = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return [Pin(Requirement(_HASH.sub("", line).split(" #")[0].strip()), tuple(_HASH.findall(line))) for line in wanted]


def pinned_versions(path: Path, environment: dict[str, str] | None = None) -> dict[NormalizedName, str]:
    """Names and versions that are to be installed here, or in ``environment``."""
    return {pin.name: pin.version for pin in read_pins(path) if pin.holds(environment)}
