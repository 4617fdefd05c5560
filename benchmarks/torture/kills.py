"""A release is killed at a system call that changes the disk (by strace), or at any moment, and what is left is looked
at.

Which calls a run makes is counted first, for each method and format; the call is drawn within that count, half of them
after the reservation. A run that ended before its kill is not a try.

Held if: the target holds a whole release that verifies and is in the registry, or what stood there before, or nothing;
the registry can be read and is not overspent; the next run says what was left beside the target and spends nothing
twice; ``amun-dp clean`` removes it; and a release that can still be voided has left nothing.
"""

from __future__ import annotations

import random
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.torture.aftermath import (
    ADVANTAGE,
    Known,
    command,
    fault_in_place,
    hidden_beside,
    known_to,
    release_identifier,
)
from benchmarks.torture.tally import Tally
from benchmarks.torture.tracing import killed_at, traced

CALLS = (
    "openat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "link", "mkdir", "rename", "renameat2", "rmdir",
    "unlink", "unlinkat", "chmod",
)  # fmt: skip
"""What changes a disk, or opens what will."""
METHODS = (
    ("--method", "sampling"),
    ("--method", "filtering"),
    ("--method", "certified", "--variants", "generated"),
    ("--method", "certified", "--variants", "threshold"),
)
FORMATS = ("xes", "csv", "parquet")
AT_ANY_MOMENT = 0.2
"""Of all kills, those that no call decides: threads beside the main one are not reached by counting."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is released, and whether it replaces a release."""

    method: tuple[str, ...]
    format: str
    replacing: bool

    def __str__(self) -> str:
        return f"{' '.join(self.method[1::2])}, {self.format}{', replacing' if self.replacing else ''}"

    def arguments(self, log: Path, place: Path) -> list[object]:
        flags = ["--advantage", ADVANTAGE, *self.method, "--noise", "exact", "--format", self.format]
        force = ["--force"] if self.replacing else []
        return ["anonymize", log, *flags, *force, *_where(place), "--quiet"]


@dataclass(frozen=True, slots=True)
class Counted:
    """The calls of a whole run: how many of each there are, and how many of them before the reservation."""

    calls: Counter[str]
    before: Counter[str]
    seconds: float

    def draw(self, choose: random.Random) -> tuple[str, int]:
        if choose.random() < 0.5:  # after the reservation
            call = choose.choice(sorted(call for call, number in self.calls.items() if number > self.before[call]))
            return call, choose.randint(self.before[call] + 1, self.calls[call])
        call = choose.choice(sorted(self.calls))
        return call, choose.randint(1, self.calls[call])


def kills(log: Path, tries: int, choose: random.Random, tally: Tally) -> None:
    if shutil.which("strace") is None:
        raise SystemExit("strace is not installed (Debian: strace).")
    with tempfile.TemporaryDirectory() as prepared:
        old = Path(prepared) / "old"
        made = command("anonymize", log, "--advantage", "0.2", "--out", old, "--no-registry", "--quiet")
        assert made.code == 0, made.err
        counted: dict[Setting, Counted] = {}
        while tally.tried < tries:
            setting = Setting(choose.choice(METHODS), choose.choice(FORMATS), choose.random() < 0.4)
            if setting not in counted:
                counted[setting] = _count(log, setting, old)
            with tempfile.TemporaryDirectory() as place:
                _one(Path(place), log, old, setting, counted[setting], choose, tally)


def _where(place: Path) -> list[object]:
    return ["--out", place / "releases" / "out", "--registry", place / "registry" / "registry.sqlite"]


def _prepare(place: Path, setting: Setting, old: Path) -> str | None:
    (place / "releases").mkdir()
    (place / "registry").mkdir()
    if setting.replacing:
        shutil.copytree(old, place / "releases" / "out")
    return release_identifier(place / "releases" / "out")


def _count(log: Path, setting: Setting, old: Path) -> Counted:
    """Calls of the main thread, because strace counts each thread for itself."""
    with tempfile.TemporaryDirectory() as folder:
        place, trace = Path(folder), Path(folder) / "trace"
        _prepare(place, setting, old)
        done, seconds = traced(setting.arguments(log, place), ["-o", str(trace), "-e", f"trace={','.join(CALLS)}"])
        assert done.code == 0, done.err
        return counted_in(trace.read_text(errors="replace").splitlines(), seconds)


