"""The public report: only what may be published beside the log.

Its type holds nothing but parameters, guarantees and figures of the released log, so a figure of the original log has
no field to sit in. The confidential part of a release lives in ``Confidential`` values and the ``internal`` folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from accounting.accountant import public_account
from accounting.events import PrivacyEvent
from accounting.guarantee import Guarantee
from accounting.publication import PublicTree, public_tree, tree_from_records
from accounting.quantities import rounded_up
from accounting.trees import individuals_from_the_log
from amun_dp._base.software import ORDER as SOFTWARE_ORDER
from amun_dp._base.software import software_versions
from amun_dp.budgets.earlier_releases import NOT_LOOKED_AT, EarlierReleases, earlier_from
from amun_dp.errors import ParameterError
from amun_dp.folder.names import FILE_NAMES, REPORT_SCHEMA_FAMILY
from amun_dp.report.card import Card, card_of
from amun_dp.report.formats import SCHEMA as SCHEMA_NUMBER
from amun_dp.report.formats import formats_here
from amun_dp.report.parameters import Asked, ReportParameters, parameters_from
from amun_dp.report.terms import NOISE_MEANS

if TYPE_CHECKING:
    from amun_dp.noise.sources import NoiseSource

SCHEMA = f"{REPORT_SCHEMA_FAMILY}{SCHEMA_NUMBER}"
"""The schema that this version writes. Open until 0.2.0 is cut: fields may still be added to it until then."""
READABLE = (f"{REPORT_SCHEMA_FAMILY}2", SCHEMA)
"""The schemas that this version reads: old releases are judged, too."""


@dataclass(frozen=True, slots=True)
class ReleasedLog:
    """Figures of the released log alone. The name of its file is known once it is written."""

    cases: int
    """Number of cases."""
    events: int
    """Number of events."""
    variants: int
    """Number of variants."""
    file: str | None = None
    """Name of its file in the release folder; None until it is written."""
    escaped_formulas: bool = False
    """Whether labels in it that a spreadsheet would take for formulas have a ' before them (CSV)."""


