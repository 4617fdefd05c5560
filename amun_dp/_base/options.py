"""Options by their Python names: the one list of what a message may ask its reader to set.

A message names an option and never a flag of the command line: who calls ``anonymize`` has no flags, and who uses the
local page has neither. Each front end spells an option as its user knows it: ``in_python`` here, as a flag in
``amun_dp.cli.as_flags``, as a field in ``amun_dp.serve.as_fields``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["switch", "number", "text", "texts"]
"""A switch is on or off; of ``texts`` there may be several."""


@dataclass(frozen=True, slots=True)
class Option:
    """Something that a user can set."""

    name: str
    """The parameter of a public function."""
    kind: Kind
    unknown: str = ""
    """What stands for a value that only the user knows: COLUMN, for instance."""

    @property
    def flag(self) -> str:
        """What the command line calls it."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Mention:
    """An option in a message, with the value that is advised for it; without one, the option itself is meant."""

    option: Option
    values: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether the reader has to put in a value of their own."""
        return self.values == (self.option.unknown,)


Spelling = Callable[[Mention], str]
"""How a front end writes an option."""

OPTIONS = {
    option.name: option
    for option in (
        # reading a log
        Option("case_id", "text", "COLUMN"),
        Option("activity", "text", "COLUMN"),
        Option("timestamp", "text", "COLUMN"),
        Option("timestamp_format", "text", "FORMAT"),
        Option("lifecycle", "text", "VALUE"),
        Option("individual", "text", "COLUMN"),
        Option("sequence", "text", "COLUMN"),
        Option("drop_incomplete", "switch"),
        Option("multiline_values", "switch"),
        # what a release is made for, and how
        Option("advantage", "number", "A"),
        Option("epsilon", "number", "E"),
        Option("dp_delta", "number", "D"),
        Option("method", "text"),
        Option("conventions", "text"),
        Option("scope", "text"),
        Option("variants", "text"),
        Option("variants_from_log", "switch"),
        Option("public", "text", "FILE"),
        Option("public_from_log", "switch"),
        Option("max_cases_per_individual", "number", "C"),
        Option("one_case_per_individual", "switch"),
        Option("max_case_length", "number", "N"),
        Option("max_individual_loss", "number", "E"),
        Option("releases", "number", "N"),
        Option("allow_too_small", "switch"),
        Option("noise", "text"),
        Option("force", "switch"),
        Option("escape_formulas", "switch"),
        # whose log it is
        Option("same_log_as", "texts", "ID"),
        Option("new_log", "switch"),
        # how much of a release is looked at
        Option("max_events", "number", "N"),
        Option("max_unpacked", "number", "N"),
        # an audit
        Option("budget_seconds", "number", "S"),
        Option("workers", "number", "N"),
    )
}


def in_python(mention: Mention) -> str:
    """As an argument of a call: ``scope='case'``; its name, as documentation quotes it, where no value is advised."""
    option = mention.option
    if option.kind == "switch":
        return f"{option.name}=True"
    if not mention.values:
        return f"`{option.name}`"
    if option.kind == "texts" and not mention.open:
        return f"{option.name}={list(mention.values)!r}"
    value = mention.values[0]
    return f"{option.name}={repr(value) if option.kind == 'text' and not mention.open else value}"
