"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from amun_dp.verification.checks import Check, Name, Outcome, Part

if TYPE_CHECKING:
    from amun_dp.pages.card import Card


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and what cannot be."""

    checks: tuple[Check, ...]
    """Every check in order, each with its name, outcome and detail."""
    undetectable: tuple[str, ...]
    """What cannot be seen from what was at hand."""
    notes: tuple[str, ...] = ()
    """What the publisher should know: that the internal part is in the folder, for instance."""
    label: Card | None = None
    """What the recorded mechanisms guarantee, in a sentence; derived, not read. None if the report cannot be read."""

    @property
    def passed(self) -> bool:
        """Whether no check failed. One that could not be made has not passed, but does not fail the release either."""
        return not self.failed

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