@dataclass(frozen=True)  # no slots: they would leave no room for what is derived once
class PublicReport:
    """What is published beside the log. Guarantees are not a field: they are derived from the recorded mechanisms."""

    release_id: str
    """Random; the released XES and Parquet files repeat it."""
    made_on: str
    """Date (UTC) of the release."""
    method: str
    """Name of the method."""
    advantage: float
    """The guessing advantage that the release was made for. What is guaranteed is in ``guarantees``."""
    releases: int
    """The number of releases over which every ε was divided."""
    max_cases_per_individual: int | None
    """The declared number: so many cases of each individual count or, where nobody is truncated, nobody has more. None
    if it was taken from the log, where it is not a public fact, or was not given: nothing is promised about individuals
    then."""
    parameters: ReportParameters
    """The further choices and public facts of the method."""
    unpredictable: bool
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
    """Which bytes another can make again (``amun_dp.report.formats``); of schema 2 only the number of the schema."""
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each published file but the report itself; known once they are written."""
    earlier_releases: EarlierReleases = NOT_LOOKED_AT
    """What this release and earlier ones that a registry knows cost together."""

    @cached_property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """The guarantees with their verdicts, derived by the accountant from the recorded mechanisms."""
        return public_account(self.mechanisms)

    @cached_property
    def card(self) -> Card:
        """The label: what the release guarantees, in one plain sentence, or as plainly that it guarantees nothing."""
        return card_of(self)

    def with_files(self, released: str, files: Mapping[str, str]) -> PublicReport:
        """This report once ``files`` are written: with the name of the ``released`` log, and the hashes of the files
        known so far. Guarantees do not change: none depends on a file."""
        return self._but(replace(self, released=replace(self.released, file=released), files=files))

    def with_escaped_formulas(self) -> PublicReport:
        """This report, for a log whose labels are escaped in its file."""
        return self._but(replace(self, released=replace(self.released, escaped_formulas=True)))

    def _but(self, other: PublicReport) -> PublicReport:
        """The other report, with the same guarantees, which need not be derived again."""
        for name in ("guarantees", "card"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    @property
    def individuals(self) -> dict[str, int | str | None]:
        """How many cases of one individual count at most, and what says so: ``truncation`` (further ones are left
        out), ``declaration`` (the publisher vouches for it), ``log`` (its own number, which bounds nothing), ``none``.
        """
        most, chosen = self.max_cases_per_individual, self.parameters
        if most is None:
            by = "log" if individuals_from_the_log(self.mechanisms.tree) else "none"
        else:
            by = "truncation" if chosen.counts_individuals else "declaration"
        return {"max_cases": most, "by": by}

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What is not protected, in words."""
        return self.parameters.unprotected

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data, in the order in which a reader wants it."""
        return {
            "schema": SCHEMA,
            "release": {"id": self.release_id, "made_on": self.made_on},
            "formats": {name: self.formats[name] for name in formats_here() if name in self.formats},
            "software": {name: self.software[name] for name in SOFTWARE_ORDER if name in self.software},
            "method": self.method,
            "releases": self.releases,
            "individuals": self.individuals,
            "parameters": self.parameters.as_dict(),
            "advantage": self.advantage,
            "noise": {
                "predictable": not self.unpredictable,
                **({} if self.sampler is None else {"sampler": self.sampler}),
                "means": NOISE_MEANS[self.unpredictable],
            },
            "released": {
                "file": self.released.file,
                "cases": self.released.cases,
                "events": self.released.events,
                "variants": self.released.variants,
                "escaped_formulas": self.released.escaped_formulas,
            },
            "files": {name: self.files[name] for name in sorted(self.files)},
            "guarantees": [guarantee_as_dict(guarantee) for guarantee in self.guarantees],
            "earlier_releases": self.earlier_releases.as_dict(),
            "unprotected": list(self.unprotected),
            "mechanisms": self.mechanisms.records(),
        }

    def _repr_html_(self) -> str:
        """The label card, in a notebook."""
        from amun_dp.report.fragments import label_card  # a template engine, needed here only

        return label_card(self.card)

    def to_json(self) -> str:
        """The text of ``report.json``."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PublicReport:
        """The report that ``as_dict`` wrote, from data that conform to the schema. Its guarantees are derived, not
        read."""
        # Schema 2 called unpredictable noise "private", and did not always name the sampler.
        noise = data.get("noise") or {"predictable": not data["private"], "sampler": data.get("sampler")}
        individuals = data.get("individuals")
        report = cls(
            release_id=data["release"]["id"],
            made_on=data["release"]["made_on"],
            method=data["method"],
            advantage=data["advantage"],
            releases=data["releases"],
            # Schema 2 states the number alone.
            max_cases_per_individual=data["max_cases_per_individual"]
            if individuals is None
            else individuals["max_cases"],
            parameters=parameters_from(data["parameters"]),
            unpredictable=not noise["predictable"],
            released=ReleasedLog(
                cases=data["released"]["cases"],
                events=data["released"]["events"],
                variants=data["released"]["variants"],
                file=data["released"]["file"],
                escaped_formulas=data["released"].get("escaped_formulas", False),  # schema 2 knew of none
            ),
            mechanisms=tree_from_records(data["mechanisms"]),
            software=MappingProxyType(dict(data["software"])),
            sampler=noise.get("sampler"),
            formats=MappingProxyType(dict(data.get("formats", {"schema": 2}))),  # schema 2 has no numbers
            files=MappingProxyType(dict(data["files"])),
            earlier_releases=earlier_from(data.get("earlier_releases")),
        )
        if report.released.escaped_formulas and report.released.file != FILE_NAMES["csv"]:
            raise ParameterError("The report says that formulas are escaped in a log that is not CSV.")
        # JSON Schema takes 3.0 for an integer; whoever reads the report may not.
        whole = not isinstance(report.max_cases_per_individual, float)
        if individuals is not None and not (whole and individuals == report.individuals):
            raise ParameterError("What the report says about the cases of an individual is not what it records.")
        return report


def new_report(
    asked: Asked,
    stated: ReportParameters,
    release_id: str,
    released: ReleasedLog,
    events: PrivacyEvent,
    source: NoiseSource,
    earlier: EarlierReleases,
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
        unpredictable=source.unpredictable,
        released=released,
        mechanisms=public_tree(events),
        software=software_versions(),
        sampler=source.sampler,
        earlier_releases=earlier,
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
        "mu": None if guarantee.curve is None else rounded_up(Fraction(guarantee.curve.mu)),
        "advantage": guarantee.advantage,
        "bounded": None if guarantee.withheld else guarantee.epsilon.bounded or guarantee.curve is not None,
        "withheld": guarantee.withheld,
        "epsilon_per_ms": None if guarantee.rate is None else rounded_up(guarantee.rate.value),
        "verdict": guarantee.verdict.value,
        "statement": guarantee.statement,
        "why": guarantee.why,
        "assumptions": {assumption.value: assumption.explanation for assumption in guarantee.assumptions},
        "reference": guarantee.reference,
    }
