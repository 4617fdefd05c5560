"""What the entries of a registry amount to: logs, their budgets, their releases.

The kinds of entries, and what each says:
  created    the registry exists
  log        a log has got an identifier
  seen       these cases (a hash of them all; sealed: how many, and their tokens) belong to these logs, and are about
             other people than in those logs (sealed), although cases are common
  budget     a log's budget, from now on
  reserved   a release has been charged to these logs; its noise may have been drawn from here on
  published  that release was put in place, and this is what it spent at each scope

A release is spent as soon as it is reserved, and stays so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from accounting.quantities import UNBOUNDED, Epsilon
from accounting.registry.budgets import (
    Amount,
    Budget,
    Cost,
    PublishedBudget,
    StrictBudget,
    total_price,
)
from accounting.registry.chain import Entry
from accounting.registry.errors import DamagedRegistry, UnknownLog
from accounting.registry.fingerprints import Fingerprint, Overlap, loaded, overlap
from accounting.registry.keys import Tokens


@dataclass(frozen=True, slots=True)
class RegisteredRelease:
    """A release that was charged to a log."""

    release: str
    """Identifier of the release."""
    logs: tuple[str, ...]
    """Identifiers of the logs that it is charged to."""
    cost: Cost
    """What it costs in both readings."""
    details: Mapping[str, Any]
    """Its public parameters."""
    reserved_at: str
    """When it was charged; from then on it is spent."""
    published_at: str | None = None
    """When it was put in place; None: reserved, not confirmed."""
    lines: tuple[Mapping[str, Any], ...] = ()
    """What it spent at each scope; known once it is published."""


@dataclass(frozen=True, slots=True)
class OtherPeople:
    """Somebody's word that a log is about other people than another one, although they have cases in common."""

    log: str
    """The other one."""
    common: int
    """Cases in common."""
    cases: int
    """Of so many."""
    declared_at: str
    """When that was said."""


