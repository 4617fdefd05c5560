"""Small logs for tests, built without the readers, so that a fault there does not show here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from amun_dp.eventlog.log import EventLog, build_event_log
from tests.article import worked_example

Case = Sequence[tuple[str, int]]
"""Activities with their times in milliseconds."""


def log_of(cases: Sequence[Case]) -> EventLog:
    """A log with cases "0", "1", … in the given order."""
    labels = sorted({activity for case in cases for activity, _ in case})
    code = {label: number for number, label in enumerate(labels)}
    rows = [(number, code[activity], time) for number, case in enumerate(cases) for activity, time in case]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return build_event_log(
        case=columns[:, 0],
        case_names=np.array([str(number) for number in range(len(cases))], dtype=object),
        activity=columns[:, 1],
        labels=np.array(labels, dtype=object),
        time=columns[:, 2],
        sequence=np.arange(len(columns)),
    )


def words_log(words: Sequence[str]) -> EventLog:
    """One case a word, one event a letter, a second apart."""
    return log_of([[(letter, 1_000 * place) for place, letter in enumerate(word)] for word in words])


def worked_example_log() -> EventLog:
    return log_of(
        [
            [(activity, int(pd.Timestamp(f"2020-08-{when}").timestamp() * 1000)) for activity, when in events]
            for events in worked_example.CASES.values()
        ]
    )


def words(alphabet: str = "abc", most: int = 12) -> st.SearchStrategy[list[str]]:
    return st.lists(st.text(alphabet, min_size=1, max_size=6), min_size=1, max_size=most)


@st.composite
def logs(draw: st.DrawFn, longest_gap: int = 30_000) -> EventLog:
    """Random small logs: repeated variants, equal times, gaps around the windows' widths."""
    pool = draw(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4))
    cases = []
    for _ in range(draw(st.integers(1, 12))):
        word = draw(st.sampled_from(pool))
        time = draw(st.integers(0, 5)) * 43_200_000
        case = []
        for place, letter in enumerate(word):
            time += 0 if place == 0 else draw(st.integers(0, 6)) * (longest_gap // 6)
            case.append((letter, time))
        cases.append(case)
    return log_of(cases)


def variants_of(log: EventLog) -> set[tuple[str, ...]]:
    """Distinct activity sequences, by plain Python."""
    return {
        tuple(log.activities[code] for code in log.activity[start:stop])
        for start, stop in zip(log.offsets[:-1], log.offsets[1:], strict=True)
    }
