"""What a command writes: results to standard output, all else to standard error.

A line that cannot be written must not end the run: the disk behind a redirected standard error may be full, or its
reader gone, and by then a budget may be charged.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from amun_dp.cli.as_flags import in_flags
from amun_dp.errors import OutputError

NOT_WRITTEN = "The command is done, but its output could not be written"
ERASE = "\r\x1b[K"
"""What takes the line of a terminal away."""


def tell(text: str, end: str = "\n") -> None:
    """Write a line to standard error, if that is possible."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # full, gone, or closed
        drop(sys.stderr)


def say(*parts: str) -> None:
    """A line to standard error that stays, in place of the one that follows the steps; its parts follow each other."""
    tell(f"{ERASE if is_watched() else ''}amun-dp: {''.join(map(in_flags, parts))}")


def is_watched() -> bool:
    """Whether standard error is a terminal; a stream that is closed is none."""
    return not sys.stderr.closed and sys.stderr.isatty()


def write_out(text: str) -> None:
    """Write a result to standard output. Whoever reads it may go away; where it cannot be written, that is an error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        drop(sys.stdout)
        raise OutputError(f"{NOT_WRITTEN} ({getattr(error, 'strerror', None) or 'it is closed'}).") from error


def drop(stream: TextIO) -> None:
    """What is still to be written there goes nowhere, so that the end of the process does not try it again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
