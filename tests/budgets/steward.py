"""Somebody who releases logs on the command line, with one registry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from amun_dp.cli import main
from amun_dp.eventlog.log import EventLog
from amun_dp.writing import write_log
from tests.commandline import assert_in_flags


class Steward:
    """Runs commands on one registry, as a person at a desk does: nobody answers questions, and files pile up."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys, self._runs = folder, capsys, 0
        self.registry = folder / "registry.sqlite"

    def run(self, *arguments: object) -> tuple[int, str, str]:
        code = main([*map(str, arguments), "--registry", str(self.registry)])
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        assert_in_flags(captured.out, captured.err)
        return code, captured.out, captured.err

    def json(self, *arguments: object) -> Any:
        code, out, err = self.run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    def release(self, log: Path, *flags: object) -> tuple[int, str, str]:
        self._runs += 1
        out = self.folder / f"release-{self._runs}"
        found = self.run("anonymize", log, "--out", out, "--method", "sampling", *flags)
        assert out.exists() == (found[0] == 0)
        return found

    def log(self, log: EventLog, name: str) -> Path:
        write_log(log, self.folder / name)
        return self.folder / name

    def only_log(self) -> str:
        (log,) = self.json("registry", "list")["logs"]
        return str(log["log"])
