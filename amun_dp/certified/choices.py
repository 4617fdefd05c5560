"""What the steward chooses about a certified release. All of it is public."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from amun_dp._base.messages import Message
from amun_dp.errors import ParameterError

VariantForm = Literal["threshold", "public", "generated"]

LARGEST_DELTA = 0.01
"""δ is the probability of a failure that may disclose a case as it is; beyond this it is no guarantee."""


@dataclass(frozen=True, slots=True)
class CertifiedChoices:
    """How control flow is released, at which δ, and who is protected."""

    variants: VariantForm = "threshold"
    """``threshold``: variants whose noisy count is clear of what one unit alone could reach (approximate, δ).
    ``public``: a set of variants that is known from outside. ``generated``: new cases from a private model."""
    delta: float | None = None
    """δ of all releases together, for one unit; None: at most 1/1000 of one in all units. ``threshold`` only."""
    individuals: int | None = None
    """C: the unit is an individual, of whom C cases count. None: the unit is a case."""
    declared_cases: int | None = None
    """At scope case: a declared bound on the cases of one individual. Nobody is truncated; more is refused where
    individuals are known."""

    def __post_init__(self) -> None:
        if self.variants not in get_args(VariantForm):
            raise ParameterError(f"Unknown form of variants. Choose {', '.join(get_args(VariantForm))}.")
        if self.delta is not None:
            if self.variants != "threshold":
                raise ParameterError(
                    Message("Only thresholded variants have a δ; the other forms are pure. Leave {dp_delta} out.")
                )
            if not isinstance(self.delta, float | int) or isinstance(self.delta, bool) or math.isnan(self.delta):
                raise ParameterError("δ is a number.")
            if not 1e-300 <= self.delta <= LARGEST_DELTA:
                raise ParameterError(
                    f"δ must be positive and at most {LARGEST_DELTA:g}: so often a release may be one without ε."
                )
        for number in (self.individuals, self.declared_cases):
            if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
                raise ParameterError("The number of cases of one individual is a whole number above 0.")
        if self.individuals is not None and self.declared_cases is not None:
            raise ParameterError(
                "Where only so many cases of an individual count, how many they have needs no declaration. Choose one."
            )

    @property
    def cases_together(self) -> int:
        """How many cases of the log one unit stands behind, at most: every scale grows by this factor."""
        return self.individuals or 1
