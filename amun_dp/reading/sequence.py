"""A column of whole numbers that orders events: a table as if its rows had been sorted by it.

Events of a case at the same time need an order, and the rows of a table that came out of a database have none. Cases
are in the order of their smallest number, and of their names where that is the same, so that nothing is left to the
order of the rows. Two events of a case with the same time and number have no order, and are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from amun_dp._base.arrays import IntArray, TextArray
from amun_dp._base.messages import Message
from amun_dp.errors import ColumnError, IncompleteLog, InputError


def whole_numbers(column: Any, name: str, *, spelled: bool = False) -> Any:
    """A pyarrow column as one of 64-bit numbers; with ``spelled`` it may be text, as everything in CSV is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count == len(column):  # a column without values may have any type
        return pa.nulls(len(column), pa.int64())
    readable = pa.types.is_integer(column.type)
    if spelled:  # Arrow would also read hexadecimal numbers
        readable = pc.all(pc.match_substring_regex(column, r"^-?[0-9]+$")).as_py()
    if not readable:
        raise no_whole_numbers(name)
    try:
        numbers = column.cast(pa.int64())
    except pa.ArrowInvalid:  # its message quotes the value
        raise no_whole_numbers(name) from None
    return numbers.combine_chunks() if isinstance(numbers, pa.ChunkedArray) else numbers


def in_sequence(numbers: IntArray, case: IntArray, names: TextArray) -> IntArray:
    """The order of events by their numbers, and by the names of their cases where these are the same."""
    rank = np.empty(len(names) + 1, dtype=np.int64)
    # Sorted as Python text, which is the order of UTF-8, in which Spark sorts.
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    rank[-1] = -1  # events without a case
    return np.lexsort((rank[case], numbers)).astype(np.int64, copy=False)


def require_order(case: IntArray, time: IntArray, numbers: IntArray) -> None:
    """Refuse events of one case that have the same time and the same number."""
    order = np.lexsort((numbers, time, case))
    same = [column[order[1:]] == column[order[:-1]] for column in (case, time, numbers)]
    tied = len(np.unique(case[order[1:]][np.logical_and.reduce(same)]))
    if tied:
        raise no_order(tied)


def no_whole_numbers(name: str) -> ColumnError:
    return ColumnError(
        Message("The column {name!r} ({sequence}) holds no whole numbers, or such that do not fit 64 bits.", name=name)
    )


def no_order(cases: int) -> InputError:
    has = "1 case has" if cases == 1 else f"{cases} cases have"
    return InputError(
        f"{has} events with the same time and the same sequence number, so that their order is not known. Number the "
        "events of a case differently."
    )


def unnumbered(events: int, total: int) -> IncompleteLog:
    have = "has" if events == 1 else "have"
    return IncompleteLog(f"{events} of {total} events {have} no sequence number. Number them all.")
