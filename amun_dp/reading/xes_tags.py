"""The distinct TAGs of a regular XES document, and its END: what stands between values (see ``xes_regular``)."""

from __future__ import annotations

import re
from dataclasses import dataclass

ATTRIBUTE_ENDS, TRACE_BEGINS = b'"/>', b"<trace>"
_TAG = re.compile(
    rb'"~/>~(?P<ends_event></event>~)?(?P<ends_trace></trace>~)?(?P<trace><trace>~)?(?P<event><event>~)?'
    rb'<(?P<kind>string|date|int|float|boolean|id) key="(?P<key>[^"<&\x00-\x1f]*)" value="'.replace(
        b"~", rb"[ \t\r\n]*"
    )
)
_END = re.compile(rb'"~/>~(?P<ends_event></event>~)?</trace>~</log>~'.replace(b"~", rb"[ \t\r\n]*"))

ANY, LOG, TRACE, EVENT = -1, 0, 1, 2
FIRST_BLANK = 0x20


class IrregularError(Exception):
    """Whatever the document is, it is for the strict parser."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What one of the distinct TAGs says."""

    kind: str
    key: str
    before: int
    """What is open where it begins: an event, a trace, only the log, or ANY if it opens and closes nothing."""
    after: int
    """What its attribute belongs to, ANY if to what the one before belonged to."""
    opens_trace: bool
    opens_event: bool
    event_at: int
    """Where its event begins, counted from its own first byte."""
    less: int
    """How many < it has."""
    controls: int
    """How many control characters, line breaks among them."""


def tag_of(text: bytes) -> Tag:
    match = _TAG.fullmatch(text)
    if match is None:
        raise IrregularError
    ends_event, ends_trace = match["ends_event"] is not None, match["ends_trace"] is not None
    trace, event = match["trace"] is not None, match["event"] is not None
    attribute_of_log = ends_trace and not trace
    trace_in_trace = ends_event and trace and not ends_trace
    if attribute_of_log or trace_in_trace:
        raise IrregularError
    if ends_event:
        before = EVENT
    elif ends_trace:
        before = TRACE
    elif trace:
        before = LOG
    else:
        before = TRACE if event else ANY
    return Tag(
        kind=match["kind"].decode(),
        key=match["key"].decode(),
        before=before,
        after=EVENT if event else TRACE if trace or ends_event else ANY,
        opens_trace=trace,
        opens_event=event,
        event_at=match.start("event"),
        less=text.count(b"<"),
        controls=sum(byte < FIRST_BLANK for byte in text),
    )


def end_of_document(text: bytes) -> int:
    """Whether an event or a trace must be open before this END."""
    match = _END.fullmatch(text)
    if match is None:
        raise IrregularError
    return TRACE if match["ends_event"] is None else EVENT
