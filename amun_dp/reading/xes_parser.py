"""A strict, streaming reader of the XML of XES (IEEE 1849): a file in, columns of a few wanted attributes out.

The callbacks run once per XML element (millions of times), so they do as little as they can: one depth counter,
one dictionary look-up per attribute. Only direct children of an event or a trace are its attributes; attributes
nested in attributes are comments on them. The file is refused as a whole if any of it is malformed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO
from xml.parsers import expat

from amun_dp.errors import InputError
from amun_dp.reading.files import LogFile, opened
from amun_dp.reading.longest_pieces import LONGEST_TOKEN
from amun_dp.reading.xes_document import KINDS, VALUE_KINDS, Attributes, Sink, XesDocument

_CHUNK = 1 << 18
_STRUCTURE = frozenset({"log", "trace", "event"})


def parse_xes(file: LogFile, event_keys: Collection[str], trace_keys: Collection[str]) -> XesDocument:
    """One pass over the file, keeping the values of the given keys."""
    document = XesDocument(Attributes(event_keys), Attributes(trace_keys))
    with opened(file) as stream, _parser(document) as parser:
        try:
            _feed(parser, stream, document)
        except _NotXesError as error:
            raise InputError(f"{file.path}, line {parser.CurrentLineNumber}: {error}") from None
        except expat.ExpatError as error:
            why = expat.ErrorString(error.code)
            raise InputError(
                f"{file.path} is truncated or not well-formed XML: {why}, at line {error.lineno}. Nothing was "
                "read; export the log again."
            ) from None
        except (LookupError, ValueError):  # from Python's decoder of a declared encoding that expat lacks
            if document.events or document.traces:
                raise  # no encoding is declared this late, so the mistake is ours
            raise InputError(f"{file.path} declares an encoding that cannot be read. Save the log as UTF-8.") from None
    return document


def parse_header(header: bytes, event_keys: Collection[str], trace_keys: Collection[str]) -> XesDocument | None:
    """A log of which only the end is missing, or None if there is the least doubt about what may follow.

    That the document is whole with ``</log>`` added means that the header ends directly inside the root, between tags.
    """
    document = XesDocument(Attributes(event_keys), Attributes(trace_keys))
    if not header.startswith((b"<", b"\xef\xbb\xbf<")):  # blanks, or the byte order mark of another encoding
        return None
    with _parser(document) as parser:
        parser.XmlDeclHandler = _require_utf8
        parser.StartDoctypeDeclHandler = _refuse_entities
        try:
            _feed(parser, BytesIO(header + b"</log>"), document)
        except (_NotXesError, expat.ExpatError, LookupError, ValueError):
            return None
    return document


class _NotXesError(Exception):
    """Well-formed XML so far, but not an XES log."""


@contextmanager
def _parser(document: XesDocument) -> Iterator[expat.XMLParserType]:
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = _element_handlers(parser, document)
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.EntityDeclHandler = _refuse_entities
    try:
        yield parser
    finally:
        # They know the parser as it knows them: left in place, they would hold the document, all of its columns, until
        # Python looks for such rings, which is long after the log is made.
        parser.StartElementHandler = parser.EndElementHandler = None


def _feed(parser: expat.XMLParserType, stream: IO[bytes], document: XesDocument) -> None:
    fed = 0
    while chunk := stream.read(_CHUNK):
        fed += len(chunk)
        parser.Parse(chunk)
        if fed - parser.CurrentByteIndex > LONGEST_TOKEN:
            raise _NotXesError(
                f"a tag, comment or text of more than {LONGEST_TOKEN >> 20} megabytes begins here, and a log has none "
                "so long. Remove it, or export the log again."
            )
        document.event.flush()
        document.trace.flush()
    parser.Parse(b"", True)


def _element_handlers(
    parser: expat.XMLParserType, document: XesDocument
) -> tuple[Callable[[str, dict[str, str]], None], Callable[[str], None]]:
    """The callbacks at the start and the end of an element.

    ``event_child`` and ``trace_child`` are the depths at which a child of the open event or trace starts, 0 if none
    is open. Whatever starts where an event or a trace could start sets them, so the end has only to count down.
    """
    depth = event_child = trace_child = 0
    event = trace = -1
    header = _Header(document)
    event_sinks, trace_sinks = document.event.sinks, document.trace.sinks
    new_event_offset = document.event_offsets.append

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, event_child, trace_child, event, trace
        depth += 1
        if depth == event_child:
            try:
                sink = event_sinks[name][attributes["key"]]
            except KeyError:
                sink = header.admit(document.event, name, attributes)
            if sink is not None:
                sink[0].append(attributes.get("value"))
                sink[1].append(event)
        elif depth == trace_child:
            if header.local(name) == "event":
                event += 1
                event_child = 4
                new_event_offset(parser.CurrentByteIndex)
                return
            event_child = 0
            try:
                sink = trace_sinks[name][attributes["key"]]
            except KeyError:
                sink = header.admit(document.trace, name, attributes)
            if sink is not None:
                sink[0].append(attributes.get("value"))
                sink[1].append(trace)
        elif depth == 2:
            event_child = trace_child = 0
            local = header.local(name)
            if local == "trace":
                trace += 1
                trace_child = 3
                document.trace_starts.append(event + 1)
            elif local == "event":
                event += 1
                event_child = 3
                new_event_offset(parser.CurrentByteIndex)
                document.events_outside.append(event)
            else:
                header.child_of_log(local, attributes)
        else:
            header.elsewhere(depth, name, attributes)

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    return start, end


class _Header:
    """Everything outside the hot path: names, the root, globals, classifiers, and what must not be there."""

    def __init__(self, document: XesDocument) -> None:
        self._document = document
        self._prefixes: set[str] = set()
        self._names: dict[str, str | None] = {}
        self._global: str | None = None
        """The scope of the global that is open, or was the last child of the log."""

    def local(self, name: str) -> str | None:
        """The name without its prefix, or None if the prefix is not the root's: such elements are not XES."""
        try:
            local = self._names[name]
        except KeyError:
            prefix, _, local = name.rpartition(":")
            local = local if not prefix or prefix in self._prefixes else None
            self._names[name] = local
        if local is None:
            self._document.foreign_elements += 1
        return local

    def admit(self, scope: Attributes, name: str, attributes: dict[str, str]) -> Sink | None:
        local = self.local(name)
        if local in _STRUCTURE:
            raise _NotXesError(f"<{local}> stands where XES has none. The log is malformed; export it again.")
        if local not in KINDS:
            return None  # an element of a later standard, or of another one
        if "key" not in attributes:
            raise _NotXesError(f"<{local}> has no key. The log is malformed; export it again.")
        return scope.admit(name, local, attributes["key"])

    def child_of_log(self, local: str | None, attributes: dict[str, str]) -> None:
        scope = attributes.get("scope", "event")
        self._global = scope if local == "global" else None
        if local == "log":
            raise _NotXesError("<log> stands inside <log>. The log is malformed; export it again.")
        if local == "classifier" and scope == "event" and "name" in attributes:
            self._document.classifiers.setdefault(attributes["name"], attributes.get("keys", ""))

    def elsewhere(self, depth: int, name: str, attributes: dict[str, str]) -> None:
        """The root, children of a global, and attributes of attributes."""
        if depth == 1:
            self._root(name, attributes)
            return
        local = self.local(name)
        if local in _STRUCTURE:
            raise _NotXesError(f"<{local}> stands where XES has none. The log is malformed; export it again.")
        if depth == 3 and self._global is not None and local in KINDS:
            self._declare(self._global, local, attributes)

    def _declare(self, scope: str, kind: str, attributes: dict[str, str]) -> None:
        key = attributes.get("key", "")
        if scope == "trace":
            self._document.trace_declared.add(key)
        elif scope == "event":
            self._document.event_declared.add(key)
            if kind in VALUE_KINDS and attributes.get("value"):
                self._document.event_defaults.setdefault(key, attributes["value"])

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        prefix, _, local = name.rpartition(":")
        if local != "log":
            raise _NotXesError("this is XML but not an XES log: its root is not <log>. Name an XES log.")
        space = attributes.get(f"xmlns:{prefix}" if prefix else "xmlns")
        self._prefixes = {prefix} | {
            attribute.removeprefix("xmlns:")
            for attribute, value in attributes.items()
            if attribute.startswith("xmlns:") and value == space
        }


def _require_utf8(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and encoding.lower() != "utf-8":
        raise _NotXesError("the encoding is another one.")


def _refuse_document_type(_name: str, system_id: str | None, public_id: str | None, has_content: bool) -> None:
    # Without its declarations a document type is harmless (and an HTML page deserves the better message).
    if system_id or public_id or has_content:
        _refuse_entities()


def _refuse_entities(*_declaration: object) -> None:
    raise _NotXesError(
        "the file has a document type declaration, by which XML can pull in other files or grow without bound. "
        "XES has none; remove it."
    )
