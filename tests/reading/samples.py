"""Small logs written by hand, for the tests of the reading layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from amun_dp.eventlog.log import EventLog

Row = tuple[str, str, str]
"""Case, activity, timestamp."""


def attribute(kind: str, key: str, value: str) -> str:
    return f"<{kind} key={quoteattr(key)} value={quoteattr(value)}/>"


def event(activity: str | None = "a", time: str | None = "2020-01-01T10:00:00Z", *more: str) -> str:
    name = "" if activity is None else attribute("string", "concept:name", activity)
    date = "" if time is None else attribute("date", "time:timestamp", time)
    return f"<event>{name}{date}{''.join(more)}</event>\n"


def trace(name: str | None, *content: str) -> str:
    label = "" if name is None else attribute("string", "concept:name", name)
    return f"<trace>{label}\n{''.join(content)}</trace>\n"


def log(*content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0">\n{"".join(content)}</log>\n'


def write(folder: Path, text: str | bytes, name: str = "log.xes") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def xes_of(rows: Sequence[Row]) -> str:
    """One trace a case, in order of first appearance."""
    cases = dict.fromkeys(case for case, _, _ in rows)
    return log(
        *(trace(name, *(event(activity, time) for case, activity, time in rows if case == name)) for name in cases)
    )


def rows_of(read: EventLog) -> list[tuple[str, str, int]]:
    """The log as (case, activity, milliseconds), in the log's order."""
    return [
        (str(read.case_names[case]), read.activities[activity], int(time))
        for case, activity, time in zip(read.case, read.activity, read.time, strict=True)
    ]


def notes_of(read: EventLog) -> str:
    return " ".join(read.facts.notes)
