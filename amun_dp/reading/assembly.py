"""From the columns of a file to the event log: what all formats have in common.

Order matters: events of another lifecycle go first, so that they need not be complete; then times are read;
then incomplete events are refused or dropped. If a lifecycle is asked for, an event that states none is incomplete.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from accounting.arrow import to_arrow, to_numpy
from amun_dp._base.arrays import BoolArray, IntArray, TextArray
from amun_dp._base.messages import Message
from amun_dp.errors import IncompleteLog, InputError
from amun_dp.eventlog.log import EventLog, ReadingFacts, build_event_log
from amun_dp.reading.coded import Coded, without_views
from amun_dp.reading.columns import ColumnChoice
from amun_dp.reading.sequence import in_sequence, require_order, unnumbered
from amun_dp.reading.timestamps import Times, times_from_arrow

TRANSITION = "lifecycle transition"


@dataclass(frozen=True, slots=True)
class RawEvents:
    """The columns of a log as they stand in the file, one row an event, in the file's order."""

    format: str
    case: Coded
    activity: Coded
    time: Any
    """A pyarrow array: times are read after events of another lifecycle are gone."""
    time_name: str
    locate: Callable[[int], str]
    """Where an event stands, for messages: 'line 57'."""
    lifecycle: Coded | None = None
    individual: Coded | None = None
    """One row an event."""
    individual_of_case: Coded | None = None
    """One row a case; used instead of ``individual`` where the format knows cases."""
    sequence: Any = None
    """A pyarrow array of whole numbers that order the events; None if the order of rows does."""
    notes: tuple[str, ...] = ()
    dropped_attributes: tuple[str, ...] = ()
    empty_traces: int = 0
    columns: tuple[str, ...] = ()


def assemble(raw: RawEvents, choice: ColumnChoice) -> EventLog:
    """The event log, or an error that says what is missing and where."""
    total = len(raw.case.codes)
    if not total:
        raise InputError("The log has no events. Export it again, with its events.")
    notes = list(raw.notes)
    rows, other_lifecycle = _of_lifecycle(raw, choice, notes)
    if raw.sequence is not None:
        rows = _in_sequence(raw, rows)
    times = _read_times(raw, choice, rows, notes)
    complete, incomplete = _complete(raw, choice, rows, times, notes)
    rows = rows[complete]
    if not len(rows):
        raise InputError(f"The log has no events left: all {total} were dropped as they were not complete.")
    if len(rows) < total or raw.sequence is not None:
        raw = _by_first_kept(raw, rows)
    places = _places(raw, rows)
    case = raw.case.codes[places]
    if raw.sequence is not None:
        require_order(case, times.milliseconds[complete], to_numpy(raw.sequence)[rows])
    individual, individual_name = _individuals(raw, case, choice, notes)
    return build_event_log(
        case=case,
        case_names=raw.case.labels,
        activity=raw.activity.codes[places],
        labels=raw.activity.labels,
        time=times.milliseconds[complete],
        sequence=rows if raw.sequence is None else np.arange(len(rows)),
        individual=individual,
        individual_name=individual_name,
        facts=ReadingFacts(
            format=raw.format,
            notes=tuple(notes),
            dropped_attributes=raw.dropped_attributes,
            incomplete_events=incomplete,
            other_lifecycle_events=other_lifecycle,
            empty_traces=raw.empty_traces,
            columns=raw.columns,
        ),
    )


def _places(raw: RawEvents, rows: IntArray) -> IntArray | slice:
    """The rows as an index into columns of the file; if these are all, in its order, nothing needs to be copied."""
    return slice(None) if len(rows) == len(raw.case.codes) and raw.sequence is None else rows


def _in_sequence(raw: RawEvents, rows: IntArray) -> IntArray:
    """The rows in the order of their numbers: from here on it is as if the file had been sorted by them."""
    numbers = raw.sequence.take(to_arrow(rows))
    if numbers.null_count:
        raise unnumbered(numbers.null_count, len(rows))
    return rows[in_sequence(to_numpy(numbers), raw.case.codes[rows], raw.case.labels)]


