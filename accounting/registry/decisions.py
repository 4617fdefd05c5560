"""Which log it is, whether its budget holds a release, and the entries that say so.

Functions of the entries so far and nothing else: the registry calls them while no other process can add an entry, so
that two processes cannot both be given the last of a budget, nor each register the same log as new.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from accounting.guarantee import Scope
from accounting.losses import Loss
from accounting.registry.budgets import Amount, Budget, budget_of_first_release, total_price
from accounting.registry.chain import Entry, Secret, entry
from accounting.registry.costs import UNITS, Cost, larger, together
from accounting.registry.errors import (
    BudgetExceeded,
    NotVoidable,
    RegistryError,
    Shortage,
    UndecidedLog,
    VoidedRelease,
)
from accounting.registry.fingerprints import Fingerprint, Overlap, stored, unknown_tokens
from accounting.registry.records import budget_as_json, cost_as_json
from accounting.registry.state import BY_FIRST_RELEASE, RegisteredRelease, State, apply, state_of

Exposure = Literal["writing", "handing over", "an error"]
"""How something of a release may leave the process that made it."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What the user says about the people in a log, where it shares cases with registered ones."""

    same_as: tuple[str, ...] = ()
    """Logs that it is another state of. A union of several spends on each."""
    different_from: tuple[str, ...] = ()
    """Logs about other people, although cases look alike. Refused of a log that has all of the cases."""
    new_log: bool = False
    """Every log that is not in ``same_as`` is about other people."""


@dataclass(frozen=True, slots=True)
class Charge:
    """What a release spends of one log's budget."""

    log: str
    """Identifier of the log."""
    budget: Budget
    """The budget that it is charged to."""
    set_now: bool
    """The log had no budget; this release set it."""
    before: Amount
    """What was left."""
    price: Amount
    """What the release spends of it."""
    strictly_bounded: bool
    """Whether this release and all before it have a strict cost."""

    @property
    def after(self) -> Amount:
        """What is left then."""
        return self.before - self.price


