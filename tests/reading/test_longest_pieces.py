"""A small file cannot fill memory or time: what is too long is refused by the name of its limit."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import amun_dp
from amun_dp.errors import ColumnError, InputError
from amun_dp.reading.longest_pieces import LONGEST_LABEL, LONGEST_TOKEN

XES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1849-2016">\n{header}<trace>\n'
    '<string key="concept:name" value="1"/>\n<event>\n<string key="concept:name" value="{label}"/>\n'
    '<date key="time:timestamp" value="2020-01-01T00:00:00.000+00:00"/>\n</event>\n{body}</trace>\n</log>\n'
)


def xes(folder: Path, *, header: str = "", label: str = "a", body: str = "") -> Path:
    path = folder / "log.xes.gz"
    path.write_bytes(gzip.compress(XES.format(header=header, label=label, body=body).encode(), 1))
    return path


def test_a_tag_longer_than_the_limit_is_refused_and_one_below_it_is_read(tmp_path: Path) -> None:
    long = "x" * (LONGEST_TOKEN // 2)
    event = f'<event><string key="concept:name" value="b"/><string key="note" value="{long}"/>'
    event += '<date key="time:timestamp" value="2020-01-02T00:00:00.000+00:00"/></event>'
    assert amun_dp.read_log(xes(tmp_path, body=event)).n_events == 2
    with pytest.raises(InputError, match="more than 8 megabytes"):
        amun_dp.read_log(xes(tmp_path, body=event.replace(long, long * 3)))


@pytest.mark.parametrize("where", ["header", "body"])
def test_a_comment_longer_than_the_limit_is_refused_wherever_it_stands(tmp_path: Path, where: str) -> None:
    comment = f"<!-- {'x' * (2 * LONGEST_TOKEN)} -->"
    with pytest.raises(InputError, match="more than 8 megabytes"):
        amun_dp.read_log(xes(tmp_path, **{where: comment}))


@pytest.mark.parametrize("column", ["case:concept:name", "concept:name"])
@pytest.mark.parametrize("coded", [False, True])
def test_a_long_label_that_many_rows_share_is_refused_before_it_is_written_out(
    tmp_path: Path, column: str, coded: bool
) -> None:
    rows = 3_000
    texts = {name: pa.array(["a"] * rows) for name in ("case:concept:name", "concept:name")}
    texts[column] = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * 2_000_000]))
    times = pa.array([0] * rows, pa.timestamp("ms", tz="UTC"))
    path = tmp_path / "log.parquet"
    table = pa.table({**texts, "time:timestamp": times})
    pq.write_table(table, path, store_schema=coded, compression="zstd")
    del table, texts
    assert path.stat().st_size < 50_000
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    try:
        with pytest.raises(ColumnError, match=f"at most {LONGEST_LABEL:,}"):
            amun_dp.read_log(path)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
        assert pa.total_allocated_bytes() - before < 50_000_000
    finally:
        tracemalloc.stop()


def test_a_label_as_long_as_the_limit_is_read_and_one_longer_is_refused_in_every_format(tmp_path: Path) -> None:
    for length in (LONGEST_LABEL, LONGEST_LABEL + 1):
        label = "x" * length
        frame = pa.table(
            {"case": ["1"], "activity": [label], "timestamp": pa.array([0], pa.timestamp("ms"))}
        ).to_pandas()
        table = tmp_path / "log.csv"
        frame.to_csv(table, index=False)
        for source in (frame, xes(tmp_path, label=label), table):
            if length == LONGEST_LABEL:
                assert amun_dp.read_log(source).activities == (label,)
            else:
                with pytest.raises(ColumnError, match="at most 65,536"):
                    amun_dp.read_log(source)
