"""XES documents as programs write them, and ways to spoil them that keep them plausible.

All take the choices to be made from a function, ``choose(n)`` in 0 … n-1: hypothesis can make and shrink them, and a
long run outside the suite can draw them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

Choose = Callable[[int], int]
_Choice = TypeVar("_Choice")

TIMES = (
    *("2020-01-01T10:00:00Z", "2020-01-01T10:00:00.000+00:00", "2020-02-29T23:59:59.999+02:00", "2020-01-01T10:00:00"),
    *(f"2021-06-30T12:00:00.{'123456789'[:digits]}+02:00" for digits in range(1, 10)),
    *("2021-06-30T12:00:00.1234567890Z", "2021-06-30T12:00:00.Z", "2021-06-30T12:00:00,5Z", "2020-01-01"),
    *("2016-12-31T23:59:60Z", "2020-01-01T24:00:00Z", "2020-01-01T24:00:01Z", "2020-01-01T25:00:00Z", "now", ""),
    *("10000-01-01T00:00:00Z", "9999-12-31T23:59:59.999-00:01", "0001-01-01T00:00:00+00:01", "0000-01-01T00:00:00Z"),
    *("2021-02-29T00:00:00Z", "2021-13-01T00:00:00Z", "2020-01-01T10:00:00+24:00", "2020-01-01T10:00:00+0200"),
    *("2020-01-01 10:00:00", "2020-01-01t10:00:00z", "20200101T100000Z", "2020-1-1T1:0:0Z", " 2020-01-01T10:00:00Z "),
    *("2020-01-01T10:00:00−01:00", "2020-01-01T10:00:00.5", "२०२०-01-01T10:00:00Z", "2020-01-01T10:00:00-05:30"),
)
VALUES = (
    *(
        "a",
        "b",
        "register request",
        "",
        " ",
        "x > y",
        "it's",
        "R&amp;D",
        "&lt;b&gt;",
        "&quot;&apos;",
        "&amp;lt;",
        "]]>",
    ),
    *("é", "日本", "🏥", "\x7f", "\x85", "\ufdd0", "a=b/c", "/>", "null", "&#9;&#10;", "&amp;#9;&#13;"),
)
KEYS = ("concept:name", "lifecycle:transition", "org:resource", "cost", "case id", "é", "", "x'y")
KINDS = ("string", "date", "int", "float", "boolean", "id")
INSERTIONS = (
    *(
        b"&#65;",
        b"&#10;",
        b"&#13",
        b"&lt;",
        b"&amp;",
        b"&amp",
        b"&bad;",
        b"&",
        b"&#0;",
        b"&#x41;",
        b"\xc3\xa9",
        b"\xff",
        b"\xc3",
        b"\x00",
    ),
    *(b"\xed\xa0\x80", b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\x0b", b"\x1f", b"\t"),
    *(b"\n", b"\r", b"\r\n", b" ", b'"', b"'", b"<", b">", b"/", b"=", b"text", b"<!-- c -->", b"<?pi x?>"),
    *(b"<![CDATA[x]]>", b"<event/>", b"<event></event>", b"<event>", b"</event>", b"<trace/>", b"<trace>", b"</trace>"),
    *(b"<trace></trace>", b"<log>", b"</log>", b'<list key="l"/>', b'<list key="l"><values/></list>', b"<o:x/>"),
    *(b'<container key="c"></container>', b'<string key="k"/>', b'<string value="v"/>', b'<int key="cost" value="1"/>'),
    *(b'<string value="v" key="concept:name"/>', b"<string key='k' value='v'/>", b'<other key="k" value="v"/>'),
    *(b'<string key="concept:name" value="twice"/>', b'<string key="k" value="v"></string>', b' extra="1"', b"\x0c"),
    *(b'<string key="a" value="b"><int key="c" value="1"/></string>', b'<string key="k" value="v" value="w"/>'),
    *(b'<global scope="event"><string key="concept:name" value="D"/></global>', b"<!DOCTYPE log>", b"\xef\xbb\xbf"),
    *(b'<classifier name="Both" keys="concept:name cost"/>', b'<date key="time:timestamp" value="2020-01-01"/>'),
)
_HEADS = (
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    "<?xml version='1.0' encoding='utf-8'?>\r\n<!-- by hand -->\n",
    "",
    '\ufeff<?xml version="1.0"?>\n',
)
_ROOTS = (
    "<log>",
    '<log xes.version="1.0" xmlns="http://www.xes-standard.org/">',
    '<log xmlns:o="urn:o">\n<!-- <x> -->',
)
_DECLARATIONS = (
    "",
    '<extension name="Concept" prefix="concept" uri="urn:c"/>\n<classifier name="Both" keys="concept:name cost"/>\n',
    '<global scope="event"><string key="concept:name" value="D"/><string key="lifecycle:transition" value="complete"/>'
    '</global><string key="concept:name" value="a log"><int key="nested" value="1"/></string>',
)


def document(choose: Choose) -> bytes:
    """A regular document of a few traces, by a program with a style of its own."""
    end, blank = _one(choose, ("/>", " />", "\n/>")), _one(choose, ("\n\t", "", "\r\n  ", " "))
    odd_times = choose(4) == 0

    def attribute(kind: str, key: str, value: str) -> str:
        return f'{blank}<{kind} key="{key}" value="{value}"{end}'

    def some_attribute() -> str:
        return attribute(_one(choose, KINDS), _one(choose, KEYS), _one(choose, VALUES))

    def event() -> str:
        parts = [
            attribute("string", "concept:name", _one(choose, VALUES)),
            attribute("date", "time:timestamp", _one(choose, TIMES if odd_times else TIMES[:4])),
            *(attribute("string", "lifecycle:transition", "complete") for _ in range(choose(2))),
            *(attribute("int", "cost", _one(choose, VALUES)) for _ in range(choose(2))),
            *(some_attribute() for _ in range(max(0, choose(4) - 2))),
        ]
        if choose(4) == 0:
            parts.reverse()
        return f"{blank}<event>{''.join(parts)}{blank}</event>"

    def trace() -> str:
        name = [attribute("string", "concept:name", _one(choose, VALUES) + str(choose(5)))] if choose(6) else []
        events = [event() for _ in range(choose(5))]
        others = [some_attribute() for _ in range(max(0, choose(4) - 2))]
        parts = [*name, *others, *events] if choose(4) else [*events, *others, *name]
        return f"{blank}<trace>{''.join(parts or [attribute('int', 'cost', '1')])}{blank}</trace>"

    declarations = _one(choose, _HEADS) + _one(choose, _ROOTS) + _one(choose, _DECLARATIONS)
    traces = "".join(trace() for _ in range(1 + choose(4)))
    return f"{declarations}{traces}{blank}</log>{_one(choose, ('', blank, chr(10)))}".replace("\n\n", "\n").encode()


def mutated(text: bytes, choose: Choose) -> bytes:
    return _one(choose, _MUTATIONS)(text, choose)


def _one(choose: Choose, options: Sequence[_Choice]) -> _Choice:
    return options[choose(len(options))]


def _splice(text: bytes, match: re.Match[bytes] | None, replacement: bytes) -> bytes:
    return text if match is None else text[: match.start()] + replacement + text[match.end() :]


def _match(pattern: bytes, text: bytes, choose: Choose) -> re.Match[bytes] | None:
    matches = list(re.finditer(pattern, text))
    return _one(choose, matches) if matches else None


def _replace_byte(text: bytes, choose: Choose) -> bytes:
    at = choose(max(len(text), 1))
    return text[:at] + bytes([choose(256)]) + text[at + 1 :]


def _delete(text: bytes, choose: Choose) -> bytes:
    at = choose(max(len(text), 1))
    return text[:at] + text[at + 1 + choose(3) :]


def _truncate(text: bytes, choose: Choose) -> bytes:
    return text[: choose(max(len(text), 1))]


def _repeat(text: bytes, choose: Choose) -> bytes:
    at = choose(max(len(text), 1))
    return text[: at + choose(60)] + text[at:]


def _insert_anywhere(text: bytes, choose: Choose) -> bytes:
    at = choose(len(text) + 1)
    return text[:at] + _one(choose, INSERTIONS) + text[at:]


def _insert_between_tags(text: bytes, choose: Choose) -> bytes:
    match = _match(rb">", text, choose)
    return text if match is None else text[: match.end()] + _one(choose, INSERTIONS) + text[match.end() :]


def _insert_into_value(text: bytes, choose: Choose) -> bytes:
    match = _match(rb'(?<=value=")[^"]*', text, choose)
    return text if match is None else text[: match.start()] + _one(choose, INSERTIONS) + text[match.start() :]


def _change_value(text: bytes, choose: Choose) -> bytes:
    return _splice(text, _match(rb'(?<=value=")[^"]*', text, choose), _one(choose, (*VALUES, *TIMES)).encode())


def _change_time(text: bytes, choose: Choose) -> bytes:
    match = _match(rb'(?<=time:timestamp" value=")[^"]*', text, choose)
    return _splice(text, match, _one(choose, TIMES).encode())


def _change_key(text: bytes, choose: Choose) -> bytes:
    return _splice(text, _match(rb'(?<=key=")[^"]*', text, choose), _one(choose, KEYS).encode())


def _change_name(text: bytes, choose: Choose) -> bytes:
    names = (*KINDS, "list", "container", "event", "trace", "log", "global", "other", "o:string", "String", "events")
    return _splice(text, _match(rb"(?<=[</])\w+", text, choose), _one(choose, names).encode())


def _change_case(text: bytes, choose: Choose) -> bytes:
    match = _match(rb"</?\w+|key|value", text, choose)
    return text if match is None else _splice(text, match, match[0].swapcase())


def _change_quotes(text: bytes, choose: Choose) -> bytes:
    match = _match(rb'"[^"]*"', text, choose)
    quote = _one(choose, (b"'", b"", b'""', b"`"))
    return text if match is None else _splice(text, match, match[0].replace(b'"', quote))


def _rearrange(text: bytes, choose: Choose) -> bytes:
    """Attributes of XML in another order, with other blanks, without one of them or with one more."""
    match = _match(rb'<(\w+) key="([^"]*)" value="([^"]*)"', text, choose)
    if match is None:
        return text
    forms = (
        rb'<\1 value="\3" key="\2"',
        rb'<\1  key="\2" value="\3"',
        rb'<\1 key = "\2" value="\3"',
        rb'<\1 key="\2"value="\3"',
        rb'<\1 key="\2"\nvalue="\3"',
        rb'<\1 key="\2"',
        rb'<\1 value="\3"',
        rb"<\1",
        rb'<\1 key="\2" value="\3" key="\2"',
        rb'<\1 key="\2" value="\3" x="y"',
        rb'< \1 key="\2" value="\3"',
        rb'<\1 key="\2" value="\3"></\1><\1 key="\2" value="\3"',
        rb'<\1 key="\2" value="\3"><int key="n" value="1"/></\1><\1 key="\2" value="\3"',
    )
    return _splice(text, match, match.expand(_one(choose, forms)))


def _duplicate(text: bytes, choose: Choose) -> bytes:
    pattern = _one(choose, (rb'<\w+ key="[^"]*" value="[^"]*"\s*/>', rb"(?s)<event>.*?</event>", rb"</?\w+>"))
    match = _match(pattern, text, choose)
    return text if match is None else _splice(text, match, match[0] * 2)


def _drop(text: bytes, choose: Choose) -> bytes:
    pattern = _one(choose, (rb'<\w+ key="[^"]*" value="[^"]*"\s*/>', rb"</?\w+>", rb"/>", rb"\s+"))
    return _splice(text, _match(pattern, text, choose), b"")


def _move(text: bytes, choose: Choose) -> bytes:
    match = _match(_one(choose, (rb"</?\w+>", rb'<\w+ key="[^"]*" value="[^"]*"\s*/>')), text, choose)
    if match is None:
        return text
    without = _splice(text, match, b"")
    to = _match(rb">", without, choose)
    return text if to is None else without[: to.end()] + match[0] + without[to.end() :]


def _change_declaration(text: bytes, choose: Choose) -> bytes:
    forms = (
        *(f'<?xml version="1.0" encoding="{name}"?>' for name in ("iso-8859-1", "utf-16", "UTF8", "us-ascii", "utf-8")),
        *('<?xml version="1.1"?>', "", " ", "\ufeff", "<!DOCTYPE log>", '<!DOCTYPE log [<!ENTITY bad "x">]>'),
    )
    match = re.match(rb"(\xef\xbb\xbf)?(<\?xml[^>]*>)?", text)
    return _splice(text, match, _one(choose, forms).encode())


_MUTATIONS = (
    *(_replace_byte, _delete, _truncate, _repeat, _insert_anywhere, _insert_between_tags, _insert_into_value),
    *(_change_value, _change_time, _change_time, _change_key, _change_name, _change_case, _change_quotes, _rearrange),
    *(_duplicate, _drop, _move, _change_declaration),
)
