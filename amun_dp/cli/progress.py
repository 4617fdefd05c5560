"""One line that follows the current step, only where somebody is watching."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import clear_frames

from amun_dp._base.out_of_memory import is_out_of_memory
from amun_dp._base.progress import Progress, silent
from amun_dp.cli.streams import ERASE, is_watched, tell
from amun_dp.cli.watch import leave


@contextmanager
def shown_progress(quiet: bool) -> Iterator[Progress]:
    """A callback that shows each step; silent when asked to be, or when standard error is not a terminal. A run that
    ends for lack of memory says in which step."""
    show = silent if quiet or not is_watched() else _line()
    current = ""

    def follow(step: str) -> None:
        nonlocal current
        current = step
        leave(step=step)
        show(step)

    try:
        yield follow
    except Exception as error:
        if is_out_of_memory(error):
            if current:
                error.add_note(happened_while(current))
            clear_frames(error.__traceback__)  # what they hold is needed to say so, and to note what was spent
        raise
    finally:
        if show is not silent:
            tell(ERASE, end="")


def happened_while(step: str) -> str:
    return f"it happened while {step}"


def _line() -> Progress:
    began = time.monotonic()

    def show(step: str) -> None:
        tell(f"{ERASE}{time.monotonic() - began:6.1f} s  {step} …", end="")

    return show
