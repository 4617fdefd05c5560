"""Cases to build logs from, and extreme ones to put in their place."""

from __future__ import annotations

import numpy as np

from amun_dp._base.units import DAY, HOUR
from amun_dp.eventlog.log import EventLog, build_event_log
from tests.logs import Case

BEGIN = 18_262 * DAY
"""2020-01-01."""
END = BEGIN + 366 * DAY - 1


def timed(word: str, start: int, gaps: list[int] | int) -> list[tuple[str, int]]:
    steps = [gaps] * (len(word) - 1) if isinstance(gaps, int) else gaps
    times = [start, *(start + int(since) for since in np.cumsum(steps))]
    return list(zip(word, times, strict=True))


def ordinary_cases(number: int = 300, seed: int = 3, letters: str = "abcd") -> list[Case]:
    """A few frequent variants and some of their own, over a year; the frame is pinned to it."""
    random = np.random.default_rng(seed)
    frequent = [letters, letters[:2], letters[0] + letters[-1], letters + letters[::-1]]
    cases: list[Case] = [timed(letters, BEGIN, HOUR), timed(letters, END - (len(letters) - 1) * HOUR, HOUR)]
    while len(cases) < number:
        own = "".join(random.choice(list(letters), random.integers(1, 12)))
        word = own if random.random() < 0.25 else frequent[random.integers(4)]
        start = BEGIN + int(random.integers(300 * DAY))
        cases.append(timed(word, start, [int(gap) for gap in random.exponential(DAY, len(word) - 1)]))
    return cases


EXTREMES: dict[str, Case] = {
    "one event": timed("a", BEGIN + DAY, 0),
    "very long": timed("ab" * 1_500, BEGIN, 1_000),
    "very long, all at once": timed("d" * 9_000, END, 0),
    "as long as the frame": timed("ab", BEGIN, END - BEGIN),
    "as long as the frame, many steps": timed("abcd" * 5, BEGIN, (END - BEGIN) // 19),
    "another variant": timed("dcba", BEGIN + 200 * DAY, 3 * DAY),
    "before the frame": timed("abcd", BEGIN - 4_000 * DAY, DAY),
    "after the frame": timed("abcd", END + 4_000 * DAY, DAY),
    "around the frame": timed("abcd", BEGIN - 9_000 * DAY, 9_000 * DAY),
    "unknown labels only": timed("xyz", BEGIN, DAY),
    "unknown labels among others": timed("axbycz", BEGIN, DAY),
}


def with_individuals(cases: list[Case], individual: list[int], numbers: list[int] | None = None) -> EventLog:
    """A log whose case i belongs to individual[i], named after its number; names do not follow the order of times."""
    numbers = numbers or list(range(len(cases)))
    labels = sorted({label for case in cases for label, _ in case})
    code = {label: number for number, label in enumerate(labels)}
    rows = np.array([(n, code[label], time) for n, case in enumerate(cases) for label, time in case], dtype=np.int64)
    return build_event_log(
        case=rows[:, 0],
        case_names=np.array([f"{number * 7919 % 104_729}" for number in numbers], dtype=object),
        activity=rows[:, 1],
        labels=np.array(labels, dtype=object),
        time=rows[:, 2],
        sequence=np.arange(len(rows)),
        individual=np.array(individual, dtype=np.int64),
    )
