"""``make bench``: from file to release, against what it takes others to read the file; growth, odd shapes, real logs.

Writes benchmarks/results.md and a picture. The goals are stated beside what was measured, met or not.
"""

from __future__ import annotations

import argparse
import compileall
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from statistics import median

import accounting
import amun_dp
from amun_dp.synthetic import LogShape
from benchmarks.growth_picture import growth_picture
from benchmarks.logs import GROWTH, LARGE, ODD, TEN, Generated, generated, real
from benchmarks.peers import pm4py_anonymising, r4pm_reading, versions
from benchmarks.timing import Measured, refusal, release

HERE = Path(__file__).parent
RESULTS = HERE / "results.md"
PICTURE = HERE / "growth.svg"
GOALS = {
    ("certified:generated", "opendp"): 2.0,
    ("filtering", "opendp"): 5.0,
    ("sampling", "opendp"): 5.0,
    ("filtering", "exact"): 3.0,
    ("sampling", "exact"): 3.0,
}
"""Times the reading by r4pm that a release from the same file may take."""
_AGAINST_PM4PY = (
    ("filtering", "opendp"),
    ("sampling", "opendp"),
    ("filtering", "exact"),
    ("sampling", "exact"),
    ("certified:generated", "opendp"),
)
LARGE_NAME = "2.5 M, 28,457 variants"
BYTES_AN_EVENT = 600
STEADY = 1.3
"""From the smallest to the largest log, the time an event may grow by this factor."""
_RUNS, _ROUNDS, _SMALL, _OF_FORMATS = 9, 5, 3, 3
"""Against pm4py, of growing logs, in each of these of the smallest, and of formats."""
_ENDINGS = (".xes", ".xes.gz", ".csv", ".parquet")
_TELLING = 0.3
"""Seconds beside Python's start from which on a factor means something."""
Row = Sequence[str]


def measured(log: Generated, method: str, noise: str = "opendp") -> Measured:
    took = release(log.path, method, noise)
    print(f"{log.name:28} {log.path.suffix:9} {method:20} {noise:7} {took.seconds:7.2f} s", file=sys.stderr, flush=True)
    return took


# --- sections -------------------------------------------------------------------------------------------------------


def against_reading(logs: Sequence[Generated], python: Path | None) -> list[str]:
    """Releases from XES as multiples of what r4pm takes to read the file."""
    lines = [
        "## Against reading alone",
        "",
        "From an XES file to a release folder, Python's start included, as a multiple of what r4pm takes to read the "
        "file, by the clock. Memory, too, has its goal, in bytes an event.",
        "",
    ]
    rows = []
    for log in logs:
        reading = None if python is None else r4pm_reading(python, log.path)
        if reading is not None:
            rows.append((log.name, "r4pm: only reading", "", *_figures(reading, log), "", "", ""))
        for (method, noise), goal in GOALS.items():
            took = measured(log, method, noise)
            ratio = "" if reading is None else f"{took.seconds / reading.seconds:.2f}"
            # Below a million events Python's start is most of it; the goals are for large logs.
            judged, memory = "", ""
            if log.events >= 10**6:
                judged = "" if reading is None else _judged(float(ratio), goal)
                memory = _judged(took.megabytes * 2**20 / log.events, BYTES_AN_EVENT)
            rows.append((log.name, f"`{method}`", noise, *_figures(took, log), memory, ratio, judged))
    columns = ("log", "", "noise", "s", "CPU s", "peak MB", "bytes an event", "goal", "times reading", "goal")
    return [*lines, *_table(columns, rows, words=3)]


