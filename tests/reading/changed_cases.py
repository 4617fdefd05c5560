"""Logs of which one case is changed, and how the others were read: for the tests that reading is case-local."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from amun_dp.eventlog.log import EventLog
from tests.reading.samples import attribute, log

Attribute = tuple[str, str, str]
"""Kind, key, value."""


@dataclass(frozen=True)
class XesCase:
    attributes: tuple[Attribute, ...]
    events: tuple[tuple[Attribute, ...], ...]
    irregular: str = ""
    """XML that means nothing and that the fast reader leaves to the strict one."""

    def text(self) -> str:
        events = "".join(f"<event>{_texts(event)}</event>" for event in self.events)
        return f"<trace>{_texts(self.attributes)}{events}{self.irregular}</trace>\n"


def _texts(attributes: Sequence[Attribute]) -> str:
    return "".join(attribute(*one) for one in attributes)


def xes(header: str, cases: Sequence[XesCase]) -> str:
    return log(header, *(case.text() for case in cases))


TIMES = (
    "2020-01-01T10:00:00Z",
    "2020-01-01T10:00:00.123456789+02:00",
    "2020-01-02 09:00",
    "2020-01-03",
    "20200104T0500Z",
    "9999-12-31T23:00:00Z",
)
NO_TIMES = ("04/05/2020", "05/04/2020 10:00", "1577872800", "now", "NaT", "")
LABELS = ("a", "b", "007", "7", "7.0", "NA", "nan", "DEFAULT", "true", "complete", "start", "COMPLETE", "")
ACTIVITY_KEYS = ("concept:name", "Activity", "Task", "my key", "my", "key", "C", "event:x")
TIME_KEYS = ("time:timestamp", "time", "Date")
LIFECYCLE_KEYS = ("lifecycle:transition", "lifecycle")
PERSON_KEYS = ("patient", "case:patient")
_EVENT_KEYS = (*ACTIVITY_KEYS, *LIFECYCLE_KEYS, *PERSON_KEYS)
_PEOPLE = ("p", "q", "1", "1.0")
_IRREGULAR = ("", "<!-- a comment -->", '<list key="l"><values/></list>', "<string key='k' value='v'/>")

_HEADERS = st.lists(
    st.sampled_from(
        [
            '<global scope="event"><string key="concept:name" value="DEFAULT"/></global>',
            '<global scope="event"><string key="Activity" value=""/></global>',
            '<global scope="event"><string key="my key" value="x"/></global>',
            '<global scope="event"><date key="time" value="1970-01-01T00:00:00Z"/></global>',
            '<global scope="event"><string key="lifecycle:transition" value="complete"/></global>',
            '<global scope="event"><string key="patient" value="nobody"/></global>',
            '<global scope="trace"><string key="patient" value="nobody"/></global>',
            '<classifier name="C" keys="concept:name lifecycle:transition"/>',
            '<classifier name="C" keys="my key"/>',
            '<classifier name="Activity" keys="concept:name"/>',
        ]
    ),
    unique=True,
    max_size=4,
).map("".join)

XES_CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "activity": st.sampled_from(["Activity", "C", "classifier:C", "event:C", "concept:name", "my key", "event:x"]),
        "timestamp": st.sampled_from(["time", "event:time"]),
        "individual": st.sampled_from(["patient", "trace:patient", "case:patient", "event:patient"]),
        "lifecycle": st.just("complete"),
        "case_id": st.sampled_from(["patient", "case:patient"]),
        "timestamp_format": st.just("%d/%m/%Y"),
    },
)


@st.composite
def _attributes(draw: st.DrawFn, keys: Sequence[str], values: Sequence[str]) -> tuple[Attribute, ...]:
    kind = draw(st.sampled_from(["string", "string", "string", "int", "id"]))
    return tuple((kind, key, draw(st.sampled_from(values))) for key in keys)


@st.composite
def _usual_case(draw: st.DrawFn, name: str, keys: Sequence[str], time_key: str, of_trace: bool) -> XesCase:
    """Of a log whose cases are alike: which keys they have does not differ."""
    person = ("string", "patient", draw(st.sampled_from(_PEOPLE)))
    events = []
    for _ in range(draw(st.integers(1, 3))):
        time = ("date", time_key, draw(st.sampled_from(TIMES)))
        labels = draw(_attributes(keys, LABELS[:-1]))
        events.append((*labels, time, *(() if of_trace else (person,))))
    return XesCase((("string", "concept:name", name), *((person,) if of_trace else ())), tuple(events))


@st.composite
def _any_case(draw: st.DrawFn) -> XesCase:
    """Whatever somebody may have in their case."""
    events = []
    for _ in range(draw(st.integers(0, 3))):
        keys = draw(st.lists(st.sampled_from(_EVENT_KEYS), max_size=5, unique=True))
        time = (
            draw(st.sampled_from(["date", "date", "string", "int"])),
            draw(st.sampled_from(TIME_KEYS)),
            draw(st.sampled_from(TIMES * 3 + NO_TIMES)),
        )
        events.append((*draw(_attributes(keys, LABELS + _PEOPLE)), time))
    of_trace = draw(st.lists(st.sampled_from(("concept:name", *PERSON_KEYS)), max_size=3, unique=True))
    return XesCase(
        draw(_attributes(of_trace, ("1", "2", *_PEOPLE, ""))), tuple(events), draw(st.sampled_from(_IRREGULAR))
    )


@st.composite
def _case_with_more(draw: st.DrawFn, usual: XesCase) -> XesCase:
    """One that lacks nothing, so that the file is mostly read, and has what no other case has."""
    events = []
    for event in usual.events:
        have = {key for _, key, _ in event}
        others = [key for key in (*_EVENT_KEYS, *TIME_KEYS) if key not in have]
        keys = draw(st.lists(st.sampled_from(others), max_size=3, unique=True))
        events.append((*draw(_attributes(keys, (*LABELS, *_PEOPLE, *TIMES))), *event))
    have = {key for _, key, _ in usual.attributes}
    of_trace = draw(st.lists(st.sampled_from([key for key in _EVENT_KEYS if key not in have]), max_size=2, unique=True))
    more = draw(_attributes(of_trace, (*_PEOPLE, "")))
    return XesCase((*usual.attributes, *more), tuple(events), draw(st.sampled_from(_IRREGULAR)))


@st.composite
def changed_xes(draw: st.DrawFn) -> tuple[str, list[XesCase], list[XesCase], int]:
    """A header, the cases of a log, the same with one of them changed, and which one that is."""
    keys = draw(st.lists(st.sampled_from((*ACTIVITY_KEYS[:3], *_EVENT_KEYS)), min_size=1, max_size=4, unique=True))
    keys = [key for key in keys if key not in PERSON_KEYS]
    time_key = draw(st.sampled_from((*TIME_KEYS[:1] * 3, *TIME_KEYS)))
    of_trace = draw(st.booleans())
    cases = [draw(_usual_case(str(number), keys, time_key, of_trace)) for number in range(draw(st.integers(2, 4)))]
    which = draw(st.integers(0, len(cases) - 1))
    changed = list(cases)
    changed[which] = draw(_any_case() | _case_with_more(cases[which]))
    return draw(_HEADERS), cases, changed, which


@dataclass(frozen=True)
class Others:
    """How all cases but one were read: in the order of the log, each with its events, and whose they are."""

    cases: list[tuple[int, list[tuple[int, str, int]]]]
    """Number among the cases of the file; events by their number in the case, with activity and time."""
    people: list[tuple[str, int]] | None
    """The name of the individual, and the first of these cases that has the same one."""


def others_of_xes(read: EventLog, cases: Sequence[XesCase], without: int) -> Others:
    owner = np.repeat(np.arange(len(cases)), [len(case.events) for case in cases])
    first = np.cumsum([0, *(len(case.events) for case in cases)])
    found, individuals = [], []
    for number, (start, end) in enumerate(zip(read.offsets[:-1], read.offsets[1:], strict=True)):
        case = int(owner[read.sequence[start]])
        if case == without:
            continue
        events = [
            (int(read.sequence[row] - first[case]), read.activities[read.activity[row]], int(read.time[row]))
            for row in range(start, end)
        ]
        found.append((case, events))
        individuals.append(number)
    return Others(found, people_of(read, individuals))


def people_of(read: EventLog, cases: Sequence[int]) -> list[tuple[str, int]] | None:
    if read.individual is None or read.individual_name is None:
        return None
    codes = [int(read.individual[case]) for case in cases]
    return [(str(read.individual_name[case]), codes.index(code)) for case, code in zip(cases, codes, strict=True)]


class _Enumerated(enum.StrEnum):
    SEVEN = "7"


class _OldEnumerated(str, enum.Enum):  # noqa: UP042 - unlike a StrEnum its members do not print their value
    SEVEN = "7"
    A = "a"


_BERLIN = ZoneInfo("Europe/Berlin")
_SET_BACK = dt.datetime(2020, 10, 25, 2, 30, tzinfo=_BERLIN)
TEXTS: tuple[str | None, ...] = (*LABELS, "2020-01-01", None)
OBJECTS: tuple[Any, ...] = (
    *TEXTS,
    *(1, 1.0, True, np.int64(1), np.True_, Decimal("1"), Decimal("1.0"), Decimal("1.00"), b"1", "1"),
    *(7, 7.0, 7.5, np.float32(7.5), 0.0, -0.0, Decimal("-0"), float("nan"), float("inf"), pd.NA, pd.NaT),
    *(2**53 + 1, 2**53, float(2**53), 2**63, -(2**63), _Enumerated.SEVEN, _OldEnumerated.SEVEN, _OldEnumerated.A),
    *(dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), pd.Timestamp("2020-01-01"), _SET_BACK, _SET_BACK.replace(fold=1)),
)
MOMENTS: tuple[Any, ...] = (
    *TIMES,
    *NO_TIMES,
    *(dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5), pd.Timestamp("2020-01-01 05:00:00.123456789")),
    *(pd.Timestamp("1850-01-01 05:00", tz=_BERLIN), pd.Timestamp("2020-01-01", tz="UTC"), None, pd.NaT),
    *(_SET_BACK, _SET_BACK.replace(fold=1), pd.Timestamp("1960-01-01 00:00:00.0005"), 20200131, 20200131.0, True),
)
GOOD_MOMENTS: tuple[Any, ...] = tuple(
    value for value in MOMENTS if not isinstance(value, int | float | None) and value not in NO_TIMES
)

TABLE_CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "individual": st.just("patient"),
        "lifecycle": st.just("complete"),
        "timestamp_format": st.sampled_from(["%d/%m/%Y", "%Y%m%d"]),
        "sequence": st.just("place"),
    },
)
TABLE_COLUMNS = ("case", "activity", "time", "lifecycle", "patient")
_Row = tuple[Any, ...]


@st.composite
def changed_rows(
    draw: st.DrawFn, values: Sequence[Any], times: Sequence[Any], good_times: Sequence[Any], names: Sequence[Any]
) -> tuple[list[_Row], list[_Row]]:
    """Rows of a table, and the same with those of one case changed. ``names`` are those of the others."""
    numbers = [value for value in values if isinstance(value, int)]
    ones = [value for value in values if not isinstance(value, str) and value is not pd.NA and value == 1]
    kinds = draw(st.sampled_from([values, numbers or values, ones or values, LABELS[:-1]]))
    whose = draw(st.lists(st.integers(0, len(names)), min_size=3, max_size=8))
    before, after = [], []
    for place, owner in enumerate(whose):
        if owner:
            row = (
                names[owner - 1],
                draw(st.sampled_from(kinds)),
                draw(st.sampled_from(good_times)),
                draw(st.sampled_from(("complete", "Complete", "start"))),
                f"p{owner // 2}" if kinds is not values else draw(st.sampled_from(("1", 1, "p"))),
                place,
            )
            before.append(row)
            after.append(row)
            continue
        before.append(("changed", "a", "2020-01-01", "complete", "p0", place))
        for more in range(draw(st.integers(0, 2))):
            name = draw(st.sampled_from(("changed", "changed", None, "")))
            cells = [draw(st.sampled_from(values) | st.sampled_from(kinds)) for _ in range(3)]
            after.append((name, cells[0], draw(st.sampled_from(times)), cells[1], cells[2], place + 100 * more))
    return before, after


def others_of_table(read: EventLog, names: Sequence[str]) -> Others:
    found, numbers = [], []
    for number, (start, end) in enumerate(zip(read.offsets[:-1], read.offsets[1:], strict=True)):
        name = str(read.case_names[number])
        if name == "changed":
            continue
        events = [(0, read.activities[read.activity[row]], int(read.time[row])) for row in range(start, end)]
        found.append((names.index(name), events))
        numbers.append(number)
    return Others(found, people_of(read, numbers))