def counted_in(lines: Sequence[str], seconds: float) -> Counted:
    main_thread = lines[0].split()[0]
    calls: Counter[str] = Counter()
    before: Counter[str] | None = None
    for line in lines:
        thread, _, rest = line.partition(" ")
        call = rest.strip().partition("(")[0]
        if thread != main_thread or call not in CALLS:
            continue
        calls[call] += 1
        # The journal goes when what was reserved is on the disk; it is the first entry of a new registry.
        if before is None and call == "unlink" and 'registry.sqlite-journal"' in rest:
            before = Counter(calls)
    assert before is not None
    return Counted(calls, before, seconds)


def _one(
    place: Path, log: Path, old: Path, setting: Setting, counted: Counted, choose: random.Random, tally: Tally
) -> None:
    before = _prepare(place, setting, old)
    arguments = setting.arguments(log, place)
    if choose.random() < AT_ANY_MOMENT:
        at = "a moment"
        code = killed_at(arguments, choose.uniform(0.0, 1.1) * counted.seconds)
    else:
        call, number = counted.draw(choose)
        at = f"{call} {number}"
        done, _ = traced(arguments, ["-o", "/dev/null", "-e", f"inject={call}:signal=SIGKILL:when={number}"])
        code = done.code
    if code == 0:
        tally.apart["ended before the kill"] += 1
        return
    if code != -signal.SIGKILL:
        tally.note("not killed", f"{at} ({setting}): exit code {code}")
        return
    if hidden_beside(place / "registry" / "registry.sqlite"):
        tally.apart["tries that left a temporary file of a new registry, which holds nothing of a log"] += 1
    outcome, fault = _left(place, log, setting, before, choose.random() < 0.3)
    tally.note(outcome, None if fault is None else f"{at} ({setting}): {fault}")


def _left(place: Path, log: Path, setting: Setting, before: str | None, void: bool) -> tuple[str, str | None]:
    """How far the run got, and what is wrong with what it left."""
    out, registry = place / "releases" / "out", place / "registry" / "registry.sqlite"
    known = known_to(registry)
    after, hidden = release_identifier(out), hidden_beside(out)
    outcome = _outcome(known, before, after)
    if before is not None and after is None:
        return outcome, "neither the old nor the new release is there"
    fault = fault_in_place(out, known, before)
    if fault is None and len(known.releases) > 1:
        fault = "two releases in the registry"
    if fault is None and void:
        fault = _voided(registry, known, after, hidden)
    return outcome, fault or _next_run(place, log, setting, after, hidden, known)


def _outcome(known: Known, before: str | None, after: str | None) -> str:
    if after not in (None, before):
        return "killed with the release in place"
    if not known.releases:
        return "killed before the reservation"
    (release,) = list(known.releases.values())[:1]
    return "killed before the first file" if release.can_be_voided else "killed while it was written"


def _voided(registry: Path, known: Known, after: str | None, hidden: list[Path]) -> str | None:
    """What can be voided has left nothing that anybody could have seen: no release, and no folder but the empty one by
    which a run tries out whether it may write there."""
    filled = [path for path in hidden if path.is_file() or any(path.iterdir())]
    for identifier in known.releases:
        done = command("registry", "void", identifier, "--reason", "killed", "--registry", registry)
        if done.code == 0 and (filled or after == identifier):
            return "a release of which something was written could be voided"
        if done.code not in (0, 1, 2) or done.broke_off:
            return f"void: {done.broke_off or done.code}"
    return None


def _next_run(
    place: Path, log: Path, setting: Setting, after: str | None, hidden: list[Path], before: Known
) -> str | None:
    """The same command once more: it names what was left, spends nothing twice, and clean takes away what was named."""
    out, registry = place / "releases" / "out", place / "registry" / "registry.sqlite"
    again = command(*setting.arguments(log, place))
    if again.broke_off or again.code not in (0, 1, 2):
        return f"the next run: {again.broke_off or again.code}"
    silent = [path.name for path in hidden if str(path) not in again.err]
    if silent:
        return f"the next run does not name {silent[0]}"
    known = known_to(registry)
    if again.code and set(known.releases) != set(before.releases):
        return f"the next run was refused ({again.code}), and spent"
    cleaned = command("clean", out, "--registry", registry)
    if cleaned.code or cleaned.broke_off:
        return f"clean: {cleaned.broke_off or cleaned.code}"
    if hidden_beside(out):
        return f"clean has left {hidden_beside(out)[0].name}"
    return fault_in_place(out, known, after)
