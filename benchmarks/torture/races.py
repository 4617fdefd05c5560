"""Processes that want the same thing at the same moment: the last of a budget, a folder, a void against a release.

Held if: a budget is never overspent, one folder holds one whole release, and no release stands that was voided.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from accounting.registry import open_registry
from benchmarks.torture.tally import ADVANTAGE, Tally, amun, release_identifier

AT_ONCE = 6


def races(log: Path, tries: int, choose: random.Random) -> Tally:
    tally = Tally("races for a budget or a folder")
    for _ in range(max(1, tries // AT_ONCE)):
        with tempfile.TemporaryDirectory() as place:
            same_folder = choose.random() < 0.5
            tally.note(*_last_of_a_budget(Path(place), log, same_folder))
            tally.tried += AT_ONCE - 1  # each of the processes is a try
    return tally


def _started(command: list[object]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [sys.executable, "-m", "amun_dp.cli", *map(str, command)]
    return subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def _last_of_a_budget(place: Path, log: Path, same_folder: bool) -> tuple[str, str | None]:
    registry = place / "registry.sqlite"
    flags = ["--advantage", ADVANTAGE, "--method", "certified", "--variants", "generated", "--noise", "exact"]
    outs = [place / ("out" if same_folder else f"out-{number}") for number in range(AT_ONCE)]
    running = [
        _started(["anonymize", log, *flags, "--releases", 2, "--out", out, "--registry", registry, "--quiet"])
        for out in outs
    ]
    codes = [process.wait() for process in running]
    (found,) = open_registry(registry, create=False).logs()
    assert found.budget is not None
    standing = {identifier for out in set(outs) if (identifier := release_identifier(out)) is not None}
    known = {one.release for one in found.releases}
    kind = "one folder" if same_folder else "one budget"
    if found.spent is None or not found.spent.fits(found.budget.whole):
        return kind, f"{kind}: overspent"
    if not standing <= known:
        return kind, f"{kind}: a release that the registry does not know"
    if any(code not in (0, 1, 2) for code in codes):
        return kind, f"{kind}: exit codes {codes}"
    if codes.count(0) != len(standing):
        return kind, f"{kind}: {codes.count(0)} say that they are done, {len(standing)} releases stand"
    if any(amun("verify", out, "--no-prove", "--quiet").returncode for out in set(outs) if release_identifier(out)):
        return kind, f"{kind}: a release does not verify"
    return kind, None
