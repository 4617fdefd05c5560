"""Ways to damage bytes: at random, and as files go wrong in practice or are made by somebody who means harm."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from collections.abc import Callable

Mutation = Callable[[bytes, random.Random], bytes]

_PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b'""', b"'", b"<", b">", b"&", b"&amp;", b"&#0;", b"]]>", b"<!--",
    b",", b";", b"\n", b"\r", b"\t", "é".encode(), b"\xc3", b"9" * 400, b"-1", b"NaN", b"1e999", b"0000-00-00",
    b"9999-12-31T23:59:60Z", b"\x1a", b"=1+1", b"<trace>", b"</event>", b"<!DOCTYPE log []>", b"\0" * 5_000,
)  # fmt: skip
_LONGEST = 9_000_000
"""Longer than any token or row that is read."""


def flip(data: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << choose.randrange(8))]) + data[at + 1 :]


def flip_near_the_end(data: bytes, choose: random.Random) -> bytes:
    """Where Parquet has its schema, gzip its checksum and zip its directory."""
    at = len(data) - 1 - choose.randrange(min(len(data), 3_000))
    return data[:at] + bytes([choose.randrange(256)]) + data[at + 1 :]


def cut(data: bytes, choose: random.Random) -> bytes:
    return data[: choose.randrange(len(data))]


def repeat(data: bytes, choose: random.Random) -> bytes:
    start, length = choose.randrange(len(data)), choose.randint(1, 200)
    return data[:start] + data[start : start + length] * choose.choice((2, 3, 1_000)) + data[start + length :]


def drop(data: bytes, choose: random.Random) -> bytes:
    start = choose.randrange(len(data))
    return data[:start] + data[start + choose.randint(1, 200) :]


def insert(data: bytes, choose: random.Random) -> bytes:
    at = choose.randrange(len(data) + 1)
    return data[:at] + choose.choice(_PIECES) + data[at:]


def exchange(data: bytes, choose: random.Random) -> bytes:
    """Two pieces change places."""
    first, second = sorted(choose.randrange(len(data)) for _ in range(2))
    length = min(choose.randint(1, 300), second - first, len(data) - second)
    if not length:
        return flip(data, choose)
    between = data[first + length : second]
    return (
        data[:first] + data[second : second + length] + between + data[first : first + length] + data[second + length :]
    )


def blow_up(data: bytes, choose: random.Random) -> bytes:
    """One token that does not end."""
    at = choose.randrange(len(data) + 1)
    return (
        data[:at]
        + choose.choice((b"a", b" ", b",", b"<a>", b"0", b'"')) * choose.choice((70_000, _LONGEST))
        + data[at:]
    )


def encode_otherwise(data: bytes, choose: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(choose.choice(("utf-16", "utf-16-be", "utf-32", "latin-1", "utf-7")), "replace")


def end_lines_otherwise(data: bytes, choose: random.Random) -> bytes:
    return data.replace(b"\n", choose.choice((b"\r\n", b"\r", b"\n\n", b"\n\0", b"")))


MUTATIONS: tuple[Mutation, ...] = (flip, flip_near_the_end, cut, repeat, drop, insert, exchange)
"""For every kind of bytes."""
OF_TEXT: tuple[Mutation, ...] = (*MUTATIONS, *MUTATIONS, blow_up, encode_otherwise, end_lines_otherwise)


def mutated(data: bytes, choose: random.Random, kinds: tuple[Mutation, ...] = MUTATIONS) -> bytes:
    """With one to three mutations, and other than before."""
    changed = data
    while changed == data:
        for _ in range(choose.choice((1, 1, 1, 2, 3))):
            changed = choose.choice(kinds)(changed, choose) or b"x"
    return changed


def packed_otherwise(data: bytes, choose: random.Random) -> bytes:
    """Compressed in an unusual way: in several members, with more behind it, or for far more than it seems."""
    match choose.randrange(4):
        case 0:
            middle = len(data) // 2
            return gzip.compress(data[:middle], 1) + gzip.compress(data[middle:], 1)
        case 1:
            return gzip.compress(data, 1) + b"\0" * choose.randint(1, 1_000)
        case 2:
            return gzip.compress(data + b"\n" * 100_000_000, 1)
        case _:
            return gzip.compress(gzip.compress(data, 1), 1)


def zipped(files: dict[str, bytes], choose: random.Random) -> bytes:
    """As an archive, stored or deflated, below a folder or not."""
    below = choose.choice(("", "release/"))
    kind = choose.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(below + name, content)
    return written.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    """The files of an archive, without the folder that they may be in."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist()}
