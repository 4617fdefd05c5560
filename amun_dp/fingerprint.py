"""How a registry knows a log again: by keyed hashes of its cases, without storing anything of it.

Three tokens a case, each from another part of it:
  beginning  its name and the time of its first event: the case grew, or its labels changed
  end        its name and the time of its last event: the case lost its early events
  content    all labels and times without the name: the cases were renumbered

One common token makes a case common: one person in both logs is enough to compare the releases of both. A log in
which names and times, or labels and times, have all changed is not known again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from accounting.registry.fingerprints import Fingerprint
from accounting.registry.keys import Hasher
from amun_dp.eventlog import EventLog, IntArray

_LABEL_BYTES = 16
_EVENT_BYTES = _LABEL_BYTES + 8


def fingerprint(log: EventLog, hasher: Hasher) -> Fingerprint:
    """What a registry needs to know the log again. Linear in the events; Python's part is three hashes a case."""
    names = [str(name).encode("utf-8", errors="surrogatepass") for name in log.case_names]
    content = hasher.tokens("content of a case", _contents(log, hasher))
    tokens = np.column_stack(
        (
            hasher.tokens("beginning of a case", _named_times(names, log.time[log.offsets[:-1]])),
            hasher.tokens("end of a case", _named_times(names, log.time[log.offsets[1:] - 1])),
            content,
        )
    )
    # Sorted, so that neither the order nor the names of the cases matter.
    return Fingerprint(hasher.digest("whole log", np.sort(content).astype("<u8").tobytes()), tokens)


def _named_times(names: list[bytes], times: IntArray) -> Iterator[bytes]:
    """Time first: it has a fixed width, so that no two pairs make the same bytes."""
    stamps = times.astype("<i8").tobytes()
    return (stamps[8 * place : 8 * place + 8] + name for place, name in enumerate(names))


def _contents(log: EventLog, hasher: Hasher) -> Iterator[memoryview]:
    """The events of each case as bytes: a hash of the label (its code differs between logs) and the time."""
    hashed = b"".join(
        hasher.digest("label", label.encode("utf-8", errors="surrogatepass"))[:_LABEL_BYTES] for label in log.activities
    )
    labels = np.frombuffer(hashed, dtype=np.uint8).reshape(-1, _LABEL_BYTES)
    events: npt.NDArray[np.uint8] = np.empty((log.n_events, _EVENT_BYTES), dtype=np.uint8)
    events[:, :_LABEL_BYTES] = labels[log.activity]
    events[:, _LABEL_BYTES:] = log.time.astype("<i8").view(np.uint8).reshape(-1, 8)
    view = events.reshape(-1).data
    bounds = (log.offsets * _EVENT_BYTES).tolist()
    return (view[start:stop] for start, stop in pairwise(bounds))
