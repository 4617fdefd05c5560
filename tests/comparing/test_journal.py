"""What is done is kept: the journal by itself."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from amun_dp.comparing.cells import Cell
from amun_dp.comparing.journal import opened
from amun_dp.comparing.measuring import Run
from amun_dp.errors import InputError, ParameterError
from tests.comparing.made_up import released

SETTINGS: dict[str, Any] = {"logs": {"log": "ab12"}, "limits": {"seconds": 300.0, "memory": None}}
CELL = Cell("log", "sacofa", 0.2, "average", 0.05)
FACTS = {"cases": 3, "phi": {"0.2": {"average": 1.25}}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.jsonl"


def filled(path: Path) -> None:
    with opened(path, SETTINGS) as journal:
        journal.add_facts("log", FACTS)
        journal.add_run(CELL, released(0.1))
        journal.add_run(CELL, Run("failed", why="Ünsinn"))


def test_what_was_written_is_there_again_to_the_last_bit(path: Path) -> None:
    filled(path)
    with opened(path, SETTINGS) as journal:
        assert journal.facts == {"log": FACTS}
        assert dict(journal.runs) == {CELL: [released(0.1), Run("failed", why="Ünsinn")]}
        journal.add_run(CELL, Run("time"))
    with opened(path, SETTINGS) as journal:
        assert [run.ending for run in journal.runs[CELL]] == ["released", "failed", "time"]


def test_only_its_owner_may_read_it(path: Path) -> None:
    filled(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_wherever_the_last_line_is_torn_it_is_cut_off_and_the_others_stay(path: Path) -> None:
    filled(path)
    whole = path.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for torn in (whole[: last + 1], whole[: last + 40], whole[:-1]):
        path.write_bytes(torn)
        with opened(path, SETTINGS) as journal:
            assert [run.ending for run in journal.runs[CELL]] == ["released"]
            journal.add_run(CELL, Run("failed", why="Ünsinn"))
        assert path.read_bytes() == whole


def test_a_journal_that_was_killed_at_its_first_line_begins_anew(path: Path) -> None:
    filled(path)
    whole = path.read_bytes()
    for length in (0, 1, 20, whole.index(b"\n")):
        path.write_bytes(whole[:length])
        filled(path)
        assert path.read_bytes() == whole


def test_other_settings_are_refused_by_name_and_change_nothing(path: Path) -> None:
    filled(path)
    before = path.read_bytes()
    with (
        pytest.raises(ParameterError, match=r"other settings \(limits, reading\)"),
        opened(path, {**SETTINGS, "limits": None, "reading": {}}),
    ):
        pytest.fail("it was opened")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        b"my notes, without an end of line",
        b"my notes\n",
        b"[1, 2]\n",
        b"17\n",
        b"{}\n",
        b'"schema"\n',
        b'{"schema": "amun-dp/report/2"}\n',
        b"\xff\xfe\n",
        b"\xff\xfe",
        b"\n",
        b'{"schema": NaN}\n',
    ],
)
def test_somebody_elses_file_is_refused_and_left_as_it_is(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(InputError, match="not the journal of a comparison"), opened(path, SETTINGS):
        pytest.fail("it was opened")
    assert path.read_bytes() == content


@pytest.mark.parametrize("line", ['{"log": "x"}', "[]", '{"cell": {}, "run": {}}', '{"cell": 1}', "null"])
def test_a_damaged_line_is_refused(line: str, path: Path) -> None:
    filled(path)
    with path.open("a") as stream:
        stream.write(line + "\n")
    before = path.read_bytes()
    with pytest.raises(InputError), opened(path, SETTINGS):
        pytest.fail("it was opened")
    assert path.read_bytes() == before


def test_two_at_once_are_refused(path: Path) -> None:
    with (
        opened(path, SETTINGS),
        pytest.raises(ParameterError, match="Another comparison is writing"),
        opened(path, SETTINGS),
    ):
        pytest.fail("it was opened twice")
    with opened(path, SETTINGS):
        pass


def test_what_fails_while_it_is_open_is_not_taken_for_a_fault_of_the_journal(path: Path) -> None:
    with pytest.raises(ConnectionError), opened(path, SETTINGS):
        raise ConnectionError("a process could not be started")


def test_a_line_that_the_kernel_refuses_is_an_output_error_and_the_lines_before_stay(tmp_path: Path) -> None:
    program = """
import resource, sys
from pathlib import Path
from amun_dp.comparing.journal import opened
from amun_dp.errors import OutputError

try:
    with opened(Path(sys.argv[1]), {}) as journal:
        journal.add_facts("log", {"cases": 3})
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
        journal.add_facts("larger", {"cases": "3" * 1_000})
except OutputError as error:
    sys.stdout.write(str(error))
"""
    path = tmp_path / "runs.jsonl"
    command = [sys.executable, "-W", "error", "-c", program, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{path} would exceed the largest size allowed here" in run.stdout
    assert run.stderr == ""
    with opened(path, {}) as journal:
        assert journal.facts == {"log": {"cases": 3}}


def test_every_line_is_json_that_any_reader_reads(path: Path) -> None:
    filled(path)
    for line in path.read_text(encoding="ascii").splitlines():
        json.loads(line, parse_constant=pytest.fail)
