"""What an audit needs to know of a method, by family: how it is run, and what it takes as public."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from amun_dp.article.conventions import CORRECTED, Conventions
from amun_dp.article.parameters import Parameters
from amun_dp.article.step7_compression import public_facts as article_facts
from amun_dp.auditing.article_mechanism import ArticleMechanism
from amun_dp.auditing.certified_mechanism import CertifiedMechanism
from amun_dp.auditing.mechanism import Mechanism
from amun_dp.certified.public_facts import public_facts as certified_facts
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.report.parameters import Asked


@dataclass(frozen=True, slots=True)
class AuditedFamily:
    """How methods of one family are audited. Every function takes the parameters of a release by one of them."""

    mechanism: Callable[[Any], Mechanism]
    conventions: Callable[[Any], Conventions]
    """The conventions by which made-up logs are chosen that are hard for the method."""
    protects_individuals: Callable[[Any], bool]
    max_case_length: Callable[[Any], int | None]
    """The most events of a case that is declared of every log, if any."""
    facts: Callable[[EventLog, Any], Hashable]
    """What it would read off a log and take as public."""
    details: Callable[[Any], dict[str, Any]]
    """What results say of the method beside its name and advantage."""


def family_of(parameters: Asked) -> AuditedFamily:
    """The family of a method of this package; others are audited by their authors."""
    if parameters.family not in _FAMILIES:
        raise ParameterError(
            f"How runs of '{parameters.method}' are made is not known here. Audit it with "
            "amun_dp.auditing.audit_mechanism."
        )
    return _FAMILIES[parameters.family]


def _article_details(parameters: Parameters) -> dict[str, Any]:
    return {"conventions": parameters.conventions.name, "scope": parameters.scope, "releases": parameters.releases}


def _certified_details(parameters: CertifiedSettings) -> dict[str, Any]:
    return {
        "variants": parameters.choices.variants,
        "scope": parameters.scope,
        "releases": parameters.releases,
    }


def _certified_facts(log: EventLog, parameters: CertifiedSettings) -> Hashable:
    facts = certified_facts(log, parameters.given, parameters.choices)
    variants = facts.variants
    listed = None if variants is None else (variants.activity.tobytes(), variants.offsets.tobytes())
    return (facts.activities, facts.first, facts.last, facts.longest, facts.cases, listed)


_FAMILIES = {
    Parameters.family: AuditedFamily(
        mechanism=ArticleMechanism,
        conventions=lambda parameters: parameters.conventions,
        protects_individuals=lambda _: False,
        max_case_length=lambda parameters: parameters.max_case_length,
        facts=lambda log, _: article_facts(log),
        details=_article_details,
    ),
    CertifiedSettings.family: AuditedFamily(
        mechanism=CertifiedMechanism,
        conventions=lambda _: CORRECTED,
        protects_individuals=lambda parameters: parameters.choices.individuals is not None,
        max_case_length=lambda _: None,
        facts=_certified_facts,
        details=_certified_details,
    ),
}
