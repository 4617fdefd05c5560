"""The event log as columns.

One row an event, rows grouped by case and ordered within a case by time, ties by their order in the input.
Cases and activities are integer codes; time is int64 milliseconds since 1970-01-01 UTC, a resolution that holds
any calendar date with room for noise (the year 292 million), so nothing wraps in 2262.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from amun_dp._base.arrays import BoolArray, IntArray, TextArray

if TYPE_CHECKING:
    import pandas as pd

_Scalar = TypeVar("_Scalar", bound=np.generic)
_Found = TypeVar("_Found")

CASE_COLUMN = "case:concept:name"
ACTIVITY_COLUMN = "concept:name"
TIME_COLUMN = "time:timestamp"


@dataclass(frozen=True, slots=True)
class ReadingFacts:
    """What happened while the log was read. Facts about the original, hence confidential once reported."""

    format: str = "dataframe"
    """xes, csv, parquet or dataframe: the release is written in the same one unless asked otherwise."""
    notes: tuple[str, ...] = ()
    """Decisions the reader took that a user should hear about (a synonym recognised, naive times read as UTC)."""
    dropped_attributes: tuple[str, ...] = ()
    """Names of the attributes that were read past; only case, activity and timestamp are kept."""
    incomplete_events: int = 0
    """Events dropped because they lack a case, an activity or a timestamp."""
    other_lifecycle_events: int = 0
    """Events dropped because their lifecycle transition is not the one asked for."""
    empty_traces: int = 0
    """Traces without a single event; they leave no row."""
    columns: tuple[str, ...] = ()
    """Names of the columns (XES: attributes) of case, activity and timestamp, and of the individual if there is one."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class EventLog:
    """An event log (Def. 1 of the article). All arrays are read-only."""

    case: IntArray
    """Case code of each event, non-decreasing, 0 … n_cases-1."""
    activity: IntArray
    """Activity code of each event, an index into ``activities``."""
    time: IntArray
    """Milliseconds since 1970-01-01 UTC, non-decreasing within a case."""
    sequence: IntArray
    """Place of the event in the input, or in the order of its sequence numbers; it breaks ties in time."""
    offsets: IntArray
    """Events of case c are rows offsets[c] … offsets[c+1]-1; never empty."""
    case_names: TextArray
    """Unique text name of each case."""
    activities: tuple[str, ...]
    """Sorted distinct labels that occur in the log."""
    individual: IntArray | None = None
    """The individual behind each case, if known: the same number for all cases of one. Readers take the number of their
    first case."""
    individual_name: TextArray | None = None
    """Name of the individual behind each case, empty where there is none: a registry knows people by it."""
    facts: ReadingFacts = ReadingFacts()
    """What happened while it was read."""

    def __repr__(self) -> str:
        """Sizes only: a log shown in a notebook or a log file names nobody."""
        return f"<EventLog: {self.n_cases:,} cases, {self.n_events:,} events, {len(self.activities):,} activities>"

    @property
    def n_events(self) -> int:
        """Number of events."""
        return len(self.case)

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.case_names)

    @property
    def lengths(self) -> IntArray:
        """Number of events of each case."""
        return np.diff(self.offsets)

    @property
    def individuals(self) -> IntArray:
        """Individual behind each case: its own, where nothing else is known."""
        return np.arange(self.n_cases) if self.individual is None else self.individual

    @property
    def most_cases_of_one(self) -> int | None:
        """Largest number of cases of one individual; None where individuals are unknown."""
        return None if self.individual is None else int(np.unique(self.individual, return_counts=True)[1].max())

    @property
    def first_of_case(self) -> BoolArray:
        """True for the first event of each case."""
        first = np.zeros(self.n_events, dtype=np.bool_)
        first[self.offsets[:-1]] = True
        return first

    @property
    def starts(self) -> IntArray:
        """Start time of each case."""
        return self.time[self.offsets[:-1]]

    def to_pandas(self) -> pd.DataFrame:
        """The log as a DataFrame with pm4py's column names."""
        import pandas as pd

        labels = np.array(self.activities, dtype=object)
        return pd.DataFrame(
            {
                CASE_COLUMN: self.case_names[self.case],
                ACTIVITY_COLUMN: labels[self.activity],
                TIME_COLUMN: times_to_pandas(self.time),
            }
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PublicLog(EventLog):
    """A released log: the only kind whose figures may stand in a public report.

    A type of its own, so that the original in its place does not type-check. Made by ``declared_public`` only.
    """


def declared_public(log: EventLog) -> PublicLog:
    """Declare that a log is what was released. Whoever calls this answers for it: two places in the package do."""
    return PublicLog(
        case=log.case,
        activity=log.activity,
        time=log.time,
        sequence=log.sequence,
        offsets=log.offsets,
        case_names=log.case_names,
        activities=log.activities,
    )


def once_per_log(compute: Callable[[EventLog], _Found]) -> Callable[[EventLog], _Found]:
    """What is computed from a log alone is kept as long as the log lives: a log cannot change.

    The result must not hold the log itself, which would never be let go.
    """
    known: WeakKeyDictionary[EventLog, _Found] = WeakKeyDictionary()

    @wraps(compute)
    def computed(log: EventLog) -> _Found:
        found = known.get(log)
        if found is None:
            found = known[log] = compute(log)
        return found

    return computed


def times_to_pandas(milliseconds: IntArray) -> pd.DatetimeIndex:
    """Milliseconds since the epoch as time-zone-aware (UTC) pandas times."""
    import pandas as pd

    return pd.DatetimeIndex(milliseconds.astype("datetime64[ms]")).tz_localize("UTC")


def build_event_log(
    case: IntArray,
    case_names: TextArray,
    activity: IntArray,
    labels: TextArray,
    time: IntArray,
    sequence: IntArray,
    individual: IntArray | None = None,
    facts: ReadingFacts | None = None,
    individual_name: TextArray | None = None,
) -> EventLog:
    """Order the events, forget cases and labels that do not occur, and freeze the columns.

    The columns may come in any order. O(n log n) if events are out of order, O(n) if they already are in order.
    ``case_names``, ``labels``, ``individual`` and ``individual_name`` are indexed by the codes; names of cases must be
    unique.
    """
    order = _chronological_order(case, time, sequence)
    if order is not None:
        case, activity, time, sequence = case[order], activity[order], time[order], sequence[order]

    # Rows of a case stand together by now, and cases in the order of their codes.
    is_first = np.ones(len(case), dtype=np.bool_)
    np.not_equal(case[1:], case[:-1], out=is_first[1:])
    used_cases, case = case[is_first], np.cumsum(is_first)
    case -= 1
    used_labels = np.flatnonzero(np.bincount(activity, minlength=len(labels)))
    names = labels[used_labels]
    # Sorted as Python text: a numpy text array would pad every label to the longest.
    alphabetical = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    recode = np.empty(len(labels), dtype=np.int64)
    recode[used_labels[alphabetical]] = np.arange(len(used_labels))
    return EventLog(
        case=_frozen(case.astype(np.int64, copy=False)),
        activity=_frozen(recode[activity]),
        time=_frozen(time),
        sequence=_frozen(sequence),
        offsets=_frozen(np.append(np.flatnonzero(is_first), len(case))),
        case_names=_frozen(case_names[used_cases]),
        activities=tuple(str(name) for name in names[alphabetical]),
        individual=None if individual is None else _frozen(individual[used_cases]),
        individual_name=None if individual_name is None else _frozen(individual_name[used_cases]),
        facts=facts or ReadingFacts(),
    )


def _chronological_order(case: IntArray, time: IntArray, sequence: IntArray) -> IntArray | None:
    """The permutation that sorts by (case, time, sequence), or None if the columns are sorted already."""
    if len(case) < 2:
        return None
    same_case = case[1:] == case[:-1]
    same_time = time[1:] == time[:-1]
    in_order = (case[1:] > case[:-1]) | (
        same_case & ((time[1:] > time[:-1]) | (same_time & (sequence[1:] > sequence[:-1])))
    )
    if in_order.all():
        return None
    return np.lexsort((sequence, time, case)).astype(np.int64, copy=False)


def _frozen(column: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    view = column.view()
    view.flags.writeable = False
    return view
