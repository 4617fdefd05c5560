"""CSV and Parquet, read back by programs other than ours."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from amun_dp.errors import OutputError
from amun_dp.eventlog.log import EventLog
from amun_dp.writing import tables
from amun_dp.writing.tables import Attributes, write_csv, write_parquet
from tests.writing.logs import AWKWARD_TEXTS, any_text, log_of, logs, rows_of, small_log

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def csv_of(log: EventLog) -> str:
    stream = io.BytesIO()
    write_csv(log, stream)
    return stream.getvalue().decode()


def parquet_of(log: EventLog, attributes: Attributes | None = None) -> pa.Table:
    stream = io.BytesIO()
    write_parquet(log, stream, attributes or {})
    return pq.read_table(pa.BufferReader(stream.getvalue()))


@given(logs(any_text))
def test_every_text_and_time_survives_csv(log: EventLog) -> None:
    header, *rows = csv.reader(io.StringIO(csv_of(log), newline=""))
    assert header == ["case:concept:name", "concept:name", "time:timestamp"]
    assert [
        (name, label, (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)) for name, label, time in rows
    ] == rows_of(log)


@given(logs(any_text))
def test_every_text_and_time_survives_parquet(log: EventLog) -> None:
    names, labels, times = parquet_of(log).columns
    assert list(zip(names.to_pylist(), labels.to_pylist(), times.cast(pa.int64()).to_pylist(), strict=True)) == rows_of(
        log
    )


def test_csv_writes_utc_with_milliseconds_and_quotes_only_what_needs_it() -> None:
    log = log_of({"c,1": [("Register", 1_700_000_060_001)], "c2": [('say "no"', 0), (" x", 1)]})
    assert csv_of(log) == (
        "case:concept:name,concept:name,time:timestamp\n"
        '"c,1",Register,2023-11-14T22:14:20.001+00:00\n'
        'c2,"say ""no""",1970-01-01T00:00:00.000+00:00\n'
        'c2," x",1970-01-01T00:00:00.001+00:00\n'
    )


def test_parquet_has_strings_and_utc_milliseconds() -> None:
    schema = parquet_of(small_log()).schema
    assert schema.names == ["case:concept:name", "concept:name", "time:timestamp"]
    assert schema.types == [pa.string(), pa.string(), pa.timestamp("ms", tz="UTC")]


def test_parquet_carries_attributes_of_the_log_as_metadata_and_none_if_there_are_none() -> None:
    texts = {text or "empty": text for text in AWKWARD_TEXTS}
    metadata = parquet_of(small_log(), {**texts, "number": 0.1}).schema.metadata
    assert {key.decode(): value.decode() for key, value in metadata.items()} == {**texts, "number": "0.1"}
    assert parquet_of(small_log()).schema.metadata is None


def test_parquet_holds_times_that_text_cannot() -> None:
    far = 10_000_000_000_000_000
    assert parquet_of(log_of({"c": [("a", far)]}))["time:timestamp"].cast(pa.int64()).to_pylist() == [far]
    with pytest.raises(OutputError, match="Parquet"):
        csv_of(log_of({"c": [("a", far)]}))


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_size_of_a_batch_does_not_show(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, table = csv_of(small_log()), parquet_of(small_log())
    monkeypatch.setattr(tables, "_ROWS", rows)
    assert csv_of(small_log()) == text
    assert parquet_of(small_log()).equals(table)


def test_a_log_without_cases_is_a_table_without_rows() -> None:
    log = log_of({})
    assert csv_of(log).splitlines() == ["case:concept:name,concept:name,time:timestamp"]
    assert parquet_of(log).num_rows == 0


def test_half_a_surrogate_pair_is_refused_and_not_quoted_in_the_message() -> None:
    log = log_of({"secret\udc00": [("a", 0)]})
    for write in (csv_of, parquet_of):
        with pytest.raises(OutputError, match="case name contains half of a surrogate pair") as failure:
            write(log)
        assert "secret" not in str(failure.value)


def test_times_before_1970_fall_on_the_day_before() -> None:
    date, clock = tables.time_texts(np.array([-1, 0], dtype=np.int64))
    assert date.to_pylist() == ["1969-12-31", "1970-01-01"]
    assert clock.to_pylist() == ["23:59:59.999", "00:00:00.000"]
