"""What a command sets for its process, which is its own. The library leaves all of it alone."""

from __future__ import annotations

import gc
import os
import sys

from amun_dp._base.out_of_memory import memory_is_limited

_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def prepare_process() -> None:
    """To be called before numpy is imported."""
    _open_standard_streams()
    # Modules and templates are thousands of objects that stay: looking for rubbish among them takes 5 % of a small run.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    # numpy's OpenBLAS starts a thread a core, and each turns idly for a while: 50 ms of processor time for nothing, as
    # no command multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if memory_is_limited():
        # Arrow's own allocators take memory ahead, complain on standard error when they get none, and may not survive
        # that; the C library's refuses, which is what can be reported.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def _open_standard_streams() -> None:
    """Put the null device where standard input, output or error is closed (``>&-``).

    Otherwise the next file to be opened, the registry perhaps, takes that number, and what is printed is written into
    it; and Python has no stream there at all.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 — stays open to the end
            setattr(sys, name, stream)
