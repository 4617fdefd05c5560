"""The command line, run in a process of its own, or in a fork of this one, which has loaded everything already.

A fork costs a tenth of a new process, so thousands of files can be tried one by one, each with bounds of memory and
time of its own.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from amun_dp.cli import main

PATIENCE = 600.0
"""Seconds after which a run counts as one that hangs."""
HANGS = -999
"""In place of an exit code."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. A negative ``code`` is the signal that ended it."""

    code: int
    out: str
    err: str

    @property
    def broke_off(self) -> str | None:
        """What no command may do, whatever the fault: hang, die of a signal, show a traceback, or call it a bug."""
        if self.code == HANGS:
            return "does not end"
        if self.code < 0 or self.code > 128:
            return f"ended by signal {abs(self.code) % 128}"
        if "Traceback (most recent call last)" in self.err:
            return f"a traceback: {self.err.strip().splitlines()[-1][:200]}"
        if self.code == 3 or "internal error" in self.err:
            return f"an internal error: {self.err.strip()[-200:]}"
        return None


def command_line(arguments: Sequence[object]) -> list[str]:
    return [sys.executable, "-m", "amun_dp.cli", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def in_a_process(
    *arguments: object, prefix: Sequence[str] = (), memory: int | None = None, seconds: float | None = None
) -> Ended:
    """Run a command in a process of its own, under ``prefix``, with at most ``memory`` bytes of address space and
    ``seconds`` of processor time."""
    try:
        done = subprocess.run(
            [*prefix, *command_line(arguments)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
            env=environment(),
            preexec_fn=None if memory is None and seconds is None else lambda: _limit(memory, seconds),
        )
    except subprocess.TimeoutExpired:
        return Ended(HANGS, "", "")
    return Ended(done.returncode, done.stdout, done.stderr)


@dataclass(slots=True)
class Fork:
    """A run in a fork of this process, under way."""

    pid: int
    _out: IO[bytes]
    _err: IO[bytes]

    def wait(self) -> Ended:
        deadline, code = time.monotonic() + PATIENCE, HANGS
        while time.monotonic() < deadline:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                break
            time.sleep(0.002)
        else:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        return Ended(code, _text(self._out), _text(self._err))


def forked(
    work: Sequence[object] | Callable[[], int],
    *,
    memory: int | None = None,
    seconds: float | None = None,
    first: Callable[[], None] = lambda: None,
) -> Fork:
    """Start a command, or any work that returns an exit code, in a fork.

    It has at most ``memory`` bytes more than this process has, and ``seconds`` of processor time. ``first`` is called
    there before it, to wait for others perhaps.
    """
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 — closed when they were read
    pid = os.fork()
    if pid:
        return Fork(pid, out, err)
    code = 1
    try:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout, sys.stderr = _stream(1), _stream(2)
        _limit(None if memory is None else _address_space() + memory, seconds)
        first()
        code = _ended(work)
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def load_everything(log: Path, place: Path) -> None:
    """Run each command once here, so that forks need not load anything."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for method in (["sampling"], ["certified", "--variants", "generated"]):
            out = place / method[0]
            flags = ["--advantage", "0.3", "--noise", "exact", "--method", *method, "--registry", f"{out}.sqlite"]
            codes = [
                main(["inspect", str(log)]),
                main(["anonymize", str(log), *flags, "--out", str(out)]),
                main(["verify", str(out)]),  # with the proofs, whose verdicts stay known
                main(["clean", str(out)]),
            ]
            assert codes == [0, 0, 0, 0], codes
    gc.freeze()  # so that forks share with this process what they do not change


def _ended(work: Sequence[object] | Callable[[], int]) -> int:
    """As the interpreter ends a program."""
    try:
        return work() if callable(work) else main([str(each) for each in work])
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 — whatever it is, it is what these programs look for
        traceback.print_exc()
        return 1


def _stream(number: int) -> IO[str]:
    return open(number, "w", encoding="utf-8", errors="replace", closefd=False)


def _text(written: IO[bytes]) -> str:
    with written:
        written.seek(0)
        return written.read().decode("utf-8", "replace")


def _limit(memory: int | None, seconds: float | None) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        whole = int(used.ru_utime + used.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
