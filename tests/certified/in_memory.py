"""A certified release of a log in memory, without a folder, a report or a registry."""

from __future__ import annotations

from amun_dp.certified import Certified, CertifiedChoices, PublicFacts, certify_cases
from amun_dp.certified.cases import prepare_parts
from amun_dp.certified.population import InMemory
from amun_dp.eventlog.log import EventLog
from amun_dp.noise.sources import NoiseSource


def certify(
    log: EventLog,
    facts: PublicFacts,
    choices: CertifiedChoices,
    advantage: float,
    releases: int,
    source: NoiseSource,
) -> Certified:
    return certify_cases(InMemory(prepare_parts(log, facts, choices)), facts, choices, advantage, releases, source)
