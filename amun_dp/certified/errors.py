"""What can go wrong on purpose in the certified method alone."""

from __future__ import annotations

from amun_dp.errors import ReleaseError


class EmptyReleaseError(ReleaseError):
    """Noise was drawn and left nothing to release. That is an outcome of the release, and it has cost its budget."""

    exit_code = 1
