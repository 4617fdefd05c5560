"""How the page spells an option: as one of its fields, or as what only the command line has."""

from __future__ import annotations

from typing import Any

from amun_dp._base.messages import all_spelled, spelled
from amun_dp._base.options import Mention
from amun_dp.serve.wording import METHODS

FIELDS = {
    "case_id": "Case",
    "activity": "Activity",
    "timestamp": "Time",
    "timestamp_format": "Format of times",
    "lifecycle": "Lifecycle transition",
    "individual": "Person",
    "sequence": "Order",
    "drop_incomplete": "Leave out incomplete events",
    "multiline_values": "Values may have line breaks (CSV)",
    "advantage": "Guessing advantage",
    "scope": "Protect",
    "max_cases_per_individual": "Cases of one person",
    "one_case_per_individual": "Nobody has more than one case",
    "max_case_length": "Longest case",
    "releases": "Releases planned",
    "variants_from_log": "take the log’s own",
    "allow_too_small": "Release even if the log is too small",
    "escape_formulas": "Escape formulas (CSV)",
    "same_log_as": "The same log",
    "new_log": "Other people",
}
"""Labels of the fields that stand for an option each; the method and its form of variants are one choice together."""
SCOPES = {
    "event": "what the method does by itself",
    "case": "a whole case",
    "individual": "a person with all their cases",
}


def as_field(mention: Mention) -> str:
    """A field in quotation marks, with what to put into it."""
    name, values = mention.option.name, () if mention.open else mention.values
    if name in ("method", "variants"):
        return _as_method(name, *values)
    if name not in FIELDS:
        return " ".join((mention.option.flag, *mention.values, "of the command line"))
    shown = ", ".join(SCOPES.get(value, value) if name == "scope" else value for value in values)
    return f"“{FIELDS[name]}”" + (f" ({shown})" if shown else "")


def _as_method(option: str, value: str = "") -> str:
    if not value:
        return "the method"
    if value == "certified":
        return "a certified method"
    choice = METHODS.get(value if option == "method" else f"certified:{value}")
    return f"the method “{value if choice is None else choice.name}”"


def in_fields(text: str) -> str:
    """A message of the library as the page shows it."""
    return spelled(text, as_field)


def all_in_fields(data: Any) -> Any:
    """Plain data as the page shows it."""
    return all_spelled(data, as_field)