@dataclass(frozen=True, slots=True)
class Total:
    """What a release and those before it cost together, as far as the registry knows when it is reserved."""

    others: int
    """Releases before it, of the same log or logs, that count."""
    losses: tuple[tuple[Scope, Loss], ...]
    """For each unit, replaced by another; of several logs the largest. Never less than what this release, as often as
    it was planned, costs."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """A release that is charged and may now be made."""

    release: str
    """Identifier of the release."""
    charges: tuple[Charge, ...]
    """One for each log that it is charged to."""
    cost: Cost
    """What the release costs in both readings."""
    total: Total
    """What it costs together with earlier ones, at the moment at which it was reserved."""
    others: tuple[Overlap, ...] = ()
    """Logs that share cases with it and were declared, just now, to be about other people."""


@dataclass(slots=True)
class _Draft:
    """A state with the entries that led to it from the one that is stored."""

    state: State
    added: list[Entry] = field(default_factory=list)

    def add(self, new: Entry) -> None:
        apply(self.state, new)
        self.added.append(new)


def reserve(
    entries: Iterable[Entry],
    fingerprint: Fingerprint,
    declared: Declared,
    cost: Cost,
    release: str,
    details: Mapping[str, Any],
) -> tuple[list[Entry], Reservation]:
    """Charge a release to its log, or to each of them. BudgetExceeded if one of the budgets does not hold it."""
    draft = _Draft(state_of(entries))
    if release in draft.state.releases:
        raise RegistryError(f"A release named {release} is in the registry already.")
    logs, others = _identify(draft, fingerprint, declared)
    charges = tuple(_charge(draft, log, cost) for log in logs)
    draft.add(
        entry(
            "reserved",
            release=release,
            logs=logs,
            cost=cost_as_json(cost),
            details=dict(details),
            notes_exposure=True,
        )
    )
    return draft.added, Reservation(release, charges, cost, _total(draft.state, logs, cost), others)


def _total(state: State, logs: Sequence[str], cost: Cost) -> Total:
    """Of the release that was reserved last, and all before it that may be about the same people."""
    releases = {one.release: one.cost for log in _linked(state, logs) for one in state.logs[log].counted}

    def at(unit: Scope) -> Loss:
        alone, times = cost.at(unit).replace, cost.releases
        planned = together([Loss(alone.epsilon * times, alone.delta * times, alone.mixture)])
        return larger([planned, together(each.at(unit).replace for each in releases.values())])

    return Total(len(releases) - 1, tuple((unit, at(unit)) for unit in UNITS))


def _linked(state: State, logs: Sequence[str]) -> set[str]:
    """The logs, and all that a release has joined with one of them, directly or by way of others: whoever is in one of
    them may be in all of them."""
    found = set(logs)
    while True:
        joined = {log for one in state.releases.values() if one.counts and found & set(one.logs) for log in one.logs}
        if joined <= found:
            return found
        found |= joined


def set_budget(
    entries: Iterable[Entry], target: str | Fingerprint, declared: Declared, budget: Budget
) -> tuple[list[Entry], str]:
    """Give a log a budget that holds what it has spent. A log that is not registered yet becomes so."""
    draft = _Draft(state_of(entries))
    if isinstance(target, str):
        log = draft.state.named(target)
    else:
        (log, *more), _ = _identify(draft, target, declared)
        if more:
            raise RegistryError(f"The log belongs to {log} and {', '.join(more)}: set the budget of each by its name.")
    costs = draft.state.logs[log].costs
    spent = total_price(budget, costs)
    if spent is None or not spent.fits(budget.whole):
        raise BudgetExceeded(Shortage(log, budget, budget.whole, spent, costs))
    draft.add(entry("budget", log=log, budget=budget_as_json(budget), set_by="steward"))
    return draft.added, log


def expose(entries: Iterable[Entry], release: str, by: Exposure) -> tuple[list[Entry], None]:
    """Note that something of a release may be seen from now on. Refused if it was voided; doing so twice changes
    nothing."""
    found = _still_there(entries, release)
    if not found.counts:
        raise VoidedRelease(
            f"Release {release} was voided on {found.voided_at} ({found.void_reason}), so that it is not counted: what "
            "it drew must not be seen by anybody, and nothing of it was written. Release again."
        )
    if found.exposed_at is not None or found.published_at is not None:
        return [], None
    return [entry("exposed", release=release, by=by)], None


def publish(entries: Iterable[Entry], release: str, lines: Sequence[Mapping[str, Any]]) -> tuple[list[Entry], None]:
    """Note that a reserved release was put in place. Doing so twice changes nothing."""
    found = _still_there(entries, release)
    if found.published_at is not None:
        return [], None
    return [entry("published", release=release, lines=[dict(line) for line in lines])], None


def void(entries: Iterable[Entry], release: str, reason: str) -> tuple[list[Entry], RegisteredRelease]:
    """Give up a release of which nothing can have been seen, so that it counts for nothing."""
    draft = _Draft(state_of(entries))
    found = draft.state.release_named(release)
    if not found.can_be_voided:
        raise NotVoidable(f"Release {found.release} stays spent: {_why_it_stays(found)}.")
    draft.add(entry("voided", release=found.release, reason=reason))
    return draft.added, draft.state.releases[found.release]


def _why_it_stays(release: RegisteredRelease) -> str:
    if not release.counts:
        return f"it was voided already, on {release.voided_at}"
    if release.published_at is not None:
        return f"it was put in place on {release.published_at}, where anybody may have read it"
    if not release.notes_exposure:
        return "it was made by an older amun-dp, which did not note whether anything of it was written"
    return {
        "writing": f"its files were being written from {release.exposed_at} on. Whether they are there, left over in "
        "a hidden folder, or were removed since: somebody may have read or copied them",
        "handing over": f"it was handed to the program that asked for it on {release.exposed_at}, which may have used "
        "it",
    }.get(
        str(release.exposed_by),
        f"it failed on {release.exposed_at} after noise was drawn, and what was said of that may depend on the noise",
    )


def _still_there(entries: Iterable[Entry], release: str) -> RegisteredRelease:
    found = state_of(entries).releases.get(release)
    if found is None:
        raise RegistryError(
            f"Release {release} is not in the registry any more: somebody exchanged the file while the release was "
            "made. Bring the later one back."
        )
    return found


def _identify(draft: _Draft, fingerprint: Fingerprint, declared: Declared) -> tuple[list[str], tuple[Overlap, ...]]:
    """The logs that these cases belong to, a new one if to none; and those that are about other people, as declared."""
    state = draft.state
    recognised = state.recognise(fingerprint)
    same = list(dict.fromkeys((*recognised.identical, *(state.named(text) for text in declared.same_as))))
    if recognised.identical and declared.new_log and not declared.same_as:
        raise RegistryError(
            f"This is {' and '.join(recognised.identical)}, case for case: it is not a new log, and what was spent on "
            "it stays spent. Leave --new-log out."
        )
    # About a log that is known case for case everything was said when it was seen first.
    asked = () if recognised.identical else tuple(one for one in recognised.overlapping if one.log not in same)
    others = _other_people(state, asked, declared)
    if not same:
        same = [_new_identifier(state)]
        draft.add(entry("log", log=same[0]))
    known = state.tokens.get(same[0], []) if len(same) == 1 else []
    unknown = unknown_tokens(fingerprint, known)
    # A log that is known case for case may come with individuals, or with names, that nobody knew yet.
    if set(same) != set(recognised.identical) or (len(same) == 1 and len(unknown)):
        figures = {"cases": fingerprint.cases, "other_people": {one.log: one.common for one in others}}
        secret = Secret(figures, stored(unknown))
        draft.add(entry("seen", secret, whole=fingerprint.whole.hex(), logs=same))
    return same, others


def _other_people(state: State, asked: tuple[Overlap, ...], declared: Declared) -> tuple[Overlap, ...]:
    """Those of the logs that were declared to be about other people: all of them, or a question is open."""
    named = {state.named(text) for text in declared.different_from}
    undecided = tuple(one for one in asked if not declared.new_log and one.log not in named)
    if undecided:
        raise UndecidedLog(undecided)
    contained = [one.log for one in asked if one.contained]
    if contained:
        flags = " ".join(f"--same-log-as {log}" for log in contained)
        raise RegistryError(
            f"Every case of this log is in {' and in '.join(contained)}: part of a log is about the same people, so it "
            f"is not a new one. Use {flags} instead of --new-log."
        )
    return asked


def _charge(draft: _Draft, log: str, cost: Cost) -> Charge:
    found = draft.state.logs[log]
    set_now = found.budget is None
    if found.budget is None:
        budget = budget_of_first_release(cost)
        draft.add(entry("budget", log=log, budget=budget_as_json(budget), set_by=BY_FIRST_RELEASE))
        found = draft.state.logs[log]
    else:
        budget = found.budget
    left, price = found.left, budget.price(cost)
    if left is None or price is None or not price.fits(left):
        raise BudgetExceeded(Shortage(log, budget, budget.whole if left is None else left, price, found.costs))
    strictly_bounded = found.strictly_bounded and cost.strictly_bounded
    return Charge(log, budget, set_now, left, price, strictly_bounded)


def _new_identifier(state: State) -> str:
    while (name := f"L-{os.urandom(3).hex()}") in state.logs:
        pass
    return name
