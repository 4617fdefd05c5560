"""The logs that are measured: generated ones of a fixed shape and, where there are any, real ones."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from amun_dp.synthetic import LogShape

REAL = (
    "Sepsis",
    "CCC19",
    "Unrineweginfectie",
    "BPIC13_incidents",
    "BPIC15_1",
    "BPIC20_PermitLog",
    "RoadTrafficFines",
)


def _usual(cases: int) -> LogShape:
    """Ten events a case, a variant for thirty cases."""
    return LogShape(cases=cases, variants=cases // 30, activities=20, mean_length=10.0, max_length=60, seed=1)


TEN = LogShape(cases=10, variants=3, activities=5, mean_length=5.0, max_length=10, seed=1)
"""What takes next to no time, so that Python's start is left."""
GROWTH = {"0.3 M": _usual(30_000), "1.2 M": _usual(120_000), "5 M": _usual(500_000)}
LARGE = LogShape(cases=43_809, variants=28_457, activities=14, mean_length=57.0, max_length=2_973, seed=1)
"""As many cases and variants, as long ones and as many events (2.5 M) as BPIC18, the article's largest log."""
_UNIQUE = LogShape(cases=30_000, variants=30_000, activities=20, mean_length=10.0, max_length=60, seed=1)
_SINGLE = LogShape(cases=30_000, variants=1, activities=10, mean_length=10.0, max_length=10, seed=1)
_TRACE = LogShape(cases=1, variants=1, activities=20, mean_length=250_000.0, max_length=250_000, seed=1)
ODD = {
    "every variant unique": (replace(_UNIQUE, cases=15_000, variants=15_000), _UNIQUE),
    "a single variant": (replace(_SINGLE, cases=15_000), _SINGLE),
    "one trace of 250,000 events": (replace(_TRACE, mean_length=125_000.0, max_length=125_000), _TRACE),
    "100,000 activities": (
        replace(_UNIQUE, cases=15_000, variants=15_000, activities=50_000),
        replace(_UNIQUE, activities=100_000),
    ),
}
"""Half of each and the whole: what is linear takes twice as long for the whole, what is quadratic four times."""


@dataclass(frozen=True, slots=True)
class Generated:
    name: str
    path: Path
    events: int

    @property
    def megabytes(self) -> float:
        return self.path.stat().st_size / 1e6


def generated(name: str, shape: LogShape, folder: Path, ending: str = ".xes") -> Generated:
    """Written by a process of its own, so that this one stays small."""
    path = folder / f"{name.replace(' ', '-').replace(',', '')}{ending}"
    options = [
        *("--cases", shape.cases, "--variants", shape.variants, "--activities", shape.activities),
        *("--mean-length", shape.mean_length, "--max-length", shape.max_length, "--seed", shape.seed),
    ]
    if not path.exists():
        command = [sys.executable, "-m", "amun_dp.synthetic", *map(str, options), "--out", str(path)]
        subprocess.run(command, check=True)
    return Generated(name, path, _events(path))


def real() -> list[Generated]:
    folder = os.environ.get("AMUN_DP_LOGS")
    if folder is None:
        return []
    paths = [(name, Path(folder) / f"{name}.xes.gz") for name in REAL]
    return [Generated(name, path, _events(path)) for name, path in paths if path.exists()]


def _events(path: Path) -> int:
    program = "import amun_dp, sys; print(amun_dp.read_log(sys.argv[1]).n_events)"
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=True, capture_output=True, text=True)
    return int(done.stdout)
