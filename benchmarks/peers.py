"""What others take: r4pm to read a file, pm4py's SaCoFa and PRIPEL to anonymise Sepsis. In environments of their own,
with pinned versions (peers.txt, baselines.txt); without them their rows are left out, and the page says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.timing import Measured, timed

_READ = "import r4pm, sys; r4pm.df.import_xes(sys.argv[1])"
_ANONYMISE = """
import sys, time, warnings
warnings.simplefilter("ignore")
import pm4py
from pm4py.algo.anonymization.pripel.variants import pripel
from pm4py.algo.anonymization.trace_variant_query.variants import sacofa
began = time.process_time()
log = pm4py.read_xes(sys.argv[1], return_legacy_log_object=True)
mean_length = round(sum(map(len, log)) / len(log))
query = sacofa.apply(log, {"epsilon": 1.31, "k": mean_length, "p": round(0.01 * len(log)), "show_progress_bar": False})
released = pripel.apply(log, query, 1.31)
pm4py.write_xes(released, sys.argv[2])
sys.stderr.write(f"{time.process_time() - began}\\n")
"""
"""By the article's protocol, at its average ε for an advantage of 0.2 and the pruning of 1 %."""


def r4pm_reading(python: Path, path: Path) -> Measured:
    return timed([str(python), "-c", _READ, str(path)])


def pm4py_anonymising(python: Path, path: Path, out: Path) -> tuple[Measured, float]:
    """The whole process, and the processor time without start-up and imports."""
    command = [str(python), "-W", "ignore", "-c", _ANONYMISE, str(path), str(out)]
    whole = timed(command)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return whole, float(done.stderr.splitlines()[-1])


def versions(python: Path, packages: tuple[str, ...]) -> str:
    program = "import sys, importlib.metadata as m; print(*(f'{p} {m.version(p)}' for p in sys.argv[1:]), sep=', ')"
    done = subprocess.run([str(python), "-c", program, *packages], check=True, capture_output=True, text=True)
    return done.stdout.strip()
