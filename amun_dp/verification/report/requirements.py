"""A demanded guarantee: ``case:0.3`` asks that nobody gains more than 0.3 about a case from the whole release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from accounting.accountant import strictest
from accounting.guarantee import Relation, Scope, Verdict
from amun_dp._base.messages import Message
from amun_dp.errors import ParameterError
from amun_dp.verification.checks import Check, Fault, Name, NotPossible, Outcome, Part, require
from amun_dp.verification.report.report_checks import ReadReport

DEFAULT_DELTA = 1e-5
"""The largest δ that is accepted if a demand does not state one."""
RESTS_ON = frozenset(name for name in Name if name.part is Part.RELEASE)
"""Checks without which a bound derived from the recorded mechanisms says nothing about what is in the folder: each
closes a way to publish something else than the mechanisms gave, so one that was not made leaves that way open."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A demanded guarantee: a strict bound for the whole release when one unit is replaced."""

    scope: Scope
    """The privacy unit."""
    advantage: float
    """The largest guessing advantage that is accepted."""
    delta: float = DEFAULT_DELTA
    """The largest δ of approximate differential privacy that is accepted."""

    def __str__(self) -> str:
        return f"{self.scope.value}:{self.advantage:g}" + ("" if self.delta == DEFAULT_DELTA else f":{self.delta:g}")


def requirement(text: str | Requirement) -> Requirement:
    """A demand from its text, ``SCOPE:ADVANTAGE`` or ``SCOPE:ADVANTAGE:DELTA``; ``ParameterError`` if it is not
    understood."""
    if isinstance(text, Requirement):
        return text
    scopes = {scope.value: scope for scope in Scope}
    name, *numbers = text.split(":")
    try:
        advantage, delta = [*map(float, numbers), DEFAULT_DELTA][:2] if len(numbers) in (1, 2) else [math.nan] * 2
    except ValueError:
        advantage = delta = math.nan
    if name not in scopes or not 0 < advantage < 1 or not 0 <= delta < 1:
        raise ParameterError(
            f"A required guarantee is written SCOPE:ADVANTAGE, for instance case:0.3, with one of the scopes "
            f"{', '.join(scopes)} and an advantage between 0 and 1 (SCOPE:ADVANTAGE:DELTA sets the largest δ "
            f"that is accepted, otherwise {DEFAULT_DELTA:g})."
        )
    return Requirement(scopes[name], advantage, delta)


def required(demanded: Requirement, read: ReadReport, checks: Sequence[Check]) -> str:
    """The guarantee that the accountant derives, not the one stated; and only if what it rests on was checked.

    What is derived and too little is a fault, and so is a check that failed. A check that could not be made leaves open
    whether the demand is met.
    """
    line = strictest(read.derived, demanded.scope, Relation.REPLACE)
    proved = line.verdict in (Verdict.PROVED, Verdict.PROVED_UNDER_ASSUMPTIONS) and line.epsilon.bounded
    require(proved, f"{demanded}: the whole release is {line.verdict.value} at this scope ({line.why})")
    require(line.advantage is not None, f"{demanded}: ε {line.epsilon}, which bounds no advantage of a single output")
    require(
        line.advantage is not None and line.advantage <= demanded.advantage,
        f"{demanded}: the mechanisms guarantee {line.advantage:g} only",
    )
    require(line.delta <= demanded.delta, f"{demanded}: its δ is {line.delta:g}, which is too much")
    chosen = read.report.parameters
    require(
        "variants" not in chosen.from_log,
        f"{demanded}: the log's own variants were taken as public, so the bound is about counts and times, not about "
        "which variants occur",
    )
    for check in checks:
        if check.outcome is Outcome.FAILED:
            raise Fault(_rests_on(demanded, check))
    for check in checks:
        if check.name in RESTS_ON and check.outcome is not Outcome.PASSED:
            raise NotPossible(_rests_on(demanded, check))
    failing = f"; success at most (1-δ)·(P+A)+δ, δ {line.delta:g}" if line.delta else ""
    return (
        f"{demanded}: advantage {line.advantage:g} (ε {line.epsilon}){failing}; {line.verdict.value}: "
        f"{', '.join(assumption.value for assumption in line.assumptions)}"
    )


def _rests_on(demanded: Requirement, check: Check) -> Message:
    return Message(
        "{demanded}: it rests on '{check}' ({outcome}: {detail})",
        demanded=demanded,
        check=check.name.value,
        outcome=check.outcome.value,
        detail=check.detail,
    )