def by_format(folder: Path, names: Sequence[str]) -> list[str]:
    rows: list[Row] = []
    for name in names:
        logs = [generated(name, _shape(name), folder, ending) for ending in _ENDINGS]
        runs = [[measured(log, "sampling", "exact") for log in logs] for _ in range(_OF_FORMATS)]
        medians = [sorted(of, key=attrgetter("seconds"))[_OF_FORMATS // 2] for of in zip(*runs, strict=True)]
        for ending, log, took in zip(_ENDINGS, logs, medians, strict=True):
            times = f"{took.seconds / medians[0].seconds:.2f}"
            rows.append((name, ending, f"{log.megabytes:,.0f}", *_figures(took, log), times))
    columns = ("log", "format", "file, MB", "s", "CPU s", "peak MB", "bytes an event", "times .xes")
    text = f"`sampling`, exact noise. Of {_OF_FORMATS} runs by turns the one with the median of the seconds."
    return ["## Formats", "", text, "", *_table(columns, rows, words=2)]


def growth(logs: Sequence[Generated], ten_cases: Generated) -> tuple[list[str], str]:
    """Time an event, without Python's start and imports, which are what a log of ten cases takes. Runs are by turns, so
    that a machine that is slower for a while is so for all; the median of them counts."""
    rows, lines, steady = [], {}, []
    for method in ("sampling", "certified:generated"):
        start, *times = _by_turns(ten_cases, logs, method)
        each = [(log.events, (time - start) / log.events * 1e6) for log, time in zip(logs, times, strict=True)]
        lines[method] = each
        factor = each[-1][1] / each[0][1]
        steady.append(f"`{method}` {factor:.2f} times ({_judged(factor, STEADY)})")
        rows += [(f"`{method}`", f"{events:,}", f"{time:.2f}") for events, time in each]
    text = (
        "From XES, exact noise; what a log of ten cases takes, mostly Python's start, is subtracted. Medians of "
        f"{_ROUNDS * _SMALL} runs of the smallest and {_ROUNDS} of the others, by turns. From the smallest to the "
        f"largest the time an event grows: {', '.join(steady)}."
    )
    table = _table(("method", "events", "µs an event"), rows, words=1)
    return ["## Growth", "", text, "", "![Time an event](growth.svg)", "", *table], growth_picture(lines)


def _by_turns(ten_cases: Generated, logs: Sequence[Generated], method: str) -> list[float]:
    """Medians of the seconds of each. The smallest takes a second, half of it Python's start: few runs of it would not
    tell, so each turn has several."""
    found: dict[str, list[float]] = {log.name: [] for log in (ten_cases, *logs)}
    for _ in range(_ROUNDS):
        for log in (*(ten_cases, logs[0]) * _SMALL, *logs[1:]):
            found[log.name].append(measured(log, method, "exact").seconds)
    return [median(seconds) for seconds in found.values()]


def odd_shapes(folder: Path, ten_cases: Generated) -> list[str]:
    """Each shape and half of it: what is quadratic takes four times as long for the whole."""
    rows: list[Row] = []
    for method in ("sampling", "certified:generated", "certified:public"):
        start = measured(ten_cases, method, "exact").seconds
        for name, (half, whole) in ODD.items():
            logs = (generated(f"half of {name}", half, folder), generated(name, whole, folder))
            why = REFUSED.get((name, method), "")
            took = [refusal(log.path, method, "exact") if why else measured(log, method, "exact") for log in logs]
            alone = [each.seconds - start for each in took]
            factor = f"{alone[1] / alone[0]:.1f}" if alone[0] >= _TELLING else "too short"
            shown = f"refused: {why}" if why else "released"
            figures = _figures(took[1], logs[1])
            rows.append((name, f"`{method}`", shown, f"{logs[1].events:,}", *figures, factor))
    columns = ("log", "method", "", "events", "s", "CPU s", "peak MB", "bytes an event", "times half of it")
    text = (
        "From XES, exact noise. The last column: the time of the log against that of one half as large, without "
        f"Python's start, where that is {_TELLING:g} s at least; 2 is linear, 4 would be quadratic. "
        "One run each, which is not exact."
    )
    return ["## Odd shapes", "", text, "", *_table(columns, rows, words=3)]


REFUSED = {
    ("one trace of 250,000 events", "sampling"): "its noise would copy the trace 300,000 times",
    ("100,000 activities", "certified:generated"): "a table of all pairs of activities does not fit",
}
"""What no method should do, and why; that it is refused is tried, and measured."""


def real_logs() -> list[str]:
    rows: list[Row] = []
    for log in real():
        for method in ("filtering", "sampling", "oversampling", "certified:generated"):
            rows.append((log.name, f"`{method}`", f"{log.events:,}", *_figures(measured(log, method), log)))
    columns = ("log", "method", "events", "s", "CPU s", "peak MB", "bytes an event")
    text = "OpenDP's noise. Oversampling adds many events by design; its time is that of the released log."
    table = _table(columns, rows, words=2) if rows else ["Not measured: AMUN_DP_LOGS names no folder of real logs."]
    return ["## Real logs", "", text, "", *table]


def against_pm4py(python: Path | None, ten_cases: Generated) -> list[str]:
    """Sepsis: SaCoFa and PRIPEL by pm4py against a release, in processor time; start-up is what a log of ten cases
    takes, with the same method and noise. All by turns, for the same reason as growing logs; the medians count."""
    sepsis = [log for log in real() if log.name == "Sepsis"]
    if python is None or not sepsis:
        lacking = "pm4py was not there" if python is None else "AMUN_DP_LOGS names no folder with Sepsis"
        return ["## Against pm4py's anonymisers", "", f"Not measured: {lacking}."]
    theirs: list[tuple[float, float]] = []
    ours: dict[tuple[str, str], list[tuple[float, float]]] = {way: [] for way in _AGAINST_PM4PY}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(_RUNS):
            took, alone = pm4py_anonymising(python, sepsis[0].path, Path(folder) / f"{run}.xes")
            theirs.append((took.cpu_seconds, alone))
            for way, runs in ours.items():
                own, start = (measured(log, *way).cpu_seconds for log in (sepsis[0], ten_cases))
                runs.append((own, own - start))
    whole, without = _medians(theirs)
    rows: list[Row] = [("pm4py: SaCoFa and PRIPEL", f"{whole:.2f}", f"{without:.2f}", "", "")]
    for (method, noise), runs in ours.items():
        own, rest = _medians(runs)
        rest = max(rest, 1e-3)
        rows.append(
            (
                *(f"`{method}`, {noise}", f"{own:.2f}", f"{rest:.2f}"),
                f"{whole / own:.1f} ({_reached(whole / own, 5.0)})",
                f"{without / rest:.1f} ({_reached(without / rest, 20.0)})",
            )
        )
    columns = ("Sepsis", "CPU s", "without start", "times faster (goal: 5)", "without start (goal: 20)")
    text = (
        "pm4py reads, anonymises and writes XES, by the article's protocol at ε = 1.31 and a pruning of 1 %. Medians "
        f"of {_RUNS} runs by turns; start-up, imports included, is what a log of ten cases takes."
    )
    return ["## Against pm4py's anonymisers", "", text, "", *_table(columns, rows, words=1)]


def _medians(runs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    first, second = zip(*runs, strict=True)
    return median(first), median(second)


# --- the page -------------------------------------------------------------------------------------------------------


def _figures(took: Measured, log: Generated) -> tuple[str, ...]:
    return (
        f"{took.seconds:.2f}",
        f"{took.cpu_seconds:.2f}",
        f"{took.megabytes:,.0f}",
        f"{took.megabytes * 2**20 / log.events:,.0f}",
    )


def _judged(found: float, most: float) -> str:
    return f"under {most:g}: met" if found <= most else f"under {most:g}: **missed**"


def _reached(found: float, least: float) -> str:
    return "met" if found >= least else "**missed**"


def _table(columns: Row, rows: Sequence[Row], words: int) -> list[str]:
    rule = ["---" if at < words else "---:" for at in range(len(columns))]
    return [f"| {' | '.join(row)} |" for row in (columns, rule, *rows)]


def _shape(name: str) -> LogShape:
    return {**GROWTH, LARGE_NAME: LARGE}[name]


def head(peers: Path | None, baselines: Path | None) -> list[str]:
    ours = ", ".join(f"{package} {version(package)}" for package in ("amun-dp", "numpy", "pyarrow", "opendp"))
    others = [versions(peers, ("r4pm",))] if peers else ["r4pm was not there"]
    others.append(versions(baselines, ("pm4py", "diffprivlib", "scikit-learn")) if baselines else "pm4py was not there")
    return [
        "# Time and memory",
        "",
        f"`make bench` on {datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load average at the beginning {os.getloadavg()[0]:.2f}; {ours}; {', '.join(others)}. Advantage 0.2, "
        "corrected conventions. Generated logs have case, activity and time, 133 bytes of XES an event.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure time and memory of releases.")
    parser.add_argument("--quick", action="store_true", help="0.3 M events only; printed, not written")
    parser.add_argument("--peers-python", type=Path, help="the Python that has r4pm")
    parser.add_argument("--baselines-python", type=Path, help="the Python that has pm4py and diffprivlib")
    options = parser.parse_args()
    for package in (amun_dp, accounting):  # as an installation does; otherwise each run might compile them again
        compileall.compile_dir(Path(package.__path__[0]), quiet=1)
    text = head(options.peers_python, options.baselines_python)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ten_cases = generated("ten cases", TEN, folder)
        small = [generated("0.3 M", GROWTH["0.3 M"], folder)]
        if options.quick:
            print("\n".join([*text, *against_reading(small, options.peers_python)]))
            return
        large = generated(LARGE_NAME, LARGE, folder)
        grown = [generated(name, shape, folder) for name, shape in GROWTH.items()]
        text += [*against_reading([grown[1], large], options.peers_python), ""]
        text += [*against_pm4py(options.baselines_python, ten_cases), ""]
        text += [*by_format(folder, ("1.2 M", LARGE_NAME)), ""]
        section, picture = growth(grown, ten_cases)
        text += [*section, "", *odd_shapes(folder, ten_cases), "", *real_logs(), ""]
    PICTURE.write_text(picture, encoding="utf-8")
    RESULTS.write_text("\n".join(text), encoding="utf-8")
    print(f"written: {RESULTS.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
