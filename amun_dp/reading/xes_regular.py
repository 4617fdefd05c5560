"""XES of a regular shape, read by whole columns: the same document as the strict parser's, several times faster.

Programs write XES by templates, so that all but the values repeats. A document is regular if it is, byte by byte,

    header TAG value TAG value … TAG value END

- header: all before the first ``<trace>``. The strict parser reads it: with ``</log>`` added it is a whole document,
  in UTF-8 and without a document type, that has neither traces nor events.
- value: UTF-8 without ``"``, ``<``, control characters (also tab and line break), U+FFFE and U+FFFF; ``&`` only as the
  beginning of one of XML's own references (``&amp;`` and four more) or of a tab or line break by number (``&#10;``).
- TAG: from the quote that ends a value to the quote that begins the next one. The end of the element, then at most one
  of each of these tags in this order, then the next element with its key and nothing else:
  ``"/> </event> </trace> <trace> <event> <string key="…" value="``. Blanks (space, tab, CR, LF) may stand between tags
  and before ``/>``. The key is like a value without any ``&``; the element is one of the kinds that have a value. Only
  the very first TAG has no ``"/>``.
- END: ``"/> </event> </trace> </log>``, with blanks likewise.

Traces stand in the log, events in traces, attributes in either. As quotes cut the text, only the few distinct TAGs are
looked at one by one; that nothing forbidden stands in a value is shown by counting: the TAGs hold every such byte
there is. What is irregular in a single place (comments, nested attributes, lists, single quotes, attributes in another
order, prefixes, other characters by number, empty traces or events …) or cannot be read at all is left to the strict
parser as a whole. docs/adr/0011-fast-xes.md argues that the two cannot differ.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import IO, Any

import numpy as np

from accounting.arrow import to_arrow, to_numpy
from amun_dp._base.arrays import IntArray
from amun_dp.errors import InputError
from amun_dp.reading.files import LogFile, opened
from amun_dp.reading.xes_document import Attributes, XesDocument
from amun_dp.reading.xes_parser import parse_header
from amun_dp.reading.xes_tags import (
    ANY,
    ATTRIBUTE_ENDS,
    EVENT,
    FIRST_BLANK,
    LOG,
    TRACE,
    TRACE_BEGINS,
    IrregularError,
    Tag,
    end_of_document,
    tag_of,
)

_CHUNK = 1 << 22
_MOST_TAGS = 1 << 13
"""Distinct ones. Real logs have 5 to 200; with many more, to look at each is no faster than to parse strictly."""
_LONGEST_HEADER = 1 << 26  # some programs write statistics into it: megabytes
_QUOTE, _LESS, _AMPERSAND = b'"<&'
_NO_CHARACTERS = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")  # U+FFFE, U+FFFF
_REFERENCES = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&#9;": "\t",
    "&#10;": "\n",
    "&#13;": "\r",
    "&amp;": "&",  # last: what it yields is no reference
}


def parse_regular(file: LogFile, event_keys: Collection[str], trace_keys: Collection[str]) -> XesDocument | None:
    """The document, or None if it is not regular: then nothing is known about it."""
    try:
        with opened(file) as stream, closing(_pieces(stream)) as pieces:
            return _parse(pieces, event_keys, trace_keys)
    except InputError:  # the strict parser may have more to say than that the file is damaged
        return None


def _pieces(stream: IO[bytes]) -> Generator[bytes, None, None]:
    """The file in pieces, each read (and decompressed) while the one before is worked on."""
    with ThreadPoolExecutor(1) as reader:
        ahead = reader.submit(stream.read, _CHUNK)
        while piece := ahead.result():
            ahead = reader.submit(stream.read, _CHUNK)
            yield piece


def _parse(pieces: Iterator[bytes], event_keys: Collection[str], trace_keys: Collection[str]) -> XesDocument | None:
    beginning, start = _up_to_the_first_trace(pieces)
    if start < 0:
        return None
    document = parse_header(beginning[:start], event_keys, trace_keys)
    if document is None or document.events or document.traces:
        return None
    # As if an attribute of the log stood before the first trace: then all TAGs are alike.
    body = _Body(document, start - len(ATTRIBUTE_ENDS))
    try:
        rest = body.read(ATTRIBUTE_ENDS + memoryview(beginning)[start:])
        for piece in pieces:
            if len(rest) > _CHUNK:
                return None  # not a single value in all that text
            rest = body.read(rest + piece)
        body.end(rest)
    except IrregularError:
        return None
    return document


def _up_to_the_first_trace(pieces: Iterator[bytes]) -> tuple[bytes, int]:
    """The file up to the piece in which the first trace begins, and where it begins; -1 if nowhere."""
    text = b""
    for piece in pieces:
        searched = max(0, len(text) - len(TRACE_BEGINS))
        text += piece
        start = text.find(TRACE_BEGINS, searched)
        if start >= 0 or len(text) > _LONGEST_HEADER:
            return text, start
    return text, -1


class _Body:
    """The traces of a document, a piece of text at a time."""

    def __init__(self, document: XesDocument, offset: int) -> None:
        self._document = document
        self._offset = offset
        """Of the next piece, in the file."""
        self._open = LOG
        self._codes: dict[bytes, int] = {}
        self._tags: list[Tag] = []

    def read(self, text: bytes) -> bytes:
        """Read as many TAGs with their values as are there, and give back the rest."""
        quotes = np.flatnonzero(np.frombuffer(text, np.uint8) == _QUOTE)
        number = (len(quotes) - 1) // 4
        if number < 1:
            return text
        # Four quotes an attribute: the end of the value before, two around the key, the beginning of the value.
        bounds = np.empty(2 * number + 1, np.int64)
        bounds[0::2] = quotes[0 : 4 * number + 1 : 4]
        bounds[1::2] = quotes[3 : 4 * number : 4] + 1
        end = int(bounds[-1])
        _require_characters(text, end)
        parts = _slices(text, bounds)
        codes = self._encode(parts.take(to_arrow(np.arange(0, 2 * number, 2))))
        self._require_plain_values(text, end, codes)
        self._collect(parts, bounds, codes, escaped=_has_references(text, end))
        self._offset += end
        return text[end:]

    def end(self, text: bytes) -> None:
        """Check that the text is the end of the document."""
        if end_of_document(text) != self._open:
            raise IrregularError

    def _encode(self, texts: Any) -> IntArray:
        """TAGs by their number among the distinct ones."""
        import pyarrow as pa

        encoded = texts.dictionary_encode()
        distinct: list[bytes] = encoded.dictionary.cast(pa.large_binary()).to_pylist()
        for text in distinct:
            if text not in self._codes:
                self._tags.append(tag_of(text))
                self._codes[text] = len(self._codes)
        if len(self._tags) > _MOST_TAGS:
            raise IrregularError
        codes: IntArray = np.array([self._codes[text] for text in distinct], dtype=np.int64)
        numbered: IntArray = codes[to_numpy(encoded.indices)]
        return numbered

    def _of_tags(self, name: str) -> IntArray:
        return np.array([getattr(tag, name) for tag in self._tags], dtype=np.int64)

    def _require_plain_values(self, text: bytes, end: int, codes: IntArray) -> None:
        """What a value must not hold stands in the TAGs as often as in the whole text, hence in no value."""
        content = np.frombuffer(text, np.uint8, end)
        times = np.bincount(codes, minlength=len(self._tags))
        less, controls = np.count_nonzero(content == _LESS), np.count_nonzero(content < FIRST_BLANK)
        if less != times @ self._of_tags("less") or controls != times @ self._of_tags("controls"):
            raise IrregularError

    def _collect(self, parts: Any, bounds: IntArray, codes: IntArray, escaped: bool) -> None:
        """Follow what opens and closes, then give every attribute to its owner."""
        document = self._document
        after = self._of_tags("after")[codes]
        steps = after != ANY
        opened_by = np.concatenate(([self._open], after[steps]))
        if (self._of_tags("before")[codes[steps]] != opened_by[:-1]).any():
            raise IrregularError
        owner_kind = opened_by[np.cumsum(steps)]
        opens_event, opens_trace = self._of_tags("opens_event")[codes], self._of_tags("opens_trace")[codes]
        event = document.events - 1 + np.cumsum(opens_event)
        trace = document.traces - 1 + np.cumsum(opens_trace)

        starts = np.flatnonzero(opens_event)
        event_offsets = self._offset + bounds[2 * starts] + self._of_tags("event_at")[codes[starts]]
        first_events = (event + 1 - opens_event)[opens_trace != 0]
        document.event_offsets.frombytes(event_offsets.tobytes())
        document.trace_starts.frombytes(first_events.tobytes())
        self._open = int(owner_kind[-1])

        for scope, kind, owner in ((document.event, EVENT, event), (document.trace, TRACE, trace)):
            rows = np.flatnonzero(owner_kind == kind)
            self._keep(scope, parts, rows, codes[rows], owner[rows], escaped)

    def _keep(
        self, scope: Attributes, parts: Any, rows: IntArray, codes: IntArray, owners: IntArray, escaped: bool
    ) -> None:
        """The attributes of all events, or of all traces."""
        met: dict[tuple[str, str], list[int]] = {}
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            tag = self._tags[code]
            met.setdefault((tag.kind, tag.key), []).append(code)
        for (kind, key), of in met.items():
            scope.keys.add(key)
            if key in scope.wanted:
                stated = np.isin(np.arange(len(self._tags)), of)[codes]
                values = parts.take(to_arrow(2 * rows[stated] + 1))
                scope.add(kind, key, _unescaped(values) if escaped else values, owners[stated])


def _require_characters(text: bytes, end: int) -> None:
    """UTF-8 of characters that XML knows. (The control characters below the blank are looked for elsewhere.)"""
    if np.frombuffer(text, np.uint8, end).max() < 0x80:
        return
    try:
        str(memoryview(text)[:end], "utf-8")
    except UnicodeDecodeError:
        raise IrregularError from None
    if any(text.find(character, 0, end) >= 0 for character in _NO_CHARACTERS):
        raise IrregularError


def _has_references(text: bytes, end: int) -> bool:
    """Whether there are references; all of them must be known."""
    # A numpy array counts single bytes five times as fast as Python does.
    number = int(np.count_nonzero(np.frombuffer(text, np.uint8, end) == _AMPERSAND))
    if number and number != sum(text.count(reference.encode(), 0, end) for reference in _REFERENCES):
        raise IrregularError
    return number > 0


def _slices(text: bytes, bounds: IntArray) -> Any:
    """The text as a column, cut at the bounds; nothing is copied."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.large_string(), len(bounds) - 1, buffers)


def _unescaped(values: Any) -> Any:
    import pyarrow.compute as pc

    for reference, character in _REFERENCES.items():
        values = pc.replace_substring(values, reference, character)
    return values