@dataclass(frozen=True, slots=True)
class RegisteredLog:
    """A log, its budget and its releases."""

    log: str
    """Identifier of the log."""
    registered_at: str
    """When it was met first."""
    cases: int = 0
    """When it was last seen."""
    others: tuple[OtherPeople, ...] = ()
    """Logs with common cases that were declared to be about other people."""
    budget: Budget | None = None
    """What all its releases together may spend; None if nothing is set yet."""
    budget_set_at: str | None = None
    """When that was set."""
    budget_set_by: str | None = None
    """By the steward, or by the first release."""
    releases: tuple[RegisteredRelease, ...] = ()
    """All that were charged to it, confirmed or not."""

    @property
    def costs(self) -> tuple[Cost, ...]:
        """What each release costs."""
        return tuple(one.cost for one in self.releases)

    @property
    def spent(self) -> Amount | None:
        """None: no budget, or a release without a bound in its reading (which no budget admits)."""
        return None if self.budget is None else total_price(self.budget, self.costs)

    @property
    def left(self) -> Amount | None:
        """What is left of the budget; None where ``spent`` is."""
        spent = self.spent
        return None if self.budget is None or spent is None else self.budget.whole - spent

    @property
    def strictly_bounded(self) -> bool:
        """Whether all its releases together have a strict cost at all."""
        return all(one.cost.epsilon.bounded for one in self.releases)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that a registry knows."""

    logs: dict[str, RegisteredLog] = field(default_factory=dict)
    releases: dict[str, RegisteredRelease] = field(default_factory=dict)
    whole: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Hash of a whole log, and the logs that it belongs to."""
    tokens: dict[str, list[Tokens]] = field(default_factory=dict)
    """Of each log, in sorted groups."""

    def named(self, text: str) -> str:
        """The identifier of a log from its beginning."""
        beginning = text.lower().removeprefix("l-")
        found = [log for log in self.logs if log.removeprefix("L-").startswith(beginning)]
        if beginning and len(found) == 1:
            return found[0]
        if found and not beginning:
            raise UnknownLog(
                f"Every identifier begins with '{text}': write more of it. amun-dp registry list shows them."
            )
        problem = "No log of the registry has" if not found else f"{len(found)} logs of the registry have"
        raise UnknownLog(f"{problem} an identifier that begins with '{text}'. amun-dp registry list shows them.")

    def recognise(self, fingerprint: Fingerprint) -> Recognised:
        identical = self.whole.get(fingerprint.whole.hex(), ())
        overlaps = [
            overlap(log, fingerprint, known, self.logs[log].cases)
            for log, known in self.tokens.items()
            if log not in identical
        ]
        return Recognised(identical, tuple(one for one in overlaps if one is not None))


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a registry makes of a log."""

    identical: tuple[str, ...]
    """The logs to which exactly these cases belong already; no question is open then."""
    overlapping: tuple[Overlap, ...]
    """Other logs that share cases with it."""


def state_of(entries: Iterable[Entry]) -> State:
    state = State()
    for number, entry in enumerate(entries, start=1):
        try:
            apply(state, entry)
        except (KeyError, TypeError, ValueError) as error:
            # Genuine, since the chain holds, but not of a sort that this version writes.
            raise DamagedRegistry(f"entry {number} ({entry.kind}) makes no sense to this version") from error
    return state


def apply(state: State, entry: Entry) -> None:
    """The state changes in place: it belongs to whoever folds."""
    content = entry.content
    match entry.kind:
        case "created":
            pass
        case "log":
            state.logs[content["log"]] = RegisteredLog(content["log"], content["at"])
        case "seen":
            _see(state, entry)
        case "budget":
            state.logs[content["log"]] = replace(
                state.logs[content["log"]],
                budget=budget_from(content["budget"]),
                budget_set_at=content["at"],
                budget_set_by=content["set_by"],
            )
        case "reserved":
            _set_release(
                state,
                RegisteredRelease(
                    content["release"],
                    tuple(content["logs"]),
                    cost_from(content["cost"]),
                    content["details"],
                    content["at"],
                ),
            )
        case "published":
            release = state.releases[content["release"]]
            _set_release(state, replace(release, published_at=content["at"], lines=tuple(content["lines"])))
        case _:
            raise ValueError(entry.kind)


def _see(state: State, entry: Entry) -> None:
    if entry.secret is None:
        raise ValueError("a log without tokens")
    content, figures = entry.content, entry.secret.figures
    cases = figures["cases"]
    others = tuple(OtherPeople(log, common, cases, content["at"]) for log, common in figures["other_people"].items())
    tokens = loaded(entry.secret.tokens)
    state.whole[content["whole"]] = tuple(content["logs"])
    for name in content["logs"]:
        state.tokens.setdefault(name, []).append(tokens)
        log = state.logs[name]
        state.logs[name] = replace(log, cases=cases, others=(*log.others, *others))


def _set_release(state: State, release: RegisteredRelease) -> None:
    state.releases[release.release] = release
    for name in release.logs:
        log = state.logs[name]
        others = tuple(one for one in log.releases if one.release != release.release)
        state.logs[name] = replace(log, releases=(*others, release))


# --- quantities as JSON, exactly ------------------------------------------------------------------------------------


def cost_as_json(cost: Cost) -> dict[str, Any]:
    epsilon = cost.epsilon.value
    return {
        "strict_epsilon": None if epsilon is None else str(epsilon),
        "strict_delta": str(cost.delta),
        "advantage": None if cost.advantage is None else str(cost.advantage),
        "releases": cost.releases,
    }


def cost_from(data: Mapping[str, Any]) -> Cost:
    epsilon = data["strict_epsilon"]
    return Cost(
        UNBOUNDED if epsilon is None else Epsilon(Fraction(epsilon)),
        Fraction(data["strict_delta"]),
        None if data["advantage"] is None else Fraction(data["advantage"]),
        data["releases"],
    )


def budget_as_json(budget: Budget) -> dict[str, Any]:
    match budget:
        case StrictBudget():
            return {"reading": "strict", "epsilon": str(budget.epsilon), "delta": str(budget.delta)}
        case PublishedBudget():
            return {"reading": "published", "advantage": str(budget.advantage)}


def budget_from(data: Mapping[str, Any]) -> Budget:
    if data["reading"] == "strict":
        return StrictBudget(Fraction(data["epsilon"]), Fraction(data["delta"]))
    if data["reading"] == "published":
        return PublishedBudget(Fraction(data["advantage"]))
    raise ValueError(data["reading"])
