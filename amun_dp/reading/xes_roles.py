"""Which attributes of an XES log play which role: by options, by the header or by the standard's keys.

Never by what events and traces happen to have: one case could then decide how all others are read. What occurs only
decides whether a name is refused: because nothing has it, or because it means two things and no option says which.
"""

from __future__ import annotations

from dataclasses import dataclass

from amun_dp._base.messages import Message, joined
from amun_dp.errors import ColumnError
from amun_dp.eventlog.log import ACTIVITY_COLUMN
from amun_dp.reading.classifiers import classifier_keys
from amun_dp.reading.columns import (
    ACTIVITY,
    LIFECYCLE,
    TIMESTAMP,
    Chosen,
    ColumnChoice,
    Role,
    ambiguous,
    listing,
    normalised,
    taken_as,
    unknown_column,
)
from amun_dp.reading.xes_document import XesDocument

_TRACE_NAME = ACTIVITY_COLUMN  # concept:name, of the trace
_EVENT, _TRACE, _CLASSIFIER = "event:", "trace:", "classifier:"
_TRACE_IN_PM4PY = "case:"


@dataclass(frozen=True, slots=True)
class Keys:
    """The attribute keys that play a role."""

    activity: tuple[str, ...]
    """One key, or the keys of a classifier."""
    timestamp: str
    trace_name: str
    lifecycle: str | None = None
    individual: str | None = None
    individual_of_trace: str | None = None
    other_activities: tuple[str, ...] = ()
    """Keys that events have and that are common spellings of the activity, if no option says what it is."""
    notes: tuple[str, ...] = ()

    def of_events(self) -> set[str]:
        optional = {key for key in (self.lifecycle, self.individual) if key is not None}
        return {*self.activity, self.timestamp} | optional

    def of_traces(self) -> set[str]:
        return {self.trace_name} | ({self.individual_of_trace} if self.individual_of_trace is not None else set())


@dataclass(frozen=True, slots=True)
class _Named:
    """What an option names: a key (or a classifier), and what has it, if the option says so."""

    key: str
    of: str | None


def _named(asked: str, *prefixes: str) -> _Named:
    """By its spelling alone: ``trace:patient`` is the attribute ``patient`` of traces, also if one of that whole name
    occurs, which is ``trace:trace:patient``."""
    for prefix in prefixes:
        if asked.startswith(prefix):
            return _Named(asked.removeprefix(prefix), _TRACE if prefix == _TRACE_IN_PM4PY else prefix)
    return _Named(asked, None)


def _named_activity(asked: str) -> _Named:
    return _named(asked, _EVENT, _CLASSIFIER)


def _named_individual(asked: str) -> _Named:
    return _named(asked, _EVENT, _TRACE, _TRACE_IN_PM4PY)


def _trace_name(choice: ColumnChoice) -> str:
    return _TRACE_NAME if choice.case_id is None else _named(choice.case_id, _TRACE, _TRACE_IN_PM4PY).key


def likely_keys(choice: ColumnChoice) -> tuple[set[str], set[str]]:
    """Keys of events and of traces that are probably needed, before anything is known about the log."""
    of_events = {_named_activity(choice.activity or ACTIVITY.default).key}
    of_events.add(_named(choice.timestamp or TIMESTAMP.default, _EVENT).key)
    of_traces = {_trace_name(choice)}
    if choice.lifecycle is not None:
        of_events.add(LIFECYCLE.default)
    if choice.individual is not None:
        individual = _named_individual(choice.individual)
        if individual.of != _TRACE:
            of_events.add(individual.key)
        if individual.of != _EVENT:
            of_traces.add(individual.key)
    return of_events, of_traces


