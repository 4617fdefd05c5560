"""How ε is divided. By public facts and noisy outputs only, and in exact fractions: the parts sum to the whole."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from accounting.formulas import worst_case_loss
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.public_facts import PublicFacts

STARTS = Fraction(5, 100)
NUMBER = Fraction(5, 100)
"""Of the whole, where the number of cases has to be measured."""


@dataclass(frozen=True, slots=True)
class Budget:
    """ε for each part, for one release and one replaced case."""

    flow: Fraction
    times: Fraction
    starts: Fraction


def epsilon_of_release(advantage: float, choices: CertifiedChoices, releases: int) -> Fraction:
    """ε of one release for one replaced case: 4·artanh(advantage), rounded down, over releases and cases of a unit."""
    return Fraction(float(worst_case_loss(advantage))) / (choices.cases_together * releases)


def delta_of_release(facts: PublicFacts, choices: CertifiedChoices, releases: int) -> Fraction:
    """δ of one release for one unit: as chosen, or at most 1/1000 of one in all units, over all releases.

    Where the unit is an individual and nobody said how many there are, as if there were a million.
    """
    units = facts.cases if choices.individuals is None else facts.individuals
    chosen = Fraction(choices.delta) if choices.delta is not None else default_delta(units or 10**6)
    return chosen / releases


def default_delta(units: int) -> Fraction:
    """1/(1000·units), rounded down to a power of ten: a δ stands in registries, and would tell the number there."""
    return Fraction(1, 10 ** (3 + len(str(units - 1)))) if units > 1 else Fraction(1, 1_000)


def measures_number(choices: CertifiedChoices) -> bool:
    """Whether the number of cases is needed and no public fact: a threshold does without."""
    return choices.individuals is not None and choices.variants != "threshold"


def split(epsilon: Fraction, cases: float, variants: int | None) -> Budget:
    """Starts 5 %; control flow 45 %, or 40 % if its variants are public; durations the rest.

    A public set of variants about as large as the log leaves little to count: with V variants for N cases control flow
    gets 40 % times √(N/4V) where that is less. ``variants`` is None if they are not public.
    """
    flow = Fraction(45, 100)
    if variants is not None:
        flow = Fraction(40, 100) * min(Fraction(1), Fraction((max(cases, 1.0) / (4 * variants)) ** 0.5))
    return Budget(epsilon * flow, epsilon * (1 - STARTS - flow), epsilon * STARTS)
