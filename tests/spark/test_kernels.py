"""What workers do with their batches, without Spark: the cuts between batches change nothing."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.variants import Sequences, flow_of, spelled, words_of
from amun_dp.spark.engine import batches
from amun_dp.spark.engine.batches import whole_cases
from amun_dp.spark.read.case_rows import _case_rows
from tests.logs import logs


def cut(table: pa.Table, places: list[int]) -> list[pa.RecordBatch]:
    """The table in batches that end at these places."""
    ends = sorted({0, table.num_rows, *(place % (table.num_rows + 1) for place in places)})
    return [table.slice(first, last - first).to_batches()[0] for first, last in pairwise(ends)]


@given(logs(), st.lists(st.integers(0, 100), max_size=6))
def test_cases_come_whole_however_their_rows_were_cut(log: EventLog, places: list[int]) -> None:
    case = np.asarray(log.case)
    table = pa.table({"case": case.astype(str), "row": np.arange(len(case))})
    # Every batch is worked on by itself, so that each cut shows.
    original, batches._BYTES = batches._BYTES, 0
    try:
        found = list(whole_cases(cut(table, places), "case"))
    finally:
        batches._BYTES = original
    assert np.concatenate([part.column("row").to_numpy() for part, _ in found]).tolist() == list(range(len(case)))
    starts = np.concatenate([part.column("row").to_numpy()[offsets[:-1]] for part, offsets in found])
    assert starts.tolist() == np.flatnonzero(np.diff(case, prepend=-1)).tolist()


@given(logs(), st.lists(st.integers(0, 100), max_size=6))
def test_a_case_row_spells_the_case(log: EventLog, places: list[int]) -> None:
    whole = log
    names = whole.case_names[whole.case].tolist()
    labels = np.array(whole.activities, dtype=object)[whole.activity].tolist()
    table = pa.table(
        {
            "case": pa.array(names, pa.string()),
            "activity": pa.array(labels, pa.string()),
            "time": whole.time,
            "sequence": whole.sequence,
        }
    )
    rows = pa.Table.from_batches(list(_case_rows(whole.activities)(cut(table, places))))
    words = words_of(flow_of(whole), len(whole.activities))
    assert rows.column("word").to_pylist() == words.to_pylist()
    assert [time for times in rows.column("times").to_pylist() for time in times] == whole.time.tolist()
    assert not any(rows.column("tied").to_pylist())


@given(st.lists(st.lists(st.integers(0, 300), min_size=1, max_size=5), min_size=1, max_size=6))
def test_words_are_read_back_as_they_were_spelled(cases: list[list[int]]) -> None:
    activity = np.array([code for case in cases for code in case], dtype=np.int64)
    offsets = np.cumsum([0, *map(len, cases)]).astype(np.int64)
    words = words_of(Sequences(activity, offsets), 301)
    for first in range(len(cases)):  # also a slice, which shares the buffers of the whole
        read_back = spelled(words.slice(first), 301)
        assert read_back.activity.tolist() == [code for case in cases[first:] for code in case]
        assert read_back.lengths.tolist() == [len(case) for case in cases[first:]]
