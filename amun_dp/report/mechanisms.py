"""How a release was made: the recorded steps in words."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import (
    DataDependentSelection,
    NonPrivate,
    PostProcessing,
    PrivacyEvent,
    TakenAsPublic,
    kind_of,
)
from amun_dp.drawing.numbers import capital, count, number, shorten
from amun_dp.report.public_report import PublicReport

_SAYS = {
    "sequential": "All of these, about the same people: losses add up",
    "parallel": "Each of these about cases of its own",
    "replicated": "Released several times, with noise of its own each time: losses add up",
    "repeated-release": "One of several releases of the same log: losses add up",
    "shared-by-individual": "One individual may stand behind several cases: losses add up",
    "laplace-count": "Two-sided noise on each count (discrete Laplace)",
    "one-sided-count": "One-sided noise on each count (geometric)",
    "weighted-histogram": "Noise on cells that were fixed without looking at the log (discrete Laplace)",
    "noisy-max": "Which of several noisy scores is largest (discrete Laplace)",
    "thresholded-histogram": "Noisy counts, released only where they reach a threshold",
    "gaussian-histogram": "Noise on cells that were fixed without looking at the log (discrete Gaussian)",
    "thresholded-gaussian": "Noisy counts, released only where they reach a threshold (discrete Gaussian)",
    "bounded-laplace": "Noise on each time, with a scale of its own (discrete Laplace)",
    "case-moves": "The noise on counts carried out by copying and deleting whole cases",
    "taken-as-public": "A fact that is taken as public",
    "undisclosed": "A step that the accountant does not know, so nothing is claimed of it",
}
"""What each kind of step is, in words. A kind that is not here is named and said to have none."""
_SELECTS = {
    "variants": "The log decides which variants occur",
    "groups": "The log decides which events are compared with each other",
    "cases": "The log decides which cases are kept",
}
_SAID = {
    DataDependentSelection: ("of",),
    NonPrivate: ("why",),
    PostProcessing: ("what", "why"),
    TakenAsPublic: ("what", "from_log"),
}
"""Parameters that the words say already."""
MOST_STEPS = 200
"""Steps that are listed; a tree may have any number."""


@dataclass(frozen=True, slots=True)
class Step:
    """One recorded step with its parameters and its parts."""

    kind: str
    says: str
    facts: tuple[tuple[str, str], ...]
    parts: tuple[Step, ...]


def steps_of(report: PublicReport) -> Step:
    return _Reader().read(report.mechanisms.tree)


class _Reader:
    """Counts the steps while it reads them."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def read(self, event: PrivacyEvent) -> Step:
        self.left -= 1
        facts, parts = [], []
        for field in fields(event):
            value = getattr(event, field.name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, PrivacyEvent):
                    parts += [self.read(part)] if self.left > 0 else []
                elif part not in (None, False) and field.name not in _SAID.get(type(event), ()):
                    facts.append((field.name.replace("_", " "), _shown(part)))
        return Step(_kind(event), _says(event), tuple(facts), tuple(parts))


def _kind(event: PrivacyEvent) -> str:
    try:
        return kind_of(event)
    except AccountingError:
        return type(event).__name__


def _says(event: PrivacyEvent) -> str:
    if isinstance(event, DataDependentSelection):
        return _SELECTS[event.of]
    if isinstance(event, PostProcessing):
        return f"{capital(shorten(event.what, 100))}: free, because {shorten(event.why, 300)}"
    if isinstance(event, NonPrivate):
        return f"No privacy: {shorten(event.why, 300)}"
    if isinstance(event, TakenAsPublic):
        source = "read off the log, rounded outward" if event.from_log else "given from outside the log"
        return f"Taken as public: {event.what} ({source})"
    return _SAYS.get(_kind(event), "A step that this page has no words for")


def _shown(value: Any) -> str:
    if isinstance(value, Confidential):
        return "withheld"
    if value is True:
        return "yes"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, Fraction):
        return number(float(value), 6)
    return number(value, 6) if isinstance(value, float) else shorten(str(value), 300)
