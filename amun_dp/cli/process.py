"""What a command sets for its process, which is its own. The library leaves all of it alone."""

from __future__ import annotations

import ctypes
import gc
import os

_OBJECTS_BETWEEN_COLLECTIONS = 20_000
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""glibc's names for what it keeps at the end of its heap, and for how large a block is that never lies there."""
_KEPT, _APART = 1 << 30, 32 << 20
"""The most that glibc takes for the second."""


def prepare_process() -> None:
    """To be called before numpy is imported."""
    # Modules and templates are thousands of objects that stay: looking for rubbish among them takes 5 % of a small run.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    # numpy's OpenBLAS starts a thread a core, and each turns idly for a while: 50 ms of processor time for nothing, as
    # no command multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Columns come and go. glibc would give their memory back each time, and the kernel fill it with zeros again: a
    # twelfth of the time for millions of events.
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another system's allocator
        return
    set_option(_TRIM_THRESHOLD, _KEPT)
    set_option(_MMAP_THRESHOLD, _APART)
