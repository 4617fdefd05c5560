"""How a registry knows a log again: by keyed hashes of its cases, without storing anything of it.

Tokens of a case that are its own. One common token makes a case common: one person in both logs is enough to compare
the releases of both.
  beginning  its name and the time of its first event: the case grew, or its labels changed
  end        its name and the time of its last event: the case lost its early events
  content    all labels and times without the name: the cases were renumbered

Tokens that other cases may have too. They count only where a share of the smaller log's cases has them in common.
  edges      labels and times of the first two events, of the last two, of the first and the last, without the name:
             the cases were renumbered, and grew, lost early events, or lost events in between
  days       its name and the UTC day of its first event, or of its last: all times moved a little, or another event
             of an activity was read (its end instead of its start)
  course     its name and all labels: the times are others altogether
  person     the individual behind it, where a column names them: other cases of the same people. One is enough to ask
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from accounting.registry.fingerprints import Fingerprint, Likeness
from accounting.registry.keys import Hasher, Tokens
from amun_dp._base.arrays import IntArray, TextArray
from amun_dp._base.units import DAY
from amun_dp.eventlog.log import EventLog

_LABEL_BYTES = 16
_EVENT_BYTES = _LABEL_BYTES + 8

EDGES_ALIKE = Fraction(1, 10)
"""Two labels at two exact times meet by chance where times are dates: in 7 % of the cases between halves of BPIC20."""
DAYS_ALIKE = Fraction(1, 4)
"""Cases numbered from 1 on, in two logs of the same months: some have the same number on the same day."""
COURSES_ALIKE = Fraction(1, 2)
"""Most logs have a usual course; where they are numbered alike, many cases of the same number took it."""


_OWN, _EDGES, _DAYS, _COURSE = slice(0, 3), slice(3, 6), slice(6, 8), slice(8, 9)
TOKENS_A_CASE = 9
"""And one more where individuals are known. Columns of ``case_tokens``, in the order above."""
_CONTENT = 2
_Bytes = npt.NDArray[np.uint8]


def fingerprint(log: EventLog, hasher: Hasher) -> Fingerprint:
    """What a registry needs to know the log again. Linear in the events; Python's part is nine hashes a case."""
    return fingerprint_of(case_tokens(log, hasher), hasher)


def fingerprint_of(tokens: Tokens, hasher: Hasher) -> Fingerprint:
    """The fingerprint of a log from the tokens of its cases."""
    likenesses = [
        Likeness(tokens[:, _EDGES], EDGES_ALIKE),
        Likeness(tokens[:, _DAYS], DAYS_ALIKE),
        Likeness(tokens[:, _COURSE], COURSES_ALIKE),
    ]
    if tokens.shape[1] > TOKENS_A_CASE:
        # One person in both logs is enough to ask; but people may be numbered from 1 on, so it proves nothing.
        likenesses.append(Likeness(tokens[:, TOKENS_A_CASE:], Fraction(0), least=1))
    # Sorted, so that neither the order nor the names of the cases matter.
    whole = hasher.digest("whole log", np.sort(tokens[:, _CONTENT]).astype("<u8").tobytes())
    return Fingerprint(whole, tokens[:, _OWN], tuple(likenesses))


def own_tokens(log: EventLog, hasher: Hasher) -> Tokens:
    """One row a case: the tokens that are its own, and of which one in common makes a case common."""
    events = _event_bytes(log, _label_hashes(log, hasher))
    return np.column_stack(_own(log, _encoded(log.case_names), events, hasher))


