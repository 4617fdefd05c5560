"""The command: goes on where it was killed, one at a time, and keeps what it knows to its owner."""

from __future__ import annotations

import csv
import json
import os
import signal
import stat
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.commandline import refused, run
from tests.comparing.made_up import journal, started

MANY = ("--methods", "sampling", "filtering", "--advantages", 0.2, 0.3)


def until(condition: Callable[[], bool], what: str, seconds: float = 120) -> None:
    """Wait for something that a busy machine may be slow with."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def lines(folder: Path) -> int:
    path = folder / "runs.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def children(process: int) -> list[int]:
    """Of all its threads; a worker is started by whichever has a cell to do."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile has no children
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_a_killed_comparison_goes_on_and_no_run_is_made_twice(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, temporary = tmp_path / "out", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    arguments = (example, "--out", out, *MANY, "--runs", 40, "--workers", 2)
    with started(*arguments) as running:
        until(lambda: lines(out) >= 12, "it did not begin")
        workers = children(running.pid)
        running.kill()
        running.communicate()
    until(lambda: all(map(gone, workers)), "a worker outlived the one who asked it")
    assert not any(temporary.iterdir()), "no release is left where nobody looks for it"
    done = lines(out)
    assert done < 2 + 4 * 40, "it was killed too late to see anything"
    before = (out / "runs.jsonl").read_bytes()
    with started(*arguments) as again:
        printed, said = again.communicate(timeout=300)
        assert (again.returncode, "Traceback" in said) == (0, False)
    assert printed.startswith("CONFIDENTIAL")
    assert (out / "runs.jsonl").read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    made = Counter((each["method"], each["advantage"]) for each in journal(out))
    assert made == {(method, advantage): 40 for method in ("sampling", "filtering") for advantage in (0.2, 0.3)}
    assert sorted(each.name for each in out.iterdir()) == [
        *("comparison.csv", "comparison.md", "comparison.svg", "comparison.tex", "runs.jsonl")
    ], "what was written to measure writing is gone, that of the killed run too"


@pytest.mark.slow
def test_an_interrupted_comparison_says_what_is_kept_and_leaves_no_process(example: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with started(example, "--out", out, *MANY, "--runs", 5000, "--workers", 2) as running:
        until(lambda: lines(out) >= 6, "it did not begin")
        workers = children(running.pid)
        assert workers
        os.killpg(running.pid, signal.SIGINT)  # as a terminal sends it
        printed, said = running.communicate(timeout=120)
    assert running.returncode == 130
    assert printed == ""
    assert "Traceback" not in said
    assert f"interrupted; nothing was released; what is done is kept in {out / 'runs.jsonl'}" in said
    assert "the same command goes on" in said
    until(lambda: all(map(gone, workers)), "a process was left behind")
    assert [each.name for each in out.iterdir()] == ["runs.jsonl"]
    assert {each["ending"] for each in journal(out)} == {"released"}, "no run has failed because of us"


def test_two_at_once_are_refused_and_the_first_is_not_disturbed(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = (example, "--out", out, *MANY, "--runs", 5000)
    with started(*arguments) as running:
        try:
            until(lambda: lines(out) >= 1, "it did not begin")
            assert "Another comparison is writing" in refused(capsys, "compare", *arguments)
            assert running.poll() is None
        finally:
            running.send_signal(signal.SIGTERM)
            running.communicate(timeout=120)
    assert running.returncode == 143


@pytest.mark.slow
def test_runs_methods_and_advantages_may_be_added_and_nothing_else_changed(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    def compare(*flags: object) -> Counter[tuple[str, float]]:
        code, _, said = run(capsys, "compare", example, "--out", out, "--quiet", *flags)
        assert (code, said) == (0, "")
        return Counter((each["method"], each["advantage"]) for each in journal(out))

    first = ("--methods", "sampling", "--advantages", 0.2, "--runs")
    assert compare(*first, 1) == {("sampling", 0.2): 1}
    size = lines(out)
    assert compare(*first, 1) == {("sampling", 0.2): 1}
    assert lines(out) == size, "nothing was left to do"
    assert compare("--methods", "filtering", "sampling", "--advantages", 0.3, 0.2, "--runs", 2) == {
        (method, advantage): 2 for method in ("sampling", "filtering") for advantage in (0.2, 0.3)
    }
    for flags in (("--conventions", "article"), ("--run-seconds", 200), ("--run-gigabytes", 3)):
        assert "other settings" in refused(capsys, "compare", example, "--out", out, *first, 1, *flags)
    example.write_bytes(example.read_bytes() + b"\0")
    assert "other settings (logs)" in refused(capsys, "compare", example, "--out", out, *first, 1)


def test_tables_and_runs_are_for_their_owner_and_say_that_they_are_confidential(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    flags = ("--methods", "sampling", "--advantages", 0.2, "--runs", 2)
    code, printed, said = run(capsys, "compare", example, "--out", out, *flags)
    assert code == 0
    assert "spends no budget only because nothing of it is published" in said
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    files = {path.name: path for path in out.iterdir()}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files.values()} == {0o600}
    for name in ("comparison.md", "comparison.tex", "comparison.svg"):
        assert "CONFIDENTIAL" in files[name].read_text()[:200]
    assert "spends no budget only because" in files["comparison.md"].read_text()
    assert printed.startswith("CONFIDENTIAL")
    # The same, redrawn into a folder that others may enter, over files that others could read: no longer.
    out.chmod(0o755)
    files["comparison.csv"].chmod(0o644)
    files["comparison.csv"].write_text("old " * 10_000)
    code, printed, said = run(capsys, "compare", example, "--out", out, *flags, "--json")
    assert code == 0
    assert {stat.S_IMODE(path.stat().st_mode) for path in files.values()} == {0o600}
    found = json.loads(printed)
    assert found["confidential"].startswith("CONFIDENTIAL")
    [cell] = found["cells"]
    [row] = csv.DictReader(files["comparison.csv"].read_text().splitlines())
    means = [each["figures"]["frequency_emd"] for each in cell["runs"]]
    assert float(row["frequency_emd_mean"]) == pytest.approx(sum(means) / 2)
    assert found["logs"]["log"]["cases"] == 300


def test_a_log_that_cannot_be_read_is_told_as_reading_tells_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log.csv").write_text("case,activity\n1,a\n")
    said = refused(capsys, "compare", tmp_path / "log.csv", "--out", tmp_path / "out", "--runs", 1)
    assert "No column is recognised as the timestamp. Name it with --timestamp." in said


def test_a_file_whose_name_is_no_text_is_shown_all_the_same(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = os.fsencode(tmp_path) + b"/\xff\n|.xes.gz"
    try:
        os.rename(os.fsencode(example), named)  # noqa: PTH104 — a Path has no bytes
    except OSError:
        pytest.skip("this file system has no such names")
    flags = ("--methods", "sampling", "--advantages", 0.2, "--runs", 1, "--out", tmp_path / "out")
    code, _, _ = run(capsys, "compare", os.fsdecode(named), *flags)
    assert code == 0
    assert "⟨U+DCFF⟩⟨U+000A⟩\\|" in (tmp_path / "out" / "comparison.md").read_text()
