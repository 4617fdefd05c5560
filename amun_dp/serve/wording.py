"""Words of the page: the methods with their verdicts."""

from __future__ import annotations

from dataclasses import dataclass

from amun_dp.report.card import Tone


@dataclass(frozen=True, slots=True)
class MethodChoice:
    """A method that the page offers, with what holds of it. ``tone`` is that of the label that its releases get."""

    value: str
    name: str
    tone: Tone
    verdict: str
    does: str

    @property
    def certified(self) -> bool:
        return self.value.startswith("certified")


CERTIFIED = (
    MethodChoice(
        "certified:generated",
        "New cases from a private model",
        "good",
        "Proved, under assumptions: nobody’s guess about a whole case gains more than the advantage.",
        "The log is measured with noise and a new log is drawn from that. Variants may be new.",
    ),
    MethodChoice(
        "certified:threshold",
        "Only variants that are frequent enough",
        "good",
        "Proved, under assumptions: nobody guesses right about a whole case more often than (1-δ)·(P + advantage) + δ; "
        "P is their chance before, δ is tiny.",
        "No variant is new. Where most cases are unlike each other, little is left.",
    ),
    MethodChoice(
        "certified:public",
        "All variants, declared public",
        "partial",
        "Proved, under assumptions, for all but which variants occur: a variant that one case alone has discloses it.",
        "Counts and times are noised. Choose it only where the variants are no secret.",
    ),
)
ARTICLE = (
    MethodChoice(
        "filtering",
        "Filtering (Amun_f)",
        "none",
        "No guarantee about a whole case, nor about one count: what is filtered depends on everybody’s data.",
        "Cases that cannot be protected are removed, others copied and deleted; times are noised.",
    ),
    MethodChoice(
        "sampling",
        "Sampling (Amun_s)",
        "none",
        "No guarantee about a whole case. Proved, under assumptions, for one count of a table that is not released.",
        "Cases are copied and deleted; times are noised.",
    ),
    MethodChoice(
        "oversampling",
        "Oversampling (Amun_o)",
        "none",
        "No guarantee about a whole case, nor about one count: its noise has one side only.",
        "Cases are only copied, so the log grows; times are noised.",
    ),
)
METHODS = {choice.value: choice for choice in (*CERTIFIED, *ARTICLE)}
