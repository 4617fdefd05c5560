"""Commands whose standard streams are closed, full, or read by somebody who goes away.

Held if the command did its work (0), or said on the stream that is left that its output could not be written (2; or
nothing at all, where none is left); never another exit code, a traceback or a signal; and if nothing denies a release
that was made: it is in place and in the registry, or neither.
"""

from __future__ import annotations

import random
import shlex
import subprocess
import tempfile
from pathlib import Path

from benchmarks.torture.aftermath import ADVANTAGE, command, fault_in_place, hidden_beside, known_to, release_identifier
from benchmarks.torture.commands import HANGS, PATIENCE, Ended, command_line, environment
from benchmarks.torture.tally import Tally

INPUTS = ("", "<&-", "</dev/full")
OUTPUTS = ("", ">&-", ">/dev/full", "| true", "| head -c 1", ">/dev/null")
ERRORS = ("", "2>&-", "2>/dev/full", "2> >(true)")


def streams(log: Path, tries: int, choose: random.Random, tally: Tally) -> None:
    with tempfile.TemporaryDirectory() as folder:
        release, known = Path(folder) / "release", Path(folder) / "registry.sqlite"
        flags = ["--advantage", ADVANTAGE, "--out", release, "--registry", known]
        assert command("anonymize", log, *flags).code == 0
        commands: dict[str, list[object]] = {
            "inspect": ["inspect", log],
            "plan": ["plan", log, "--advantage", ADVANTAGE],
            "verify": ["verify", release, "--no-prove"],
            "registry": ["registry", "list", "--registry", known],
            "clean": ["clean", release],
            "help": ["anonymize", "--help"],
            "wrong use": ["inspect", Path(folder) / "absent.csv"],
            "wrong flag": ["inspect", "--absent"],
        }
        while tally.tried < tries:
            faults = [choose.choice(INPUTS), choose.choice(ERRORS), choose.choice(OUTPUTS)]
            if not any(faults):
                continue
            with tempfile.TemporaryDirectory() as place:
                what = "anonymize" if tally.tried % 2 else choose.choice(sorted(commands))
                out, registry = Path(place) / "releases" / "out", Path(place) / "registry.sqlite"
                out.parent.mkdir()
                arguments = commands.get(what) or _release(log, out, registry, choose)
                extra = choose.choice(([], ["--quiet"], ["--json"])) if what in ("anonymize", "inspect", "plan") else []
                done = _run([*arguments, *extra], faults)
                fault = _fault(what, done, faults) or (_denied(done, out, registry) if what == "anonymize" else None)
            shown = " ".join(each for each in faults if each)
            tally.note(f"{what}: exit code {done.code}", None if fault is None else f"{what} {extra} {shown}: {fault}")


def _release(log: Path, out: Path, registry: Path, choose: random.Random) -> list[object]:
    method = choose.choice((["sampling"], ["certified", "--variants", "generated"]))
    return ["anonymize", log, "--advantage", ADVANTAGE, "--method", *method, "--out", out, "--registry", registry]


def _run(arguments: list[object], faults: list[str]) -> Ended:
    """By a shell, whose pipe ends with the exit code of the command."""
    words = " ".join(shlex.quote(word) for word in command_line(arguments))
    script = f"{words} {' '.join(faults)}\nexit ${{PIPESTATUS[0]}}"
    try:
        done = subprocess.run(
            ["bash", "-c", script],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
            env=environment(),
        )
    except subprocess.TimeoutExpired:
        return Ended(HANGS, "", "")
    return Ended(done.returncode, done.stdout, done.stderr)


def _fault(what: str, done: Ended, faults: list[str]) -> str | None:
    if done.broke_off:
        return done.broke_off
    if "Exception ignored" in done.err:
        return f"words of the interpreter: {done.err.strip()[-200:]}"
    if what in ("wrong use", "wrong flag"):
        return None if done.code == 2 else f"exit code {done.code}"
    if done.code == 0:
        return None
    full = any("full" in each for each in faults)
    return None if done.code == 2 and full else f"exit code {done.code}: {done.err.strip()[-200:]!r}"


def _denied(done: Ended, out: Path, registry: Path) -> str | None:
    known = known_to(registry)
    fault = fault_in_place(out, known)
    if fault is not None:
        return fault
    released = release_identifier(out)
    if hidden_beside(out):
        return "something was left beside the target"
    if released is None:
        return "no release was made" if done.code == 0 or known.releases else None
    if known.releases[released].published_at is None:
        return "the release is in place, and not confirmed"
    if "nothing was released" in done.err or "nothing was written" in done.err:
        return "it denies the release that it made"
    return None
