"""Where the article's text, tables and prototype part ways, one switch each.

``ARTICLE`` reproduces the tables of the worked example to the digit; ``CORRECTED`` (the default) mends what they get
wrong.
Corrected does not mean proved: which claims hold is the accountant's business, and it is the same for both.
The reasons for each choice are in docs/conventions.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from amun_dp._base.units import DAY, MINUTE, SECOND
from amun_dp.errors import ParameterError

Prior = Literal["closed-window", "clamped-cdf"]
ValueRange = Literal["maximum", "spread"]
Filtering = Literal["until-stable", "once"]
Compression = Literal["fold", "factor"]
_CHOICES: dict[str, tuple[str, ...]] = {
    "prior": get_args(Prior),
    "value_range": get_args(ValueRange),
    "filtering": get_args(Filtering),
    "compression": get_args(Compression),
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """How priors, ranges, filtering and time are computed. Windows are in milliseconds."""

    name: str
    """``article``, ``corrected``, or ``custom``; the report publishes it with all the others."""
    window: int
    """Half-width (ms) of the range in which a guess of a duration counts as right."""
    prior: Prior
    """Share of the group in [t-w, t+w]; or F(t+w) - max(F(t-w), F(min)), which misses the mass at the minimum."""
    value_range: ValueRange
    """r = the group's maximum, never below the window; or max - min, which is 0 (no noise) for a one-value group."""
    filtering: Filtering
    """Filter until no case violates P + A < 1; or one pass, after which new violations stay."""
    compression: Compression
    """Fold start offsets into the public window; or multiply all relative times by OR/(AR+OR)/2."""
    start_window: int = DAY
    """Half-width (ms) of the range in which a guess of a start time counts as right."""

    def __post_init__(self) -> None:
        for field, choices in _CHOICES.items():
            if getattr(self, field) not in choices:
                raise ParameterError(f"The convention '{field}' must be one of: {', '.join(choices)}.")
        if self.window <= 0 or self.start_window <= 0:
            raise ParameterError("A window must be positive: it is the precision at which a guess counts as right.")


CORRECTED = Conventions(
    name="corrected",
    window=10 * SECOND,
    prior="closed-window",
    value_range="maximum",
    filtering="until-stable",
    compression="fold",
)
"""The default: what the article gets wrong is mended."""
ARTICLE = Conventions(
    name="article",
    window=10 * MINUTE,
    prior="clamped-cdf",
    value_range="spread",
    filtering="once",
    compression="factor",
)
"""Reproduces the tables of the worked example to the digit."""
_NAMED = {convention.name: convention for convention in (CORRECTED, ARTICLE)}


def with_windows(rules: Conventions, window: int | None, start_window: int | None) -> Conventions:
    """The same conventions with other precisions (milliseconds); they are then called "custom", if they differ."""
    changed = replace(rules, window=window or rules.window, start_window=start_window or rules.start_window)
    return rules if changed == rules else replace(changed, name="custom")


def conventions_named(choice: str | Conventions) -> Conventions:
    """The conventions of that name; a ``Conventions`` of the caller's own is taken as it is."""
    if isinstance(choice, Conventions):
        return choice
    if choice not in _NAMED:
        raise ParameterError(f"Unknown conventions '{choice}'. Choose one of: {', '.join(_NAMED)}.")
    return _NAMED[choice]
