"""Which column plays which role.

What the user names wins; then the names pm4py and the XES extensions use; then common spellings, which are
said aloud because they are a guess. Two possible columns are never chosen between: the user is asked to name one.
Only the header is looked at, never a row; for XES see ``amun_dp.reading.xes_roles``.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from amun_dp._base.messages import Message
from amun_dp._base.options import OPTIONS, Mention
from amun_dp.errors import ColumnError
from amun_dp.eventlog.log import ACTIVITY_COLUMN, CASE_COLUMN, TIME_COLUMN

LIFECYCLE_COLUMN = "lifecycle:transition"

_MOST_NAMES_LISTED = 40
_LONGEST_NAME_LISTED = 60


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What the user said about the columns; ``None`` leaves it to the reader."""

    case_id: str | None = None
    activity: str | None = None
    timestamp: str | None = None
    timestamp_format: str | None = None
    """strptime format of the timestamp column; ISO 8601 if not given."""
    lifecycle: str | None = None
    """The lifecycle transition whose events are kept (a value, not a column)."""
    individual: str | None = None
    drop_incomplete: bool = False
    sequence: str | None = None
    """Whole numbers that order the events of a table; the order of its rows if not given."""
    multiline_values: bool = False
    """CSV: a quoted value may go on in the next line. Otherwise a row is a line."""

    def named(self) -> frozenset[str]:
        """The columns the user gave a role: none of them is a candidate for another."""
        names = (self.case_id, self.activity, self.timestamp, self.individual, self.sequence)
        return frozenset(name for name in names if name is not None)


@dataclass(frozen=True, slots=True)
class Role:
    """Something a column can be."""

    name: str
    option: str
    """The option that names the column; of the lifecycle, the transition to keep."""
    default: str
    synonyms: frozenset[str]
    """Spellings in lower case, letters and digits only."""

    def named(self, *column: str) -> Mention:
        """The option, with the column that it shall name."""
        return Mention(OPTIONS[self.option], column)


CASE = Role(
    "case",
    "case_id",
    CASE_COLUMN,
    frozenset(
        {
            "case",
            "caseid",
            "caseidentifier",
            "casename",
            "casenumber",
            "casenr",
            "caseno",
            "caseconceptname",
            "idcase",
            "trace",
            "traceid",
            "tracename",
            "processinstance",
            "processinstanceid",
            "instanceid",
        }
    ),
)
ACTIVITY = Role(
    "activity",
    "activity",
    ACTIVITY_COLUMN,
    frozenset(
        {
            "activity",
            "activityname",
            "activitylabel",
            "activityid",
            "event",
            "eventname",
            "eventlabel",
            "task",
            "taskname",
            "action",
            "actionname",
            "conceptname",
        }
    ),
)
TIMESTAMP = Role(
    "timestamp",
    "timestamp",
    TIME_COLUMN,
    frozenset(
        {
            "timestamp",
            "time",
            "datetime",
            "date",
            "timetimestamp",
            "completetimestamp",
            "completiontimestamp",
            "completetime",
            "completiontime",
            "endtimestamp",
            "endtime",
            "enddate",
            "eventtimestamp",
            "eventtime",
            "eventdate",
            "eventdatetime",
        }
    ),
)
LIFECYCLE = Role(
    "lifecycle",
    "lifecycle",
    LIFECYCLE_COLUMN,
    frozenset({"lifecycle", "lifecycletransition", "lifecyclestate", "transition", "eventlifecycle"}),
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A column that plays a role, and what to say about it."""

    name: str
    notes: tuple[str, ...] = ()


def choose_column(
    role: Role,
    asked: str | None,
    available: Collection[str],
    taken: Collection[str] = (),
) -> Chosen:
    """The column for a role: the one asked for, the default, or the only one with a common spelling."""
    if asked is not None:
        if asked not in available:
            raise unknown_column(asked, role.option, available)
        return Chosen(asked)
    if role.default in available:
        return Chosen(role.default)
    candidates = [name for name in available if normalised(name) in role.synonyms and name not in taken]
    if len(candidates) == 1:
        return Chosen(candidates[0], (taken_as(f"The column {_quoted(candidates[0])}", role),))
    if candidates:
        raise ambiguous(role, candidates, "column")
    if role is LIFECYCLE:
        way_out = Message("Call it {default!r}, or read the log without {lifecycle}.", default=role.default)
    else:
        way_out = Message("Name it with {option}.", option=role.named())
    raise ColumnError(
        Message(
            "No column is recognised as the {role}. {way_out} The columns are: {there}.",
            role=role.name,
            way_out=way_out,
            there=listing(available),
        )
    )


def taken_as(what: str, role: Role) -> Message:
    """What was taken for a role, and how to name another. No option names that of the lifecycle: its own is for the
    transition to keep."""
    another = "" if role is LIFECYCLE else Message("; {option} names another", option=role.named())
    return Message("{what} is taken as the {role}{another}.", what=what, role=role.name, another=another)


def ambiguous(role: Role, candidates: Iterable[str], noun: str) -> ColumnError:
    """The error for a role that several may have."""
    way_out = "Rename all but one."
    if role is not LIFECYCLE:
        way_out = Message("Say which one it is with {option}.", option=role.named())
    return ColumnError(
        Message(
            "More than one {noun} could be the {role}: {candidates}. {way_out}",
            noun=noun,
            role=role.name,
            candidates=listing(candidates),
            way_out=way_out,
        )
    )


def unknown_column(asked: str, option: str, available: Iterable[str], noun: str = "column") -> ColumnError:
    """The error for a name that does not exist, with the names that do. ``option`` is the one that it was given for."""
    names = list(available)
    by_lower_case = {name.lower(): name for name in reversed(names)}
    close = difflib.get_close_matches(asked.lower(), by_lower_case, n=1)
    hint = f" Did you mean {_quoted(by_lower_case[close[0]])}?" if close else ""
    there = f"Available: {listing(names)}." if names else "The log has none."
    return ColumnError(
        Message(
            "There is no {noun} {asked} ({option}).{hint} {there}",
            noun=noun,
            asked=_quoted(asked),
            option=Mention(OPTIONS[option]),
            hint=hint,
            there=there,
        )
    )


def normalised(name: str) -> str:
    """Lower case, letters and digits only: 'Case ID', 'case_id' and 'CaseId' are one spelling."""
    return "".join(character for character in name.lower() if character.isalnum())


def listing(names: Iterable[str]) -> str:
    """Names for a message, in order; long lists and long names are cut so that the message stays readable."""
    all_names = list(names)
    shown = ", ".join(_quoted(name) for name in all_names[:_MOST_NAMES_LISTED])
    more = len(all_names) - _MOST_NAMES_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _quoted(name: str) -> str:
    """A name for a message. What follows a line break in it may be rows that a quotation has swallowed."""
    first, *more = name.splitlines() or [""]
    name = f"{first}…" if more else name
    return repr(name if len(name) <= _LONGEST_NAME_LISTED else name[: _LONGEST_NAME_LISTED - 1] + "…")