def choose_keys(document: XesDocument, choice: ColumnChoice) -> Keys:
    """Give each role its key."""
    notes: list[str] = []
    taken = _taken(choice)
    timestamp = _choose_timestamp(document, choice, taken, notes)
    activity = _choose_activity(document, choice, taken, notes)
    lifecycle = None
    if choice.lifecycle is not None:
        lifecycle = _unasked(LIFECYCLE, document, taken, notes)
    elif LIFECYCLE.default in document.event.keys and activity == (ACTIVITY.default,):
        notes.append(
            Message(
                "The events have lifecycle transitions ({key!r}) and all are kept; {lifecycle:complete} keeps one "
                "kind.",
                key=LIFECYCLE.default,
            )
        )
    individual, individual_of_trace = _choose_individual(document, choice)
    if document.foreign_elements:
        notes.append(f"{document.foreign_elements} XML elements of another namespace were ignored.")
    spellings = _spellings(ACTIVITY, document.event.keys, taken) if choice.activity is None else []
    return Keys(
        activity=activity,
        timestamp=timestamp,
        trace_name=_choose_trace_name(document, choice),
        lifecycle=lifecycle,
        individual=individual,
        individual_of_trace=individual_of_trace,
        other_activities=tuple(key for key in spellings if key not in activity),
        notes=tuple(notes),
    )


def _taken(choice: ColumnChoice) -> set[str]:
    """Keys that an option gave a role: none of them is a candidate for another."""
    named = [
        _named_activity(choice.activity or ""),
        _named(choice.timestamp or "", _EVENT),
        _named_individual(choice.individual or ""),
    ]
    return {name.key for name in named}


def _spellings(role: Role, keys: set[str], taken: set[str]) -> list[str]:
    return sorted(key for key in keys if normalised(key) in role.synonyms and key not in taken)


def _unasked(role: Role, document: XesDocument, taken: set[str], notes: list[str]) -> str:
    """The key of a role that no option names: the standard's, unless the header declares another spelling instead."""
    chosen = _by_the_header(role, document, taken)
    notes.extend(chosen.notes)
    seen = document.event.keys
    # A default time is no observation.
    if chosen.name in seen or (role is not TIMESTAMP and chosen.name in document.event_defaults):
        return chosen.name
    spellings = _spellings(role, seen, taken)
    if role is LIFECYCLE:
        way_out = Message(
            "Call it {default!r}, declare it in the header (<global>), or read the log without {lifecycle}.",
            default=role.default,
        )
    elif spellings:
        way_out = Message(
            "If it is one of these, say so: {candidates}.", candidates=joined(" or ", map(role.named, spellings))
        )
    else:
        way_out = Message("Name it with {option}.", option=role.named())
    raise ColumnError(
        Message(
            "No event has the attribute {key!r}, {which} for the {role}. Another one is never taken because some "
            "events have it. {way_out} The event attributes are: {seen}.",
            key=chosen.name,
            which="which the header declares" if chosen.notes else "which the standard has",
            role=role.name,
            way_out=way_out,
            seen=listing(sorted(seen)),
        )
    )


def _by_the_header(role: Role, document: XesDocument, taken: set[str]) -> Chosen:
    declared = document.event_declared
    spellings = [] if role.default in declared else _spellings(role, declared, taken)
    if not spellings:
        return Chosen(role.default)
    possible = spellings + [role.default] * (role.default in document.event.keys)
    if len(possible) > 1:
        raise ambiguous(role, possible, "event attribute")
    found = f"The event attribute {spellings[0]!r}, which the header declares,"
    return Chosen(spellings[0], (taken_as(found, role),))


def _choose_timestamp(document: XesDocument, choice: ColumnChoice, taken: set[str], notes: list[str]) -> str:
    if choice.timestamp is None:
        return _unasked(TIMESTAMP, document, taken, notes)
    named = _named(choice.timestamp, _EVENT)
    if named.key not in document.event.keys:
        available = _listed(document.event.keys, _EVENT)
        raise unknown_column(choice.timestamp, TIMESTAMP.option, available, "event attribute")
    return named.key


