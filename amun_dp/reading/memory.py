"""Memory between Arrow, which holds the columns of a file, and numpy, which holds those of the log."""

from __future__ import annotations


def return_memory() -> None:
    """Arrow keeps what columns took for columns to come. Those are numpy's, which would take fresh memory beside it."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
