"""What the steward chooses for a release. All of it is public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from amun_dp._base.messages import Message
from amun_dp._base.options import OPTIONS, Mention
from amun_dp.article.conventions import CORRECTED, Conventions
from amun_dp.article.methods import article_method_named
from amun_dp.errors import ParameterError
from amun_dp.mechanisms.limits import LARGEST_ADVANTAGE, LARGEST_DIVISOR, SMALLEST_ADVANTAGE, advantage_problem


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the steward chose for a method of the article. All of it is public."""

    advantage: float
    method: str = "filtering"
    conventions: Conventions = CORRECTED
    max_cases_per_individual: int | None = None
    releases: int = 1
    max_individual_loss: float | None = None
    """Refuse a release in which the times of one individual would lose more than this, all events added up."""
    public_variants: bool = False
    """Declared: which variants the log has is no secret. A variant that one case alone has is then disclosed by
    choice."""

    scope: str = "event"
    """``event``: the article's reading, noise for one count cell and for one event. ``case``: for all cells that a case
    moves and all its times together; needs ``max_case_length``."""
    max_case_length: int | None = None
    """Declared: no case has more events."""

    family: ClassVar[str] = "article"

    def __post_init__(self) -> None:
        for name in ("releases", "max_cases_per_individual", "max_case_length"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
                raise ParameterError(Message("{option} is a whole number.", option=Mention(OPTIONS[name])))
        for name in ("advantage", "max_individual_loss"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, float | int) or isinstance(value, bool)):
                raise ParameterError(Message("{option} is a number.", option=Mention(OPTIONS[name])))
        if not SMALLEST_ADVANTAGE <= self.advantage <= LARGEST_ADVANTAGE:
            raise ParameterError(advantage_problem())
        if self.max_cases_per_individual is not None and self.max_cases_per_individual < 1:
            raise ParameterError("The maximum number of cases of one individual must be at least 1.")
        if self.releases < 1:
            raise ParameterError("The number of releases must be at least 1.")
        if self.scope not in ("event", "case"):
            raise ParameterError(f"Unknown scope '{self.scope}'. Choose event or case.")
        if self.max_case_length is not None and self.max_case_length < 1:
            raise ParameterError("The largest length of a case must be at least 1.")
        if self.scope == "case" and self.max_case_length is None:
            raise ParameterError(
                Message(
                    "Noise for a whole case needs a public bound on its length: declare {max_case_length} (from "
                    "outside the log; its own longest case would be disclosed)."
                )
            )
        if self.releases * (self.max_cases_per_individual or 1) * self.events_together > LARGEST_DIVISOR:
            raise ParameterError(
                f"Releases times cases of one individual times the length of a case exceed {LARGEST_DIVISOR:,}: every "
                "ε is divided by that product, and nothing but noise would be left. Declare smaller numbers."
            )
        if self.max_individual_loss is not None and not self.max_individual_loss > 0:
            raise ParameterError("The largest loss of an individual must be positive.")
        article_method_named(self.method)

    @property
    def events_together(self) -> int:
        """How many events of a case share its ε: all that it may have at scope ``case``, each by itself otherwise."""
        return self.max_case_length if self.scope == "case" and self.max_case_length is not None else 1
