"""Whether the columns of a release can be had at all: asked before a budget is charged, because a run that ends for
lack of memory afterwards has spent it for nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

LEAST_BYTES_PER_EVENT = 96
"""Of what carrying out a plan takes beyond the plan. Measured on Road Traffic Fines (561,470 events): 117 (certified)
to 178 (sampling). Less than that on purpose: what might just fit is not refused."""


def check_memory(events: float) -> None:
    """MemoryError where a release of so many events cannot fit: the limit of the process, or the machine's memory."""
    needed = int(events * LEAST_BYTES_PER_EVENT)
    np.empty(needed, dtype=np.uint8)  # taken and given back: the limit of the process refuses it here
    available = _available()
    if available is not None and needed > available:
        raise MemoryError(f"the release needs about {needed >> 20:,} MB, and {available >> 20:,} MB are free")


def _available() -> int | None:
    """Bytes that the system could still give; None where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # not Linux
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return None
