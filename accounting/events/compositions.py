"""Compositions of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from accounting.events.base import Fact, PrivacyEvent, check_choice, check_fact, check_number


@dataclass(frozen=True, slots=True)
class Sequential(PrivacyEvent):
    """All parts are released together about the same people: losses add."""

    parts: tuple[PrivacyEvent, ...]
    """In the order in which they were made."""


@dataclass(frozen=True, slots=True)
class Parallel(PrivacyEvent):
    """Each part is about cases of its own.

    The largest loss, if a case is added or removed, or if the partition is ``public`` and a replaced case stays in its
    part. If the part follows from the values (``value-dependent``), a replaced case leaves one part and enters
    another: the sum of the two largest.
    """

    parts: tuple[PrivacyEvent, ...]
    """One for each set of cases."""
    partition: Literal["public", "value-dependent"]
    """Whether a replaced case can change its part."""

    def __post_init__(self) -> None:
        check_choice(self.partition, ("public", "value-dependent"))


@dataclass(frozen=True, slots=True)
class Replicated(PrivacyEvent):
    """The same part is released ``copies`` times with noise of its own each time: losses add."""

    part: PrivacyEvent
    """What is released each time."""
    copies: int

    def __post_init__(self) -> None:
        check_number(self.copies, "there is at least one copy")


@dataclass(frozen=True, slots=True)
class RepeatedRelease(PrivacyEvent):
    """``part`` is one of ``releases`` releases of the same log, each at most as costly: for all of them, losses add."""

    part: PrivacyEvent
    releases: int

    def __post_init__(self) -> None:
        check_number(self.releases, "there is at least one release")


@dataclass(frozen=True, slots=True)
class SharedByIndividual(PrivacyEvent):
    """One individual may stand behind up to ``cases`` cases, so ``part`` costs them up to that many times its loss.

    ``truncated``: of an individual with more, only so many count. A case then does not change alone: given to another
    individual it lets a case of the one in and pushes one of the other out, and an added case may push one out.
    """

    part: PrivacyEvent
    cases: Fact
    truncated: bool = False

    def __post_init__(self) -> None:
        check_fact(self.cases, "an individual has at least one case")
