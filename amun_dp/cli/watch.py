"""Where memory is limited (``ulimit -v``), a command runs in a process of its own, and this one waits for it.

Arrow, OpenDP and OpenBLAS end the process when they get no memory, by a signal or with an exit code of their own: no
exception, no message, and perhaps a budget charged. The process that waits needs next to nothing, so it can say what
happened. Elsewhere nothing is started: a system without such a limit gives memory until it ends processes itself.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from amun_dp._base.out_of_memory import memory_is_limited
from amun_dp.cli.process import prepare_process

_CRASHES = frozenset({"SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGTRAP"})
"""By which a process ends itself."""
_SIZE = 1 << 16


class Board:
    """What the process that works leaves for the one that waits: its step, its notes, and its exit code."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _SIZE)  # shared with a process that is forked
        self._said: dict[str, Any] = {}

    def put(self, **facts: Any) -> None:
        """Add facts; what does not fit is left out."""
        self._said |= facts
        text = json.dumps(self._said).encode()
        if len(text) < _SIZE - 4:
            self._shared[:4] = bytes(4)  # while it is being written there is nothing
            self._shared[4 : 4 + len(text)] = text
            self._shared[:4] = len(text).to_bytes(4, "little")

    def read(self) -> dict[str, Any]:
        size = int.from_bytes(self._shared[:4], "little")
        found: dict[str, Any] = json.loads(self._shared[4 : 4 + size]) if size else {}
        return found


_board: Board | None = None


def leave(**facts: Any) -> None:
    """Leave facts for the process that waits, if there is one."""
    if _board is not None:
        _board.put(**facts)


def watched(command: Callable[[], int], crashed: Callable[[dict[str, Any]], int]) -> int:
    """Run a command and return its exit code; ``crashed`` is asked for it, with what was left on the board, if a
    library ended the process."""
    if not (memory_is_limited() and hasattr(os, "fork") and hasattr(signal, "sigwaitinfo")):
        return command()
    prepare_process()
    global _board  # noqa: PLW0603 — one for the process, as its standard streams are
    board = Board()
    waited_for = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _board = board
        return _announced(command)
    status = _waited(child, waited_for)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return _code(os.waitstatus_to_exitcode(status), board, crashed)


def _announced(command: Callable[[], int]) -> int:
    """Leave the exit code: one that was not left is a library's."""
    try:
        code = command()
    except SystemExit as error:
        leave(code=error.code if isinstance(error.code, int) else int(error.code is not None))
        raise
    except BaseException:
        leave(code=1)
        raise
    leave(code=code)
    return code


def _waited(child: int, signals: set[signal.Signals]) -> int:
    """Wait for its end. A signal that somebody sent to this process alone is passed on; a terminal sends to both."""
    while True:
        with suppress(ChildProcessError):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
        told = signal.sigwaitinfo(signals)
        if told.si_signo != signal.SIGCHLD and told.si_code <= 0:
            with suppress(ProcessLookupError):
                os.kill(child, told.si_signo)


def _code(ended: int, board: Board, crashed: Callable[[dict[str, Any]], int]) -> int:
    said = board.read()
    if "code" in said:
        return int(said["code"])
    if ended >= 0 or signal.Signals(-ended).name in _CRASHES:
        return crashed(said)
    with suppress(OSError):  # not for SIGKILL
        signal.signal(-ended, signal.SIG_DFL)
    os.kill(os.getpid(), -ended)  # killed by somebody: so is this one
    return 128 - ended
