"""What was tried and what held. A program that finds a failure goes on, so that its figure is one of all tries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ADVANTAGE = "0.3"


@dataclass(slots=True)
class Tally:
    """One kind of fault."""

    name: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def note(self, outcome: str, failure: str | None = None) -> None:
        """One try, how it ended, and, where it did not hold, what was wrong."""
        self.tried += 1
        self.outcomes[outcome] += 1
        if failure is not None:
            self.failures.append(failure)
            print(f"  FAILED {self.name}: {failure}", file=sys.stderr, flush=True)

    def line(self) -> str:
        shares = ", ".join(f"{name} {number:,}" for name, number in sorted(self.outcomes.items()))
        return f"| {self.name} | {self.tried:,} | {self.tried - len(self.failures):,} | {shares} |"


def amun(*arguments: object, prefix: tuple[str, ...] = (), timeout: float = 600) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, under ``prefix``."""
    command = [*prefix, sys.executable, "-m", "amun_dp.cli", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False, env=environment
    )


def release_identifier(folder: Path) -> str | None:
    """Of the release that stands there; None if there is none."""
    try:
        identifier: str = json.loads((folder / "report.json").read_bytes())["release"]["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return identifier
