"""How the command line spells an option: as a flag."""

from __future__ import annotations

import shlex
from typing import Any

from amun_dp._base.messages import all_spelled, spelled
from amun_dp._base.options import Mention


def as_flag(mention: Mention) -> str:
    """A flag, with its value in quotes where a shell needs them."""
    flag = mention.option.flag
    if not mention.values or mention.open:
        return " ".join((flag, *mention.values))
    # A value that begins like a flag would be taken for one.
    return " ".join(f"{flag}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}" for value in mention.values)


def in_flags(text: str) -> str:
    """A message of the library as the command line prints it."""
    return spelled(text, as_flag)


def all_in_flags(data: Any) -> Any:
    """Plain data as the command line prints it."""
    return all_spelled(data, as_flag)
