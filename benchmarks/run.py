"""``make bench``: from file to release, each run in a process of its own, wall time and peak memory.

Writes benchmarks/results.md. Real logs are measured where AMUN_DP_LOGS names their folder; generated ones always.
This process stays small and leaves all work to others: Linux counts the memory of the parent at the time of the fork
into the child's peak.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results.md"
METHODS = ("filtering", "sampling", "oversampling")
REAL_LOGS = (
    "Sepsis",
    "CCC19",
    "Unrineweginfectie",
    "BPIC13_incidents",
    "BPIC15_1",
    "BPIC20_PermitLog",
    "RoadTrafficFines",
)
SHAPE = "--activities 20 --mean-length 10 --max-length 60 --seed 1"
GENERATED = {
    "generated 0.3 M": f"--cases 30000 --variants 1000 {SHAPE}",
    "generated 1.2 M": f"--cases 120000 --variants 4000 {SHAPE}",
}
COMMAND = [sys.executable, "-m", "amun_dp.cli"]


@dataclass(frozen=True, slots=True)
class Measurement:
    log: str
    method: str
    events: int
    seconds: float
    cpu_seconds: float
    megabytes: float


def measure(name: str, path: Path, method: str, events: int) -> Measurement:
    """One release from file to folder, as the command line makes it, Python's start included."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        options = ["--advantage=0.2", "--quiet", "--method", method, f"--out={folder}/out"]
        process = subprocess.Popen(
            [*COMMAND, "anonymize", str(path), *options, "--no-registry"],  # nothing of it is published
            stdout=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{name}: anonymize ended with exit code {process.returncode}")
    return Measurement(name, method, events, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def logs(folder: Path, quick: bool) -> list[tuple[str, Path]]:
    """Name and file of every log to measure."""
    found: list[tuple[str, Path]] = []
    real = os.environ.get("AMUN_DP_LOGS")
    for name in REAL_LOGS if real else ():
        path = Path(str(real)) / f"{name}.xes.gz"
        if path.exists() and not (quick and name == "RoadTrafficFines"):
            found.append((name, path))
    for name, options in GENERATED.items():
        if quick and name != "generated 0.3 M":
            continue
        for ending in (".xes.gz", ".csv", ".parquet"):
            path = folder / f"{name.replace(' ', '-')}{ending}"
            command = [sys.executable, "-m", "amun_dp.generator", *options.split(), "--out", str(path)]
            subprocess.run(command, check=True)
            found.append((f"{name}{ending}", path))
    return found


def count_events(path: Path) -> int:
    done = subprocess.run([*COMMAND, "inspect", str(path), "--json", "--quiet"], check=True, capture_output=True)
    return int(json.loads(done.stdout)["events"])


def table(rows: list[Measurement]) -> str:
    lines = [
        "| log | method | events | wall s | CPU s | peak MB | µs an event |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.log} | {row.method} | {row.events:,} | {row.seconds:.2f} | {row.cpu_seconds:.2f} | "
        f"{row.megabytes:.0f} | {row.seconds / row.events * 1e6:.1f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure time and memory of releases.")
    parser.add_argument("--quick", action="store_true", help="small logs only, results printed and not written")
    options = parser.parse_args()
    rows: list[Measurement] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in logs(Path(folder), options.quick):
            events = count_events(path)
            for method in METHODS if name.endswith("gz") or not name.startswith("generated") else METHODS[:1]:
                rows.append(measure(name, path, method, events))
                print(f"{name:28} {method:13} {rows[-1].seconds:6.2f} s {rows[-1].megabytes:6.0f} MB", file=sys.stderr)
    versions = ", ".join(f"{package} {version(package)}" for package in ("amun-dp", "numpy", "pyarrow", "opendp"))
    text = "\n".join(
        [
            "# Time and memory",
            "",
            "`make bench`: from file to release folder, as a command, Python's start included; advantage 0.2, "
            "corrected "
            "conventions. Oversampling adds many events by design; its time is that of the released log.",
            "",
            f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} cores, {versions}.",
            "",
            table(rows),
            "",
        ]
    )
    if options.quick:
        print(text)
    else:
        RESULTS.write_text(text, encoding="utf-8")
        print(f"written: {RESULTS.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
