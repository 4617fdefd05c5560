"""The article's running example: Table 1 (the log) and the figures of Tables 2 and 3, typed from the article."""

from __future__ import annotations

import pandas as pd

ADVANTAGE = 0.3

# case: [(activity, time)], year 2020, month August
CASES: dict[str, list[tuple[str, str]]] = {
    "1": [("A", "08 10:20"), ("B", "08 10:50"), ("C", "08 16:15")],
    "2": [("D", "08 12:37"), ("A", "08 14:37"), ("E", "08 15:07"), ("C", "08 20:31")],
    "3": [("A", "09 13:30"), ("B", "09 13:55"), ("C", "09 20:55")],
    "4": [("D", "09 15:00"), ("A", "09 17:00"), ("B", "09 17:40"), ("C", "09 23:05")],
    "5": [("A", "09 17:25"), ("E", "09 17:55"), ("C", "10 23:55")],
    "6": [("A", "11 17:00"), ("B", "11 17:27"), ("C", "11 23:45")],
}

# Column PK of the state-annotated log, before filtering.
PRIOR_BEFORE = {
    "1": [0.333, 0.75, 0.333],
    "2": [0.333, 0.35, 0.35, 0.333],
    "3": [0.5, 0.5, 0.167],
    "4": [0.5, 0.35, 0.25, 0.333],
    "5": [0.5, 0.35, 0.167],
    "6": [0.167, 0.5, 0.167],
}
# Columns "New PK" and ε_t after filtering (case 1 is gone). The table prints 1.8 once for 1.79.
PRIOR_AFTER = {
    "2": [0.2, 0.35, 0.35, 0.2],
    "3": [0.6, 0.333, 0.2],
    "4": [0.6, 0.35, 0.333, 0.2],
    "5": [0.6, 0.35, 0.2],
    "6": [0.2, 0.333, 0.2],
}
EPSILON_AFTER = {
    "2": [1.39, 1.24, 1.24, 1.39],
    "3": [1.79, 1.24, 1.39],
    "4": [1.79, 1.24, 1.24, 1.39],
    "5": [1.79, 1.24, 1.39],
    "6": [1.39, 1.24, 1.39],
}
# Contingency table after filtering: (path of activities to the transition's source, activity) → count. The article
# names states s0 … s5; a state is named here by one prefix that reaches it.
CONTINGENCY_AFTER = {
    ("", "A"): 3,
    ("A", "B"): 3,
    ("AB", "C"): 5,
    ("", "D"): 2,
    ("D", "A"): 2,
    ("A", "E"): 2,
}


def dataframe() -> pd.DataFrame:
    rows = [
        (case, activity, pd.Timestamp(f"2020-08-{when}", tz="UTC"))
        for case, events in CASES.items()
        for activity, when in events
    ]
    return pd.DataFrame(rows, columns=["case:concept:name", "concept:name", "time:timestamp"])
