"""The result of a verification as plain data: what the command line prints as JSON and what the local page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amun_dp.verification import Verification


def as_dict(found: Verification) -> dict[str, Any]:
    from amun_dp.folder.names import BANNER

    return {
        "outcome": found.outcome.value,
        "passed": found.passed,
        "only_demands_failed": found.only_demands_failed,
        "confidential": BANNER if found.confidential else None,
        "label": _label(found),
        "checks": [
            {
                "check": check.name.value,
                "outcome": check.outcome.value,
                "detail": check.detail,
                "confidential": check.confidential,
            }
            for check in found.checks
        ],
        "notes": list(found.notes),
        "undetectable": list(found.undetectable),
    }


def _label(found: Verification) -> dict[str, Any] | None:
    card = found.label
    if card is None:
        return None
    return {
        "symbol": card.symbol,
        "heading": card.heading,
        "sentence": card.sentence,
        "provided": list(card.provided),
        "verified": found.passed and not found.unchecked,
    }
