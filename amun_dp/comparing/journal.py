"""What a comparison has done so far, in a file: one line per run, written when the run ends. A comparison that was
killed resumes from there.

The first line has the settings that all lines share. Runs made under other settings are not mixed with new ones.
"""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from amun_dp._base.strict_json import strict_json
from amun_dp.comparing.cells import Cell
from amun_dp.comparing.measuring import Run
from amun_dp.errors import InputError, ParameterError
from amun_dp.folder.placing import output_errors

SCHEMA = "amun-dp/comparison/1"


class Journal:
    """Made by ``opened``. Facts of a log are kept beside the runs: they, too, are worked out once."""

    def __init__(self, path: Path, stream: IO[str]) -> None:
        self._path = path
        self._stream = stream
        self._writing = threading.Lock()
        self.facts: dict[str, dict[str, Any]] = {}
        self.runs: defaultdict[Cell, list[Run]] = defaultdict(list)

    def add_facts(self, log: str, facts: dict[str, Any]) -> None:
        self.facts[log] = facts
        self._write({"log": log, "facts": facts})

    def add_run(self, cell: Cell, run: Run) -> None:
        self.runs[cell].append(run)
        self._write({"cell": asdict(cell), "run": run.as_dict()})

    def _write(self, line: dict[str, Any]) -> None:
        with self._writing, output_errors(self._path):
            self._stream.write(json.dumps(line) + "\n")
            self._stream.flush()  # a kill leaves at most the last line torn

    def take(self, line: dict[str, Any]) -> None:
        """A line that was written before."""
        if "facts" in line:
            self.facts[line["log"]] = line["facts"]
        else:
            self.runs[Cell(**line["cell"])].append(Run.of(line["run"]))


@contextmanager
def opened(path: Path, settings: dict[str, Any]) -> Iterator[Journal]:
    """A new journal, or the one that is there, if it has these settings and nobody else is writing to it."""
    head = {"schema": SCHEMA, **settings}
    with _locked(path) as stream:
        with output_errors(path):
            journal = _continued(path, stream, head)
        yield journal


def _continued(path: Path, stream: IO[str], head: dict[str, Any]) -> Journal:
    journal = Journal(path, stream)
    whole, lines = _whole_lines(path, stream, head)
    if lines and lines[0] != head:
        raise ParameterError(
            f"{path} was made with other settings ({_differing(lines[0], head)}). Choose another folder, or use the "
            "same settings to go on."
        )
    try:
        for line in lines[1:]:
            journal.take(line)
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"{path} is damaged. Choose another folder.") from error
    # A torn last line is cut off: its run is made again.
    stream.seek(len(whole.encode()))
    stream.truncate()
    if not lines:
        journal._write(head)
    return journal


def noted(path: Path) -> Journal:
    """What a journal has so far, to look at: nothing is written to it."""
    with path.open(encoding="utf-8") as stream:
        journal = Journal(path, stream)
        for line in _whole_lines(path, stream, {})[1][1:]:
            journal.take(line)
    return journal


def _whole_lines(path: Path, stream: IO[str], head: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """What is there up to the last end of a line. A file of somebody else's is refused, and left as it is."""
    try:
        content = stream.read()
        whole = content[: content.rfind("\n") + 1]
        lines = [strict_json(line.encode()) for line in whole.splitlines()]
        ours = lines[0]["schema"] == SCHEMA if lines else json.dumps(head).startswith(content)
    except (IndexError, KeyError, TypeError, ValueError):
        ours = False
    if not ours:
        raise InputError(f"{path} is not the journal of a comparison. Choose another folder.")
    return whole, lines


def _differing(old: dict[str, Any], new: dict[str, Any]) -> str:
    return ", ".join(sorted(name for name in {*old, *new} if old.get(name) != new.get(name)))


@contextmanager
def _locked(path: Path) -> Iterator[IO[str]]:
    """Opened for this process alone, where the system can; readable by its owner only."""
    with output_errors(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    # Ends of lines are written as they are on every system: bytes are counted to find the torn line.
    stream = os.fdopen(descriptor, "r+", encoding="utf-8", newline="\n")
    try:
        with output_errors(path):
            _lock(path, stream)
        yield stream
    finally:
        with output_errors(path):  # what a full disk did not take is tried once more
            stream.close()


def _lock(path: Path, stream: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ParameterError(
            f"Another comparison is writing to {path}. Wait for it, or choose another folder."
        ) from error
