"""The plan of a certified release: what is public, what each part gets, what it would cost. A plan draws no noise and
spends nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from accounting.confidential import Confidential
from accounting.registry import Cost
from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp._base.messages import Message
from amun_dp.budgets.fingerprint import fingerprint
from amun_dp.certified.cases import Cases, prepare_parts
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.costs import cost_of_plan
from amun_dp.certified.draft import CertifiedPlan, expected_kept, plan_certified
from amun_dp.certified.flow.released import LARGEST_RELEASE
from amun_dp.certified.population import InMemory, Population
from amun_dp.certified.public_facts import PublicFacts, public_facts
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.eventlog.cases_per_individual import check_declared_cases
from amun_dp.eventlog.language import Language, language_of
from amun_dp.eventlog.log import EventLog, ReadingFacts
from amun_dp.eventlog.original import Original, original_of

MOST_ACTIVITIES = 4_000
"""For ``generated``, whose tables have a cell for every pair of activities: sixteen million, a gigabyte or two."""


@dataclass(frozen=True, slots=True)
class PartFigures:
    """What one measurement gets, and how large its noise is."""

    name: str
    of: str
    epsilon: float
    noise: float
    """Scale of the noise, counted in whole cases."""


@dataclass(frozen=True, slots=True)
class CertifiedSummary:
    """What a steward looks at before deciding. Computed from the original log: confidential."""

    cases: int
    events: int
    variants: int
    form: str
    scope: str
    epsilon: float
    """For one unit, all releases together."""
    delta: float
    threshold: int | None
    expected_kept: float
    """Share of the cases whose variant is expected to be released; 1 where no threshold is applied."""
    cases_alone: int
    """Cases with a variant that no other case has; the log's own variants as public ones disclose each of them."""
    from_log: tuple[str, ...]
    """Facts that are taken from the log, and thereby disclosed."""
    given: tuple[str, ...]
    """Facts that were given from outside the log."""
    parts: tuple[PartFigures, ...]
    individual_factor: int
    """How many times larger all noise is than for one case, because an individual may have so many."""


class Certifiable(Protocol):
    """The plan of a certified release, wherever the log is: what is charged, measured and compared."""

    @property
    def parameters(self) -> CertifiedSettings: ...

    @property
    def facts(self) -> PublicFacts: ...

    @property
    def plan(self) -> CertifiedPlan:
        """What each part gets."""

    @property
    def reading(self) -> ReadingFacts:
        """What happened while the log was read."""

    @property
    def n_events(self) -> int:
        """Of the original log; the release has about as many."""

    @property
    def cost(self) -> Cost:
        """What the release will cost, for the registry."""

    @property
    def details(self) -> dict[str, Any]:
        """Its public parameters, for the registry."""

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        """What a registry knows the log by."""

    def population(self) -> Population[Cases]:
        """The cases, within the public facts."""

    @property
    def original(self) -> Original:
        """What the release is compared with (confidential)."""

    @property
    def summary(self) -> Confidential[CertifiedSummary]: ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlannedCertified:
    """What a certified release would do."""

    parameters: CertifiedSettings
    log: EventLog
    facts: PublicFacts
    plan: CertifiedPlan

    def __repr__(self) -> str:
        """Parameters only: a plan shown in a notebook or a log file gives nothing away."""
        return described(self.parameters)

    @property
    def reading(self) -> ReadingFacts:
        """What happened while the log was read."""
        return self.log.facts

    @property
    def n_events(self) -> int:
        """Of the original log; the release has about as many."""
        return self.log.n_events

    @property
    def cost(self) -> Cost:
        """What the release will cost, for the registry."""
        return cost_of_plan(self.parameters.choices, self.facts, self.parameters.releases, self.plan)

    @property
    def details(self) -> dict[str, Any]:
        """Its public parameters, for the registry."""
        return details_of(self.parameters)

    def fingerprint(self, hasher: Hasher) -> Fingerprint:
        """What a registry knows the log by."""
        return fingerprint(self.log, hasher)

    def population(self) -> Population[Cases]:
        """The cases, within the public facts."""
        return InMemory(prepare_parts(self.log, self.facts, self.parameters.choices))

    @property
    def original(self) -> Original:
        """What the release is compared with (confidential)."""
        return original_of(self.log)

    @property
    def summary(self) -> Confidential[CertifiedSummary]:
        kept = expected_kept(self.log, self.facts, self.parameters.choices, self.plan)
        return summary_of(self.parameters, self.facts, self.plan, language_of(self.log), self.log.n_events, kept)


def described(rules: CertifiedSettings) -> str:
    return f"<Plan: advantage {rules.advantage:g}, method {rules.method}, variants {rules.choices.variants}>"