def case_tokens(log: EventLog, hasher: Hasher) -> Tokens:
    """One row a case, which depends on this case alone: the cases of a log can be looked at in parts."""
    names, (first, last) = _encoded(log.case_names), _ends(log)
    labels = _label_hashes(log, hasher)
    events = _event_bytes(log, labels)
    own = _own(log, names, events, hasher)

    def named(purpose: str, numbers: IntArray) -> Tokens:
        return hasher.tokens(purpose, _named_numbers(names, numbers))

    edges = (
        hasher.tokens(f"edge of a case: {name}", messages) for name, messages in _edges(events, log.offsets).items()
    )
    days = (named("first day of a case", first // DAY), named("last day of a case", last // DAY))
    course = hasher.tokens("course of a case", _named_courses(names, labels[log.activity], log.offsets))
    return np.column_stack((*own, *edges, *days, course, *_people(log, own[_CONTENT], hasher)))


def _own(log: EventLog, names: list[bytes], events: _Bytes, hasher: Hasher) -> tuple[Tokens, Tokens, Tokens]:
    first, last = _ends(log)
    return (
        hasher.tokens("beginning of a case", _named_numbers(names, first)),
        hasher.tokens("end of a case", _named_numbers(names, last)),
        hasher.tokens("content of a case", _parts(events, log.offsets, _EVENT_BYTES)),
    )


def _ends(log: EventLog) -> tuple[IntArray, IntArray]:
    """Times of the first and of the last event of each case."""
    return log.time[log.offsets[:-1]], log.time[log.offsets[1:] - 1]


def _encoded(names: TextArray) -> list[bytes]:
    return [str(name).encode("utf-8", errors="surrogatepass") for name in names]


def _people(log: EventLog, content: Tokens, hasher: Hasher) -> tuple[Tokens, ...]:
    """The individual of each case, where they are known."""
    if log.individual_name is None:
        return ()
    names = _encoded(log.individual_name)
    # A case without an individual has nobody to be known by; what it is stands in for that.
    nobody = np.array([not name for name in names])
    return (np.where(nobody, content, hasher.tokens("individual", iter(names))),)


def _label_hashes(log: EventLog, hasher: Hasher) -> _Bytes:
    """One row a label: its code differs between logs, its text does not."""
    hashed = b"".join(
        hasher.digest("label", label.encode("utf-8", errors="surrogatepass"))[:_LABEL_BYTES] for label in log.activities
    )
    return np.frombuffer(hashed, dtype=np.uint8).reshape(-1, _LABEL_BYTES)


def _event_bytes(log: EventLog, labels: _Bytes) -> _Bytes:
    """One row an event: the hash of its label, and its time."""
    events: _Bytes = np.empty((log.n_events, _EVENT_BYTES), dtype=np.uint8)
    events[:, :_LABEL_BYTES] = labels[log.activity]
    events[:, _LABEL_BYTES:] = _as_bytes(log.time)
    return events


def _parts(rows: _Bytes, offsets: IntArray, width: int) -> Iterator[memoryview]:
    """The rows of each case as bytes."""
    view = rows.reshape(-1).data
    return (view[start:stop] for start, stop in pairwise((offsets * width).tolist()))


def _edges(events: _Bytes, offsets: IntArray) -> dict[str, Iterator[bytes]]:
    """Two events of each case, one of which may be the other where there is one only."""
    first, last = offsets[:-1], offsets[1:] - 1
    pairs = {
        "the first two": (first, np.minimum(first + 1, last)),
        "the last two": (np.maximum(last - 1, first), last),
        "first and last": (first, last),
    }
    return {name: _rows(np.hstack([events[place] for place in places])) for name, places in pairs.items()}


def _rows(table: _Bytes) -> Iterator[bytes]:
    content, width = table.tobytes(), table.shape[1]
    return (content[start : start + width] for start in range(0, len(content), width))


def _named_numbers(names: list[bytes], numbers: IntArray) -> Iterator[bytes]:
    """Number first: it has a fixed width, so that no two pairs make the same bytes."""
    return (number + name for number, name in zip(_rows(_as_bytes(numbers)), names, strict=True))


def _named_courses(names: list[bytes], labels: _Bytes, offsets: IntArray) -> Iterator[bytes]:
    """The name after its length and before the labels."""
    return (
        len(name).to_bytes(8, "little") + name + bytes(course)
        for name, course in zip(names, _parts(np.ascontiguousarray(labels), offsets, _LABEL_BYTES), strict=True)
    )


def _as_bytes(numbers: IntArray) -> _Bytes:
    return numbers.astype("<i8").view(np.uint8).reshape(-1, 8)
