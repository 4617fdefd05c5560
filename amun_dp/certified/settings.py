"""What a certified release is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from amun_dp._base.messages import Message
from amun_dp.certified.choices import CertifiedChoices
from amun_dp.certified.public_facts import GivenFacts
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.limits import LARGEST_ADVANTAGE, LARGEST_DIVISOR, SMALLEST_ADVANTAGE, advantage_problem

METHOD = "certified"
SMALLEST_DELTA = 1e-200
"""Smaller probabilities leave the floating-point numbers on the way to a threshold."""


@dataclass(frozen=True, slots=True)
class CertifiedSettings:
    """What the steward chose. All of it is public."""

    advantage: float
    choices: CertifiedChoices = field(default_factory=CertifiedChoices)
    given: GivenFacts = field(default_factory=GivenFacts)
    releases: int = 1
    variants_from_log: bool = False
    """Said aloud: under ``public`` the log's own variants are taken, which discloses those that one case alone has."""

    family: ClassVar[str] = METHOD

    def __post_init__(self) -> None:
        if not isinstance(self.advantage, float | int) or isinstance(self.advantage, bool):
            raise ParameterError("advantage is a number.")
        if not SMALLEST_ADVANTAGE <= self.advantage <= LARGEST_ADVANTAGE:
            raise ParameterError(advantage_problem())
        if not isinstance(self.releases, int) or isinstance(self.releases, bool) or self.releases < 1:
            raise ParameterError("The number of releases must be at least 1.")
        if self.releases * self.choices.cases_together > LARGEST_DIVISOR:
            raise ParameterError(
                f"Releases times cases of one individual exceed {LARGEST_DIVISOR:,}: every ε is divided by that "
                "product, and nothing but noise would be left. Declare smaller numbers."
            )
        if (self.choices.declared_cases or 1) > LARGEST_DIVISOR:
            raise ParameterError(
                f"More than {LARGEST_DIVISOR:,} cases of one individual: a bound for so many says nothing. Declare a "
                "smaller number, or none."
            )
        if self.choices.delta is not None and self.choices.delta / self.releases < SMALLEST_DELTA:
            raise ParameterError(f"δ divided by the releases must be at least {SMALLEST_DELTA:g}.")
        if self.variants_from_log and self.choices.variants != "public":
            raise ParameterError(
                Message(
                    "{variants_from_log} takes the log's own variants as public, so it belongs to {variants:public}. "
                    "Leave it out, or choose that form."
                )
            )
        if self.variants_from_log and self.given.variants is not None:
            raise ParameterError(
                Message(
                    "The variants are given, and {variants_from_log} takes the log's own instead. Leave one of the two "
                    "out."
                )
            )

    @property
    def method(self) -> str:
        return METHOD

    @property
    def scope(self) -> str:
        return "case" if self.choices.individuals is None else "individual"

    @property
    def max_cases_per_individual(self) -> int | None:
        """As declared: so many cases of one individual count, or (at scope case) nobody has more."""
        return self.choices.declared_cases if self.choices.individuals is None else self.choices.individuals
