"""A process that answers in lines of JSON and can be stopped: for work whose time and memory must have an end.

Started anew and not forked: a fork would repeat the random numbers of its parent and its siblings. It has a session of
its own, so Ctrl-C is for whoever started it, who then ends it; and it ends by itself once nobody can ask it any more.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

_OUT_OF_PROCESSOR_TIME = -signal.SIGXCPU if hasattr(signal, "SIGXCPU") else None
"""How a process ends by that; None where the system knows no such end (there 0 would be one that ended well)."""


class LineProcess:
    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # libraries print, warn and draw bars
            encoding="utf-8",
            env=environment,
            start_new_session=True,
        )
        self.lives = True
        atexit.register(self.close)

    def ask(self, question: Any) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # a process that has died is found out when it does not answer
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()

    def line(self, limit: float | None) -> str | None:
        """None: the process took longer and was stopped, or was ended by somebody else (for want of memory)."""
        assert self._process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = None if limit is None else threading.Timer(limit, stop)
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            if timer is not None:
                timer.cancel()
                timer.join()
        self.was_late = late.is_set()
        if self.was_late or not line.endswith("\n"):
            self.close()
            self.was_late |= self._process.returncode == _OUT_OF_PROCESSOR_TIME
        return line if line.endswith("\n") else None

    was_late = False
    """Whether the last line was waited for in vain: the process took longer than it might, or used more processor
    time than it had allowed itself."""

    def kill(self) -> None:
        """End it from another thread than the one that listens, which then gets None."""
        self._process.kill()

    def close(self) -> None:
        self.lives = False
        atexit.unregister(self.close)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError, ValueError):
                pipe.close()


def own_environment() -> dict[str, str]:
    """So that a process started with this Python finds the same packages, also from a source tree, and none in the
    folder where the user happens to be: that may hold somebody else's files (an empty entry would mean it, too)."""
    known = os.pathsep.join(entry for entry in sys.path if entry)
    return {**os.environ, "PYTHONPATH": known, "PYTHONSAFEPATH": "1"}