def _by_first_kept(raw: RawEvents, rows: IntArray) -> RawEvents:
    """Cases numbered by their first event that is kept: what is left out leaves no trace in their order."""
    used, first = np.unique(raw.case.codes[rows], return_index=True)
    order = np.concatenate((used[np.argsort(first)], np.setdiff1d(np.arange(len(raw.case.labels)), used)))
    number = np.empty(len(order) + 1, dtype=np.int64)
    number[order], number[-1] = np.arange(len(order)), -1  # the last entry is that of an event without a case
    of_case = raw.individual_of_case
    return replace(
        raw,
        case=Coded(number[raw.case.codes], raw.case.labels[order]),
        individual_of_case=None if of_case is None else Coded(of_case.codes[order], of_case.labels),
    )


def _of_lifecycle(raw: RawEvents, choice: ColumnChoice, notes: list[str]) -> tuple[IntArray, int]:
    """The events of the lifecycle asked for and those that state none, and the number of others."""
    everything = np.arange(len(raw.case.codes), dtype=np.int64)
    if choice.lifecycle is None or raw.lifecycle is None:
        return everything, 0
    asked = np.isin(raw.lifecycle.codes, of_transition(raw.lifecycle.labels, choice.lifecycle))
    if not asked.any():
        raise no_such_transition(choice)
    rows = everything[asked | raw.lifecycle.missing]
    others = len(everything) - len(rows)
    if others:
        notes.append(other_transitions(others))
    return rows, others


def of_transition(labels: TextArray, asked: str) -> list[int]:
    """Codes of the labels that are the transition asked for, in any case of letters."""
    return [code for code, label in enumerate(labels) if label.casefold() == asked.casefold()]


def no_such_transition(choice: ColumnChoice) -> InputError:
    return InputError(
        Message(
            "No event has the lifecycle transition {asked!r}. Name another with {lifecycle}, or leave it out to keep "
            "every event.",
            asked=choice.lifecycle,
        )
    )


def other_transitions(events: int) -> str:
    return f"{_count(events, 'event')} of another lifecycle transition {_were(events)} dropped."


def _read_times(raw: RawEvents, choice: ColumnChoice, rows: IntArray, notes: list[str]) -> Times:
    import pyarrow as pa

    as_it_is = isinstance(_places(raw, rows), slice)
    column = raw.time if as_it_is else without_views(raw.time).take(to_arrow(rows))
    times = times_from_arrow(column, raw.time_name, choice.timestamp_format)
    unreadable = int(times.unreadable.sum())
    if unreadable:
        raise InputError(
            Message(
                "{unreadable} of {all} ({name!r}) cannot be read, the first at {where}: {why}",
                unreadable=unreadable,
                all=_count(len(rows), "timestamp"),
                name=raw.time_name,
                where=raw.locate(int(rows[times.unreadable].min())),
                why=_unreadable(choice.timestamp_format),
            )
        )
    typed = pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)
    if typed and choice.timestamp_format is not None:
        notes.append(Message("The timestamps are stored as such, so that {timestamp_format} was not needed."))
    naive = int(times.naive.sum())
    if naive:
        notes.append(f"{naive} of {_count(len(rows), 'timestamp')} without a UTC offset {_were(naive)} read as UTC.")
    return times


def _unreadable(asked: str | None) -> Message:
    if asked is None:
        return Message(
            "they are not ISO 8601 of the years 1 to 9999. Give their format, e.g. {timestamp_format:{example}} "
            "(strptime syntax); day and month are never guessed.",
            example="%d/%m/%Y %H:%M",
        )
    return Message(
        "they do not follow {timestamp_format:{asked}}, or there is no such date. Repair them, or give another format.",
        asked=asked,
    )


