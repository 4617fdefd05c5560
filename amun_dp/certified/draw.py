"""The certified release on one screen: prepare, measure, generate; and the record of what it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from accounting.events import (
    NonPrivate,
    PostProcessing,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
    TakenAsPublic,
)
from amun_dp._base.arrays import IntArray
from amun_dp.certified.assemble import assemble, event_times
from amun_dp.certified.cases import Cases, OfVariants
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.draft import CertifiedPlan, epsilon_for_number, plan_certified
from amun_dp.certified.flow.generated import generated_flow
from amun_dp.certified.flow.public import public_flow
from amun_dp.certified.flow.released import Flow
from amun_dp.certified.flow.threshold import thresholded_flow
from amun_dp.certified.population import Population
from amun_dp.certified.public_facts import PublicFacts
from amun_dp.certified.split import epsilon_of_release
from amun_dp.certified.times.durations import durations
from amun_dp.certified.times.starts import start_times
from amun_dp.certified.totals import UNKNOWN, Estimate, noisy_number
from amun_dp.errors import ParameterError
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Sequences
from amun_dp.noise.sources import NoiseSource

_Fact = Literal["labels", "variants", "time frame", "number of cases", "longest duration", "number of individuals"]
_FACTS: tuple[_Fact, ...] = get_args(_Fact)


@dataclass(frozen=True, slots=True, eq=False)
class Certified:
    """A released log, and what it cost."""

    log: EventLog
    """A function of public facts and noisy outputs alone, so it may be declared public."""
    events: PrivacyEvent
    plan: CertifiedPlan
    """What each part got; with the measured number of cases, where it was measured."""


def certify_cases(
    cases: Population[Cases],
    facts: PublicFacts,
    choices: CertifiedChoices,
    advantage: float,
    releases: int,
    source: NoiseSource,
) -> Certified:
    """Release a log whose whole content, with respect to one case (or one individual), has ε = 4·artanh(advantage).

    The cases are prepared, wherever they are. All noise is drawn here. Raises EmptyReleaseError if a threshold leaves
    nothing; the budget is spent then as well.
    """
    _check(facts, choices)
    drawn = draw(cases, facts, choices, advantage, releases, source)
    released = assemble(drawn.flow, drawn.times, facts.activities, source)
    return Certified(released, _what_was_done(facts, choices, releases, drawn.mechanisms, source), drawn.plan)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Everything but names and order of the released cases, which depend on no data."""

    flow: Sequences
    times: IntArray
    mechanisms: list[PrivacyEvent]
    plan: CertifiedPlan


def draw(
    cases: Population[Cases],
    facts: PublicFacts,
    choices: CertifiedChoices,
    advantage: float,
    releases: int,
    source: NoiseSource,
) -> Drawn:
    """Measure the prepared cases, and draw new ones from what was measured."""
    number, mechanisms = _number(cases, facts, choices, advantage, releases, source)
    plan = plan_certified(facts, choices, advantage, releases, number.whole)
    flow = _flow(cases, facts, plan, number, source)
    timed = cases.each(OfVariants(flow.counted))
    gaps, lasting = durations(timed, flow.cases, facts, number, plan.budget.times, source)
    starts, starting = start_times(timed, flow.cases.count, facts, plan.budget.starts, source)
    times = event_times(flow.cases, gaps, starts, facts)
    return Drawn(flow.cases, times, [*mechanisms, *flow.events, *lasting, starting], plan)


def _check(facts: PublicFacts, choices: CertifiedChoices) -> None:
    if (facts.cases is None) != (choices.individuals is not None) or (
        (facts.variants is None) != (choices.variants != "public")
    ):
        raise ParameterError("The public facts were made for other choices.")


def _number(
    cases: Population[Cases],
    facts: PublicFacts,
    choices: CertifiedChoices,
    advantage: float,
    releases: int,
    source: NoiseSource,
) -> tuple[Estimate, list[PrivacyEvent]]:
    if facts.cases is not None:
        return Estimate(float(facts.cases)), []
    epsilon = epsilon_for_number(epsilon_of_release(advantage, choices, releases), choices)
    if not epsilon:
        return UNKNOWN, []
    number, event = noisy_number(cases, epsilon, source)
    return number, [event]


def _flow(
    cases: Population[Cases],
    facts: PublicFacts,
    plan: CertifiedPlan,
    number: Estimate,
    source: NoiseSource,
) -> Flow:
    if facts.variants is not None:
        return public_flow(cases, facts.variants, number.whole, plan.budget.flow, source)
    if plan.threshold is not None:
        return thresholded_flow(cases, len(facts.activities), facts.cases, plan.threshold, plan.budget.flow, source)
    return generated_flow(cases, len(facts.activities), number, plan.budget.flow, source)


def _what_was_done(
    facts: PublicFacts,
    choices: CertifiedChoices,
    releases: int,
    mechanisms: list[PrivacyEvent],
    source: NoiseSource,
) -> PrivacyEvent:
    public = [TakenAsPublic(fact, fact in facts.from_log) for fact in _FACTS if fact in facts.from_log | facts.given]
    if choices.individuals is not None:
        mechanisms = [SharedByIndividual(part, choices.individuals, truncated=True) for part in mechanisms]
    elif choices.declared_cases is not None:
        mechanisms = [SharedByIndividual(part, choices.declared_cases) for part in mechanisms]
    if releases > 1:  # what is stated is then for all of them together
        mechanisms = [RepeatedRelease(part, releases) for part in mechanisms]
    parts = [
        *public,
        *mechanisms,
        PostProcessing(
            "control flow", "a function of noisy counts, public facts and random numbers that depend on no data"
        ),
        PostProcessing(
            "timestamps",
            "drawn from noisy histograms and totals over the released control flow, within a public time frame",
        ),
        PostProcessing("case identifiers and order", "random identifiers and a random order that depend on no data"),
    ]
    if not source.unpredictable:
        parts.append(NonPrivate("the noise came from a seeded generator: who knows the seed can subtract it"))
    return Sequential(tuple(parts))
