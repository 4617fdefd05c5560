"""Format numbers: which bytes of a release this software can make again, and hence compare.

Versions do not say that: most leave all bytes as they were. So a report carries these numbers, and versions are
information. Each is raised when the golden files of its number change (tests/golden/formats; the test says so), once
a version with that number was published:

- ``SCHEMA``: fields of ``report.json``, their order, and the figures that the accountant derives from mechanisms.
- ``PAGE``: ``report.html``, and the sentences that it shares with ``report.json``.
- ``DRAWING``: the log as it is drawn up in its file, before it is compressed.

How a file was compressed depends on zlib, which no number of ours can name: see ``amun_dp.writing.packing``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from amun_dp.writing.packing import packer

SCHEMA = 3
PAGE = 1
DRAWING = 1

FIRST_WRITTEN_BY: Mapping[str, Mapping[int, str]] = MappingProxyType(
    {
        "schema": MappingProxyType({2: "0.1.0", 3: "0.1.0"}),
        "page": MappingProxyType({1: "0.1.0"}),
        "drawing": MappingProxyType({1: "0.1.0"}),
    }
)
"""The version of this software that wrote each number first. Numbers only rise, so this says which numbers a named
version can have written: a report that names another pair is a forgery."""

Formats = dict[str, int | str]


def formats_here() -> Formats:
    """Those of a release that is made here."""
    return {"schema": SCHEMA, "page": PAGE, "drawing": DRAWING, "packing": packer()}
