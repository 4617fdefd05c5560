"""What every record is, and how parameters are checked. A ledger or a notebook is not type-checked."""

from __future__ import annotations

from dataclasses import dataclass

from accounting.confidential import Confidential, Withheld
from accounting.errors import AccountingError

Fact = int | Confidential[int] | None
"""Public, confidential (taken from the log) or undeclared."""


@dataclass(frozen=True, slots=True)
class PrivacyEvent:
    """Anything that costs privacy, or claims not to."""


SMALLEST_SCALE = 1e-9
"""Noise of a smaller scale changes a whole number with probability exp(-10⁹): that is none."""


LARGEST_NUMBER = 1 << 62


def check_scale(scale: object) -> None:
    if isinstance(scale, Withheld):
        return
    if not isinstance(scale, float | int) or isinstance(scale, bool) or not SMALLEST_SCALE <= scale < 1e300:
        raise AccountingError("noise has a positive finite scale, and it is a number.")


def check_number(value: object, rule: str, least: int = 1) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST_NUMBER:
        raise AccountingError(f"{rule}.")


def check_fact(fact: object, rule: str) -> None:
    if fact is not None and not isinstance(fact, Withheld):
        check_number(fact.reveal() if isinstance(fact, Confidential) else fact, rule)


def check_choice(value: str, choices: tuple[str, ...]) -> None:
    """Types are checked by mypy; a ledger or a notebook is not."""
    if value not in choices:
        raise AccountingError(f"one of {', '.join(choices)} was expected.")
