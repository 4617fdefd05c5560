"""The public report: only what may be published beside the log.

Its type holds nothing but parameters, guarantees and figures of the released log, so a figure of the original log has
no field to sit in. The confidential part of a release lives in ``Confidential`` values and the ``internal`` folder.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from accounting.guarantee import Guarantee
from accounting.quantities import rounded_up
from amun_dp.conventions import Conventions
from amun_dp.writing.folder import REPORT_SCHEMA_FAMILY

SCHEMA = f"{REPORT_SCHEMA_FAMILY}1"

UNPROTECTED = (
    "activity labels: every label that the released log contains is taken as public",
    "time frame: the first start, the last start and the last timestamp of the original log are taken as public",
    "variants: only variants of the original log occur (R1), so a released variant is known to have occurred; a "
    "variant that "
    "one case alone has discloses that case",
    "dependence: a case that depends on others (same person, same event) is protected less than one that does not",
    "running time of the anonymisation, and the size of the released log",
)


UNNOISED_GROUPS = (
    "times without noise: under these conventions (value_range: spread) the events of a group whose relative times "
    "are all "
    "equal are released with their exact relative time"
)


DECLARED_VARIANTS = (
    "declared variants: the publisher declares that the variants of the log are no secret; a variant that one case "
    "alone has "
    "is disclosed by that choice"
)
PRIVATE_MEANS = {
    True: "the noise cannot be predicted; what that guarantees, and what not, is said by the guarantees below",
    False: "the noise came from a seed and can be subtracted: do not publish this release",
}


@dataclass(frozen=True, slots=True)
class ReleasedLog:
    """Figures of the released log alone. File and hash are known once it is written."""

    cases: int
    events: int
    variants: int
    file: str | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class PublicReport:
    method: str
    conventions: Conventions
    advantage: float
    releases: int
    max_cases_per_individual: int | None
    """As declared; None if it was taken from the log (where it is no public fact) or not given."""
    public_variants: bool
    scope: str
    max_case_length: int | None
    private: bool
    released: ReleasedLog
    guarantees: tuple[Guarantee, ...]

    @property
    def unprotected(self) -> tuple[str, ...]:
        spread = (UNNOISED_GROUPS,) if self.conventions.value_range == "spread" else ()
        declared = (DECLARED_VARIANTS,) if self.public_variants else ()
        return (*UNPROTECTED, *spread, *declared)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, in the order in which a reader wants it."""
        return {
            "schema": SCHEMA,
            "software": software_versions(),
            "method": self.method,
            "conventions": self.conventions.name,
            "parameters": {
                "window_ms": self.conventions.window,
                "start_window_ms": self.conventions.start_window,
                "prior": self.conventions.prior,
                "value_range": self.conventions.value_range,
                "filtering": self.conventions.filtering,
                "compression": self.conventions.compression,
                "releases": self.releases,
                "max_cases_per_individual": self.max_cases_per_individual,
                "public_variants": self.public_variants,
                "scope": self.scope,
                "max_case_length": self.max_case_length,
            },
            "advantage": self.advantage,
            "private": self.private,
            "private_means": PRIVATE_MEANS[self.private],
            "released": {
                "file": self.released.file,
                "sha256": self.released.sha256,
                "cases": self.released.cases,
                "events": self.released.events,
                "variants": self.released.variants,
            },
            "guarantees": [guarantee_as_dict(guarantee) for guarantee in self.guarantees],
            "unprotected": list(self.unprotected),
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def guarantee_as_dict(guarantee: Guarantee) -> dict[str, Any]:
    return {
        "claim": guarantee.claim,
        "reading": guarantee.reading.value,
        "scope": guarantee.scope.value,
        "relation": guarantee.relation.value,
        "kind": guarantee.kind.value,
        "epsilon": guarantee.epsilon.stated(),
        "delta": guarantee.delta,
        "advantage": guarantee.advantage,
        "bounded": None if guarantee.withheld else guarantee.epsilon.bounded,
        "withheld": guarantee.withheld,
        "epsilon_per_ms": None if guarantee.rate is None else rounded_up(guarantee.rate.value),
        "verdict": guarantee.verdict.value,
        "statement": guarantee.statement,
        "why": guarantee.why,
        "assumptions": {assumption.value: assumption.explanation for assumption in guarantee.assumptions},
        "reference": guarantee.reference,
    }


def software_versions() -> dict[str, str]:
    """Versions of what made the release."""
    versions = {"python": platform.python_version()}
    for package in ("amun-dp", "opendp", "numpy"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that was never installed
            versions[package] = "unknown"
    return versions
