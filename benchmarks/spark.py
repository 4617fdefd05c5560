"""Time, memory, shuffle and spill of a release on Spark, on generated logs: ``python -m benchmarks.spark EVENTS``.

Every part of a log is the same generated one under other case names: the variants stay what they are, as in a log that
grows. Memory is that of the driver, Java and all Python workers together, sampled; Spark's event log has the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from amun_dp.eventlog import CASE_COLUMN, EventLog
from amun_dp.generator import LogShape, generate_log
from amun_dp.parameters import Parameters
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.spark.session import open_session

_SHAPE = LogShape(cases=100_000, variants=500, activities=20, mean_length=10, max_length=60, days=720, seed=1)
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes, all tasks together."""

    shuffled: int
    spilled: int


def write_parts(log: EventLog, events: int, folder: Path) -> int:
    """Parquet files with at least so many events; returns how many there are."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    folder.mkdir()
    table = pa.Table.from_pandas(log.to_pandas(), preserve_index=False)
    names = table.column(CASE_COLUMN)
    parts = -(-events // table.num_rows)
    for part in range(parts):
        own = pc.binary_join_element_wise(f"{part}-", names.cast(pa.string()), "")
        pq.write_table(table.set_column(0, CASE_COLUMN, own), folder / f"part-{part:05}.parquet")
    return int(parts * table.num_rows)


def moved(folder: Path) -> Moved:
    """What the event logs of Spark say about its tasks."""
    shuffled = spilled = 0
    for path in folder.glob("[!.]*"):  # beside them are checksums, whose names begin with a dot
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record.get("Event") == "SparkListenerTaskEnd" and record.get("Task Metrics"):
                metrics = record["Task Metrics"]
                spilled += metrics["Disk Bytes Spilled"]
                shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    return Moved(shuffled, spilled)


class Watched:
    """Processor time of this process and all below it, and the largest memory of them together, looked at four times a
    second: what a process uses in its last quarter is missed."""

    def __init__(self) -> None:
        self.peak = 0
        self._ticks: dict[int, int] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def cpu_seconds(self) -> float:
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.25):
            family = _family(os.getpid())
            self.peak = max(self.peak, sum(each.resident for each in family.values()))
            self._ticks |= {process: each.ticks for process, each in family.items()}


@dataclass(frozen=True, slots=True)
class Process:
    parent: int
    ticks: int
    resident: int


def _family(root: int) -> dict[int, Process]:
    """A process and all below it."""
    known = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # What follows the name, which may contain anything: state, parent, …, processor time, …, memory.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            pages = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
            known[int(entry.name)] = Process(int(fields[1]), int(fields[11]) + int(fields[12]), pages)
    found, pending = {}, [root]
    while pending:
        process = pending.pop()
        if process in known:
            found[process] = known[process]
        pending += [each for each, facts in known.items() if facts.parent == process]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("events", type=int, metavar="EVENTS", help="at least so many; rounded up to whole parts")
    parser.add_argument("--method", default="sampling", choices=["sampling", "filtering", "oversampling"])
    parser.add_argument("--noise", default="exact", choices=["opendp", "exact"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(_measured(generate_log(_SHAPE), options.events, Path(name), options))


def _measured(log: EventLog, events: int, folder: Path, options: argparse.Namespace) -> str:
    written = write_parts(log, events, folder / "lake")
    (folder / "spark").mkdir()
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file:{folder}/spark",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }
    flags = " ".join(f"--conf {key}={value}" for key, value in conf.items())
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{flags} pyspark-shell"
    steps: list[tuple[str, float]] = []
    with Watched() as watched:
        began = time.perf_counter()
        session = open_session("local[2]")
        anonymize_on_spark(
            session,
            str(folder / "lake"),
            folder / "out",
            Parameters(0.3, options.method),
            noise=options.noise,
            progress=lambda step: steps.append((step, time.perf_counter() - began)),
        )
        seconds = time.perf_counter() - began
        session.stop()
    found = moved(folder / "spark")
    ends = [*(at for _, at in steps[1:]), seconds]
    return (
        f"{written:,} events, {options.method}: {seconds:.0f} s, {watched.cpu_seconds:.0f} s of processors, peak "
        f"{watched.peak / _MEGABYTE:,.0f} MB, shuffled "
        f"{found.shuffled / _MEGABYTE:,.0f} MB, spilled {found.spilled / _MEGABYTE:,.0f} MB; "
        + ", ".join(f"{step} {end - at:.0f} s" for (step, at), end in zip(steps, ends, strict=True))
    )


if __name__ == "__main__":
    main()
