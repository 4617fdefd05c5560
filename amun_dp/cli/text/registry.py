"""Logs of a registry, their budgets and releases as text for people."""

from __future__ import annotations

from collections.abc import Sequence

from accounting.guarantee import Scope
from accounting.registry import OtherPeople, PublishedBudget, RegisteredLog, RegisteredRelease
from accounting.registry.costs import UNITS
from accounting.registry.views import (
    PUBLISHED_FACT,
    UNCONFIRMED,
    amount_text,
    budget_text,
    cost_text,
    state_text,
)
from amun_dp.budgets.preview import Preview
from amun_dp.budgets.refusals import cases_text
from amun_dp.budgets.wording import describe_charges
from amun_dp.cli.as_flags import in_flags
from amun_dp.cli.reserving import declaration_text
from amun_dp.cli.text.results import columns, table


def describe_logs(logs: Sequence[RegisteredLog]) -> str:
    if not logs:
        return "No log is registered yet."
    rows = [
        (
            log.log,
            "none yet" if log.budget is None else budget_text(log.budget),
            _spent(log),
            _left(log),
            *(cost_text(log, unit) if log.counted else "" for unit in UNITS),
            str(len(log.counted)),
        )
        for log in logs
    ]
    lines = columns(("log", "budget", "spent", "left", "cost of a case", "of an individual", "releases"), rows)
    releases = {release.release: release for log in logs for release in log.releases}.values()
    unconfirmed = sum(release.counts and release.published_at is None for release in releases)
    voided = sum(not release.counts for release in releases)
    if unconfirmed:
        lines += ["", f"{unconfirmed} of the releases: {UNCONFIRMED}. amun-dp registry show LOG-ID names them."]
    if voided:
        lines += ["", f"Not among them: {voided} voided. amun-dp registry show LOG-ID says which and why."]
    declared = [f"{log.log}: {_declaration(other)}" for log in logs for other in log.others]
    return "\n".join([*lines, *(["", *declared] if declared else []), *_fact(logs)])


def describe_log(log: RegisteredLog) -> str:
    rows = [
        ("registered", log.registered_at),
        ("cases when last seen", f"{log.cases:,}"),
        *(("other people", f"{_declaration(other)} ({other.declared_at})") for other in log.others),
        ("budget", "none yet; the first release sets it" if log.budget is None else budget_text(log.budget)),
    ]
    if log.budget is not None:
        rows += [
            ("set", f"{log.budget_set_at} by the {log.budget_set_by}"),
            ("spent", _spent(log)),
            ("left", _left(log)),
            *((f"strict cost of {_UNIT[unit]}", _strict_cost(log, unit)) for unit in UNITS),
        ]
    lines = [log.log, "", *table(rows)]
    if log.releases:
        header = ("release", "reserved", "method", "advantage", "divided by", "spent", "state")
        lines += ["", *columns(header, [_release(log, release) for release in log.releases])]
    return "\n".join([*lines, *_fact([log])])


def describe_preview(found: Preview | None) -> list[str]:
    """What a plan would spend."""
    if found is None:
        return []
    if found.refused is not None:
        return ["", f"anonymize would refuse it: {in_flags(found.refused)}"]
    declared = [f"anonymize would warn: {declaration_text(other)}" for other in found.others]
    charges = [in_flags(line) for line in describe_charges(found.charges, would=True)]
    return [*(["", *declared] if declared else []), *charges]


def _declaration(other: OtherPeople) -> str:
    """What somebody said about the people of a log."""
    return (
        f"declared to be others than in {other.log}, with which it shared {other.common:,} of {cases_text(other.cases)}"
    )


_UNIT = {Scope.CASE: "a case", Scope.INDIVIDUAL: "an individual"}


def _strict_cost(log: RegisteredLog, unit: Scope) -> str:
    """The strict cost of all releases of a log together, whatever its budget counts."""
    return cost_text(log, unit) if log.counted else "no release yet"


def _release(log: RegisteredLog, release: RegisteredRelease) -> tuple[str, ...]:
    price = None if log.budget is None else log.budget.price(release.cost)
    return (
        release.release,
        release.reserved_at,
        str(release.details.get("method", "")),
        "" if release.cost.advantage is None else f"{float(release.cost.advantage):g}",
        str(release.cost.releases),
        "" if log.budget is None else amount_text(log.budget, price),
        state_text(release),
    )


def _spent(log: RegisteredLog) -> str:
    return "" if log.budget is None else amount_text(log.budget, log.spent)


def _left(log: RegisteredLog) -> str:
    return "" if log.budget is None else amount_text(log.budget, log.left, down=True)


def _fact(logs: Sequence[RegisteredLog]) -> list[str]:
    """Said wherever a budget is held in the published reading, unless every release so far has a strict bound."""
    published = [log for log in logs if isinstance(log.budget, PublishedBudget)]
    if any(not log.counted or not log.strictly_bounded for log in published):
        return ["", PUBLISHED_FACT]
    return []
