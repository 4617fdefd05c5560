"""How a log is compressed: the same content gives the same bytes, as long as the same zlib packs it.

zlib comes with Python or with the system, and builds of the same version may pack otherwise (zlib-ng, vendors' own). So
a version says too little: what identifies one here is what it makes of a fixed text.
"""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import BinaryIO, cast

LEVEL = 3
"""Of gzip. Its usual 6 takes two and a half times as long and makes the file of a log smaller by a seventh."""
HEADER = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255))
"""gzip, deflate, no name, no comment, no extra field, no time; no further flag (XFL); of no system (OS)."""
_LINES = 4_000


@contextmanager
def packed(stream: BinaryIO) -> Iterator[BinaryIO]:
    """What is written is compressed into the stream; neither time nor name is in the header."""
    with gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=stream, mtime=0) as compressed:
        yield cast(BinaryIO, compressed)


@cache
def packer() -> str:
    """How the zlib at hand packs: eight hexadecimal digits of the hash of what it makes of a text like a log."""
    digits = "".join(hashlib.sha256(str(line).encode()).hexdigest() for line in range(_LINES // 8))
    lines = (
        f'<event><string key="concept:name" value="step {line * line % 23}"/><date key="time:timestamp" '
        f'value="2024-01-{1 + line % 28:02}T{digits[8 * line : 8 * line + 8]}"/></event>\n'
        for line in range(_LINES)
    )
    written = io.BytesIO()
    with packed(written) as stream:
        stream.write("".join(lines).encode())
    return hashlib.sha256(written.getbuffer()).hexdigest()[:8]
