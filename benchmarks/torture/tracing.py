"""A fork under strace, which counts its system calls or kills it at one of them; and a fork that is killed at a moment.

A fork makes only the calls that matter: everything is loaded already.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.torture.commands import Ended, forked

_PR_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1)
_PATIENCE = 60.0


def traced(arguments: Sequence[object], flags: Sequence[str]) -> tuple[Ended, float]:
    """A command under ``strace`` with these flags: how it ended, and after how many seconds."""
    waits, go = os.pipe()

    def wait_for_strace() -> None:
        os.close(go)
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANYBODY)  # where only parents may trace their children
        os.read(waits, 1)

    run = forked(arguments, first=wait_for_strace)
    os.close(waits)
    with subprocess.Popen(["strace", "-f", "-qq", *flags, "-p", str(run.pid)], stderr=subprocess.PIPE) as strace:
        try:
            _wait_until_traced(run.pid)
            begun = time.monotonic()
            os.write(go, b".")
            os.close(go)
            done = run.wait()
            return done, time.monotonic() - begun
        except TimeoutError:
            os.kill(run.pid, signal.SIGKILL)
            strace.kill()
            assert strace.stderr is not None
            raise SystemExit(f"strace cannot trace: {strace.stderr.read().decode()}") from None


def _wait_until_traced(pid: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while "TracerPid:\t0\n" in Path(f"/proc/{pid}/status").read_text(encoding="ascii"):
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.001)


def killed_at(arguments: Sequence[object], seconds: float) -> int:
    """The exit code of a command that is killed after so many seconds."""
    run = forked(arguments)
    time.sleep(seconds)
    os.kill(run.pid, signal.SIGKILL)  # not reaped yet, so the number is still its own
    return run.wait().code
