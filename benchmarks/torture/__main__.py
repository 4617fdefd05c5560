"""``python -m benchmarks.torture``: all of it, and a table of what was tried and what held.

Long on purpose: apart from the tests. Exit code 1 if anything did not hold.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from amun_dp.generator import LogShape, generate_log
from amun_dp.writing import write_log
from benchmarks.torture.files import forgeries, mutated_logs
from benchmarks.torture.floods import floods
from benchmarks.torture.kills import kills
from benchmarks.torture.races import races
from benchmarks.torture.tally import Tally

PROGRAMS: dict[str, tuple[Callable[[Path, int, random.Random], Tally], int]] = {
    "kills": (kills, 600),
    "races": (races, 300),
    "logs": (mutated_logs, 2400),
    "forgeries": (forgeries, 1100),
    "floods": (floods, 1100),
}
"""Each with as many tries as found the faults of 0.1."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(PROGRAMS)}; all, if none")
    parser.add_argument("--tries", type=int, help="of each program, instead of its own number")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    unknown = set(options.programs) - set(PROGRAMS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    print(f"seed {options.seed}", flush=True)
    tallies = []
    with tempfile.TemporaryDirectory() as place:
        log = Path(place) / "log.xes.gz"
        write_log(generate_log(LogShape(cases=400, variants=8, activities=6, seed=3)), log)
        for name in options.programs or PROGRAMS:
            program, tries = PROGRAMS[name]
            tallies.append(program(log, options.tries or tries, random.Random(options.seed)))
            print(tallies[-1].line(), flush=True)
    print("\n| fault | tried | held | how they ended |\n|---|---|---|---|")
    print("\n".join(tally.line() for tally in tallies))
    return 1 if any(tally.failures for tally in tallies) else 0


if __name__ == "__main__":
    raise SystemExit(main())
