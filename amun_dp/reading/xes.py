"""XES logs (IEEE 1849) as event logs: a trace is a case, whatever its name.

One pass reads the attributes asked for, or the standard's. Only if these turn out to be the wrong ones (the log
spells them otherwise, or the activity is a classifier) a second pass reads the right ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from amun_dp.columns import (
    ACTIVITY,
    LIFECYCLE,
    TIMESTAMP,
    ColumnChoice,
    choose_column,
    listing,
    normalised,
    unknown_column,
)
from amun_dp.errors import ColumnError, InputError
from amun_dp.eventlog import ACTIVITY_COLUMN, EventLog, IntArray
from amun_dp.reading.assembly import RawEvents, assemble
from amun_dp.reading.classifiers import classifier_keys
from amun_dp.reading.coded import Coded, coded_from_arrow, joined
from amun_dp.reading.files import LogFile, line_at
from amun_dp.reading.memory import return_memory
from amun_dp.reading.trace_names import name_traces
from amun_dp.reading.xes_document import Attributes, XesDocument
from amun_dp.reading.xes_parser import parse_xes
from amun_dp.reading.xes_regular import parse_regular

_TRACE_NAME = ACTIVITY_COLUMN  # concept:name, of the trace


@dataclass(frozen=True, slots=True)
class _Keys:
    """The attribute keys that play a role."""

    activity: tuple[str, ...]
    """One key, or the keys of a classifier."""
    timestamp: str
    trace_name: str
    lifecycle: str | None = None
    individual: str | None = None
    individual_of_trace: str | None = None
    notes: tuple[str, ...] = ()

    def of_events(self) -> set[str]:
        optional = {key for key in (self.lifecycle, self.individual) if key is not None}
        return {*self.activity, self.timestamp} | optional

    def of_traces(self) -> set[str]:
        return {self.trace_name} | ({self.individual_of_trace} if self.individual_of_trace is not None else set())


def read_xes(file: LogFile, choice: ColumnChoice) -> EventLog:
    """Read the file and build the log."""
    if choice.sequence is not None:
        raise ColumnError("XES has an order of its own: --sequence is for tables. Leave it out.")
    document = _parse(file, *_likely_keys(choice))
    if not document.events:
        empty = f" (and {document.traces} traces without any)" if document.traces else ""
        raise InputError(f"{file.path}: the log has no events{empty}. Export it again, with its events.")
    keys = _choose_keys(document, choice)
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


def _likely_keys(choice: ColumnChoice) -> tuple[set[str], set[str]]:
    """Keys of events and of traces that are probably needed, before anything is known about the log."""
    individual = set() if choice.individual is None else {choice.individual}
    lifecycle = set() if choice.lifecycle is None else {LIFECYCLE.default}
    of_events = {choice.activity or ACTIVITY.default, choice.timestamp or TIMESTAMP.default} | individual | lifecycle
    of_traces = {choice.case_id or _TRACE_NAME} | individual
    return of_events, of_traces | {key.removeprefix("case:") for key in of_traces}


def _choose_keys(document: XesDocument, choice: ColumnChoice) -> _Keys:
    notes: list[str] = []
    keys = sorted(document.event.keys)
    taken = choice.named()
    timestamp = choose_column(TIMESTAMP, choice.timestamp, keys, taken, "event attribute")
    activity = _choose_activity(document, choice, notes)
    notes.extend(timestamp.notes)
    lifecycle = None
    if choice.lifecycle is not None:
        with_defaults = sorted(document.event.keys | document.event_defaults.keys())
        chosen = choose_column(LIFECYCLE, None, with_defaults, taken, "event attribute")
        lifecycle = chosen.name
        notes.extend(chosen.notes)
    elif LIFECYCLE.default in document.event.keys and activity == (ACTIVITY.default,):
        notes.append(
            f"The events have lifecycle transitions ({LIFECYCLE.default!r}) and all are kept; --lifecycle complete "
            "keeps "
            "one kind."
        )
    individual, individual_of_trace = _choose_individual(document, choice, notes)
    if document.foreign_elements:
        notes.append(f"{document.foreign_elements} XML elements of another namespace were ignored.")
    return _Keys(
        activity=activity,
        timestamp=timestamp.name,
        trace_name=_choose_trace_name(document, choice),
        lifecycle=lifecycle,
        individual=individual,
        individual_of_trace=individual_of_trace,
        notes=tuple(notes),
    )


def _choose_activity(document: XesDocument, choice: ColumnChoice, notes: list[str]) -> tuple[str, ...]:
    """An attribute that events have comes before a classifier of that name, and both before a mere default."""
    asked = choice.activity
    seen, with_defaults = document.event.keys, document.event.keys | document.event_defaults.keys()
    if asked is None:
        other_spelling = any(normalised(key) in ACTIVITY.synonyms for key in seen)
        available = seen if other_spelling else with_defaults
        chosen = choose_column(ACTIVITY, None, sorted(available), choice.named(), "event attribute")
        notes.extend(chosen.notes)
        return (chosen.name,)
    if asked in document.classifiers:
        keys = classifier_keys(document.classifiers[asked], with_defaults)
        if asked not in seen:
            _require(keys, with_defaults, asked)
            notes.append(f"The activity is the classifier {asked!r}: {listing(keys)}, joined by '+'.")
            return keys
        if keys != (asked,):
            notes.append(f"The activity is the event attribute {asked!r}, not the classifier of the same name.")
    if asked not in with_defaults:
        known = list(dict.fromkeys((*sorted(seen), *document.classifiers)))
        raise unknown_column(asked, ACTIVITY.flag, known, "event attribute or classifier")
    return (asked,)


def _require(keys: tuple[str, ...], available: set[str], classifier: str) -> None:
    absent = [key for key in keys if key not in available]
    if absent or not keys:
        which = f"the attributes {listing(absent)}, which no event has" if absent else "no attributes"
        raise ColumnError(
            f"The classifier {classifier!r} is made of {which}. Name another activity with --activity; the "
            f"event attributes are: {listing(sorted(available))}."
        )


def _choose_trace_name(document: XesDocument, choice: ColumnChoice) -> str:
    if choice.case_id is None:
        return _TRACE_NAME
    for key in (choice.case_id, choice.case_id.removeprefix("case:")):
        # That the standard's own name occurs in no trace is no mistake: such traces are unnamed.
        if key in document.trace.keys or key == _TRACE_NAME:
            return key
    raise unknown_column(choice.case_id, "--case-id", sorted(document.trace.keys), "trace attribute")


def _choose_individual(document: XesDocument, choice: ColumnChoice, notes: list[str]) -> tuple[str | None, str | None]:
    """The key of the individual among the events or among the traces; a trace's own comes first."""
    asked = choice.individual
    if asked is None:
        return None, None
    for key in (asked, asked.removeprefix("case:")):
        if key in document.trace.keys:
            if key == asked and key in document.event.keys:
                notes.append(f"The individual is the trace attribute {key!r}, not the event attribute of that name.")
            return None, key
    if asked in document.event.keys:
        return asked, None
    available = [*(f"case:{key}" for key in sorted(document.trace.keys)), *sorted(document.event.keys)]
    raise unknown_column(asked, "--individual", available, "attribute")


