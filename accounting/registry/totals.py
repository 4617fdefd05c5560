"""What a release and those before it cost together, for its label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounting.guarantee import Scope
from accounting.loss import Loss, times
from accounting.registry.budgets import Amount, total_on_average
from accounting.registry.costs import UNITS, Cost, together
from accounting.registry.state import State


@dataclass(frozen=True, slots=True)
class Total:
    """What a release and those before it cost together, as far as the registry knows when it is reserved."""

    others: int
    """Releases before it, of the same log or logs, that count."""
    losses: tuple[tuple[Scope, Loss], ...]
    """For each unit, replaced by another: what all that were made cost, and what those will that are planned with this
    one and not made yet."""
    on_average: tuple[tuple[Scope, Amount | None], ...] = ()
    """The same on average over the noise, as a μ₀² and a δ; None: nothing bounds it."""


def total_with_earlier(state: State, logs: Sequence[str], cost: Cost) -> Total:
    """Of the release that was reserved last, and all before it that may be about the same people."""
    releases = {one.release: one.cost for log in _linked(state, logs) for one in state.logs[log].counted}

    # Of the planned ones those were made that were planned as often and cost the same. Others add to the plan.
    missing = max(0, cost.releases - sum(each == cost for each in releases.values()))

    def at(unit: Scope) -> Loss:
        to_come = [times(cost.at(unit).replace, missing)] if missing else []
        return together([*(each.at(unit).replace for each in releases.values()), *to_come])

    def average_at(unit: Scope) -> Amount | None:
        return total_on_average(unit, [*releases.values(), *[cost] * missing])

    return Total(
        len(releases) - 1,
        tuple((unit, at(unit)) for unit in UNITS),
        tuple((unit, average_at(unit)) for unit in UNITS),
    )


def _linked(state: State, logs: Sequence[str]) -> set[str]:
    """The logs, and all that a release has joined with one of them, directly or by way of others: whoever is in one of
    them may be in all of them."""
    found = set(logs)
    while True:
        joined = {log for one in state.releases.values() if one.counts and found & set(one.logs) for log in one.logs}
        if joined <= found:
            return found
        found |= joined
