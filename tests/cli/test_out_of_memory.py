"""A command that gets no memory says so, with exit code 5, and what it had spent; it calls nothing damaged or a bug."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

import amun_dp.release.enough_memory
from accounting.registry import RegisteredRelease
from amun_dp.budgets.spending import open_registry
from amun_dp.cli import main
from amun_dp.release.anonymize import anonymize
from amun_dp.synthetic import LogShape, generate_log
from amun_dp.writing import write_log

OUT_OF_MEMORY = 5


def command(log: Path, tmp_path: Path, *flags: str) -> list[str]:
    """A release that is charged to a registry of its own."""
    named = ["--out", str(tmp_path / "out"), "--registry", str(tmp_path / "registry.sqlite")]
    return ["anonymize", str(log), "--advantage", "0.3", *named, *flags]


def releases(tmp_path: Path) -> list[RegisteredRelease]:
    registry = tmp_path / "registry.sqlite"
    if not registry.exists():
        return []
    return [release for log in open_registry(registry, create=False).logs() for release in log.releases]


def no_memory(*_: object, **__: object) -> None:
    raise MemoryError


def test_a_release_that_cannot_fit_is_refused_before_it_is_charged(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(amun_dp.release.enough_memory, "_available", lambda: 1000)
    assert main(command(example, tmp_path)) == OUT_OF_MEMORY
    said = capsys.readouterr().err
    assert "out of memory" in said
    assert "nothing was released" in said
    assert "nothing was spent" in said
    assert "bug" not in said
    assert releases(tmp_path) == []


def test_running_out_of_memory_later_says_in_which_step_and_that_it_is_spent(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("amun_dp.release.article.draw", no_memory)
    assert main(command(example, tmp_path, "--method", "sampling")) == OUT_OF_MEMORY
    said = capsys.readouterr().err
    assert "out of memory; nothing was released" in said
    assert "it happened while" in said
    assert "nothing was spent" not in said
    assert "stays spent" in said


def test_lack_of_memory_behind_a_refusal_is_no_refusal(
    example: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pyarrow as pa

    def misnamed(*_: object, **__: object) -> None:
        try:
            raise pa.lib.ArrowMemoryError("malloc of size 64 failed")
        except pa.ArrowException:
            raise amun_dp.errors.InputError("The file is damaged.") from None

    monkeypatch.setattr("amun_dp.cli.commands.read_as_said", misnamed)
    assert main(["inspect", str(example)]) == OUT_OF_MEMORY
    said = capsys.readouterr().err
    assert "damaged" not in said
    assert "it happened while reading the log" in said


def test_a_verification_without_memory_accuses_nobody(
    tmp_path: Path, example: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["anonymize", str(example), "--advantage", "0.3", "--out", str(tmp_path / "out"), "--no-registry"]) == 0
    monkeypatch.setattr("amun_dp.verification.run.scan_log", no_memory)
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out"), "--no-prove"]) == OUT_OF_MEMORY
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "the release was not judged" in shown.err
    assert "it happened while checking the released log" in shown.err
    assert "FAILED" not in shown.err


# --- a library that ends the process --------------------------------------------------------------------------------

LIMITED = """
import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 36, resource.RLIM_INFINITY))
import {module}
{module}.{name} = lambda *_, **__: {end}
from amun_dp.cli import main
sys.exit(main())
"""
ENDS = ["os.abort()", "os.kill(os.getpid(), signal.SIGSEGV)", "os._exit(1)", "os._exit(0)"]
"""As Arrow, OpenDP and OpenBLAS do."""


def limited(place: str, end: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of a process with a (large) limit of memory, whose function at a place ends the process."""
    module, _, name = place.rpartition(".")
    code = LIMITED.format(module=module, name=name, end=end)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.parametrize("end", ENDS)
def test_a_library_that_ends_the_process_is_named_lack_of_memory(end: str, example: Path) -> None:
    done = limited("amun_dp.cli.commands.read_as_said", end, "inspect", str(example))
    assert done.returncode == OUT_OF_MEMORY
    assert "out of memory; nothing was released; it happened while reading the log." in done.stderr
    assert done.stdout == ""


def test_where_nothing_was_charged_nothing_was_spent(example: Path, tmp_path: Path) -> None:
    done = limited("amun_dp.release.article.rehearse", "os.abort()", *command(example, tmp_path))
    assert done.returncode == OUT_OF_MEMORY
    assert "nothing was spent" in done.stderr
    assert releases(tmp_path) == []


def test_what_was_charged_and_never_written_can_be_given_back(example: Path, tmp_path: Path) -> None:
    done = limited("amun_dp.release.article.draw", "os.abort()", *command(example, tmp_path, "--method", "sampling"))
    assert done.returncode == OUT_OF_MEMORY
    (release,) = releases(tmp_path)
    assert release.can_be_voided
    assert f"registry void {release.release}" in done.stderr
    assert "nothing was spent" not in done.stderr


