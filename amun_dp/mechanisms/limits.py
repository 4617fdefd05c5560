"""Which advantages and divisions of ε every method takes."""

from __future__ import annotations

from amun_dp._base.messages import Message

SMALLEST_ADVANTAGE = 1e-6

LARGEST_ADVANTAGE = 1 - SMALLEST_ADVANTAGE

LARGEST_DIVISOR = 1_000_000


def advantage_problem() -> str:
    return Message(
        "The advantage must lie strictly between 0 and 1 (from {least:g} to 1 - {least:g}): it is how many points an "
        "attacker's chance of guessing right may rise (0.2 allows 20 points). Try {advantage:0.2}.",
        least=SMALLEST_ADVANTAGE,
    )
