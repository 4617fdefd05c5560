"""What a release guarantees: to whom, against what change, how much, under which assumptions, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Scope(Enum):
    """The privacy unit: what may change between two neighbouring logs."""

    CELL = "cell"
    EVENT = "event"
    CASE = "case"
    INDIVIDUAL = "individual"


class Relation(Enum):
    """How neighbouring logs differ in that unit."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"


class Kind(Enum):
    """What sort of number the ε is; different kinds are never added."""

    PURE = "pure"
    PERSONALISED = "personalised"
    ADVANTAGE_ONLY = "advantage-only"


class Verdict(Enum):
    """How a claim stands. ``refuted`` comes with a counterexample."""

    PROVED = "proved"
    PROVED_UNDER_ASSUMPTIONS = "proved under assumptions"
    REFUTED = "refuted"
    NOT_PROVED = "not proved"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One claim with its unit, relation, size, assumptions and verdict. Never computed from private data."""

    claim: str
    """Identifier of the claim, stable across releases."""
    statement: str
    scope: Scope
    relation: Relation
    kind: Kind
    epsilon: float | None
    """None: unbounded."""
    advantage: float | None
    """Guessing advantage that the claim states; None where it states none (unbounded)."""
    verdict: Verdict
    why: str
    assumptions: tuple[str, ...] = ()
    reference: str = ""
