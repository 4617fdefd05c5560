"""Logs of a registry, their budgets and releases as text for people."""

from __future__ import annotations

from collections.abc import Sequence

from accounting.registry import Charge, PublishedBudget, RegisteredLog, RegisteredRelease
from accounting.registry.views import PUBLISHED_FACT, UNCONFIRMED, amount_text, budget_text
from amun_dp.cli.reserving import Preview
from amun_dp.cli.text import _columns, _table


def describe_logs(logs: Sequence[RegisteredLog]) -> str:
    if not logs:
        return "No log is registered yet."
    rows = [
        (
            log.log,
            "none yet" if log.budget is None else budget_text(log.budget),
            _spent(log),
            _left(log),
            str(len(log.releases)),
        )
        for log in logs
    ]
    lines = _columns(("log", "budget", "spent", "left", "releases"), rows)
    unconfirmed = sum(release.published_at is None for log in logs for release in log.releases)
    if unconfirmed:
        lines += ["", f"{unconfirmed} of the releases: {UNCONFIRMED}. amun-dp registry show LOG-ID names them."]
    return "\n".join([*lines, *_fact(logs)])


def describe_log(log: RegisteredLog) -> str:
    rows = [
        ("registered", log.registered_at),
        ("budget", "none yet; the first release sets it" if log.budget is None else budget_text(log.budget)),
    ]
    if log.budget is not None:
        rows += [
            ("set", f"{log.budget_set_at} by the {log.budget_set_by}"),
            ("spent", _spent(log)),
            ("left", _left(log)),
            ("strict cost of its releases", "bounded" if log.strictly_bounded else "unbounded"),
        ]
    lines = [log.log, "", *_table(rows)]
    if log.releases:
        header = ("release", "reserved", "method", "advantage", "divided by", "spent", "state")
        lines += ["", *_columns(header, [_release(log, release) for release in log.releases])]
    return "\n".join([*lines, *_fact([log])])


def describe_charges(charges: Sequence[Charge], would: bool = False) -> list[str]:
    """The budget of a release before and after it."""
    lines = []
    for charge in charges:
        budget = charge.budget
        before, after = (amount_text(budget, amount, down=True) for amount in (charge.before, charge.after))
        price = amount_text(budget, charge.price)
        name = "this log, not registered yet" if would and charge.set_now else charge.log
        said = (
            f"{before} is left, this release would spend {price} and leave {after}."
            if would
            else f"{before} was left, this release spent {price}, {after} is left."
        )
        lines.append(f"Budget of {name} ({budget_text(budget)}): {said}")
    if any(isinstance(charge.budget, PublishedBudget) and not charge.strictly_bounded for charge in charges):
        lines.append(PUBLISHED_FACT)
    return ["", *lines] if lines else []


def describe_preview(found: Preview | None) -> list[str]:
    """What a plan would spend."""
    if found is None:
        return []
    if found.refused is not None:
        return ["", f"anonymize would refuse it: {found.refused}"]
    return describe_charges(found.charges, would=True)


def _release(log: RegisteredLog, release: RegisteredRelease) -> tuple[str, ...]:
    price = None if log.budget is None else log.budget.price(release.cost)
    return (
        release.release,
        release.reserved_at,
        str(release.details.get("method", "")),
        "" if release.cost.advantage is None else f"{float(release.cost.advantage):g}",
        str(release.cost.releases),
        "" if log.budget is None else amount_text(log.budget, price),
        UNCONFIRMED if release.published_at is None else f"published {release.published_at}",
    )


def _spent(log: RegisteredLog) -> str:
    return "" if log.budget is None else amount_text(log.budget, log.spent)


def _left(log: RegisteredLog) -> str:
    return "" if log.budget is None else amount_text(log.budget, log.left, down=True)


def _fact(logs: Sequence[RegisteredLog]) -> list[str]:
    """Said wherever a budget is held in the published reading, unless every release so far has a strict bound."""
    published = [log for log in logs if isinstance(log.budget, PublishedBudget)]
    if any(not log.releases or not log.strictly_bounded for log in published):
        return ["", PUBLISHED_FACT]
    return []