def _complete(
    raw: RawEvents, choice: ColumnChoice, rows: IntArray, times: Times, notes: list[str]
) -> tuple[BoolArray | slice, int]:
    """Which events have a case, an activity, a timestamp and a lifecycle if it matters, and how many do not."""
    places = _places(raw, rows)
    missing = {
        "case": raw.case.missing[places],
        "activity": raw.activity.missing[places],
        "timestamp": times.missing,
    }
    if raw.lifecycle is not None:
        missing[TRANSITION] = raw.lifecycle.missing[places]
    incomplete = np.logical_or.reduce(list(missing.values()))
    number = int(incomplete.sum())
    if not number:
        return slice(None), 0
    counts = {role: int(mask.sum()) for role, mask in missing.items() if mask.any()}
    per_role = ", ".join(f"{count} {'has' if count == 1 else 'have'} no {role}" for role, count in counts.items())
    if not choice.drop_incomplete:
        raise IncompleteLog(
            Message(
                "{number} of {all} {are} incomplete: {per_role} (first at {first}). Complete the log, or leave such "
                "events out with {drop_incomplete}.",
                number=number,
                all=_count(len(rows), "event"),
                are="is" if number == 1 else "are",
                per_role=per_role,
                first=raw.locate(int(rows[incomplete].min())),
            )
        )
    notes.append(f"{_count(number, 'incomplete event')} {_were(number)} dropped ({per_role}).")
    return ~incomplete, number


def _individuals(
    raw: RawEvents, case: IntArray, choice: ColumnChoice, notes: list[str]
) -> tuple[IntArray, TextArray] | tuple[None, None]:
    """The individual behind each case, as the number of their first case, which a case without has to itself; and their
    names. Cases that are numbered alike give the same codes, in whatever order a file names individuals."""
    cases = len(raw.case.labels)
    if raw.individual_of_case is not None:
        of_case, labels = raw.individual_of_case.codes, raw.individual_of_case.labels
    elif raw.individual is not None:
        of_case, labels = _one_individual_a_case(raw.case.codes, raw.individual, cases, choice), raw.individual.labels
    else:
        return None, None
    known = len(labels)
    used = np.unique(case)
    unknown = int((of_case[used] < 0).sum())
    if unknown:
        notes.append(cases_without_individual(unknown))
    own = known + np.arange(cases, dtype=np.int64)
    codes = np.where(of_case < 0, own, of_case)[used]
    _, first, position = np.unique(codes, return_index=True, return_inverse=True)
    individual = np.zeros(cases, dtype=np.int64)
    individual[used] = first[position]
    names = np.append(np.asarray(labels, dtype=object), "")  # entry -1 is that of a case without
    return individual, names[of_case]


def _one_individual_a_case(case: IntArray, individual: Coded, cases: int, choice: ColumnChoice) -> IntArray:
    """All events of a case count, also those that are dropped: they say whose case it is no less."""
    stated = (case >= 0) & ~individual.missing
    width = max(len(individual.labels), 1)
    pairs = np.unique(case[stated] * width + individual.codes[stated])
    several = int((np.bincount(pairs // width, minlength=cases) > 1).sum())
    if several:
        raise several_individuals(several, choice)
    of_case = np.full(cases, -1, dtype=np.int64)
    of_case[pairs // width] = pairs % width
    return of_case


def several_individuals(cases: int, choice: ColumnChoice) -> InputError:
    return InputError(
        Message(
            "{cases} {have} events of more than one individual ({name!r}). A case belongs to one: name another "
            "attribute with {individual}, or repair the log.",
            cases=_count(cases, "case"),
            have="has" if cases == 1 else "have",
            name=choice.individual,
        )
    )


def cases_without_individual(cases: int) -> str:
    return f"{_count(cases, 'case')} without an individual {_were(cases)} each given one of its own."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
