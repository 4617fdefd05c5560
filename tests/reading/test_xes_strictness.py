"""Malformed, truncated and hostile XES is refused as a whole, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amun_dp.errors import InputError
from amun_dp.reading import read_log, xes, xes_parser
from tests.properties import examples
from tests.reading.samples import attribute, event, log, rows_of, trace, write

WHOLE = log(
    '<classifier name="C" keys="concept:name"/>',
    trace("1", event("a"), event("é & <b>", "2020-01-02T00:00:00+01:00")),
    trace("2", event("a"), attribute("int", "n", "1")),
)


@pytest.mark.slow
def test_a_file_cut_at_any_byte_is_refused_unless_only_blanks_are_lost(tmp_path: Path) -> None:
    whole = WHOLE.encode()
    expected = rows_of(read_log(write(tmp_path, whole)))
    for length in range(len(whole)):
        path = write(tmp_path, whole[:length])
        if whole[:length].rstrip() == whole.rstrip():
            assert rows_of(read_log(path)) == expected
        else:
            with pytest.raises(InputError):
                read_log(path)


def test_a_truncated_file_is_refused_with_its_line(tmp_path: Path) -> None:
    text = log(trace("1", event(), event()))
    with pytest.raises(InputError, match=r"truncated or not well-formed XML: .* line 5"):
        read_log(write(tmp_path, "\n".join(text.split("\n")[:4]) + "\n"))


@settings(max_examples=examples(200))
@given(position=st.integers(0, len(WHOLE.encode()) - 1), byte=st.integers(0, 255))
def test_one_wrong_byte_is_read_or_refused_but_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, position: int, byte: int
) -> None:
    text = bytearray(WHOLE.encode())
    text[position] = byte
    path = write(tmp_path_factory.mktemp("byte"), bytes(text))
    try:
        assert read_log(path, drop_incomplete=True).n_events <= 3
    except InputError as refused:
        assert str(refused)


@pytest.mark.parametrize("chunk", [1, 2, 7, 64])
def test_the_size_of_the_pieces_read_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    path = write(tmp_path, WHOLE)
    expected = rows_of(read_log(path))
    monkeypatch.setattr(xes, "parse_regular", lambda *_: None)
    monkeypatch.setattr(xes_parser, "_CHUNK", chunk)
    assert rows_of(read_log(path)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<log><trace></log>",
        log(trace("1", event())) + "<log/>",
        log(trace("1", "<event><string key='a' key='b'/></event>")),
        log(trace("1", "&nbsp;", event())),
    ],
    ids=["mismatched tag", "a second root", "an attribute twice", "an unknown entity"],
)
def test_malformed_xml_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"not well-formed XML: .*, at line \d"):  # the words between are expat's
        read_log(write(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    ["<html/>", "<?xml version='1.0'?><logs><log/></logs>", "<!DOCTYPE html><html></html>", "<event/>"],
)
def test_another_root_is_not_an_xes_log(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="not an XES log"):
        read_log(write(tmp_path, text))


@pytest.mark.parametrize(
    "content",
    [
        trace("1", trace("2", event())),
        trace("1", f"<event>{event()}</event>"),
        trace("1", f"<event>{trace('2')}</event>"),
        trace("1", f'<string key="k" value="v">{event()}</string>'),
        f'<global scope="event">{event()}</global>',
        log(trace("1", event())).split("\n", 1)[1],
    ],
)
def test_traces_and_events_where_none_belong_are_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match="malformed"):
        read_log(write(tmp_path, log(content)))


def test_an_attribute_without_a_key_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 4: <string> has no key"):
        read_log(write(tmp_path, log(trace("1", "<event><string value='a'/></event>"))))


def test_an_attribute_without_a_value_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 has no activity"):
        read_log(write(tmp_path, log(trace("1", event(None, "2020-01-01", "<string key='concept:name'/>")))))


BOMB = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">' for i in range(12))


@pytest.mark.parametrize(
    "declaration",
    [
        f"<!DOCTYPE log [{BOMB}]>",
        '<!DOCTYPE log [<!ENTITY x "y">]>',
        '<!DOCTYPE log [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE log [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;]>',
        '<!DOCTYPE log SYSTEM "http://127.0.0.1:1/x.dtd">',
        '<!DOCTYPE log PUBLIC "-//X//Y" "x.dtd">',
        "<!DOCTYPE log [ %x; ]>",
    ],
)
def test_entities_and_foreign_document_types_are_refused(tmp_path: Path, declaration: str) -> None:
    text = declaration + f"<log>{trace('1', event('&x;'))}</log>".replace("&amp;", "&")
    with pytest.raises(InputError, match="document type declaration"):
        read_log(write(tmp_path, text))


def test_characters_by_number_are_no_entities(tmp_path: Path) -> None:
    text = log(trace("1", event("X"))).replace('"X"', '"&#233;&lt;&quot;&#10;"')
    assert read_log(write(tmp_path, text)).activities == ('é<"\n',)


def test_declared_encodings_are_followed(tmp_path: Path) -> None:
    text = log(trace("1", event("é")))
    for encoding in ("iso-8859-1", "utf-16", "cp1252"):
        encoded = text.replace("UTF-8", encoding).encode(encoding)
        assert read_log(write(tmp_path, encoded)).activities == ("é",)
    assert read_log(write(tmp_path, text.encode("utf-8-sig"))).activities == ("é",)


@pytest.mark.parametrize("encoding", ["nonsense", "utf-32", "rot13", "idna", "big5"])
def test_an_encoding_that_cannot_be_read_is_refused(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(InputError, match="encoding"):
        read_log(write(tmp_path, log(trace("1", event())).replace("UTF-8", encoding)))


def test_text_that_is_not_of_its_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not well-formed XML"):
        read_log(write(tmp_path, log(trace("1", event("é"))).encode("iso-8859-1")))


def test_deep_nesting_is_no_danger(tmp_path: Path) -> None:
    deep = '<string key="k" value="v">' * 50_000 + "</string>" * 50_000
    assert read_log(write(tmp_path, log(trace("1", event("a", "2020-01-01", deep))))).n_events == 1
