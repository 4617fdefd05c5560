"""XES as other programs read it: the standard library's parser and pm4py, never our own reader."""

from __future__ import annotations

import gzip
import io
import warnings
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from amun_dp.errors import OutputError
from amun_dp.eventlog.log import EventLog
from amun_dp.synthetic import LogShape, generate_log, hospital_log
from amun_dp.writing import tables, write_log
from amun_dp.writing.tables import Attributes
from amun_dp.writing.xes import write_xes
from tests.writing.logs import AWKWARD_TEXTS, Rows, log_of, logs, rows_of, small_log, xml_text

NAMESPACE = "{http://www.xes-standard.org/}"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def written(log: EventLog, attributes: Attributes | None = None) -> bytes:
    stream = io.BytesIO()
    write_xes(log, stream, attributes or {})
    return stream.getvalue()


def parsed(document: bytes) -> Rows:
    rows: Rows = []
    for trace in ET.fromstring(document).findall(f"{NAMESPACE}trace"):
        (name,) = (attribute.attrib["value"] for attribute in trace.findall(f"{NAMESPACE}string"))
        for event in trace.findall(f"{NAMESPACE}event"):
            assert [attribute.attrib["key"] for attribute in event] == ["concept:name", "time:timestamp"]
            label, time = (attribute.attrib["value"] for attribute in event)
            assert time.endswith("+00:00")
            rows.append((name, label, (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)))
    return rows


def written_one_by_one(log: EventLog) -> bytes:
    """The traces of the document, event by event."""

    def quoted(text: str) -> str:
        return escape(text, {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})

    lines = []
    for case, name in enumerate(log.case_names):
        lines += ["\t<trace>", f'\t\t<string key="concept:name" value="{quoted(name)}"/>']
        for row in range(log.offsets[case], log.offsets[case + 1]):
            label = quoted(log.activities[log.activity[row]])
            time = (EPOCH + timedelta(milliseconds=int(log.time[row]))).isoformat(timespec="milliseconds")
            lines.append(
                f'\t\t<event><string key="concept:name" value="{label}"/>'
                f'<date key="time:timestamp" value="{time}"/></event>'
            )
        lines.append("\t</trace>")
    return "".join(f"{line}\n" for line in [*lines, "</log>"]).encode()


@given(logs(xml_text))
def test_columns_give_the_same_bytes_as_a_loop_over_events(log: EventLog) -> None:
    document = written(log)
    assert document[document.index(b"\t<trace>\n") :] == written_one_by_one(log)


@given(logs(xml_text))
def test_every_text_and_time_that_xml_can_hold_survives(log: EventLog) -> None:
    assert parsed(written(log)) == rows_of(log)


@pytest.mark.parametrize("text", AWKWARD_TEXTS)
def test_an_awkward_text_survives_as_label_case_name_and_log_attribute(text: str) -> None:
    document = written(log_of({text: [(text, 0)]}), {"note": text})
    assert parsed(document) == [(text, text, 0)]
    attributes = [element.attrib for element in ET.fromstring(document).findall(f"{NAMESPACE}string")]
    assert attributes == [{"key": "note", "value": text}]


def test_the_document_is_what_the_standard_asks_for() -> None:
    document = written(small_log(), {"source": "test"}).decode()
    assert document == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<log xes.version="1849-2016" xes.features="" xmlns="http://www.xes-standard.org/">\n'
        '\t<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>\n'
        '\t<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>\n'
        '\t<global scope="trace">\n'
        '\t\t<string key="concept:name" value="UNKNOWN"/>\n'
        "\t</global>\n"
        '\t<global scope="event">\n'
        '\t\t<string key="concept:name" value="UNKNOWN"/>\n'
        '\t\t<date key="time:timestamp" value="1970-01-01T00:00:00.000+00:00"/>\n'
        "\t</global>\n"
        '\t<classifier name="Activity" keys="concept:name"/>\n'
        '\t<string key="source" value="test"/>\n'
        "\t<trace>\n"
        '\t\t<string key="concept:name" value="patient-1"/>\n'
        '\t\t<event><string key="concept:name" value="Register"/>'
        '<date key="time:timestamp" value="2023-11-14T22:13:20.000+00:00"/></event>\n'
        '\t\t<event><string key="concept:name" value="Triage"/>'
        '<date key="time:timestamp" value="2023-11-14T22:14:20.001+00:00"/></event>\n'
        "\t</trace>\n"
        "\t<trace>\n"
        '\t\t<string key="concept:name" value="patient-2"/>\n'
        '\t\t<event><string key="concept:name" value="Register"/>'
        '<date key="time:timestamp" value="2023-11-14T22:21:40.000+00:00"/></event>\n'
        "\t</trace>\n"
        "</log>\n"
    )


