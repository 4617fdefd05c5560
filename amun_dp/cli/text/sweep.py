"""Several advantages side by side in the terminal, with a small chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from amun_dp.cli.text.results import KEEP_INSIDE, columns

if TYPE_CHECKING:
    from amun_dp.release.sweep import SweepRow
    from amun_dp.report.parameters import Asked

_WIDTH = 16
_EIGHTHS = " ▏▎▍▌▋▊▉█"


_ARTICLE = (
    "A smaller advantage means more noise. With filtering a larger one leaves fewer cases: those with an event that is "
    "guessed too well already are removed."
)
_CERTIFIED = "A smaller advantage means more noise, and with a threshold fewer variants that are frequent enough."


def describe_sweep(log: str, parameters: Asked, rows: Sequence[SweepRow]) -> str:
    shown = _FAMILIES[parameters.family]
    lines = [
        f"{log}: what each advantage would cost, method {parameters.method}, {shown.form(parameters)}",
        "",
        *shown.rows(rows),
        "",
        shown.explanation,
        f"Nothing was drawn or spent. {KEEP_INSIDE}",
    ]
    return "\n".join(lines)


def _article(rows: Sequence[SweepRow]) -> list[str]:
    worst = max((row.duration_error_hours or 0.0 for row in rows), default=0.0)
    header = ("advantage", "ε of a count", "cases kept", "", "variants kept", "start ±", "duration ±", "")
    return columns(
        header,
        [
            (
                f"{row.advantage:g}",
                _number(row.epsilon),
                f"{row.kept_cases:,.0f} of {row.cases:,}",
                bar(row.kept_cases, row.cases),
                f"{row.kept_variants:,} of {row.variants:,}" if row.kept_variants is not None else "–",
                _number(row.start_error_days, " days"),
                _number(row.duration_error_hours, " h"),
                bar(row.duration_error_hours or 0.0, worst),
            )
            for row in rows
        ],
    )


def _certified(rows: Sequence[SweepRow]) -> list[str]:
    worst = max((row.count_noise or 0.0 for row in rows), default=0.0)
    header = ("advantage", "ε of a case", "cases expected", "", "noise on a count", "")
    return columns(
        header,
        [
            (
                f"{row.advantage:g}",
                _number(row.epsilon),
                f"{row.kept_cases:,.0f} of {row.cases:,}",
                bar(row.kept_cases, row.cases),
                _number(row.count_noise, " cases"),
                bar(row.count_noise or 0.0, worst),
            )
            for row in rows
        ],
    )


def _number(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:.3g}{unit}"


def bar(value: float, largest: float) -> str:
    """A bar of eighths of a character; anything above 0 shows."""
    eighths = 0 if value <= 0 or largest <= 0 else max(1, round(8 * _WIDTH * value / largest))
    whole, rest = divmod(min(eighths, 8 * _WIDTH), 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(_WIDTH)


@dataclass(frozen=True, slots=True)
class _Family:
    """How the sweep of a method of one family is shown."""

    form: Callable[[Any], str]
    rows: Callable[[Sequence[SweepRow]], list[str]]
    explanation: str


_FAMILIES = {
    "article": _Family(lambda parameters: f"conventions {parameters.conventions.name}", _article, _ARTICLE),
    "certified": _Family(lambda parameters: f"variants {parameters.choices.variants}", _certified, _CERTIFIED),
}
