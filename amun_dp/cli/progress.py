"""Standard error: one line that follows the current step, only where somebody is watching, and what is said beside."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from amun_dp.planning import Progress, silent


@contextmanager
def shown_progress(quiet: bool) -> Iterator[Progress]:
    """A callback that shows each step; silent when asked to be, or when standard error is not a terminal. A run that
    ends for lack of memory says in which step."""
    show = silent if quiet or not sys.stderr.isatty() else _line()
    current = ""

    def follow(step: str) -> None:
        nonlocal current
        current = step
        show(step)

    try:
        yield follow
    except MemoryError as error:
        if current:
            error.add_note(f"it happened while {current}")
        raise
    finally:
        if show is not silent:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _line() -> Progress:
    began = time.monotonic()

    def show(step: str) -> None:
        print(f"\r\x1b[K{time.monotonic() - began:6.1f} s  {step} …", end="", file=sys.stderr, flush=True)

    return show


def say(message: str) -> None:
    """A line that stays, in place of the one that follows the steps."""
    erase = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{erase}amun-dp: {message}", file=sys.stderr)
