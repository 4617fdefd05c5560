"""``python -m benchmarks.torture``: all of it, and a table of what was tried and what held.

Long on purpose: apart from the tests. Exit code 1 if anything did not hold. What is promised, and the figures of the
last runs, are in docs/reliability.md.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.torture.commands import load_everything
from benchmarks.torture.floods import floods
from benchmarks.torture.forgeries import forgeries
from benchmarks.torture.kills import kills
from benchmarks.torture.logs import mutated_logs
from benchmarks.torture.material import write_small_log
from benchmarks.torture.memory import memory
from benchmarks.torture.races import races
from benchmarks.torture.streams import streams
from benchmarks.torture.tally import Tally

PARTS: dict[str, tuple[Callable[[Path, int, random.Random, Tally], None], int]] = {
    "kills": (kills, 600),
    "races": (races, 300),
    "logs": (mutated_logs, 2400),
    "forgeries": (forgeries, 1100),
    "floods": (floods, 1100),
    "memory": (memory, 300),
    "streams": (streams, 300),
}
"""Each with its number of tries: of the first five as many as found the faults of the first version."""
RECORD = Path(__file__).with_name("runs.jsonl")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torture", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all, if none")
    parser.add_argument("--count", type=int, help="tries of each part, instead of its own number")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--record", type=Path, default=RECORD, help="file to which each part adds a line of JSON")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    print(f"seed {options.seed}", flush=True)
    rows = []
    whole, stopped = True, False
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_DATA_HOME"] = place  # nobody's own registry is touched
        log = write_small_log(Path(place) / "log.xes.gz")
        load_everything(log, Path(place))
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what was tried so far is recorded
        for name in options.parts or PARTS:
            part, own = PARTS[name]
            count, tally = options.count or own, Tally(name)
            try:
                part(log, count, random.Random(options.seed), tally)
            except KeyboardInterrupt:
                stopped = True
            rows.append(tally.line())
            print(rows[-1], flush=True)
            whole = whole and not tally.failures
            with options.record.open("a", encoding="utf-8") as record:
                record.write(tally.record(name, options.seed, count) + "\n")
            if stopped:
                break
    print("\n| fault | tried | held | how they ended |\n|---|---|---|---|")
    print("\n".join(rows))
    if stopped:
        return 130
    return 0 if whole else 1


if __name__ == "__main__":
    raise SystemExit(main())
