"""What a command sets for its process, which is its own. The library leaves all of it alone."""

from __future__ import annotations

import gc
import os

_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def prepare_process() -> None:
    """To be called before numpy is imported."""
    # Modules and templates are thousands of objects that stay: looking for rubbish among them takes 5 % of a small run.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    # numpy's OpenBLAS starts a thread a core, and each turns idly for a while: 50 ms of processor time for nothing, as
    # no command multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
