"""The measures of an evaluation again, by plain Python and scipy: event by event, with nothing of the package."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye as identity
from scipy.sparse import kron, vstack

from amun_dp.eventlog.log import EventLog

Word = tuple[str, ...]
Edge = tuple[str, str]
HOUR = timedelta(hours=1) // timedelta(milliseconds=1)


def cases_of(log: EventLog) -> list[list[tuple[str, int]]]:
    return [
        [(log.activities[log.activity[row]], int(log.time[row])) for row in range(start, stop)]
        for start, stop in pairwise(log.offsets.tolist())
    ]


def words_of(log: EventLog) -> Counter[Word]:
    return Counter(tuple(activity for activity, _ in case) for case in cases_of(log))


def gaps_of(log: EventLog) -> dict[Edge, list[int]]:
    found: dict[Edge, list[int]] = defaultdict(list)
    for case in cases_of(log):
        for (before, begun), (after, ended) in pairwise(case):
            found[before, after].append(ended - begun)
    return found


def spans_of(log: EventLog) -> list[tuple[int, int]]:
    return [(case[0][1], case[-1][1]) for case in cases_of(log)]


def levenshtein(left: Sequence[object], right: Sequence[object]) -> int:
    """The table of Wagner and Fischer, row by row."""
    row = list(range(len(right) + 1))
    for number, one in enumerate(left, 1):
        above, row = row, [number]
        for place, other in enumerate(right, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (one != other)))
    return row[-1]


def least_cost(supply: Sequence[float], demand: Sequence[float], cost: np.ndarray) -> float:
    """The transport problem as a linear program with a variable for every pair."""
    rows, columns = cost.shape
    constraints = vstack((kron(identity(rows), np.ones((1, columns))), kron(np.ones((1, rows)), identity(columns))))
    solved = linprog(cost.ravel(), A_eq=constraints.tocsc(), b_eq=[*supply, *demand], method="highs")
    assert solved.status == 0
    return float(solved.fun)


def language_distance(before: Counter[Word], after: Counter[Word]) -> float:
    cost = np.array([[levenshtein(a, b) / max(len(a), len(b)) for b in after] for a in before])
    supply, demand = ([number / log.total() for number in log.values()] for log in (before, after))
    return least_cost(supply, demand, cost)


def active_difference(before: EventLog, after: EventLog) -> float:
    """Area between the curves of active cases, from one instant at which one of them changes to the next."""
    spans = [spans_of(log) for log in (before, after)]
    instants = sorted({instant for log in spans for span in log for instant in span})
    apart = whole = 0
    for start, end in pairwise(instants):
        old, new = (sum(begun <= start and end <= ended for begun, ended in log) for log in spans)
        apart += abs(old - new) * (end - start)
        whole += old * (end - start)
    return apart / whole


def most_active(log: EventLog) -> int:
    spans = spans_of(log)
    return max(sum(begun <= instant <= ended for begun, ended in spans) for instant, _ in spans)
