"""What was tried and what held. A program that finds a failure goes on, so that its figure is one of all tries."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from amun_dp._base.software import software_versions


@dataclass(slots=True)
class Tally:
    """One kind of fault."""

    name: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    """How the tries ended."""
    apart: Counter[str] = field(default_factory=Counter)
    """What is counted, but is not a try: faults that were not reached, changes that verification says it cannot see."""
    measured: dict[str, float] = field(default_factory=dict)
    """Figures beside the counts: seconds, bytes."""
    started: float = field(default_factory=time.monotonic)

    def note(self, outcome: str, failure: str | None = None) -> None:
        """One try, how it ended, and, where it did not hold, what was wrong."""
        self.tried += 1
        self.outcomes[outcome] += 1
        if failure is not None:
            self.failures.append(failure)
            print(f"  FAILED {self.name}: {failure}", file=sys.stderr, flush=True)

    @property
    def held(self) -> int:
        return self.tried - len(self.failures)

    def line(self) -> str:
        """A row of a Markdown table."""
        ended = ", ".join(f"{name} {number:,}" for name, number in sorted(self.outcomes.items()))
        apart = "".join(f"; not counted: {name} {number:,}" for name, number in sorted(self.apart.items()))
        measured = "".join(f"; {name} {value:,.3g}" for name, value in self.measured.items())
        return f"| {self.name} | {self.tried:,} | {self.held:,} | {ended}{apart}{measured} |"

    def record(self, part: str, seed: int, count: int) -> str:
        """The whole of it as one line of JSON."""
        found: dict[str, Any] = {
            "part": part,
            "tried": self.tried,
            "held": self.held,
            "seed": seed,
            "count": count,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - self.started),
            "outcomes": dict(sorted(self.outcomes.items())),
            "apart": dict(sorted(self.apart.items())),
            "measured": self.measured,
            "failures": self.failures[:50],
            "machine": {"system": platform.platform(), "cores": os.cpu_count(), "memory_gb": _memory()},
            "software": software_versions(),
        }
        return json.dumps(found, ensure_ascii=False)


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
