"""Whether an error is lack of memory, whatever it is called.

Where a process may not have more (``ulimit -v``), few libraries say so. Arrow's own error is both an ArrowException and
a MemoryError; a shared library that cannot be mapped is an ImportError, or an OSError without a number; a thread that
cannot be started is a RuntimeError. Called by those names it would be damaged input, or a bug.
"""

from __future__ import annotations

import errno
import mmap
from collections.abc import Iterator
from contextlib import suppress

_PROBE = 1 << 28
"""Bytes. More than any shared library that is loaded here, and than a thread takes for itself."""
_THREAD = 1 << 26
"""Bytes: a stack, a buffer of some megabytes, and what the C library reserves for a thread."""
_AMBIGUOUS = {"ImportError", "ModuleNotFoundError", "OSError", "RuntimeError", "SystemError", "ArrowException"}
"""What lack of memory may look like, among other things: by name, because Arrow need not be loaded. Arrow's own errors
have kinds of their own; it raises their root where it knows none, for a thread that cannot be started."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether this error, or one that it was raised from or while handling, is lack of memory."""
    return any(_is_itself(each) for each in chain_of(error))


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from or while handling, also where ``from None`` hides that from people."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        yield current
        seen.add(id(current))
        current = current.__cause__ or current.__context__


def memory_is_limited() -> bool:
    """Whether this process has a limit of its own, so that it is refused memory and not ended by the system."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return False
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(kind)[0] != resource.RLIM_INFINITY for kind in kinds)


def memory_is_short(size: int = _PROBE) -> bool:
    """Whether a moderate block of memory cannot be had now. It is given back."""
    with suppress(OSError, MemoryError):
        mmap.mmap(-1, size).close()
        return False
    return True


def check_room_for_a_thread() -> None:
    """MemoryError where there is hardly room for a thread with a buffer: Arrow's reader of CSV would wait for it for
    ever."""
    if memory_is_short(_THREAD):
        raise MemoryError("no room for a thread that reads")


def _is_itself(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    number = error.errno if isinstance(error, OSError) else None
    if number is not None:
        return number == errno.ENOMEM or (number == errno.EAGAIN and memory_is_short())
    return type(error).__name__ in _AMBIGUOUS and memory_is_short()
