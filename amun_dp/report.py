"""The public report: only what may be published beside the log.

Its type holds nothing but parameters, guarantees and figures of the released log, so a figure of the original log has
no field to sit in. The confidential part of a release lives in ``Confidential`` values and the ``internal`` folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from accounting.accountant import public_account
from accounting.events import PrivacyEvent
from accounting.guarantee import Guarantee
from accounting.publication import PublicTree, public_tree, tree_from_records
from accounting.quantities import rounded_up
from amun_dp.formats import SCHEMA as SCHEMA_NUMBER
from amun_dp.formats import formats_here
from amun_dp.report_parameters import ReportParameters, parameters_from
from amun_dp.software import ORDER as SOFTWARE_ORDER
from amun_dp.software import software_versions
from amun_dp.writing.folder import REPORT_SCHEMA_FAMILY

if TYPE_CHECKING:
    from amun_dp.noise import NoiseSource
    from amun_dp.requests import AnyParameters

SCHEMA = f"{REPORT_SCHEMA_FAMILY}{SCHEMA_NUMBER}"
"""What this version writes. Open until 0.2.0 is cut: fields may still be added to it until then."""
READABLE = (f"{REPORT_SCHEMA_FAMILY}2", SCHEMA)
"""What this version reads: old releases are judged, too."""

PRIVATE_MEANS = {
    True: "the noise cannot be predicted; what that guarantees, and what not, is said by the guarantees below",
    False: "the noise came from a seed and can be subtracted: do not publish this release",
}


@dataclass(frozen=True, slots=True)
class ReleasedLog:
    """Figures of the released log alone. Its file is known once it is written."""

    cases: int
    """Number of cases."""
    events: int
    """Number of events."""
    variants: int
    """Number of variants."""
    file: str | None = None
    """Its name in the folder."""


@dataclass(frozen=True)  # no slots: they would leave no room for what is derived once
class PublicReport:
    """What is published beside the log. Guarantees are no field of it: they follow from the mechanisms."""

    release_id: str
    """Random; the released XES and Parquet files repeat it."""
    made_on: str
    """Date (UTC) of the release."""
    method: str
    """Name of the method."""
    advantage: float
    """What it was made for."""
    releases: int
    """Over how many releases every ε was divided."""
    max_cases_per_individual: int | None
    """As declared; None if it was taken from the log (where it is no public fact) or not given."""
    parameters: ReportParameters
    """The further choices and public facts of the method."""
    private: bool
    """Whether the noise cannot be predicted; that alone guarantees nothing."""
    released: ReleasedLog
    """Figures of the released log."""
    mechanisms: PublicTree
    """What was done to the data, without confidential parameters."""
    software: Mapping[str, str]
    """Versions of what made the release; for information."""
    sampler: str | None = None
    """What drew the noise: ``opendp``, ``exact`` or ``seeded``; None in reports from before it was recorded."""
    formats: Mapping[str, int | str] = field(default_factory=formats_here)
    """Which bytes another can make again (``amun_dp.formats``); of schema 2 nothing but the number of the schema."""
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each published file but the report itself; known once they are written."""

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What the accountant derives from the mechanisms."""
        return public_account(self.mechanisms)

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What is not protected, in words."""
        return self.parameters.unprotected

    def as_dict(self) -> dict[str, Any]:
        """Plain data, in the order in which a reader wants it."""
        return {
            "schema": SCHEMA,
            "release": {"id": self.release_id, "made_on": self.made_on},
            "formats": {name: self.formats[name] for name in formats_here() if name in self.formats},
            "software": {name: self.software[name] for name in SOFTWARE_ORDER if name in self.software},
            "method": self.method,
            "releases": self.releases,
            "max_cases_per_individual": self.max_cases_per_individual,
            "parameters": self.parameters.as_dict(),
            "advantage": self.advantage,
            "private": self.private,
            "private_means": PRIVATE_MEANS[self.private],
            **({} if self.sampler is None else {"sampler": self.sampler}),
            "released": {
                "file": self.released.file,
                "cases": self.released.cases,
                "events": self.released.events,
                "variants": self.released.variants,
            },
            "files": {name: self.files[name] for name in sorted(self.files)},
            "guarantees": [guarantee_as_dict(guarantee) for guarantee in self.guarantees],
            "unprotected": list(self.unprotected),
            "mechanisms": self.mechanisms.records(),
        }

    def _repr_html_(self) -> str:
        """The label card, in a notebook."""
        from amun_dp.pages.fragments import label_card

        return label_card(self)

    def to_json(self) -> str:
        """The text of ``report.json``."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PublicReport:
        """The report that ``as_dict`` wrote, of data that the schema admits. Its guarantees are derived, not read."""
        return cls(
            release_id=data["release"]["id"],
            made_on=data["release"]["made_on"],
            method=data["method"],
            advantage=data["advantage"],
            releases=data["releases"],
            max_cases_per_individual=data["max_cases_per_individual"],
            parameters=parameters_from(data["parameters"]),
            private=data["private"],
            released=ReleasedLog(
                cases=data["released"]["cases"],
                events=data["released"]["events"],
                variants=data["released"]["variants"],
                file=data["released"]["file"],
            ),
            mechanisms=tree_from_records(data["mechanisms"]),
            software=MappingProxyType(dict(data["software"])),
            sampler=data.get("sampler"),
            formats=MappingProxyType(dict(data.get("formats", {"schema": 2}))),  # schema 2 has no numbers
            files=MappingProxyType(dict(data["files"])),
        )


def new_report(
    asked: AnyParameters,
    stated: ReportParameters,
    release_id: str,
    released: ReleasedLog,
    events: PrivacyEvent,
    source: NoiseSource,
) -> PublicReport:
    """The report of a release that was made today."""
    return PublicReport(
        release_id=release_id,
        made_on=datetime.now(UTC).date().isoformat(),
        method=asked.method,
        advantage=asked.advantage,
        releases=asked.releases,
        max_cases_per_individual=asked.max_cases_per_individual,
        parameters=stated,
        private=source.private,
        released=released,
        mechanisms=public_tree(events),
        software=software_versions(),
        sampler=source.sampler,
    )


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
