"""XES logs (IEEE 1849) as event logs: a trace is a case, whatever its name.

One pass reads the attributes asked for, or the standard's. Only if these turn out to be the wrong ones (the header
declares another spelling, or the activity is a classifier) a second pass reads the right ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp._base.messages import Message
from amun_dp.errors import ColumnError, InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading.assembly import RawEvents, assemble
from amun_dp.reading.coded import Coded, coded_from_arrow, joined
from amun_dp.reading.columns import ColumnChoice, listing
from amun_dp.reading.files import LogFile, line_at
from amun_dp.reading.memory import return_memory
from amun_dp.reading.trace_names import name_traces
from amun_dp.reading.xes_document import Attributes, XesDocument
from amun_dp.reading.xes_parser import parse_xes
from amun_dp.reading.xes_regular import parse_regular
from amun_dp.reading.xes_roles import Keys, choose_keys, likely_keys


def read_xes(file: LogFile, choice: ColumnChoice) -> EventLog:
    """Read the file and build the log."""
    if choice.sequence is not None:
        raise ColumnError(Message("XES has an order of its own: {sequence} is for tables. Leave it out."))
    document = _parse(file, *likely_keys(choice))
    if not document.events:
        empty = f" (and {document.traces} traces without any)" if document.traces else ""
        raise InputError(f"{file.path}: the log has no events{empty}. Export it again, with its events.")
    keys = choose_keys(document, choice)
    if not (keys.of_events() <= document.event.wanted and keys.of_traces() <= document.trace.wanted):
        document = _parse(file, keys.of_events(), keys.of_traces())
    raw = _raw_events(file, document, keys)
    del document
    return_memory()
    return assemble(raw, choice)


def _parse(file: LogFile, event_keys: set[str], trace_keys: set[str]) -> XesDocument:
    """Fast if the document is regular; if not, as strictly and with the same result."""
    document = parse_regular(file, event_keys, trace_keys)
    return parse_xes(file, event_keys, trace_keys) if document is None else document


def _raw_events(file: LogFile, document: XesDocument, keys: Keys) -> RawEvents:
    notes = list(keys.notes)
    offsets = document.event_offsets  # not the document, which need not outlive its columns

    def locate(event: int) -> str:
        return f"line {line_at(file, offsets[event])}"

    def text(key: str) -> Coded:
        column = _values(file, document, document.event, key, locate)
        return _with_default(coded_from_arrow(column, key), document, key, keys, notes)

    names, name_notes = name_traces(_trace_text(file, document, keys.trace_name))
    notes.extend(name_notes)
    empty = document.empty_traces()
    if empty:
        notes.append(f"Traces without events: {empty}. They leave nothing to read.")
    time = _values(file, document, document.event, keys.timestamp, locate)
    _check_time_kinds(document, keys.timestamp, notes)
    individual = keys.individual
    of_trace = keys.individual_of_trace
    return RawEvents(
        format="xes",
        case=Coded(document.trace_of_event(), names),
        activity=joined([text(key) for key in keys.activity], "+"),
        time=time,
        time_name=keys.timestamp,
        locate=locate,
        lifecycle=None if keys.lifecycle is None else text(keys.lifecycle),
        individual=None
        if individual is None
        else coded_from_arrow(_values(file, document, document.event, individual, locate), individual),
        individual_of_case=None if of_trace is None else _trace_text(file, document, of_trace),
        notes=tuple(dict.fromkeys(notes)),
        dropped_attributes=_dropped(document, keys),
        empty_traces=empty,
        columns=_roles(keys),
    )


def _values(file: LogFile, document: XesDocument, scope: Attributes, key: str, locate: Any) -> Any:
    """The column of a key; that an event or trace states it twice is an error, for which of them holds?"""
    of_events = scope is document.event
    column, twice = scope.values(key, document.events if of_events else document.traces)
    if twice.any():
        what = "event" if of_events else "trace"
        where = f", {locate(int(np.argmax(twice)))}" if of_events else f", trace {int(np.argmax(twice)) + 1}"
        raise InputError(
            f"{file.path}{where}: the {what} has the attribute {key!r} more than once, so its value is "
            f"ambiguous ({int(twice.sum())} such {what}s). Repair the log."
        )
    return column


def _trace_text(file: LogFile, document: XesDocument, key: str) -> Coded:
    return coded_from_arrow(_values(file, document, document.trace, key, None), key)


def _with_default(column: Coded, document: XesDocument, key: str, keys: Keys, notes: list[str]) -> Coded:
    """The log's default for events that lack a text attribute."""
    default = document.event_defaults.get(key)
    number = int(column.missing.sum())
    if default is None or not number:
        return column
    lacking = f"{number} of {document.events} events have no {key!r} and"
    if key in keys.activity and keys.other_activities:
        # Many programs declare a default that nobody means; where events may state an activity otherwise, it is asked.
        other = keys.other_activities[0]
        raise ColumnError(
            Message(
                "{lacking} would get the default that the header declares, but events have other attributes that may "
                "be the activity: {others}. Say which one it is: {activity:{key}} (with the default), or e.g. "
                "{activity:{other}}.",
                lacking=lacking,
                others=listing(keys.other_activities),
                key=key,
                other=other,
            )
        )
    notes.append(f"{lacking} get the default the log declares for it.")
    labels: list[str] = column.labels.tolist()
    if default not in labels:
        labels.append(default)
    codes: IntArray = np.where(column.missing, labels.index(default), column.codes)
    return Coded(codes, np.array(labels, dtype=object))


def _check_time_kinds(document: XesDocument, key: str, notes: list[str]) -> None:
    kinds = document.event.kinds(key)
    other = [kind for kind in kinds if kind not in {"date", "string"}]
    if other:
        raise InputError(
            Message(
                "The timestamp {key!r} is written as <{kind}>, not as <date>. Name another attribute with {timestamp}, "
                "or export the log with dates.",
                key=key,
                kind=other[0],
            )
        )
    if "string" in kinds:
        notes.append(f"The timestamp {key!r} is written as <string>, not as <date>, and read all the same.")


def _roles(keys: Keys) -> tuple[str, ...]:
    of_trace = None if keys.individual_of_trace is None else f"case:{keys.individual_of_trace}"
    named = (f"case:{keys.trace_name}", "+".join(keys.activity), keys.timestamp, keys.individual or of_trace)
    return tuple(name for name in named if name is not None)


def _dropped(document: XesDocument, keys: Keys) -> tuple[str, ...]:
    of_events = document.event.keys - {*keys.activity, keys.timestamp}
    of_traces = document.trace.keys - {keys.trace_name}
    return tuple(sorted(of_events | {f"case:{key}" for key in of_traces}))
