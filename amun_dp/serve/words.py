"""Words of the page: the methods with their verdicts, and messages of the library in the page's own terms."""

from __future__ import annotations

import re
from dataclasses import dataclass

from amun_dp.pages.card import Tone


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

_FIELDS = {
    "--case-id": "“Case”",
    "--activity": "“Activity”",
    "--timestamp-format": "“Format of times”",
    "--timestamp": "“Time”",
    "--lifecycle": "“Lifecycle transition”",
    "--individual": "“Person”",
    "--sequence": "“Order”",
    "--drop-incomplete": "“Leave out incomplete events”",
    "--max-cases-per-individual": "“Cases of one person”",
    "--one-case-per-individual": "“Nobody has more than one case”",
    "--max-case-length": "“Longest case”",
    "--releases": "“Releases planned”",
    "--advantage": "the slider",
    "--variants": "the method",
    "--variants-from-log": "“take the log’s own”",
    "--allow-too-small": "“Release even if the log is too small”",
    "--method": "the method",
    "--scope": "“Protect”",
    "--public": "the command line’s --public",
}
_FLAG = re.compile(r"--[a-z-]+[a-z](?![\w-])")


def in_page_words(message: str, path: str = "", name: str = "") -> str:
    """A message of the library: fields instead of flags, and the log's own name instead of where it lies."""
    shown = message.replace(path, name) if path else message
    return _FLAG.sub(lambda flag: _FIELDS.get(flag[0], flag[0]), shown)
