"""Reading is case-local: whatever is within one case, the others are read as before, or the file is refused."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amun_dp.errors import AmunError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading import read_log, xes
from amun_dp.reading.timestamps import times_from_arrow
from tests.properties import examples
from tests.reading.changed_cases import (
    GOOD_MOMENTS,
    MOMENTS,
    NO_TIMES,
    OBJECTS,
    TABLE_CHOICES,
    TABLE_COLUMNS,
    TEXTS,
    TIMES,
    XES_CHOICES,
    Others,
    XesCase,
    changed_rows,
    changed_xes,
    others_of_table,
    others_of_xes,
)
from tests.reading.changed_cases import xes as xes_text
from tests.reading.samples import write

NAMES = ("1", "007", "x")
"""Of cases of tables that are not changed."""


def read_or_refused(read: Callable[[], EventLog]) -> EventLog | None:
    try:
        return read()
    except AmunError:
        return None


class Tally:
    """How many pairs of logs could both be read: a property of refused files alone would say nothing."""

    def __init__(self) -> None:
        self.pairs = self.read = 0

    def compare(self, before: Others | None, after: Others | None) -> None:
        self.pairs += 1
        if before is not None and after is not None:
            self.read += 1
            assert after == before

    def require(self, share: float) -> None:
        assert self.read > share * self.pairs, (self.read, self.pairs)


@pytest.mark.hypothesis
@pytest.mark.parametrize("drop_incomplete", [True, False])
@pytest.mark.parametrize("reader", ["fast", "strict"])
def test_no_case_of_an_xes_log_decides_how_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, drop_incomplete: bool
) -> None:
    if reader == "strict":
        monkeypatch.setattr(xes, "parse_regular", lambda *_: None)
    tally = Tally()

    @settings(max_examples=examples(600))
    @given(change=changed_xes(), choice=XES_CHOICES)
    def check(change: tuple[str, list[XesCase], list[XesCase], int], choice: dict[str, Any]) -> None:
        header, before, after, which = change

        def others(cases: list[XesCase]) -> Others | None:
            path = write(tmp_path, xes_text(header, cases))
            read = read_or_refused(lambda: read_log(path, **choice, drop_incomplete=drop_incomplete))
            return None if read is None else others_of_xes(read, cases, which)

        tally.compare(others(before), others(after))

    check()
    tally.require(0.04)


def write_csv(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    with (path / "log.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow((*TABLE_COLUMNS, "place"))
        writer.writerows(rows)
    return path / "log.csv"


def write_parquet(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    kinds = [pa.string()] * len(TABLE_COLUMNS) + [pa.int64()]
    columns = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(kinds)]
    dictionary = [columns[0], columns[1].dictionary_encode(), *columns[2:]]
    pq.write_table(pa.table(dictionary, names=[*TABLE_COLUMNS, "place"]), path / "log.parquet", row_group_size=2)
    return path / "log.parquet"


@pytest.mark.hypothesis
@pytest.mark.parametrize("write_table", [write_csv, write_parquet])
def test_no_case_of_a_table_of_text_decides_how_others_are_read(
    tmp_path: Path, write_table: Callable[[Path, list[tuple[Any, ...]]], Path]
) -> None:
    tally = Tally()

    @settings(max_examples=examples(400))
    @given(change=changed_rows(TEXTS, (*TIMES, *NO_TIMES), TIMES, NAMES), choice=TABLE_CHOICES)
    def check(change: tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]], choice: dict[str, Any]) -> None:
        def others(rows: list[tuple[Any, ...]]) -> Others | None:
            path = write_table(tmp_path, as_text(rows))
            read = read_or_refused(lambda: read_log(path, **choice, drop_incomplete=True))
            return None if read is None else others_of_table(read, NAMES)

        tally.compare(*map(others, change))

    check()
    tally.require(0.1)


def as_text(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(*(None if v is None else str(v) for v in row[:-1]), row[-1]) for row in rows]


def inferred(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """Types as pandas finds them: those of all rows."""
    return pd.DataFrame(rows, columns=[*TABLE_COLUMNS, "place"])


def objects(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=[*TABLE_COLUMNS, "place"], dtype=object)
    return frame.assign(place=frame["place"].astype("int64"))


@pytest.mark.hypothesis
@pytest.mark.parametrize("frame", [inferred, objects])
@pytest.mark.parametrize("names", [NAMES, (1, 7, 2**53 + 1), (1.0, 2.5, 7.0)])
def test_no_case_of_a_frame_decides_how_others_are_read(
    frame: Callable[[list[tuple[Any, ...]]], pd.DataFrame], names: tuple[Any, ...]
) -> None:
    spelled = [str(int(name)) if isinstance(name, float) and name.is_integer() else str(name) for name in names]
    tally = Tally()

    @settings(max_examples=examples(400))
    @given(change=changed_rows(OBJECTS, MOMENTS, GOOD_MOMENTS, names), choice=TABLE_CHOICES)
    def check(change: tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]], choice: dict[str, Any]) -> None:
        def others(rows: list[tuple[Any, ...]]) -> Others | None:
            read = read_or_refused(lambda: read_log(frame(rows), **choice, drop_incomplete=True))
            return None if read is None else others_of_table(read, spelled)

        tally.compare(*map(others, change))

    check()
    tally.require(0.05)


def test_equal_objects_that_are_spelled_differently_are_told_apart() -> None:
    """Python takes True for 1: whichever came first gave its name to both."""
    rows = [("x", True), ("y", 1), ("y", 1.0)]
    frame = pd.DataFrame({"case": [case for case, _ in rows], "time": "2020-01-01"})
    frame["activity"] = np.array([value for _, value in rows], dtype=object)
    assert [read_log(frame).activities[code] for code in read_log(frame).activity] == ["True", "1", "1"]


def test_whole_numbers_that_a_gap_made_inexact_are_refused() -> None:
    """With one value missing pandas makes 2^53 and 2^53 + 1 the same case."""
    cases = [2**53, 2**53 + 1]
    assert read_log(pd.DataFrame({"case": cases, "activity": "a", "time": "2020-01-01"})).n_cases == 2
    gap = pd.DataFrame({"case": [*cases, None], "activity": "a", "time": "2020-01-01"})
    with pytest.raises(AmunError, match="too large to be told apart"):
        read_log(gap, drop_incomplete=True)


def test_a_quotation_that_swallows_rows_of_others_is_refused(tmp_path: Path) -> None:
    """Two values of one case begin with a mark that nobody doubled; between them everything was one value."""
    rows = ['1,a,2020-01-01,"tall', "2,b,2020-01-01,x", '1,c,2020-01-01,"small']
    path = write(tmp_path, "case,activity,time,note\n" + "\n".join(rows) + "\n", "log.csv")
    with pytest.raises(AmunError, match="closed in the middle of a value"):
        read_log(path)
    path = write(tmp_path, "case,activity,time,note\n" + "\n".join(rows).replace(',"', ',5"') + "\n", "log.csv")
    assert read_log(path).n_events == 3


def test_a_quotation_that_ends_where_a_value_ends_swallows_nothing_without_a_word(tmp_path: Path) -> None:
    """Every mark is in its place, and two rows were one value."""
    rows = ['1,a,2020-01-01,"tall', "2,b,2020-01-01,x", '1,c,2020-01-01,small"']
    path = write(tmp_path, "case,activity,time,note\n" + "\n".join(rows) + "\n", "log.csv")
    with pytest.raises(AmunError, match=r"line 2 goes on in the next line.*swallowed rows of other cases"):
        read_log(path)


@pytest.mark.hypothesis
def test_no_marks_in_the_rows_of_one_case_decide_how_others_are_read(tmp_path: Path) -> None:
    """As a program writes them that does not know of quotations."""
    tally = Tally()

    def write_rows(notes: list[str]) -> Path:
        rows = [f"{('changed', '1')[number % 2]},a,2020-01-0{number + 1},{note}" for number, note in enumerate(notes)]
        return write(tmp_path, "case,activity,time,note\n" + "\n".join(rows) + "\n", "log.csv")

    def others(notes: list[str]) -> Others | None:
        read = read_or_refused(lambda: read_log(write_rows(notes)))
        return None if read is None else others_of_table(read, ("1",))

    @settings(max_examples=examples(400))
    @given(st.lists(st.sampled_from(['"', '"x', 'x"', 'x"x', '"x"', "x", '""', '"""']), min_size=3, max_size=3))
    def check(marked: list[str]) -> None:
        tally.compare(others(["x"] * 6), others([marked[0], "x", marked[1], "x", marked[2], "x"]))

    check()
    tally.require(0.05)


