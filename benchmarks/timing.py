"""A command in a process of its own: wall time, processor time and peak memory.

The process that measures stays small and leaves all work to others: Linux counts the memory of the parent at the time
of the fork into the child's peak.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

COMMAND = (sys.executable, "-m", "amun_dp.cli")
_WRONG_USE = 2
"""The command's exit code for what cannot be done."""


@dataclass(frozen=True, slots=True)
class Measured:
    seconds: float
    cpu_seconds: float
    megabytes: float


def timed(command: Sequence[str], expected: int = 0) -> Measured:
    """Stops all that is measured if the command ends with another exit code than the expected one."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL if expected else None)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != expected:
        raise SystemExit(f"{' '.join(command[:6])} … ended with exit code {process.returncode}")
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def release(path: Path, method: str, noise: str = "opendp") -> Measured:
    """From file to release folder, as the command line makes it, Python's start included; ``certified:form``, too."""
    with tempfile.TemporaryDirectory() as folder:
        return timed(_anonymize(path, method, noise, folder))


def refusal(path: Path, method: str, noise: str = "opendp") -> Measured:
    """A release that must end with a message and without a folder."""
    with tempfile.TemporaryDirectory() as folder:
        took = timed(_anonymize(path, method, noise, folder), expected=_WRONG_USE)
        if any(Path(folder).iterdir()):
            raise SystemExit(f"{path.name}: {method} was refused and left a folder")
        return took


def _anonymize(path: Path, method: str, noise: str, folder: str) -> list[str]:
    name, _, form = method.partition(":")
    options = ["--advantage=0.2", "--quiet", "--method", name, "--noise", noise, f"--out={folder}/out"]
    # Nothing of it is published, so nothing is recorded.
    command = [*COMMAND, "anonymize", str(path), *options, "--no-registry"]
    return [*command, "--variants", form] if form else command