def test_what_was_being_written_stays_spent(example: Path, tmp_path: Path) -> None:
    done = limited("amun_dp.release.made.save_release", "os.abort()", *command(example, tmp_path))
    assert done.returncode == OUT_OF_MEMORY
    (release,) = releases(tmp_path)
    assert not release.can_be_voided
    assert "stays spent" in done.stderr


def test_a_release_that_is_in_place_is_not_denied(example: Path, tmp_path: Path) -> None:
    done = limited("amun_dp.cli.commands._print_release", "os.abort()", *command(example, tmp_path))
    assert done.returncode == OUT_OF_MEMORY
    assert "the release was made and is in" in done.stderr
    assert "nothing was released" not in done.stderr
    assert (tmp_path / "out" / "report.json").exists()


def test_a_verification_that_a_library_ends_accuses_nobody(tmp_path: Path) -> None:
    done = limited("amun_dp.verification.verify", "os.abort()", "verify", str(tmp_path))
    assert done.returncode == OUT_OF_MEMORY
    assert "the release was not judged" in done.stderr


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["nothing"], 2), (["inspect", "/absent.csv"], 2)])
def test_exit_codes_are_those_of_the_process_that_works(arguments: list[str], code: int) -> None:
    done = limited("amun_dp.cli.watch.unused", "None", *arguments)
    assert done.returncode == code
    assert "memory" not in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_for_the_process_that_waits_reaches_the_one_that_works(
    number: signal.Signals, code: int, example: Path, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    program = LIMITED.format(
        module="amun_dp.cli.commands",
        name="read_as_said",
        end=f"(open({str(begun)!r}, 'x'), __import__('time').sleep(600))",
    )
    running = subprocess.Popen([sys.executable, "-c", program, "inspect", str(example)], stderr=subprocess.PIPE)
    while not begun.exists():
        time.sleep(0.01)
    os.kill(running.pid, number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == code
    assert b"Traceback" not in said


def test_a_process_that_is_killed_is_not_called_out_of_memory(example: Path) -> None:
    done = limited("amun_dp.cli.commands.read_as_said", "os.kill(os.getpid(), signal.SIGKILL)", "inspect", str(example))
    assert done.returncode == -signal.SIGKILL
    assert "memory" not in done.stderr


# --- real limits ----------------------------------------------------------------------------------------------------

MEGABYTES = [60, 110, 150, 200, 220, 250, 300, 350, 420, 500, 600, 700, 860]
LOG = LogShape(cases=60_000, variants=200, activities=20, seed=3)


@cache
def logs() -> Path:
    """The same log in three formats, and a release of each."""
    folder, log = Path(mkdtemp()), generate_log(LOG)
    released = anonymize(log, 0.3, "sampling")
    for ending in ("csv", "parquet", "xes.gz"):
        write_log(log, folder / f"log.{ending}")
        released.save(folder / ending, format=ending.removesuffix(".gz"))
    return folder


def under_limit(megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    limit = f'ulimit -v {megabytes * 1024}; exec "$@"'
    return subprocess.run(
        ["bash", "-c", limit, "bash", sys.executable, "-m", "amun_dp.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def misnamed(done: subprocess.CompletedProcess[str]) -> bool:
    return any(word in done.stderr + done.stdout for word in ("damaged", "bug in", "FAILED", "Traceback", "header"))


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", MEGABYTES)
@pytest.mark.parametrize("ending", ["csv", "parquet", "xes.gz"])
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process's memory is Linux's")
def test_with_little_memory_a_command_does_its_work_or_says_what_it_lacks(
    ending: str, megabytes: int, tmp_path: Path
) -> None:
    log = logs() / f"log.{ending}"
    inspected = under_limit(megabytes, "inspect", str(log))
    verified = under_limit(megabytes, "verify", str(logs() / ending), "--no-prove")
    for done in (inspected, verified):
        assert done.returncode in (0, OUT_OF_MEMORY), done.stderr
        assert not misnamed(done)
    made = under_limit(megabytes, *command(log, tmp_path, "--method", "sampling", "--quiet"))
    assert made.returncode in (0, OUT_OF_MEMORY), made.stderr
    assert not misnamed(made)
    # Whatever memory there is: a release, or nothing spent.
    assert len(releases(tmp_path)) == (made.returncode == 0)
    assert (tmp_path / "out" / "report.json").exists() == (made.returncode == 0)


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [600, 700, 760, 820, 880, 940])
@pytest.mark.parametrize("variants", ["generated", "threshold"])
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of a process's memory is Linux's")
def test_with_little_memory_a_certified_release_is_made_or_costs_nothing(
    variants: str, megabytes: int, tmp_path: Path
) -> None:
    flags = ["--method", "certified", "--variants", variants, "--quiet"]
    made = under_limit(megabytes, *command(logs() / "log.csv", tmp_path, *flags))
    assert made.returncode in (0, OUT_OF_MEMORY), made.stderr
    assert len(releases(tmp_path)) == (made.returncode == 0)