def _choose_activity(document: XesDocument, choice: ColumnChoice, taken: set[str], notes: list[str]) -> tuple[str, ...]:
    asked = choice.activity
    if asked is None:
        return (_unasked(ACTIVITY, document, taken, notes),)
    named = _named_activity(asked)
    available = document.event.keys | document.event_defaults.keys()
    if named.of != _EVENT and named.key in document.classifiers:
        keys = classifier_keys(document.classifiers[named.key], document.event_declared)
        if named.of == _CLASSIFIER or named.key not in available | document.event_declared:
            _require(keys, available, named.key, document)
            notes.append(f"The activity is the classifier {named.key!r}: {listing(keys)}, joined by '+'.")
            return keys
        if keys != (named.key,):
            raise ColumnError(
                Message(
                    "{key!r} ({activity}) is both a classifier and an event attribute, and they are not the same. Say "
                    "which one it is: {activity:{classifier}} or {activity:{attribute}}.",
                    key=named.key,
                    classifier=_CLASSIFIER + named.key,
                    attribute=_EVENT + named.key,
                )
            )
    if named.of == _CLASSIFIER or named.key not in available:
        known = [*_listed(document.event.keys, _EVENT, _CLASSIFIER), *document.classifiers]
        raise unknown_column(asked, ACTIVITY.option, list(dict.fromkeys(known)), "event attribute or classifier")
    return (named.key,)


def _require(keys: tuple[str, ...], available: set[str], classifier: str, document: XesDocument) -> None:
    absent = [key for key in keys if key not in available]
    if not absent and keys:
        return
    which = f"the attributes {listing(absent)}, which no event has" if absent else "no attributes"
    unquoted = classifier_keys(document.classifiers[classifier], available) != keys
    quote = (
        " A key with blanks must stand in single quotes or be declared in the header (<global>)." if unquoted else ""
    )
    raise ColumnError(
        Message(
            "The classifier {classifier!r} is made of {which}.{quote} Name another activity with {activity}; the event "
            "attributes are: {available}.",
            classifier=classifier,
            which=which,
            quote=quote,
            available=listing(sorted(available)),
        )
    )


def _choose_trace_name(document: XesDocument, choice: ColumnChoice) -> str:
    key = _trace_name(choice)
    # That the standard's own name occurs in no trace is no mistake: such traces are unnamed.
    if key in document.trace.keys or key == _TRACE_NAME:
        return key
    names = _listed(document.trace.keys, _TRACE, _TRACE_IN_PM4PY)
    raise unknown_column(choice.case_id or key, "case_id", names, "trace attribute")


def _choose_individual(document: XesDocument, choice: ColumnChoice) -> tuple[str | None, str | None]:
    """The key of the individual among the events or among the traces.

    A name without either may be what occurs, if it occurs in one of them only: whoever has it nowhere has no individual
    in both readings, and as soon as it occurs in both it is refused.
    """
    asked = choice.individual
    if asked is None:
        return None, None
    named = _named_individual(asked)
    of_traces, of_events = named.key in document.trace.keys, named.key in document.event.keys
    if named.of is None and (of_traces or of_events):
        of_traces |= named.key in document.trace_declared
        of_events |= named.key in document.event_declared
        if of_traces and of_events:
            raise ColumnError(
                Message(
                    "{key!r} ({individual}) is an attribute of traces and one of events, in the header or in the log. "
                    "Say which one it is: {individual:{of_trace}} or {individual:{of_event}}.",
                    key=named.key,
                    of_trace=_TRACE + named.key,
                    of_event=_EVENT + named.key,
                )
            )
    if of_traces and named.of != _EVENT:
        return None, named.key
    if of_events and named.of != _TRACE:
        return named.key, None
    available = [
        *(f"{_TRACE_IN_PM4PY}{key}" for key in sorted(document.trace.keys)),
        *_listed(document.event.keys, _EVENT, _TRACE, _TRACE_IN_PM4PY),
    ]
    raise unknown_column(asked, "individual", available, "attribute")


def _listed(keys: set[str], first: str, *others: str) -> list[str]:
    """The keys as an option understands them: one that begins like a prefix needs the ``first`` before it."""
    return [first + key if key.startswith((first, *others)) else key for key in sorted(keys)]
