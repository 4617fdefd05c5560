"""Processes that want the same thing at the same moment: the last of a budget, one folder, a release that is being
voided, a folder that is being cleaned.

All processes of a race wait for one signal, and each then for a moment of its own, at most as long as a release takes:
so either of two may be first. Each process is a try.

Held if: no budget is overspent; every release in place is whole, in the registry and not voided; whoever says that it
released did; exactly one of a void and a release wins; and cleaning takes away what dead processes left, and nothing of
a living one.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
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
from benchmarks.torture.commands import Ended, Fork, forked
from benchmarks.torture.tally import Tally

AT_ONCE = 6
METHODS = (["sampling"], ["certified", "--variants", "generated"])
CLEANINGS = 8


@dataclass(frozen=True, slots=True)
class Race:
    """One race: its log, its folder, how long a release takes, and what chooses."""

    log: Path
    place: Path
    lasts: float
    choose: random.Random
    old: Path
    """A release that may be replaced."""
    method: list[str]
    """Of all its releases: one budget counts in one way."""

    @property
    def registry(self) -> Path:
        return self.place / "registry.sqlite"

    def release(self, out: Path, releases: int, *flags: str) -> list[object]:
        asked = ["--advantage", ADVANTAGE, "--method", *self.method, "--noise", "exact", "--releases", releases, *flags]
        return ["anonymize", self.log, *asked, "--out", out, "--registry", self.registry, "--quiet", "--json"]

    def start(self, commands: Sequence[Sequence[object]]) -> list[Fork]:
        """All at once, or each a moment later."""
        waits, go = os.pipe()
        running = [self._started(each, waits, go) for each in commands]
        os.close(waits)
        os.close(go)  # which is what all of them wait for
        return running

    def run(self, commands: Sequence[Sequence[object]]) -> list[Ended]:
        return [run.wait() for run in self.start(commands)]

    def _started(self, arguments: Sequence[object], waits: int, go: int) -> Fork:
        delay = self.choose.choice((0.0, self.choose.random() * self.lasts))

        def wait_for_the_signal() -> None:
            os.close(go)
            os.read(waits, 1)
            time.sleep(delay)

        return forked(arguments, first=wait_for_the_signal)


Found = tuple[list[str], str | None]
"""How each process ended, and what was wrong."""


def races(log: Path, tries: int, choose: random.Random, tally: Tally) -> None:
    kinds: tuple[Callable[[Race], Found], ...] = (
        last_of_a_budget,
        one_folder,
        one_folder_replaced,
        voids_against_releases,
        cleaning_against_releases,
    )
    with tempfile.TemporaryDirectory() as prepared:
        old = Path(prepared) / "old"
        lasts = _duration(log, old)
        while tally.tried < tries:
            kind = kinds[tally.apart.total() % len(kinds)]
            with tempfile.TemporaryDirectory() as place:
                ended, fault = kind(Race(log, Path(place), lasts, choose, old, choose.choice(METHODS)))
            _note(tally, kind.__name__.replace("_", " "), ended, fault)


def _note(tally: Tally, name: str, ended: list[str], fault: str | None) -> None:
    tally.apart[f"races: {name}"] += 1
    for number, outcome in enumerate(ended):
        tally.note(f"{name}: {outcome}", None if number or fault is None else f"{name}: {fault}")


def _duration(log: Path, out: Path) -> float:
    """Seconds that a release takes; it stays there."""
    begun = time.monotonic()
    made = command("anonymize", log, "--advantage", ADVANTAGE, "--noise", "exact", "--out", out, "--no-registry")
    assert made.code == 0, made.err
    return time.monotonic() - begun


def last_of_a_budget(race: Race) -> Found:
    """Each wants half of a budget, in a folder of its own, of a log that no registry knows yet."""
    outs = [race.place / f"out-{number}" for number in range(AT_ONCE)]
    done = race.run([race.release(out, 2) for out in outs])
    known = known_to(race.registry)
    return [_outcome(each) for each in done], _fault(outs, done, known)


def one_folder(race: Race) -> Found:
    """There is budget enough for all, and room for one."""
    out = race.place / "out"
    done = race.run([race.release(out, AT_ONCE) for _ in range(AT_ONCE)])
    known = known_to(race.registry)
    fault = _fault([out], done, known)
    if fault is None and sum(each.code == 0 for each in done) != 1:
        fault = f"{sum(each.code == 0 for each in done)} say that they released into one folder"
    return [_outcome(each) for each in done], fault


def one_folder_replaced(race: Race) -> Found:
    """Each may replace what the others put there."""
    out = race.place / "out"
    done = race.run([race.release(out, AT_ONCE, "--force") for _ in range(AT_ONCE)])
    known = known_to(race.registry)
    fault = _fault([out], done, known)
    said = {_identifier(each) for each in done if each.code == 0}
    if fault is None and release_identifier(out) not in said:
        fault = "the release in place is of nobody who says that it released"
    return [_outcome(each) for each in done], fault


def voids_against_releases(race: Race) -> Found:
    """Each release is voided as soon as it is reserved, or a while later."""
    outs = [race.place / f"out-{number}" for number in range(2)]
    running = race.start([race.release(out, AT_ONCE) for out in outs])
    voided: set[str] = set()
    seen: set[str] = set()
    deadline = time.monotonic() + 60
    while len(seen) < len(outs) and time.monotonic() < deadline:
        time.sleep(race.choose.choice((0.0, race.choose.random() * race.lasts / 3)))
        for identifier in set(known_to(race.registry).releases) - seen:
            seen.add(identifier)
            flags = ["--reason", "a race", "--registry", race.registry]
            if command("registry", "void", identifier, *flags).code == 0:
                voided.add(identifier)
    done = [run.wait() for run in running]
    known = known_to(race.registry)
    fault = _fault(outs, done, known)
    standing = {release_identifier(out) for out in outs} - {None}
    if fault is None and (voided & standing or voided | standing != set(known.releases)):
        fault = f"{len(voided)} voided, {len(standing)} in place, {len(known.releases)} reserved"
    if fault is None and hidden_beside(outs[0]):
        fault = "a voided release has left something"
    return [_outcome(each) for each in done], fault


def cleaning_against_releases(race: Race) -> Found:
    """What a dead process left goes, and the folders of living ones stay. Some of them replace a release."""
    outs = [race.place / f"out-{number}" for number in range(3)]
    for out in outs[: race.choose.choice((0, 2))]:
        shutil.copytree(race.old, out)
    dead = race.place / f".amun-dp-{_dead_process()}-left"
    (dead / "internal").mkdir(parents=True)
    cleanings = [["clean", race.choose.choice(outs), "--registry", race.registry] for _ in range(CLEANINGS)]
    done = race.run([*(race.release(out, AT_ONCE, "--force") for out in outs), *cleanings])
    known = known_to(race.registry)
    releases, cleaned = done[: len(outs)], done[len(outs) :]
    fault = _fault(outs, releases, known)
    if fault is None and any(each.code for each in releases):
        fault = f"a release was hurt: {next(each.err for each in releases if each.code)[:200]}"
    if fault is None:
        # Of two that clean at once, one finds that somebody has it.
        wrong = [each for each in cleaned if each.broke_off or (each.code and "is in use again" not in each.err)]
        fault = f"clean: {wrong[0].broke_off or wrong[0].err[:200]}" if wrong else None
    if fault is None and hidden_beside(outs[0]):
        fault = "something was left"
    return [
        *(_outcome(each) for each in releases),
        *("cleaned" if str(dead) in each.out else "nothing" for each in cleaned),
    ], fault


def _dead_process() -> int:
    """The number of a process that is over."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def _outcome(done: Ended) -> str:
    if done.code == 0:
        return "released"
    if "voided" in done.err:
        return "voided"
    return {1: "no budget left", 2: "folder taken"}.get(done.code, f"exit code {done.code}")


def _identifier(done: Ended) -> str | None:
    identifier: str = json.loads(done.out)["release"]["id"]
    return identifier


def _fault(outs: Sequence[Path], done: Sequence[Ended], known: Known) -> str | None:
    for each in done:
        if each.broke_off or each.code not in (0, 1, 2):
            return each.broke_off or f"exit code {each.code}: {each.err[:200]}"
        if each.code == 0 and _identifier(each) not in known.releases:
            return "says that it released what the registry does not know"
    for out in outs:
        fault = fault_in_place(out, known)
        if fault is not None:
            return fault
    standing = [out for out in outs if release_identifier(out) is not None]
    if len(outs) > 1 and len(standing) != sum(each.code == 0 for each in done):
        return f"{sum(each.code == 0 for each in done)} say that they released, {len(standing)} releases stand"
    return None
