"""The fast reader of regular XES gives what the strict parser gives, or leaves the file to it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amun_dp.errors import AmunError, InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log, xes, xes_regular
from amun_dp.reading.files import recognise
from amun_dp.reading.xes_document import Attributes, XesDocument
from amun_dp.reading.xes_parser import parse_xes
from amun_dp.reading.xes_regular import parse_regular
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.writing import write_log
from tests.properties import examples
from tests.reading.samples import attribute, event, log, trace, write
from tests.reading.xes_mutations import KEYS, document, mutated
from tests.writing.logs import AWKWARD_TEXTS, log_of

WANTED = {*KEYS, "time:timestamp"}
WAYS_TO_READ: tuple[dict[str, Any], ...] = (
    {},
    {"drop_incomplete": True},
    {"drop_incomplete": True, "lifecycle": "complete"},
    {"drop_incomplete": True, "activity": "Both", "individual": "case:cost"},
    {"drop_incomplete": True, "activity": "cost", "case_id": "é", "individual": "org:resource"},
)
REGULAR = log(
    '<global scope="event"><string key="concept:name" value="D"/></global><classifier name="Both" keys="a b"/>',
    trace("1", event("a"), event("é", "2020-01-02T00:00:00.5+01:00", attribute("int", "cost", "1"))),
    trace("2", attribute("float", "weight", "0.5"), event("R&D <b>\t\r\n&#9;")),
    trace("2"),
    trace(None, event(None, None, attribute("id", "x", "")), attribute("string", "concept:name", "3")),
)


def columns_of(found: EventLog) -> tuple[Any, ...]:
    individual = None if found.individual is None else found.individual.tolist()
    names = None if found.individual_name is None else found.individual_name.tolist()
    columns = (found.case, found.activity, found.time, found.sequence, found.offsets, found.case_names)
    return (*(column.tolist() for column in columns), found.activities, individual, names, found.facts)


def outcome(path: Path, choice: dict[str, Any]) -> object:
    """All there is to the log, or the refusal."""
    try:
        return columns_of(read_log(path, **choice))
    except AmunError as refusal:
        return type(refusal), str(refusal)


def outcome_by_the_strict_parser(path: Path, choice: dict[str, Any]) -> object:
    with patch.object(xes, "parse_regular", lambda *_: None):
        return outcome(path, choice)


def content(found: XesDocument) -> tuple[object, ...]:
    def of(scope: Attributes, size: int) -> tuple[object, ...]:
        values = {key: scope.values(key, size) for key in WANTED}
        twice = {key: doubles.tolist() for key, (_, doubles) in values.items()}
        # Which of two values of one attribute comes last is of no consequence: the log is refused.
        single = {key: column.filter(pa.array(~doubles)).to_pylist() for key, (column, doubles) in values.items()}
        return scope.keys, single, twice, {key: scope.kinds(key) for key in WANTED}

    return (
        of(found.event, found.events),
        of(found.trace, found.traces),
        found.classifiers,
        found.event_defaults,
        found.foreign_elements,
        found.event_offsets,
        found.trace_starts,
        found.events_outside,
    )


def assert_same(path: Path, ways: tuple[dict[str, Any], ...] = WAYS_TO_READ) -> bool:
    """Both readers agree, on the document and on the log; returns whether the fast one read it."""
    try:
        file = recognise(path)
    except InputError:  # before any reader is chosen
        return False
    regular = parse_regular(file, WANTED, WANTED)
    if regular is None:
        return False  # then there is but one reader, also for the log
    assert content(regular) == content(parse_xes(file, WANTED, WANTED))
    for choice in ways:
        assert outcome(path, choice) == outcome_by_the_strict_parser(path, choice)
    return True


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("regular") / "log.xes"


def chooser(data: st.DataObject) -> Callable[[int], int]:
    return lambda number: data.draw(st.integers(0, number - 1))


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(data=st.data(), chunk=st.sampled_from([200, 900, 1 << 22]))
def test_what_programs_write_is_regular_and_read_the_same(place: Path, data: st.DataObject, chunk: int) -> None:
    place.write_bytes(document(chooser(data)))
    with patch.object(xes_regular, "_CHUNK", chunk):
        assert assert_same(place)


@pytest.mark.slow
@settings(max_examples=examples(600))
@given(data=st.data(), chunk=st.sampled_from([300, 1 << 22]), changes=st.integers(1, 3))
def test_what_is_spoilt_is_read_or_refused_the_same(place: Path, data: st.DataObject, chunk: int, changes: int) -> None:
    choose = chooser(data)
    text = document(choose)
    for _ in range(changes):
        text = mutated(text, choose)
    place.write_bytes(text or b" ")
    with patch.object(xes_regular, "_CHUNK", chunk):
        assert_same(place)


@pytest.mark.real_logs
@settings(max_examples=examples(150))
@given(data=st.data(), changes=st.integers(0, 2))
def test_strange_files_spoilt_further_are_read_or_refused_the_same(
    real_logs: Path, place: Path, data: st.DataObject, changes: int
) -> None:
    choose = chooser(data)
    files = sorted(path for path in (real_logs / "odd").iterdir() if path.stat().st_size < 20_000)
    path = files[choose(len(files))]
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for _ in range(changes):
        text = mutated(text, choose)
    place.write_bytes(text or b" ")
    assert_same(place, WAYS_TO_READ[:2])


@pytest.mark.real_logs
@pytest.mark.parametrize(
    "name",
    [
        *("BPIC13_incidents", "BPIC15_1", "BPIC20_PermitLog", "CCC19", "Receipt_WABO", "RoadTrafficFines", "Sepsis"),
        "Unrineweginfectie",
    ],
)
def test_real_logs_are_regular_and_read_the_same(real_logs: Path, name: str) -> None:
    path = real_logs / f"{name}.xes.gz"
    assert parse_regular(recognise(path), WANTED, WANTED) is not None
    assert outcome(path, {}) == outcome_by_the_strict_parser(path, {})


@pytest.mark.real_logs
def test_strange_files_are_read_or_refused_the_same(real_logs: Path) -> None:
    assert sum(assert_same(path) for path in sorted((real_logs / "odd").iterdir())) > 15


def spoilt(old: str, new: str) -> str:
    assert old in REGULAR
    return REGULAR.replace(old, new, 1)


A = '<string key="concept:name" value="a"/>'


@pytest.mark.parametrize(
    "text",
    [
        spoilt(A, A + "<!-- comment -->"),
        spoilt(A, A + "<?program x?>"),
        spoilt(A, A + "<![CDATA[ ]]>"),
        spoilt(A, A + "text"),
        spoilt(A, A.replace("/>", "></string>")),
        spoilt(A, A.replace("/>", '><int key="n" value="1"/></string>')),
        spoilt(A, A + '<list key="l"/>'),
        spoilt(A, A + '<container key="l"></container>'),
        spoilt(A, A + '<other key="k" value="v"/>'),
        spoilt(A, "<string key='concept:name' value='a'/>"),
        spoilt(A, '<string value="a" key="concept:name"/>'),
        spoilt(A, '<string key="concept:name" value="a" more="b"/>'),
        spoilt(A, '<string key="concept:name"/>'),
        spoilt(A, '<string  key="concept:name" value="a"/>'),
        spoilt(A, '<string key = "concept:name" value="a"/>'),
        spoilt(A, '<STRING key="concept:name" value="a"/>'),
        spoilt(A, '<x:string key="concept:name" value="a"/>'),
        spoilt(A, A.replace('"a"', '"&#65;"')),
        spoilt(A, A.replace('"a"', '"&nbsp;"')),
        spoilt(A, A.replace('"a"', '"a&amp"')),
        spoilt(A, A.replace('"a"', '"a\tb"')),
        spoilt(A, A.replace('"a"', '"a\nb"')),
        spoilt(A, A.replace('"a"', '"a<b"')),
        spoilt(A, A.replace("concept:name", "R&amp;D")),
        spoilt("<event>", "<event/><event>"),
        spoilt("<event>", '<event id="1">'),
        spoilt("<event>", "<event>" * 2),
        spoilt("</event>", ""),
        spoilt("</event>", "</event>" * 2),
        spoilt("</trace>", ""),
        spoilt("</trace>", "</trace><trace/>"),
        spoilt("</trace>", "</trace><event></event>"),
        spoilt("</trace>", f"</trace>{A}"),
        spoilt("</trace>", f"</trace>{event()}"),
        spoilt("<trace>", "<!-- <trace> --><trace>"),
        spoilt("<trace>", f"{event()}<trace>"),
        spoilt("<trace>", "<trace/><trace>"),
        spoilt("<trace>", '<trace x="y">'),
        spoilt("<trace>", '<string key="k" value="v"><trace>'),
        spoilt("</log>", ""),
        spoilt("</log>", "</log></log>"),
        spoilt("</log>", "</log><!-- end -->"),
        spoilt("</log>", f"{A}</log>"),
        spoilt("<log ", "<!DOCTYPE log><log "),
        spoilt("<log ", "<logs ").replace("</log>", "</logs>"),
        spoilt("<log ", "<x:log ").replace("</log>", "</x:log>"),
        spoilt("UTF-8", "ISO-8859-1"),
        " " + REGULAR.split("\n", 1)[1],
    ],
)
def test_what_is_irregular_anywhere_is_left_to_the_strict_parser(tmp_path: Path, text: str) -> None:
    assert parse_regular(recognise(write(tmp_path, text)), WANTED, WANTED) is None


def test_the_sample_without_irregularities_is_regular(tmp_path: Path) -> None:
    assert assert_same(write(tmp_path, REGULAR))
    assert assert_same(write(tmp_path, REGULAR.replace("\n", "\r\n")))
    assert assert_same(write(tmp_path, REGULAR.encode("utf-8-sig")))


@pytest.mark.slow
@pytest.mark.parametrize("byte", [b'"', b"<", b">", b"&", b"/", b" ", b"\n", b"\x00", b"\xff", b""])
def test_one_wrong_byte_anywhere_makes_no_difference_between_the_readers(tmp_path: Path, byte: bytes) -> None:
    whole = log(trace("1", event("é"), event("b", "2020-01-02", attribute("int", "cost", "1")))).encode()
    for position in range(len(whole)):
        assert_same(write(tmp_path, whole[:position] + byte + whole[position + 1 :]), ways=())


@pytest.mark.slow
def test_a_file_cut_anywhere_is_not_regular_unless_only_blanks_are_lost(tmp_path: Path) -> None:
    whole = REGULAR.encode()
    for length in range(1, len(whole)):
        found = parse_regular(recognise(write(tmp_path, whole[:length])), WANTED, WANTED)
        assert (found is not None) == (whole[:length].rstrip() == whole.rstrip())


@pytest.mark.slow
def test_every_character_that_xml_knows_is_read_as_the_strict_parser_reads_it(tmp_path: Path) -> None:
    known = [
        chr(code) for code in range(0x20, 0x110000) if not 0xD800 <= code <= 0xDFFF and code not in {0xFFFE, 0xFFFF}
    ]
    texts = ["".join(known[first : first + 4096]) for first in range(0, len(known), 4096)]
    escaped = [text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") for text in texts]
    path = write(
        tmp_path,
        log(
            trace(
                "1",
                *(
                    event(None, "2020-01-01").replace("<event>", f'<event><string key="concept:name" value="{text}"/>')
                    for text in escaped
                ),
            )
        ),
    )
    assert assert_same(path, ())
    assert sorted(read_log(path).activities) == sorted(texts)


@pytest.mark.parametrize(
    "bad",
    [
        *(bytes([code]) for code in range(0x20)),
        *(
            "\ufffe".encode(),
            "\uffff".encode(),
            b"\xff",
            b"\x80",
            b"\xc3",
            b"\xc0\x80",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
        ),
    ],
)
def test_what_is_no_character_of_xml_is_left_to_the_strict_parser(tmp_path: Path, bad: bytes) -> None:
    for place in ('value="a"', 'key="cost"'):
        text = REGULAR.encode().replace(place.encode(), place.encode()[:-1] + bad + b'"')
        assert parse_regular(recognise(write(tmp_path, text)), WANTED, WANTED) is None


@pytest.mark.slow
def test_a_compressed_log_is_regular_and_a_damaged_one_refused_the_same(tmp_path: Path) -> None:
    # Long enough that the damage is not yet seen when the file is recognised.
    whole = gzip.compress(log(*(trace(str(number), *[event()] * 10) for number in range(2000))).encode())
    assert assert_same(write(tmp_path, whole, "log.xes.gz"), ways=())
    for damaged in (whole[:-9], whole[:-1], whole[:-6] + b"\0\0" + whole[-4:], whole + b"more"):
        path = write(tmp_path, damaged, "log.xes.gz")
        assert parse_regular(recognise(path), WANTED, WANTED) is None
        assert outcome(path, {}) == outcome_by_the_strict_parser(path, {})


def test_a_document_of_ever_new_tags_is_left_to_the_strict_parser(tmp_path: Path) -> None:
    many = [event("a", "2020-01-01", attribute("int", f"key {number}", "1")) for number in range(20)]
    path = write(tmp_path, log(trace("1", *many)))
    assert assert_same(path)
    with patch.object(xes_regular, "_MOST_TAGS", 10):
        assert parse_regular(recognise(path), WANTED, WANTED) is None


def test_a_long_header_is_read_but_not_an_endless_one(tmp_path: Path) -> None:
    statistics = "".join(attribute("int", f"number of {number}", "1") for number in range(200))
    path = write(
        tmp_path, log(attribute("string", "k", "v").replace("/>", f">{statistics}</string>"), trace("1", event()))
    )
    with patch.object(xes_regular, "_CHUNK", 300):
        assert assert_same(path)
        with patch.object(xes_regular, "_LONGEST_HEADER", 1000):
            assert parse_regular(recognise(path), WANTED, WANTED) is None


def test_a_text_without_an_end_is_not_kept_in_memory(tmp_path: Path) -> None:
    path = write(tmp_path, REGULAR + " " * 5000)
    with patch.object(xes_regular, "_CHUNK", 700):
        assert parse_regular(recognise(path), WANTED, WANTED) is None
    assert assert_same(path)


@pytest.mark.parametrize("name", ["log.xes", "log.xes.gz"])
def test_what_we_write_is_regular(tmp_path: Path, name: str) -> None:
    shape = LogShape(cases=60, variants=30, activities=5, mean_length=3, max_length=9, seed=1)
    write_log(generate_log(shape), tmp_path / name, {"privacy:method": "R&D"})
    assert assert_same(tmp_path / name)
    awkward = {*AWKWARD_TEXTS} - {""}
    write_log(log_of({text: [(text, 0)] for text in awkward}), tmp_path / name)
    assert assert_same(tmp_path / name)
    assert set(read_log(tmp_path / name).activities) == awkward
