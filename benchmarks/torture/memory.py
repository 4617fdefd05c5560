"""Commands that may have only so much memory (``ulimit -v``), from far too little to enough, in every format.

Held if the command did its work (0), or said that memory ran out (5) or that a limit is exceeded (2, or 4 of verify,
which could not judge): never another exit code, a traceback or a signal. What it said about the release and the budget
is held against the disk: nothing released means that none is in place, nothing spent that the registry has no entry.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import amun_dp
from amun_dp.writing import write_log
from benchmarks.torture.aftermath import ADVANTAGE, command, fault_in_place, known_to, release_identifier
from benchmarks.torture.commands import Ended, in_a_process
from benchmarks.torture.tally import Tally

FORMATS = {"xes": "log.xes.gz", "csv": "log.csv", "parquet": "log.parquet"}
METHODS = (["sampling"], ["certified", "--variants", "generated"])
SECONDS = 120.0
LEAST, MOST = 24 << 20, 4 << 30
"""Bytes: with the least, Python itself just starts; with the most, every command here works."""
CLOSE = 64 << 20
"""Bytes to which it is found out how much a command needs."""


def memory(log: Path, tries: int, choose: random.Random, tally: Tally) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        original = amun_dp.read_log(log)
        releases = {}
        for kind, name in FORMATS.items():
            write_log(original, place / name)
            releases[kind] = place / f"release-{kind}"
            flags = ["--advantage", ADVANTAGE, "--out", releases[kind], "--format", kind, "--no-registry"]
            assert command("anonymize", log, *flags).code == 0
        sources = {("verify", kind): folder for kind, folder in releases.items()}
        sources |= {(what, kind): place / name for what in ("inspect", "anonymize") for kind, name in FORMATS.items()}
        bounds = dict.fromkeys(sources, (LEAST, MOST))
        for number in range(tries):
            what, kind = sorted(sources)[number % len(sources)]
            low, high = bounds[what, kind]
            # First what it needs, by halving; then anything below that.
            amount = (low + high) // 2 if high - low > CLOSE else choose.randint(LEAST, high)
            done, fault = _run(what, sources[what, kind], amount, choose)
            if high - low > CLOSE:
                bounds[what, kind] = (low, amount) if done.code == 0 else (amount, high)
            said = {0: "done", 2: "a limit", 4: "not judged", 5: "out of memory"}.get(
                done.code, f"exit code {done.code}"
            )
            where = f"{what} ({kind}) with {amount >> 20} MB"
            tally.note(f"{what}: {said}", None if fault is None else f"{where}: {fault}")
        for (what, kind), (_, high) in bounds.items():
            tally.measured[f"MB with which {what} works ({kind})"] = high >> 20


def _run(what: str, source: Path, amount: int, choose: random.Random) -> tuple[Ended, str | None]:
    with tempfile.TemporaryDirectory() as folder:
        out, registry = Path(folder) / "out", Path(folder) / "registry.sqlite"
        arguments: list[object] = [what, source, "--quiet"]
        if what == "verify":
            arguments.append("--no-prove")
        if what == "anonymize":
            method = choose.choice(METHODS)
            arguments += ["--advantage", ADVANTAGE, "--method", *method, "--out", out, "--registry", registry]
        done = in_a_process(*arguments, memory=amount, seconds=SECONDS)
        return done, _fault(what, done) or (_denied(done, out, registry) if what == "anonymize" else None)


def _fault(what: str, done: Ended) -> str | None:
    if done.broke_off:
        return done.broke_off
    if done.code in (0, 5):
        return None if done.code == 0 or "memory" in done.err else f"no reason: {done.err[:200]!r}"
    words = (done.out + done.err).lower()
    if done.code == 2 and ("limit" in words or "memory" in words):
        return None
    if done.code == 4 and what == "verify" and "memory" in words:
        return None
    return f"exit code {done.code}: {done.err.strip()[-200:]!r}"


def _denied(done: Ended, out: Path, registry: Path) -> str | None:
    """Whether what was said is what happened."""
    known = known_to(registry)
    fault = fault_in_place(out, known)
    if fault is not None:
        return fault
    released = release_identifier(out) is not None
    if released and "nothing was released" in done.err:
        return "it says that nothing was released, and the release is there"
    if done.code == 0 and not released:
        return "it says that it is done, and there is no release"
    if known.releases and "nothing was spent" in done.err:
        return "it says that nothing was spent, and the registry has an entry"
    if known.releases and not released and "spent" not in done.err:
        return "the budget is spent, and nothing says so"
    return None
