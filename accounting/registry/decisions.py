"""Which log it is, whether its budget holds a release, and the entries that say so.

Functions of the entries so far and nothing else: the registry calls them while no other process can add an entry, so
that two processes cannot both be given the last of a budget, nor each register the same log as new.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from accounting.registry.budgets import Amount, Budget, budget_of_first_release, total_price
from accounting.registry.chain import Entry, Secret, entry
from accounting.registry.costs import Cost
from accounting.registry.errors import BudgetExceeded, NotANewLog, RegistryError, Shortage, UndecidedLog
from accounting.registry.fingerprints import Fingerprint, stored, unknown_tokens
from accounting.registry.overlap import Overlap
from accounting.registry.records import budget_as_json, cost_as_json
from accounting.registry.state import BY_FIRST_RELEASE, State, apply, state_of
from accounting.registry.totals import Total, total_with_earlier


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
    return draft.added, Reservation(release, charges, cost, total_with_earlier(draft.state, logs, cost), others)


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


def _identify(draft: _Draft, fingerprint: Fingerprint, declared: Declared) -> tuple[list[str], tuple[Overlap, ...]]:
    """The logs that these cases belong to, a new one if to none; and those that are about other people, as declared."""
    state = draft.state
    recognised = state.recognise(fingerprint)
    same = list(dict.fromkeys((*recognised.identical, *(state.named(text) for text in declared.same_as))))
    if recognised.identical and declared.new_log and not declared.same_as:
        raise NotANewLog(
            f"This is {' and '.join(recognised.identical)}, case for case: it is not a new log, and what was spent on "
            "it stays spent.",
            recognised.identical,
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
        raise NotANewLog(
            f"Every case of this log is in {' and in '.join(contained)}: part of a log is about the same people, so it "
            "is not a new one.",
            tuple(contained),
            part=True,
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
