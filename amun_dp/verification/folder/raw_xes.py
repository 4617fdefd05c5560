"""XES as it stands in its file: the elements that this software writes and no other, in a gzip file of one member."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final
from xml.parsers import expat

from amun_dp.verification.bounds import LimitReached, Limits, check_text
from amun_dp.verification.checks import Fault
from amun_dp.verification.folder.raw import TIME, Attributes, Faults, RawLog, too_many_events
from amun_dp.writing.packing import HEADER
from amun_dp.writing.xes import PRIVACY_URI

_CHUNK = 1 << 18
_LONGEST_TOKEN = 1 << 22
"""Bytes between two points where the parser gets on: a tag longer than this is no event of a log."""

_LOG: Final = {"xes.version": "1849-2016", "xes.features": "", "xmlns": "http://www.xes-standard.org/"}
_STANDARD = "http://www.xes-standard.org"
_NAME = {"key": "concept:name", "value": "UNKNOWN"}
_TIME = {"key": "time:timestamp", "value": "1970-01-01T00:00:00.000+00:00"}


def _element(name: str, attributes: dict[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(attributes.items())


_HEADER = {
    _element("extension", {"name": "Concept", "prefix": "concept", "uri": f"{_STANDARD}/concept.xesext"}),
    _element("extension", {"name": "Time", "prefix": "time", "uri": f"{_STANDARD}/time.xesext"}),
    _element("extension", {"name": "Privacy", "prefix": "privacy", "uri": PRIVACY_URI}),
    _element("classifier", {"name": "Activity", "keys": "concept:name"}),
    _element("global", {"scope": "trace"}),
    _element("global", {"scope": "event"}),
}
_DEFAULTS = {
    "trace": {_element("string", _NAME)},
    "event": {_element("string", _NAME), _element("date", _TIME)},
}


def scan_xes(path: Path, attributes: Attributes, most_events: int, limits: Limits) -> RawLog:
    faults = Faults()
    scanner = _Scanner(attributes, most_events, faults)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = scanner.start, scanner.end
    parser.CharacterDataHandler = scanner.text
    parser.CommentHandler = lambda _text: faults.add("a comment")
    parser.ProcessingInstructionHandler = lambda _target, _text: faults.add("a processing instruction")
    parser.StartCdataSectionHandler = lambda: faults.add("a CDATA section")
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.XmlDeclHandler = scanner.declaration
    fed = 0
    try:
        with path.open("rb") as file:
            for chunk in _inflated(file, faults):
                fed += len(chunk)
                limits.check_unpacked(fed)
                parser.Parse(chunk)
                if fed - parser.CurrentByteIndex > _LONGEST_TOKEN:
                    raise LimitReached(
                        "the log holds a tag of more than 4 MB, which no event needs; longer ones are not read"
                    )
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise Fault(f"the log is not well-formed XML ({expat.ErrorString(error.code)}, line {error.lineno})") from None
    except LookupError:
        raise Fault("the log declares an encoding other than UTF-8") from None
    scanner.finish()
    return RawLog(scanner.traces, scanner.events, scanner.disordered, tuple(faults.found))


def _inflated(file: IO[bytes], faults: Faults) -> Iterator[bytes]:
    """The text of the first and only member, a piece at a time."""
    decompressor = zlib.decompressobj(wbits=31)
    head = data = file.read(_CHUNK)
    if not head.startswith(HEADER):
        faults.add("a gzip header with a name, a time, a comment, an extra field, or marks of its own (XFL, OS)")
    try:
        while not decompressor.eof:
            piece = decompressor.decompress(data, _CHUNK)
            yield piece
            data = decompressor.unconsumed_tail
            if not data and len(piece) < _CHUNK and not (data := file.read(_CHUNK)):  # a full piece may have a rest
                break
    except zlib.error:
        raise Fault("the log is no gzip file, or a damaged one") from None
    if not decompressor.eof:
        raise Fault("the log is truncated: the compressed data ends too early")
    if decompressor.unused_data or file.read(1):
        faults.add("bytes after the end of the compressed data")


def _refuse_document_type(*_declaration: object) -> None:
    # At once: what it declares could grow without bound.
    raise Fault("the log has a document type declaration, which XES does not have")


class _Scanner:
    """The callbacks of the parser. They run once per element, so they do little."""

    def __init__(self, attributes: Attributes, most_events: int, faults: Faults) -> None:
        self.traces: list[str] = []
        self.events = 0
        self.disordered: int | None = 0
        self._late = 0
        self._readable = True
        self._most_events = most_events
        self._faults = faults
        self._depth = 0
        self._parent = ""
        self._global = ""
        self._header = set(_HEADER)
        self._facts = {
            _element("float" if isinstance(value, float) else "string", {"key": key, "value": str(value)})
            for key, value in attributes.items()
        }
        self._named = self._labelled = self._timed = False
        self._events_before = 0
        self._time = ""

    def declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if (version, encoding, standalone) != ("1.0", "UTF-8", -1):
            self._faults.add("an XML declaration of its own")

    def text(self, data: str) -> None:
        if not data.isspace():
            self._faults.add("text between the elements")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 4 and self._parent == "event":
            self._in_event(name, attributes)
        elif self._depth == 3 and self._parent in ("trace", "event"):
            self._in_trace(name, attributes)
        elif self._depth == 2:
            self._in_log(name, attributes)
        elif self._depth == 3 and self._parent == "global":
            if _element(name, attributes) not in _DEFAULTS.get(self._global, ()):
                self._foreign("a default", name, attributes)
        elif self._depth == 1:
            if name != "log" or attributes != _LOG:
                self._faults.add("a root other than the <log> of this software")
        elif self._depth > 4:
            self._foreign("an attribute", name, attributes)
            if self._depth > 100:
                raise Fault("the log nests elements without end")
        else:
            self._foreign("an element", name, attributes)

    def end(self, _name: str) -> None:
        self._depth -= 1
        if self._depth == 2 and self._parent == "event":
            self._parent = "trace"
            self._check_event()
        elif self._depth == 1:
            if self._parent == "trace" and (not self._named or self.events == self._events_before):
                self._faults.add("a trace without a name or without events")
            self._parent = ""

    def _in_log(self, name: str, attributes: dict[str, str]) -> None:
        if name == "trace" and not attributes:
            self._parent = "trace"
            self._named, self._time, self._events_before = False, "", self.events
            return
        self._parent = name if name == "global" else "other"
        self._global = attributes.get("scope", "")
        found = _element(name, attributes)
        if found in self._header and not self.traces:
            self._header.remove(found)
        elif found in self._facts and not self.traces:
            self._facts.remove(found)
        else:
            self._foreign("the log", name, attributes)

    def _in_trace(self, name: str, attributes: dict[str, str]) -> None:
        if name == "event" and not attributes and self._parent == "trace":
            self.events += 1
            if self.events > self._most_events:
                raise too_many_events(self._most_events)
            self._parent, self._labelled, self._timed = "event", False, False
            if not self._named:
                self._faults.add("an event before the name of its trace")
        elif name == "string" and _plain(attributes, "concept:name") and not self._named:
            self._named = True
            check_text(len(attributes["value"]), "concept:name")
            self.traces.append(attributes["value"])
        else:
            self._foreign("a trace", name, attributes)

    def _in_event(self, name: str, attributes: dict[str, str]) -> None:
        if name == "string" and _plain(attributes, "concept:name") and not self._labelled:
            self._labelled = True
            check_text(len(attributes["value"]), "concept:name")
        elif name == "date" and _plain(attributes, "time:timestamp") and not self._timed:
            self._timed = True
            time = attributes["value"]
            if TIME.fullmatch(time) is None:
                self._readable = False
                self._faults.add("a time that is not written in UTC with three decimals")
            elif time < self._time:  # of one form, so that text sorts as time does
                self._late += 1
            self._time = time
        else:
            self._foreign("an event", name, attributes)

    def _check_event(self) -> None:
        if not (self._labelled and self._timed):
            self._faults.add("an event without an activity or without a time")

    def finish(self) -> None:
        if self._header or self._facts:
            missing = sorted(dict(content).get("key", name) for name, content in self._header | self._facts)
            self._faults.add(f"no <{missing[0]}> as the report and this software have it")
        self.disordered = self._late if self._readable else None

    def _foreign(self, where: str, name: str, attributes: dict[str, str]) -> None:
        key = attributes.get("key")
        self._faults.add(f"{where} with <{name[:40]}>" + ("" if key is None else f" '{key[:40]}'"))


def _plain(attributes: dict[str, str], key: str) -> bool:
    return len(attributes) == 2 and attributes.get("key") == key and "value" in attributes
