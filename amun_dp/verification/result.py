"""The result of a verification: its checks, its judgement, and what it cannot see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from amun_dp.verification.checks import Check, Name, Outcome, Part

if TYPE_CHECKING:
    from amun_dp.report.card import Card


class Judgement(Enum):
    """What is to be done with a release."""

    PASSED = "passed"
    """No check failed, every byte was seen that is published, and what was demanded is met."""
    FAILED = "failed"
    """A check failed, or what was demanded is not guaranteed."""
    NOT_JUDGED = "could not be judged"
    """Nothing failed, but whether a demand is met, or what the folder holds, cannot be said here."""


_WITHOUT_WHICH_NOTHING = frozenset(
    name for name in Name if name.part in (Part.RELEASE, Part.REQUIRED) and name is not Name.CLAIMS
)
"""Checks without which a release cannot be judged. Each closes a way to publish something else than the recorded
mechanisms gave, and anyone who makes a folder can prevent many of them by the format that the folder claims to have.
The proofs are not among them, because they are about formulas, not about a folder; anyone who demands a guarantee needs
them as well. The internal part and the original are not at hand for everybody; the result says when they are missing.
"""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of ``verify``: what was checked, and what cannot be."""

    checks: tuple[Check, ...]
    """Every check in order, each with its name, outcome and detail."""
    undetectable: tuple[str, ...]
    """What cannot be seen with what was at hand, in sentences."""
    notes: tuple[str, ...] = ()
    """What the publisher should know: that the internal part is in the folder, for instance."""
    label: Card | None = None
    """What the recorded mechanisms guarantee, in a sentence; derived, not read. None if the report cannot be read."""

    @property
    def outcome(self) -> Judgement:
        """Passed, failed, or could not be judged."""
        if self.failed:
            return Judgement.FAILED
        open_ones = (check.name for check in self.checks if check.outcome is Outcome.NOT_CHECKED)
        return Judgement.PASSED if _WITHOUT_WHICH_NOTHING.isdisjoint(open_ones) else Judgement.NOT_JUDGED

    @property
    def passed(self) -> bool:
        """Whether no check failed, and nothing is left open of what is published or was demanded. A check that could
        not be made has not passed, but does not fail the release either."""
        return self.outcome is Judgement.PASSED

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.outcome is Outcome.FAILED)

    @property
    def only_demands_failed(self) -> bool:
        """Whether the release is what it says, and merely promises less than was demanded."""
        return bool(self.failed) and all(check.name is Name.REQUIRED for check in self.failed)

    @property
    def unchecked(self) -> tuple[Check, ...]:
        """Checks of the release itself that could not be made: what its label says rests on them too."""
        return tuple(
            check for check in self.checks if check.name.part is Part.RELEASE and check.outcome is Outcome.NOT_CHECKED
        )

    @property
    def confidential(self) -> bool:
        """Whether the details hold figures of the original log: then they must not be published either."""
        return any(check.confidential and check.outcome is not Outcome.NOT_CHECKED for check in self.checks)
