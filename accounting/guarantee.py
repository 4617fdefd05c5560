"""What a release guarantees: to whom, against what change, how much, under which assumptions, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from accounting.assumptions import Assumption
from accounting.curve import Curve
from accounting.neighbours import Relation, Scope
from accounting.quantities import Epsilon, EpsilonPerMillisecond, rounded_up


class Kind(Enum):
    """What sort of guarantee it is; different kinds are never added."""

    PURE = "pure"
    APPROXIMATE = "approximate"
    PERSONALISED = "personalised"
    PER_UNIT_OF_TIME = "per unit of time"
    ADVANTAGE_ONLY = "advantage only"
    ON_AVERAGE = "on average"
    """Over the noise: a Gaussian curve, which bounds no single output."""


class Reading(Enum):
    """The same tree, read twice."""

    PUBLISHED = "published"
    """What the article claims of such a release."""
    STRICT = "strict"
    """What basic composition proves; nothing that it cannot bound counts as zero."""


class Verdict(Enum):
    """How a claim stands. ``refuted`` comes with a counterexample."""

    PROVED = "proved"
    PROVED_UNDER_ASSUMPTIONS = "proved under assumptions"
    REFUTED = "refuted"
    NOT_PROVED = "not proved"


WHOLE_RELEASE = "whole-release"
"""The claim about a release with all of its parts, on every output. Its verdict follows from the parts of each release;
it has no checker of its own."""
AVERAGE_RELEASE = "average-release"
"""The same on average over the noise."""
BOUNDED_VERDICTS = (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS)
"""Those under which a figure bounds something."""


@dataclass(frozen=True, slots=True, repr=False)
class Guarantee:
    """One claim about one release: unit, relation, size, assumptions and verdict."""

    claim: str
    """Identifier of the claim in the registry."""
    reading: Reading
    """Whether it is the article's reading or the strict one."""
    statement: str
    """The claim in words, as it is made of this release."""
    scope: Scope
    """The privacy unit."""
    relation: Relation
    """How neighbouring logs differ in that unit."""
    kind: Kind
    """What sort of guarantee it is."""
    epsilon: Epsilon
    """The claimed loss, rounded up in the public account; unbounded if there is none."""
    delta: float
    """The δ of approximate differential privacy; on average, what a threshold sets aside; 0 for the others. Not the
    guessing advantage."""
    advantage: float | None
    """Largest guessing advantage over all priors that the claim implies; None if it implies no bound."""
    verdict: Verdict
    """How the claim stands."""
    why: str
    """The reason for the verdict, in a sentence."""
    assumptions: tuple[Assumption, ...] = ()
    """What the bound rests on, or would need."""
    reference: str = ""
    """Where it is claimed."""
    rate: EpsilonPerMillisecond | None = None
    """The loss per millisecond by which a time may differ, where the guarantee is one per unit of time."""
    curve: Curve | None = None
    """Of a guarantee on average over the noise: μ² and all that follows from it. None for the others."""
    withheld: bool = False
    """The ε is a figure of the original log and not stated here; it stands in the confidential account."""

    def __repr__(self) -> str:
        """One line of the account: lists of them are read in notebooks."""
        size = f"ε {'withheld' if self.withheld else self.epsilon}"
        if self.curve is not None and not self.epsilon.bounded:
            size = f"μ {rounded_up(Fraction(self.curve.mu)):g}"
        return (
            f"<{self.claim}: {self.reading.value}, {self.scope.value}, {self.relation.value}: {size}, "
            f"{self.verdict.value}>"
        )


__all__ = [
    "AVERAGE_RELEASE",
    "BOUNDED_VERDICTS",
    "WHOLE_RELEASE",
    "Guarantee",
    "Kind",
    "Reading",
    "Relation",
    "Scope",
    "Verdict",
]
