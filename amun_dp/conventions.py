"""Where the article's text, tables and prototype part ways, one switch each.

``ARTICLE`` reproduces the published tables to the digit; ``CORRECTED`` (the default) mends what they get wrong.
Corrected does not mean proved: which claims hold is the accountant's business, and it is the same for both.
The reasons for each choice are in docs/conventions.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from amun_dp.errors import ParameterError

SECOND = 1_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE


@dataclass(frozen=True, slots=True)
class Conventions:
    name: str
    window: int
    """Half-width (ms) of the range in which a guess of a duration counts as right."""
    prior: Literal["closed-window", "clamped-cdf"]
    """Share of the group in [t-w, t+w]; or F(t+w) - max(F(t-w), F(min)), which misses the mass at the minimum."""
    value_range: Literal["maximum", "spread"]
    """r = the group's maximum, never below the window; or max - min, which is 0 (no noise) for a one-value group."""
    filtering: Literal["until-stable", "once"]
    """Filter until no case violates P + A < 1; or one pass, after which new violations stay."""
    compression: Literal["fold", "factor"]
    """Fold start offsets into the public window; or multiply all relative times by OR/(AR+OR)/2."""
    start_window: int = DAY
    """Half-width (ms) of the range in which a guess of a start time counts as right."""

    def __post_init__(self) -> None:
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
ARTICLE = Conventions(
    name="article",
    window=10 * MINUTE,
    prior="clamped-cdf",
    value_range="spread",
    filtering="once",
    compression="factor",
)
_NAMED = {convention.name: convention for convention in (CORRECTED, ARTICLE)}


def conventions_named(choice: str | Conventions) -> Conventions:
    """The conventions of that name; a ``Conventions`` of the caller's own is taken as it is."""
    if isinstance(choice, Conventions):
        return choice
    if choice not in _NAMED:
        raise ParameterError(f"Unknown conventions '{choice}'. Choose one of: {', '.join(_NAMED)}.")
    return _NAMED[choice]
