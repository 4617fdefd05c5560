"""What can go wrong on purpose in the certified method alone."""

from __future__ import annotations

from amun_dp.errors import AmunError, ReleaseError


class SensitivityExceededError(AmunError):
    """A case adds more to a measurement than was stated. No noise is large enough then, so none is added."""

    exit_code = 3


def sensitivity_exceeded(measurement: str) -> SensitivityExceededError:
    """The error for a measurement of this name; nothing in it depends on the log."""
    return SensitivityExceededError(
        f"A case adds more to a measurement ({measurement}) than its stated sensitivity. The noise would have been too "
        "small, so this measurement was not taken and nothing was released. A budget is charged before anything is "
        "measured: what this release was charged stays spent. This is a bug in amun-dp; please report it."
    )


class EmptyReleaseError(ReleaseError):
    """Noise was drawn and left nothing to release. That is an outcome of the release, and it has cost its budget."""

    exit_code = 1
