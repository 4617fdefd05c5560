"""Lack of memory is known for what it is, whatever a library calls it."""

from __future__ import annotations

import ast
import errno
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import accounting
import amun_dp
from amun_dp._base import out_of_memory
from amun_dp._base.out_of_memory import is_out_of_memory, memory_is_short


def behind(error: Exception, other: ValueError) -> ValueError:
    """The other one, raised in the handler of the first, which is hidden from people."""
    try:
        try:
            raise error
        except type(error):
            raise other from None
    except ValueError as found:
        return found


@pytest.fixture(params=[True, False], ids=["short", "plenty"])
def short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(out_of_memory, "memory_is_short", lambda: request.param)
    return bool(request.param)


@pytest.mark.parametrize("error", [MemoryError(), pa.lib.ArrowMemoryError("x"), OSError(errno.ENOMEM, "x")])
def test_what_says_so_is_lack_of_memory_also_behind_another_error(error: Exception, short: bool) -> None:
    assert is_out_of_memory(error)
    assert is_out_of_memory(behind(error, ValueError("the file is damaged")))


@pytest.mark.parametrize(
    "error",
    [ImportError("x"), OSError("x"), RuntimeError("can't start new thread"), SystemError(), pa.lib.ArrowException("x")],
)
def test_what_may_be_something_else_is_lack_of_memory_where_there_is_none(error: Exception, short: bool) -> None:
    assert is_out_of_memory(error) == short


@pytest.mark.parametrize("error", [ValueError(), pa.ArrowInvalid("Cannot allocate memory"), FileNotFoundError(2, "x")])
def test_other_errors_are_what_they_are(error: Exception, short: bool) -> None:
    assert not is_out_of_memory(error)


def test_errors_that_go_round_in_circles_come_to_an_end() -> None:
    one, other = ValueError(), KeyError()
    one.__context__, other.__context__ = other, one
    assert not is_out_of_memory(one)


def test_a_block_of_memory_can_be_had_here() -> None:
    assert not memory_is_short()


# --- everywhere in the code -----------------------------------------------------------------------------------------


def tries() -> Iterator[tuple[str, ast.Try]]:
    for package in (amun_dp, accounting):
        assert package.__file__ is not None
        for path in sorted(Path(package.__file__).parent.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Try):
                    yield f"{path.name}:{node.lineno}", node


def names(handler: ast.ExceptHandler) -> set[str]:
    found = ast.walk(handler.type) if handler.type is not None else iter(())
    return {node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in found}


def lets_memory_errors_pass(handlers: list[ast.ExceptHandler]) -> bool:
    """Whether one of them raises a MemoryError again, before any catches what Arrow raises."""
    for handler in handlers:
        if "MemoryError" in names(handler):
            (only,) = handler.body
            return isinstance(only, ast.Raise) and only.exc is None
        if "ArrowException" in names(handler):
            return False
    return False


def test_nobody_takes_arrows_lack_of_memory_for_another_of_its_errors() -> None:
    """ArrowMemoryError is an ArrowException, too."""
    catching = [(where, node) for where, node in tries() if any("ArrowException" in names(h) for h in node.handlers)]
    assert catching  # or the test looks in the wrong place
    assert [where for where, node in catching if not lets_memory_errors_pass(node.handlers)] == []


def test_where_no_thread_fits_that_is_said_before_arrow_waits_for_one() -> None:
    """Its reader of CSV never came back within some megabytes of what the program itself takes."""
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from amun_dp._base.out_of_memory import check_room_for_a_thread\n"
        "check_room_for_a_thread()\n"
        "taken = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (taken + (1 << 25), taken + (1 << 25)))\n"
        "try: check_room_for_a_thread()\nexcept MemoryError: sys.exit(7)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_verify_asks_for_room_before_it_reads_a_csv_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from amun_dp.verification.bounds import Limits
    from amun_dp.verification.folder.raw_tables import scan_csv

    path = tmp_path / "log.csv"
    path.write_text("case:concept:name,concept:name,time:timestamp\n", encoding="utf-8")
    monkeypatch.setattr("amun_dp._base.out_of_memory.memory_is_short", lambda _size: True)
    with pytest.raises(MemoryError):
        scan_csv(path, 10, Limits())
