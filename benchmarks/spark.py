"""Time, memory, shuffle and spill of a release on Spark, on generated logs: ``python -m benchmarks.spark EVENTS``.

The log is one generated log, not a small one repeated: its times differ, as those of a real one do. Memory is that of
the driver, Java and all Python workers together, sampled; Spark's event log has the rest.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from amun_dp.eventlog.log import ACTIVITY_COLUMN, CASE_COLUMN, TIME_COLUMN
from amun_dp.release.methods import requested
from amun_dp.spark.engine.session import open_session
from amun_dp.spark.release import anonymize_on_spark
from amun_dp.synthetic import LogShape, generate_log

_EVENTS_A_CASE = 10
_EVENTS_A_FILE = 1_000_000
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes, all tasks together."""

    shuffled: int
    spilled: int


def write_lake(events: int, folder: Path) -> None:
    """About so many events as Parquet files, in the order of their cases."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cases = events // _EVENTS_A_CASE
    log = generate_log(
        LogShape(cases=cases, variants=500, activities=20, mean_length=10, max_length=60, days=720, seed=1)
    )
    folder.mkdir()
    names, labels = pa.array(log.case_names, pa.string()), pa.array(log.activities, pa.string())
    for first in range(0, log.n_events, _EVENTS_A_FILE):
        rows = slice(first, first + _EVENTS_A_FILE)
        columns = {
            CASE_COLUMN: names.take(log.case[rows]),
            ACTIVITY_COLUMN: labels.take(log.activity[rows]),
            TIME_COLUMN: pa.array(log.time[rows]).cast(pa.timestamp("ms", tz="UTC")),
        }
        pq.write_table(pa.table(columns), folder / f"part-{first // _EVENTS_A_FILE:05}.parquet")


def events_in(folder: Path) -> int:
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(path).num_rows for path in folder.glob("*.parquet"))


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
    parser.add_argument("events", type=int, metavar="EVENTS", help="about so many")
    parser.add_argument("--method", default="sampling", choices=["sampling", "filtering", "oversampling", "certified"])
    parser.add_argument("--variants", choices=["threshold", "public", "generated"], help="of certified")
    parser.add_argument("--noise", default="exact", choices=["opendp", "exact"])
    parser.add_argument("--keep", metavar="DIR", help="new folder for log and release, which are kept")
    options = parser.parse_args()
    if options.keep is not None:
        Path(options.keep).mkdir()
        print(_measured(Path(options.keep).resolve(), options))
        return
    with tempfile.TemporaryDirectory() as name:
        print(_measured(Path(name), options))


def _measured(folder: Path, options: argparse.Namespace) -> str:
    # In a process of its own, so that what generating needs is not counted.
    writer = multiprocessing.get_context("spawn").Process(target=write_lake, args=(options.events, folder / "lake"))
    writer.start()
    writer.join()
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
            requested(0.3, options.method, variants=options.variants),
            noise=options.noise,
            progress=lambda step: steps.append((step, time.perf_counter() - began)),
        )
        seconds = time.perf_counter() - began
        session.stop()
    found = moved(folder / "spark")
    ends = [*(at for _, at in steps[1:]), seconds]
    return (
        f"{events_in(folder / 'lake'):,} events, {options.method}: {seconds:.0f} s, "
        f"{watched.cpu_seconds:.0f} s of processors, peak "
        f"{watched.peak / _MEGABYTE:,.0f} MB, shuffled "
        f"{found.shuffled / _MEGABYTE:,.0f} MB, spilled {found.spilled / _MEGABYTE:,.0f} MB; "
        + ", ".join(f"{step} {end - at:.0f} s" for (step, at), end in zip(steps, ends, strict=True))
    )


if __name__ == "__main__":
    main()