def details_of(rules: CertifiedSettings) -> dict[str, Any]:
    """The public parameters of a release, for the registry."""
    return {
        "method": rules.method,
        "variants": rules.choices.variants,
        "advantage": rules.advantage,
        "releases": rules.releases,
        "scope": rules.scope,
    }


def summary_of(
    rules: CertifiedSettings,
    facts: PublicFacts,
    plan: CertifiedPlan,
    language: Language,
    events: int,
    kept: Confidential[float],
) -> Confidential[CertifiedSummary]:
    """``language`` and ``events`` are those of the original."""
    together = rules.choices.cases_together
    return Confidential(
        CertifiedSummary(
            cases=int(language.cases.sum()),
            events=events,
            variants=language.variants.count,
            form=rules.choices.variants,
            scope=rules.scope,
            epsilon=float(plan.epsilon * together * rules.releases),
            delta=float(plan.delta * rules.releases),
            threshold=plan.threshold,
            expected_kept=kept.reveal(),
            cases_alone=int(np.count_nonzero(language.cases == 1)),
            from_log=tuple(sorted(facts.from_log)),
            given=tuple(sorted(facts.given)),
            parts=tuple(PartFigures(part.name, part.of, float(part.epsilon), part.noise) for part in plan.parts),
            individual_factor=together,
        )
    )


def check_individuals(choices: CertifiedChoices, known: bool) -> None:
    """Refuse to protect individuals where nobody knows them."""
    if choices.individuals is not None and not known:
        raise ParameterError(
            Message(
                "Protecting an individual needs to know who stands behind each case. Name the column with {individual}."
            )
        )


_INSTEAD = Message(
    "let only the first of each count ({scope:individual}), or leave the declaration out: then nothing is promised "
    "about individuals"
)


def check_declaration(choices: CertifiedChoices, most: int | None) -> None:
    """Refuse a declared number of cases that the log contradicts. ``most``: of one individual, None if unknown."""
    check_declared_cases(most, choices.declared_cases, _INSTEAD)


def check_known(choices: CertifiedChoices, nobodys: int) -> None:
    """Refuse a bound for individuals where it is not known of some cases whose they are."""
    if nobodys and (choices.individuals is not None or choices.declared_cases is not None):
        raise ReleaseError(
            f"{nobodys:,} cases have no individual: they may all be somebody's, and nothing could be promised about "
            "individuals. Complete the column, leave these cases out of the log, or ask for nothing about individuals."
        )


def plan_release(log: EventLog, settings: CertifiedSettings) -> PlannedCertified:
    """What is public, what each part gets; nothing is drawn."""
    choices = settings.choices
    check_individuals(choices, log.individual is not None)
    check_declaration(choices, log.most_cases_of_one)
    check_known(choices, 0 if log.individual_name is None else int(np.count_nonzero(log.individual_name == "")))
    facts = public_facts(log, settings.given, choices)
    expected = None
    if choices.individuals is not None:  # for a preview only: the number itself is measured with noise
        expected = int(np.minimum(np.bincount(log.individuals), choices.individuals).sum())
    return PlannedCertified(settings, log, facts, plan_from(facts, settings, expected))


def plan_from(facts: PublicFacts, settings: CertifiedSettings, expected: int | None = None) -> CertifiedPlan:
    """What each part gets. ``expected`` stands for a number of cases that is only measured when noise is drawn."""
    if settings.choices.variants == "generated" and len(facts.activities) > MOST_ACTIVITIES:
        raise ReleaseError(
            Message(
                "There are {activities:,} activities, and {variants:generated} measures every pair of them: {most:,} "
                "are the most. Use {variants:threshold} or {variants:public}, or an attribute or classifier with fewer "
                "labels ({activity}).",
                activities=len(facts.activities),
                most=MOST_ACTIVITIES,
            )
        )
    least = least_events(facts, settings.choices)
    if least > LARGEST_RELEASE:
        raise ReleaseError(
            Message(
                "A release of {cases:,} cases has at least {least:,} events, whatever is drawn, and {most:,} are the "
                "most. Nothing was spent. Release a part of the log, or use {variants:threshold}.",
                cases=facts.cases or 0,
                least=least,
                most=LARGEST_RELEASE,
            )
        )
    return plan_certified(facts, settings.choices, settings.advantage, settings.releases, expected)


def least_events(facts: PublicFacts, choices: CertifiedChoices) -> int:
    """How many events public numbers alone demand; 0 where these say nothing."""
    if facts.cases is None or choices.variants == "threshold":
        return 0
    if facts.variants is not None:
        return facts.cases * int(facts.variants.lengths.min())
    return facts.cases + facts.cases // 5  # where noise hides how many steps there are, a fifth more than cases


def spent_delta(plan: CertifiedPlan, releases: int) -> float | None:
    """δ of all releases together for one unit; None where there is none."""
    total: Fraction = plan.delta * releases
    return float(total) if total else None