def _raw_events(file: LogFile, document: XesDocument, keys: _Keys) -> RawEvents:
    notes = list(keys.notes)
    offsets = document.event_offsets  # not the document, which need not outlive its columns

    def locate(event: int) -> str:
        return f"line {line_at(file, offsets[event])}"

    def text(key: str) -> Coded:
        column = _values(file, document, document.event, key, locate)
        return _with_default(coded_from_arrow(column, key), document, key, notes)

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


def _with_default(column: Coded, document: XesDocument, key: str, notes: list[str]) -> Coded:
    """The log's default for events that lack a text attribute."""
    default = document.event_defaults.get(key)
    number = int(column.missing.sum())
    if default is None or not number:
        return column
    notes.append(f"{number} of {document.events} events have no {key!r} and get the default the log declares for it.")
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
            f"The timestamp {key!r} is written as <{other[0]}>, not as <date>. Name another attribute with "
            "--timestamp, or export the log with dates."
        )
    if "string" in kinds:
        notes.append(f"The timestamp {key!r} is written as <string>, not as <date>, and read all the same.")


def _roles(keys: _Keys) -> tuple[str, ...]:
    of_trace = None if keys.individual_of_trace is None else f"case:{keys.individual_of_trace}"
    named = (f"case:{keys.trace_name}", "+".join(keys.activity), keys.timestamp, keys.individual or of_trace)
    return tuple(name for name in named if name is not None)


def _dropped(document: XesDocument, keys: _Keys) -> tuple[str, ...]:
    of_events = document.event.keys - {*keys.activity, keys.timestamp}
    of_traces = document.trace.keys - {keys.trace_name}
    return tuple(sorted(of_events | {f"case:{key}" for key in of_traces}))
