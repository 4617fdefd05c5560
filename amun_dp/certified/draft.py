"""What a certified release would spend on which part: from public facts alone, and without drawing noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from accounting.confidential import Confidential
from amun_dp._base.arrays import FloatArray, IntArray
from amun_dp.certified.cases import prepare_parts, variant_of
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.flow import generated, public, threshold
from amun_dp.certified.population import InMemory
from amun_dp.certified.public_facts import PublicFacts
from amun_dp.certified.split import NUMBER, Budget, delta_of_release, epsilon_of_release, measures_number, split
from amun_dp.certified.times import durations
from amun_dp.errors import ParameterError, ReleaseError
from amun_dp.eventlog.log import EventLog
from amun_dp.mechanisms.histograms import scale_for, threshold_for

CHANGED_IF_TRUNCATED = 2
"""Cases that count, and that one replaced case may change where individuals are truncated: itself and the next one."""
_CHOICES = frozenset({"cap on durations", "length of cases"})
"""Measurements that tell the place of a largest score; all others are cells that cases add to."""
_MOST_NOISE = 10**5
"""Cases by which a measured number may be off; the release grows with it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One measurement and its ε, for one release and one replaced case."""

    name: str
    of: str
    """"number of cases", "control flow", "durations" or "start times"."""
    epsilon: Fraction

    @property
    def without_the_case(self) -> Fraction:
        """ε where the case contributes nothing instead of something else: half of it for cells, which it then moves
        once and not twice; for a noisy choice all of it."""
        return self.epsilon if self.name in _CHOICES else self.epsilon / 2

    @property
    def noise(self) -> float:
        """Scale of the noise, counted in whole cases (for a noisy choice: in ranks)."""
        return scale_for(2, self.epsilon)


@dataclass(frozen=True, slots=True)
class CertifiedPlan:
    """All of it public, if ``cases`` is."""

    epsilon: Fraction
    """Of one release, for one replaced case; all releases and all cases of a unit together have 4·artanh(advantage)."""
    delta: Fraction
    """Of one release, for one unit; 0 if the release is pure."""
    threshold: int | None
    """Noisy cases that a variant must reach; None if there is no threshold."""
    cases: int
    """The number of cases by which ε is divided: public, measured, or expected."""
    budget: Budget
    parts: tuple[Part, ...]


def epsilon_for_number(epsilon: Fraction, choices: CertifiedChoices) -> Fraction:
    """Spent on the number of cases before anything else; 0 where it need not be measured."""
    if not measures_number(choices):
        return Fraction(0)
    spent = epsilon * NUMBER
    if 2 / spent > _MOST_NOISE:  # decided by public numbers, before anything is charged or drawn
        raise ReleaseError(
            f"The noise on the number of cases would be about {float(2 / spent):.1g} cases: nothing but noise would "
            "be released. Use a larger advantage, or fewer releases and cases per individual."
        )
    return spent


def plan_certified(
    facts: PublicFacts,
    choices: CertifiedChoices,
    advantage: float,
    releases: int = 1,
    expected_cases: int | None = None,
) -> CertifiedPlan:
    """The division of ε. ``expected_cases`` stands for a number that is only measured when noise is drawn."""
    if not isinstance(releases, int) or releases < 1:
        raise ParameterError("The number of releases must be at least 1.")
    epsilon = epsilon_of_release(advantage, choices, releases)
    for_number = epsilon_for_number(epsilon, choices)
    cases = facts.cases or expected_cases or facts.individuals or 1
    count = None if facts.variants is None else facts.variants.count
    budget = split(epsilon - for_number, cases, count)
    parts = [Part("number of cases", "number of cases", for_number)] if for_number else []
    for of, whole, shares in (
        ("control flow", budget.flow, _flow_shares(facts, choices, cases)),
        ("durations", budget.times, durations.SHARES),
        ("start times", budget.starts, {"start times": Fraction(1)}),
    ):
        parts += [Part(name, of, whole * share) for name, share in shares.items()]
    delta, threshold = Fraction(0), None
    if choices.variants == "threshold":
        delta = delta_of_release(facts, choices, releases)
        # One replaced case may change two cases that count where individuals are truncated: a threshold exceeds that.
        least = 1 if choices.individuals is None else CHANGED_IF_TRUNCATED + 1
        threshold = max(least, threshold_for(budget.flow, delta, choices.cases_together))
    return CertifiedPlan(epsilon, delta, threshold, cases, budget, tuple(parts))


def expected_kept(
    log: EventLog, facts: PublicFacts, choices: CertifiedChoices, plan: CertifiedPlan
) -> Confidential[float]:
    """The share of the cases that a threshold is expected to keep: a figure of the original."""
    if plan.threshold is None:
        return Confidential(1.0)
    _, counts = InMemory(prepare_parts(log, facts, choices)).histogram(variant_of)
    return Confidential(kept_share(counts, log.n_cases, plan))


def kept_share(counts: IntArray, cases: int, plan: CertifiedPlan) -> float:
    """The same from the cases of each variant that is measured, of so many cases in all."""
    if plan.threshold is None:
        return 1.0
    return float((counts * reaching(counts, plan.threshold, plan)).sum()) / max(1, cases)


def reaching(counts: IntArray, threshold: int, plan: CertifiedPlan) -> FloatArray:
    """With what probability each variant of so many cases reaches the threshold."""
    missing = threshold - counts
    q = np.exp(-1.0 / scale_for(2, plan.budget.flow))
    tail = q ** np.abs(missing) / (1 + q)  # P(Z ≥ missing) if that is positive, P(Z ≤ missing) otherwise
    reached: FloatArray = np.where(missing > 0, tail, 1.0 - q * tail)
    return reached


def _flow_shares(facts: PublicFacts, choices: CertifiedChoices, cases: int) -> dict[str, Fraction]:
    if facts.variants is not None:
        return public.shares(facts.variants)
    if choices.variants == "threshold":
        return threshold.shares()
    return generated.shares(cases, len(facts.activities))