SPELLED = {
    "%Y-%m-%d %H:%M:%S.%f": ["2020-01-01 10:00:00.5", "2020-01-01 10:00:00.123456789", "9999-12-31 10:00:00.1"],
    "%Y-%m-%dT%H:%M:%S%z": ["2020-01-01T10:00:00+0100", "2020-01-01T10:00:00Z", "9999-12-31T10:00:00-05:00"],
    "%d/%m/%y": ["01/02/68", "01/02/69", "1/2/20", "13/13/20"],
    "%Y%m%d": ["20200101", "2020101", "99991231", "202001"],
}


@pytest.mark.parametrize("layout", SPELLED)
def test_a_time_that_follows_a_format_is_the_same_whatever_stands_beside_it(layout: str) -> None:
    """'now' beside a time with nanoseconds was a time of 1970, and otherwise that of the run."""
    texts = [*SPELLED[layout], "now", "today", "NaT"]
    alone = {text: times_from_arrow(pa.array([text]), "t", layout) for text in texts}
    assert all(alone[word].unreadable[0] for word in ("now", "today", "NaT"))
    for first, second in itertools.permutations(texts, 2):
        both = times_from_arrow(pa.array([first, second]), "t", layout)
        for row, text in enumerate((first, second)):
            if not both.unreadable[row]:  # what cannot be read is refused with the whole file
                assert both.milliseconds[row] == alone[text].milliseconds[0]
                assert not alone[text].unreadable[0]
