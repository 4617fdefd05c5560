"""Small logs with awkward names, and strategies for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from amun_dp.eventlog.log import EventLog, build_event_log

Rows = list[tuple[str, str, int]]
"""Case, activity and milliseconds of each event."""

AWKWARD_TEXTS = (
    'say "no"',
    "it's",
    "R&D",
    "a < b > c",
    "&amp;",
    "]]>",
    "🏥 Notaufnahme",
    "first line\nsecond line",
    "carriage\r\nreturn",
    "tab\there",
    "  leading and trailing  ",
    "comma, separated",
    "{%s}",
    "",
    "\x85 next line",
)

# Years 1 to 9999.
times = st.integers(min_value=-62_135_596_800_000, max_value=253_402_300_799_999)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(AWKWARD_TEXTS)
# All that XML 1.0 can hold.
xml_text = any_text.filter(lambda text: all(c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") for c in text))


def log_of(cases: Mapping[str, Sequence[tuple[str, int]]]) -> EventLog:
    """The log with these events (activity, milliseconds) in each case."""
    events = [(name, activity, time) for name, sequence in cases.items() for activity, time in sequence]
    names, labels = list(cases), sorted({activity for _, activity, _ in events})
    return build_event_log(
        case=np.array([names.index(name) for name, _, _ in events], dtype=np.int64),
        case_names=np.array(names, dtype=object),
        activity=np.array([labels.index(activity) for _, activity, _ in events], dtype=np.int64),
        labels=np.array(labels, dtype=object),
        time=np.array([time for _, _, time in events], dtype=np.int64),
        sequence=np.arange(len(events), dtype=np.int64),
    )


def logs(texts: st.SearchStrategy[str]) -> st.SearchStrategy[EventLog]:
    """Logs of up to five cases whose names and labels are these texts."""
    events = st.lists(st.tuples(texts, times), min_size=1, max_size=6)
    return st.dictionaries(texts, events, min_size=1, max_size=5).map(log_of)


def rows_of(log: EventLog) -> Rows:
    """What a reader should find, in order."""
    return [
        (log.case_names[case], log.activities[activity], int(time))
        for case, activity, time in zip(log.case, log.activity, log.time, strict=True)
    ]


def small_log() -> EventLog:
    return log_of(
        {
            "patient-1": [("Register", 1_700_000_000_000), ("Triage", 1_700_000_060_001)],
            "patient-2": [("Register", 1_700_000_500_000)],
        }
    )
