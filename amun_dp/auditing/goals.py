"""What an attacker wants to know.

Goal h1 of the article (did the case go this way) is pursued in variants and transitions, h2 (how long did it take) in
durations.
"""

from __future__ import annotations

from enum import Enum

from amun_dp.auditing.pairs import Kind, Pair


class Goal(Enum):
    """What the attacker computes from a release; the last four concern what is inside a mechanism."""

    VARIANT = "cases of the victim's variant"
    PRESENCE = "presence of the variant"
    TRANSITION = "steps that the victim took"
    MEMBERSHIP = "number of cases"
    DURATION = "a duration near the victim's"
    LINKAGE = "copies of the case together"
    OTHERS = "durations of everybody else"
    LEARNT = "anything, by a learnt score"
    CELL = "one noisy cell"
    TABLE = "all noisy cells"
    RELEASED_CELL = "one cell of the released table"
    MEASUREMENTS = "all noisy measurements"


INSIDE = (Goal.CELL, Goal.TABLE, Goal.RELEASED_CELL, Goal.MEASUREMENTS)
"""Goals that concern what is inside a mechanism; the others anybody with a release can pursue."""


def goals_for(pair: Pair) -> tuple[Goal, ...]:
    """The goals that make sense for what differs in a pair."""
    if pair.kind is Kind.TIME:
        return (Goal.DURATION, Goal.LINKAGE, Goal.LEARNT)
    others = (Goal.OTHERS,) if pair.kind is Kind.GROUPS else ()
    return (Goal.VARIANT, Goal.PRESENCE, Goal.TRANSITION, Goal.MEMBERSHIP, *others, Goal.LEARNT)
