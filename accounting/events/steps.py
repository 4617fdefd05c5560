"""What is no mechanism: decisions, facts and functions that cost everything, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from accounting.errors import AccountingError
from accounting.events.base import PrivacyEvent, check_choice


@dataclass(frozen=True, slots=True)
class CaseMoves(PrivacyEvent):
    """Noise drawn for counts is carried out by copying and deleting whole cases.

    A moved case shifts every count on its path, so the released counts are not the true ones plus the noise, and the
    guarantee of the noisy counts does not carry over.
    """


@dataclass(frozen=True, slots=True)
class DataDependentSelection(PrivacyEvent):
    """Private data decided what is released: unbounded, unless the decision was itself made by a private step.

    Where the ``cases`` are selected, counts of them have no sensitivity of 1 any more. ``declared_public`` says that
    what was selected is known for reasons outside the log, which makes it free under that assumption.
    """

    of: Literal["variants", "groups", "cases"]
    """What was selected."""
    made_by: PrivacyEvent | None = None
    """The private step that made the decision, if one did; its loss then counts."""
    declared_public: bool = False

    def __post_init__(self) -> None:
        check_choice(self.of, ("variants", "groups", "cases"))
        if self.of == "cases" and self.declared_public:
            raise AccountingError("which cases a log has is never public.")
        if self.made_by is not None and self.declared_public:
            raise AccountingError("what a private step selected is not public beforehand.")


@dataclass(frozen=True, slots=True)
class TakenAsPublic(PrivacyEvent):
    """A fact that the mechanisms are given, and not one that they measure: free.

    Given from outside, it is free under the assumption that it does not depend on the log. ``from_log`` says that it
    was read off the log, rounded outward, or given as the log's own: free if it is public, as is assumed then, and the
    report says who is exposed by that.
    """

    what: Literal["labels", "variants", "time frame", "number of cases", "longest duration", "number of individuals"]
    """Which fact it is."""
    from_log: bool

    def __post_init__(self) -> None:
        check_choice(
            self.what,
            ("labels", "variants", "time frame", "number of cases", "longest duration", "number of individuals"),
        )


@dataclass(frozen=True, slots=True)
class PostProcessing(PrivacyEvent):
    """A function of already released or public things only: free. ``why`` says why it is one."""

    what: str
    """What was computed."""
    why: str


@dataclass(frozen=True, slots=True)
class NonPrivate(PrivacyEvent):
    """Randomness or a mechanism that gives no privacy at all (a seeded generator, for instance)."""

    why: str
    """What is wrong with it."""


@dataclass(frozen=True, slots=True)
class Undisclosed(PrivacyEvent):
    """A step of a kind that the accountant does not know, in what is made for the public: its kind and no parameter.

    Nobody but its author knows which of its parameters are private.
    """

    of_kind: str
    """The registered name of its kind, or the name of its class."""
