"""Mutated files: logs that are read (XES, CSV, Parquet, gzip), and archives of a release that are dropped on the page
(zip). Each in a process with a bound of memory and time.

Held if the command ended with 0, 2 or 5 and, where it refused, said why: no other exit code, no traceback, no signal,
and no value of a row in what it said.
"""

from __future__ import annotations

import gzip
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import amun_dp
from amun_dp.errors import AmunError
from amun_dp.serve.tasks import Bench, verify_release
from amun_dp.writing import write_log
from benchmarks.torture.aftermath import command
from benchmarks.torture.commands import Ended, forked, in_a_process
from benchmarks.torture.material import ACTIVITY, CASE
from benchmarks.torture.mutations import MUTATIONS, OF_TEXT, mutated, packed_otherwise, unzipped, zipped
from benchmarks.torture.tally import Tally

KINDS = ("log.xes", "log.xes.gz", "log.csv", "log.csv.gz", "log.parquet", "release.zip")
MEMORY = 1 << 30
"""Bytes that a command may take beyond the program itself, for files of at most some megabytes."""
SECONDS = 20.0
"""Of processor time."""
COMMANDS = (["inspect"], ["inspect", "--drop-incomplete"], ["anonymize", "--advantage", "0.3", "--no-registry"])
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")


def mutated_logs(log: Path, tries: int, choose: random.Random, tally: Tally) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        whole = _originals(log, place)
        times = set(_TIME.findall(whole["log.csv"].decode()))
        for number in range(tries):
            name = KINDS[number % len(KINDS)]
            path, text = _damaged(place / f"{number}-{name}", name, whole[name], choose)
            done = judged_by_the_page(path, place) if name == "release.zip" else _read(path, place, choose)
            outcome = {0: "read", 2: "refused", 5: "out of memory"}.get(done.code, f"exit code {done.code}")
            if name == "release.zip":
                outcome = {0: "passed", 1: "failed", 4: "could not be judged"}.get(done.code, outcome)
            fault = fault_in_reading(done, outcome, name, text, times, tally)
            tally.note(f"{name}: {outcome}", None if fault is None else f"{name} (try {number}): {fault}")
            path.unlink(missing_ok=True)  # the page takes away what it has unpacked


def _originals(log: Path, place: Path) -> dict[str, bytes]:
    original = amun_dp.read_log(log)
    for name in KINDS[:-1]:
        write_log(original, place / name)
    whole = {name: (place / name).read_bytes() for name in KINDS[:-1]}
    made = command(
        "anonymize", log, "--advantage", "0.3", "--out", place / "release", "--no-registry", "--format", "csv"
    )
    assert made.code == 0, made.err
    files = {path.name: path.read_bytes() for path in (place / "release").iterdir() if path.is_file()}
    return whole | {"release.zip": zipped(files, random.Random(0))}


def _damaged(path: Path, name: str, data: bytes, choose: random.Random) -> tuple[Path, bytes]:
    """A mutated file, and its content, decompressed if that can be: half of the time it is changed below the
    compression."""
    packed = name.endswith(".gz")
    if name == "release.zip" and choose.random() < 0.5:
        text = data
        files = unzipped(data)
        changed = choose.choice(sorted(files))
        path.write_bytes(zipped(files | {changed: mutated(files[changed], choose, OF_TEXT)}, choose))
    elif packed and choose.random() < 0.6:
        text = mutated(gzip.decompress(data), choose, OF_TEXT)
        path.write_bytes(gzip.compress(text, 1))
    elif packed and choose.random() < 0.3:
        text = gzip.decompress(data)
        path.write_bytes(packed_otherwise(text, choose))
    else:
        text = mutated(data, choose, OF_TEXT if name in ("log.xes", "log.csv") else MUTATIONS)
        path.write_bytes(text)
    return path, text


def _read(path: Path, place: Path, choose: random.Random) -> Ended:
    first, *flags = choose.choice(COMMANDS)
    out = [] if first == "inspect" else ["--out", place / "out"]
    arguments = [first, path, *flags, *out, "--quiet"]
    done = forked(arguments, memory=MEMORY, seconds=SECONDS).wait()
    shutil.rmtree(place / "out", ignore_errors=True)
    if done.broke_off:  # in a fork a library may end the process where the command itself watches over it
        done = in_a_process(*arguments, memory=MEMORY * 3, seconds=SECONDS)
        shutil.rmtree(place / "out", ignore_errors=True)
    return done


def judged_by_the_page(path: Path, place: Path) -> Ended:
    """What the page does with an archive that is dropped on it: 2 stands for a refusal, others are as of verify."""

    def judge() -> int:
        question: dict[str, Any] = {
            "log": None, "archive": str(path), "folder": str(place / "unpacked"), "largest": 100_000_000, "require": [],
            "name": "release", "limits": {"events": 10_000_000, "unpacked": 1_000_000_000},
        }  # fmt: skip
        try:
            answer = verify_release(Bench(lambda _message: None), question)
        except AmunError as error:
            print(f"amun-dp: {error}", file=sys.stderr)
            return error.exit_code
        return {"passed": 0, "failed": 1}.get(str(answer["outcome"]), 4)

    done = forked(judge, memory=MEMORY, seconds=SECONDS).wait()
    shutil.rmtree(place / "unpacked", ignore_errors=True)
    return done


def fault_in_reading(done: Ended, outcome: str, name: str, text: bytes, times: set[str], tally: Tally) -> str | None:
    if done.broke_off:
        return done.broke_off
    if outcome.startswith("exit code"):
        return f"{outcome}: {done.err[:200]}"
    if done.code in (2, 5) and not done.err.startswith("amun-dp: "):
        return f"refused without a reason: {done.err[:200]!r}"
    if not (CASE in done.err or ACTIVITY in done.err or any(found in times for found in _TIME.findall(done.err))):
        return None
    if _is_a_name_now(name, text, done.err):
        tally.apart["tries whose message names a column that the mutation made of a row"] += 1
        return None
    return f"a value of a row in the message: {done.err[:300]}"


def _is_a_name_now(name: str, text: bytes, said: str) -> bool:
    """Whether the mutation put values of rows where names of columns are: into the header of a CSV file, or into the
    key of an attribute of XES. Names of columns may be shown."""
    if ".csv" in name:
        names = re.split(rb"[\r\n]", text, maxsplit=1)[0]
    else:
        names = b" ".join(re.findall(rb"key\s*=\s*(\"[^\"]*\"|'[^']*')", text))
    shown = re.findall(rf"(?:{CASE}|{ACTIVITY})\d*", said) + _TIME.findall(said)
    return all(value.encode() in names for value in shown)
