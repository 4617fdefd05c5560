"""What a check is, and how one is carried out.

A check is a function that returns what it found, in a sentence, or raises: ``Fault`` if the release does not hold,
``NotPossible`` if the check cannot be made here. Nothing is counted as passed that was not carried out. A sentence that
is ``Told`` is a figure for people to judge: it has neither passed nor failed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import ParamSpec, TypeVar

from accounting.errors import AccountingError
from amun_dp._base.messages import changed, message_of
from amun_dp._base.out_of_memory import is_out_of_memory
from amun_dp.errors import AmunError

P = ParamSpec("P")
T = TypeVar("T")

SLACK = Fraction(1, 1 << 45)
"""Math libraries differ by some units in the last place; ε is rounded down by twice this much, so nothing is given
away."""
LONGEST_DETAIL = 600
"""Longest detail of a check, in characters. A release may hold texts of any length, and a check is reported in a line.
"""


class Part(Enum):
    """From what a check works."""

    RELEASE = "from the release alone"
    INTERNAL = "from the internal part"
    ORIGINAL = "from the original log"
    ATTACK = "by attack"
    REQUIRED = "demanded"


class Name(Enum):
    """Every check there is. The value is what output calls it."""

    FILES = "only the files of a release"
    REPORT = "report of its schema"
    FORMATS = "format numbers of the named version"
    HASHES = "hashes of the files"
    GUARANTEES = "guarantees replayed from the mechanisms"
    MECHANISMS = "mechanisms of the stated method and parameters"
    TEXTS = "texts of the report"
    CLAIMS = "claims against prove"
    SEED = "predictability as recorded"
    UNSEEDED = "noise not seeded"
    LOG = "log can be read"
    ATTRIBUTES = "only allowed attributes"
    BYTES = "log written as this software writes it"
    PACKING = "log compressed as here"
    FIGURES = "figures of the released log"
    TIME_ORDER = "order of time"
    UNIQUE_IDS = "no case identifier twice"
    RANDOM_IDS = "case identifiers look random"
    PAGE = "page drawn again"

    LEDGER = "ledger whole"
    LEDGER_MECHANISMS = "ledger against the mechanisms"
    LEDGER_ACCOUNT = "guarantees replayed from the ledger"
    LEDGER_LOG = "ledger against the log"
    INTERNAL_REPORT = "internal report replayed"
    INTERNAL_PRIVATE = "internal part for its owner only"

    PLAN = "plan made again"
    DECLARED = "declared cases of an individual"
    R1 = "no new variant (R1)"
    KEPT = "no filtered case released"
    SURVIVING_IDS = "no case identifier survived"
    TIME_FRAME = "times within the time frame"
    ORIGINS = "rows against the original"
    COPIES = "copies as recorded"
    PRIORS = "priors and ranges estimated again"
    EVENT_NOISE = "no event above its planned ε"
    COUNT_NOISE = "counts at most at their planned ε"
    COUNT_SIZE = "counts moved as noise moves them"
    EQUAL_TIMES = "equal gaps no more than noise explains"
    NOISE_SIZE = "noise as large as recorded"
    LINKAGE = "linkage by gaps"

    AUDIT = "audit of the mechanism"

    REQUIRED = "required guarantee"

    @property
    def part(self) -> Part:
        return _PARTS[self]


_ORDER = list(Name)


_BY_ITSELF = {Name.AUDIT: Part.ATTACK, Name.REQUIRED: Part.REQUIRED}


def _part_of(name: Name) -> Part:
    place = _ORDER.index(name)
    if name in _BY_ITSELF:
        return _BY_ITSELF[name]
    if place >= _ORDER.index(Name.PLAN):
        return Part.ORIGINAL
    return Part.INTERNAL if place >= _ORDER.index(Name.LEDGER) else Part.RELEASE


_PARTS = {name: _part_of(name) for name in Name}


class Outcome(Enum):
    """Not checked has not passed; told is a figure that no rule judges."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"
    TOLD = "told, not judged"


class Told(str):
    """A sentence with figures that no rule judges."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One check and what came of it."""

    name: Name
    """Which check it is."""
    outcome: Outcome
    """What came of it."""
    detail: str
    """What was seen, or why it failed or could not be made."""

    @property
    def confidential(self) -> bool:
        """Whether the detail may hold figures of the original log."""
        return self.name.part in (Part.INTERNAL, Part.ORIGINAL, Part.ATTACK)


@dataclass(frozen=True, slots=True)
class Missing:
    """In place of something that could not be had: why not."""

    why: str


class Fault(Exception):  # noqa: N818 — it is the outcome of a check, not an error of the program
    """Raised by a check that fails: the release is not what its report says."""


class NotPossible(Exception):  # noqa: N818 — same reason
    """Raised by a check that cannot be made here, which says nothing against the release."""


def attempt(name: Name, check: Callable[P, str], *arguments: P.args, **options: P.kwargs) -> Check:
    """Carry out one check with these arguments and return its outcome, whatever it raises."""

    def found() -> tuple[None, str]:
        return None, check(*arguments, **options)

    return _carried_out(name, found)[0]


def obtain(
    name: Name, get: Callable[P, tuple[T, str]], *arguments: P.args, **options: P.kwargs
) -> tuple[Check, T | Missing]:
    """Carry out a check that also yields what later checks work on. Returns its outcome and the value, or why there is
    none."""

    def found() -> tuple[T, str]:
        return get(*arguments, **options)

    return _carried_out(name, found)


def not_checked(name: Name, why: str) -> Check:
    return Check(name, Outcome.NOT_CHECKED, safe(why))


def _carried_out(name: Name, get: Callable[[], tuple[T, str]]) -> tuple[Check, T | Missing]:
    try:
        thing, detail = get()
    except NotPossible as reason:
        return not_checked(name, message_of(reason)), Missing(message_of(reason))
    except Exception as error:  # a release is hostile input: whatever it breaks, it has not passed
        if is_out_of_memory(error):  # which is no fault of the release, and no verdict on it
            raise MemoryError from error
        if isinstance(error, Fault | AmunError | AccountingError):
            why = message_of(error)
        elif os.environ.get("AMUN_DP_DEBUG"):
            raise
        else:
            why = f"the check broke off ({type(error).__name__}); what is read there makes no sense"
        return Check(name, Outcome.FAILED, safe(why)), Missing(f"'{name.value}' failed")
    return Check(name, Outcome.TOLD if isinstance(detail, Told) else Outcome.PASSED, safe(detail)), thing


def safe(text: str) -> str:
    """Text for one line of a terminal: names in a release may hold control characters, and be of any length."""
    return changed(text if len(text) <= LONGEST_DETAIL else text[:LONGEST_DETAIL] + "…", _printable)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "�" for character in text)


def listed(names: list[str], most: int = 3) -> str:
    """Some names, quoted, each cut short."""
    quoted = [f"'{name[:60]}{'…' if len(name) > 60 else ''}'" for name in names[:most]]
    return ", ".join(quoted) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def require(condition: object, otherwise: str) -> None:
    if not condition:
        raise Fault(otherwise)
