"""Whether a release can be made and written with the memory there is: asked before a budget is charged, because a run
that ends for lack of memory afterwards has spent it for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Final

import numpy as np

from accounting.arrow import texts
from amun_dp.noise.sources import NoiseSource, try_out
from amun_dp.writing.tables import rows_a_batch

ARTICLE_BYTES: Final = 190
CERTIFIED_BYTES: Final = 110
"""What an event takes from the plan on until the release is written, by family of methods. Measured on generated logs
of 62,000 to 1,390,000 events as what the address space grows by: 144 (CSV), 155 (Parquet), 167 (XES) with the article's
methods, 58 to 93 with the certified one. The largest of the formats, because a release may be saved in any of them."""
FIXED_BYTES: Final = 64 << 20
"""Whatever the log: a thread beside, and the pages. Measured: up to 54 MB beyond what stays taken once the sampler was
tried out and the modules are loaded."""
_COPIES: Final = 4
"""Of a label in a batch of text that is being written: alone, in its element, in the line, and in the compressor."""
_LATER = ("amun_dp.internals.page", "amun_dp.report.page", "amun_dp.writing.xes", "pyarrow.parquet")
"""What is imported when the release is written."""


def rehearse(source: NoiseSource, events: float, bytes_per_event: int, labels: Sequence[str]) -> None:
    """Try what can fail without noise, with as much memory taken as a release of so many events needs; all of it is
    given back. MemoryError where it cannot be had, SamplerError where the sampler does not work."""
    with _held(int(events * bytes_per_event) + _text_bytes(events, labels)):
        for module in _LATER:
            import_module(module)
        try_out(source, int(events))


def _text_bytes(events: float, labels: Sequence[str]) -> int:
    """Of a batch of rows that is written, for labels so long that it counts."""
    longest = max((len(label.encode(errors="replace")) for label in labels), default=0)
    rows = min(int(events) + 1, rows_a_batch(0, texts(["x" * longest])))
    return _COPIES * rows * longest


@contextmanager
def _held(needed: int) -> Iterator[None]:
    """Take so much memory, and what every release needs, while the block runs."""
    block = np.empty(needed + FIXED_BYTES, dtype=np.uint8)  # never touched: a limit of the process refuses it here
    available = _available()
    if available is not None and needed > available:
        raise MemoryError(f"the release needs about {needed >> 20:,} MB, and {available >> 20:,} MB are free")
    yield
    del block


def _available() -> int | None:
    """Bytes that the system could still give; None where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # not Linux
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024
    return None