def test_a_number_among_the_attributes_is_a_float_that_comes_back_as_it_was() -> None:
    log = ET.fromstring(written(small_log(), {"text": "0.1", "number": 0.1 + 0.2}))
    assert [element.attrib for element in log.findall(f"{NAMESPACE}string")] == [{"key": "text", "value": "0.1"}]
    (number,) = log.findall(f"{NAMESPACE}float")
    assert number.attrib["key"] == "number"
    assert float(number.attrib["value"]) == 0.1 + 0.2


def test_the_privacy_extension_is_declared_exactly_where_its_attributes_are() -> None:
    def prefixes(attributes: Attributes) -> list[str]:
        found = ET.fromstring(written(small_log(), attributes)).findall(f"{NAMESPACE}extension")
        return [element.attrib["prefix"] for element in found]

    assert prefixes({"note": "privacy"}) == ["concept", "time"]
    assert prefixes({"privacy:method": "sampling"}) == ["concept", "time", "privacy"]


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 1000])
def test_the_size_of_a_batch_does_not_show(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    log = generate_log(LogShape(cases=60, variants=30, activities=5, mean_length=3, max_length=9, seed=1))
    whole = written(log)
    monkeypatch.setattr(tables, "_ROWS", rows)
    assert written(log) == whole


def test_long_labels_make_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_BATCH_BYTES", 5000)
    log = log_of({"case": [("x" * 1000, second * 1000) for second in range(20)]})
    names, labels = tables.text_column(log.case_names, ""), tables.text_column(log.activities, "")
    assert all(rows.stop - rows.start <= 3 for rows in tables.batches(log, names, labels))
    assert parsed(written(log)) == rows_of(log)


def test_a_log_without_cases_is_a_document_without_traces() -> None:
    log = log_of({})
    assert log.n_events == 0
    assert parsed(written(log)) == []


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1f", "\ufffe", "\uffff"])
@pytest.mark.parametrize("place", ["label", "name", "attribute"])
def test_what_xml_cannot_hold_is_refused_and_not_quoted_in_the_message(character: str, place: str) -> None:
    bad = f"secret{character}"
    log = log_of({bad if place == "name" else "c": [(bad if place == "label" else "a", 0)]})
    with pytest.raises(OutputError, match="CSV or Parquet") as failure:
        written(log, {"note": bad} if place == "attribute" else {})
    assert "secret" not in str(failure.value)


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(OutputError, match="not valid Unicode"):
        written(log_of({"c": [("secret\ud800", 0)]}))


@pytest.mark.parametrize("time", [-62_135_596_800_001, 253_402_300_800_000, np.iinfo(np.int64).min])
def test_times_that_iso_8601_cannot_write_are_refused(time: int) -> None:
    with pytest.raises(OutputError, match=r"1 timestamps lie outside the years 1 to 9999.*Parquet"):
        written(log_of({"c": [("a", time)]}))


@pytest.mark.parametrize("ending", ["xes", "xes.gz"])
def test_pm4py_reads_the_same_cases_events_and_times(ending: str, tmp_path: Path) -> None:
    log = hospital_log(cases=40)
    path = tmp_path / f"log.{ending}"
    write_log(log, path, {"source": "test"})
    frame = read_with_pm4py(path)
    milliseconds = frame["time:timestamp"].astype("datetime64[ms, UTC]").astype("int64")
    found = list(zip(frame["case:concept:name"], frame["concept:name"], milliseconds, strict=True))
    assert found == rows_of(log)


def test_pm4py_reads_awkward_texts(tmp_path: Path) -> None:
    log = log_of({text: [(text, 0), (text, 5)] for text in AWKWARD_TEXTS})
    write_log(log, tmp_path / "log.xes")
    frame = read_with_pm4py(tmp_path / "log.xes")
    assert list(zip(frame["case:concept:name"], frame["concept:name"], strict=True)) == [
        (name, label) for name, label, _ in rows_of(log)
    ]


def test_the_compressed_file_is_the_same_document_and_the_same_bytes_every_time(tmp_path: Path) -> None:
    first, second = tmp_path / "first.xes.gz", tmp_path / "second.xes.gz"
    write_log(small_log(), first)
    write_log(small_log(), second)
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()) == written(small_log())
    flags, modified = first.read_bytes()[3], first.read_bytes()[4:8]
    assert (flags, modified) == (0, b"\0\0\0\0"), "no file name, no time"


def read_with_pm4py(path: Path) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, and those of what it imports
        import pm4py

        frame = pm4py.read_xes(str(path))
    assert isinstance(frame, pd.DataFrame)
    return frame
