"""What the entries of a registry amount to: logs, their budgets, their releases.

The kinds of entries, and what each says:
  created    the registry exists
  log        a log has got an identifier
  seen       these cases (a hash of them all; sealed: how many, and their tokens) belong to these logs, and are about
             other people than in those logs (sealed), although cases are common
  budget     a log's budget, from now on
  reserved   a release has been charged to these logs; its noise may have been drawn from here on
  exposed    from here on something of that release may have left the process that made it: it is being written, was
             handed to a caller, or failed with an error that may depend on its noise
  published  that release was put in place, and this is what it spent at each scope
  voided     that release will never be exposed: what it drew is gone with the process, and it counts for nothing
  cleaned    what a killed process had written of that release was found and removed: somebody may have seen it

A release is spent as soon as it is reserved, and stays so, unless it is voided before it is exposed. The two exclude
each other: each is written in a transaction that sees whether the other is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from accounting.guarantee import Scope
from accounting.losses import Loss
from accounting.registry.budgets import Amount, Budget, total_on_average, total_price
from accounting.registry.chain import Entry
from accounting.registry.costs import Cost, together
from accounting.registry.errors import DamagedRegistry, UnknownLog, UnknownRelease
from accounting.registry.fingerprints import Fingerprint, loaded, overlap
from accounting.registry.keys import Tokens
from accounting.registry.overlap import Overlap
from accounting.registry.records import budget_from, cost_from

BY_FIRST_RELEASE = "first release"


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
    notes_exposure: bool = True
    """Whether its process notes when something of the release may have left it. Older ones did not."""
    exposed_at: str | None = None
    """When something of it may have left the process that made it; None: nothing has."""
    exposed_by: str | None = None
    """What that was: writing, handing over, or an error."""
    voided_at: str | None = None
    """When it was given up for good; None: it counts."""
    void_reason: str | None = None
    """Why, in the words of whoever did."""
    cleaned_at: str | None = None
    """When files of it that a killed process had left were removed; None: none were."""

    @property
    def counts(self) -> bool:
        """Whether it is spent."""
        return self.voided_at is None

    @property
    def can_be_voided(self) -> bool:
        """Whether nothing of it can have been seen by anybody."""
        seen = (self.exposed_at, self.published_at, self.cleaned_at)
        return self.notes_exposure and seen == (None, None, None) and self.counts


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
    """All that were charged to it, confirmed or not, and those that were voided."""

    @property
    def counted(self) -> tuple[RegisteredRelease, ...]:
        """The releases that are spent: all but those that were voided."""
        return tuple(one for one in self.releases if one.counts)

    @property
    def costs(self) -> tuple[Cost, ...]:
        """What each release that is spent costs."""
        return tuple(one.cost for one in self.counted)

    def cost_of(self, unit: Scope) -> Loss:
        """What its releases together cost a unit, strictly, replaced by another; whatever its budget is."""
        return together(cost.at(unit).replace for cost in self.costs)

    def average_of(self, unit: Scope) -> Amount | None:
        """The same on average over the noise, a μ₀² and a δ; None: nothing bounds it."""
        return total_on_average(unit, self.costs)

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
        """Whether all its releases together have a strict cost, for a case, at all."""
        return all(cost.strictly_bounded for cost in self.costs)


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

    def release_named(self, text: str) -> RegisteredRelease:
        """A release by its identifier, or the beginning of it."""
        found = [one for name, one in self.releases.items() if name.startswith(text.lower())]
        if text and len(found) == 1:
            return found[0]
        problem = "No release of the registry has" if not found else f"{len(found)} releases of the registry have"
        raise UnknownRelease(
            f"{problem} an identifier that begins with '{text}'. amun-dp registry show LOG-ID lists them."
        )

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
                    notes_exposure=content.get("notes_exposure", False),
                ),
            )
        case "exposed":
            release = state.releases[content["release"]]
            _set_release(state, replace(release, exposed_at=content["at"], exposed_by=content["by"]))
        case "published":
            release = state.releases[content["release"]]
            _set_release(state, replace(release, published_at=content["at"], lines=tuple(content["lines"])))
        case "voided":
            _void(
                state,
                replace(state.releases[content["release"]], voided_at=content["at"], void_reason=content["reason"]),
            )
        case "cleaned":
            _set_release(state, replace(state.releases[content["release"]], cleaned_at=content["at"]))
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
        known = [one.release for one in log.releases]
        changed = tuple(release if one.release == release.release else one for one in log.releases)
        releases = changed if release.release in known else (*log.releases, release)
        state.logs[name] = replace(log, releases=releases)


def _void(state: State, release: RegisteredRelease) -> None:
    """A budget that only a voided release has set is none: the next one sets it anew."""
    _set_release(state, release)
    for name in release.logs:
        log = state.logs[name]
        if log.budget_set_by == BY_FIRST_RELEASE and not log.counted:
            state.logs[name] = replace(log, budget=None, budget_set_at=None, budget_set_by=None)
