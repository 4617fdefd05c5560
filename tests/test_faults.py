"""What the command line does where the machine fails it: closed streams, a broken sampler, too little memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import amun_dp.enough_memory
from amun_dp.cli import main
from amun_dp.enough_memory import check_memory
from amun_dp.errors import SamplerError
from amun_dp.noise import SeededNoise, SystemNoise, try_out
from amun_dp.spending import open_registry

AMUN = f"{sys.executable} -m amun_dp.cli"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=600, check=False)


# --- closed streams -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("flags", ["", "--json", "--quiet"])
def test_a_release_with_closed_streams_is_made_charged_and_not_denied(
    closed: str, flags: str, example: Path, tmp_path: Path
) -> None:
    out, registry = tmp_path / "release", tmp_path / "registry.sqlite"
    done = shell(f"{AMUN} anonymize {example} --advantage 0.2 --out {out} --registry {registry} {flags} {closed}")
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr
    assert "nothing was released" not in done.stderr
    assert (out / "report.json").exists()
    (log,) = open_registry(registry, create=False).logs()  # whole: nothing was printed into it
    (release,) = log.releases
    assert release.published_at is not None


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_refusal_with_closed_streams_is_a_refusal(closed: str, tmp_path: Path) -> None:
    done = shell(f"{AMUN} inspect {tmp_path / 'absent.csv'} {closed}")
    assert done.returncode == 2
    assert "internal error" not in done.stderr


def test_a_file_that_is_opened_never_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """With standard output closed the next file would get its number, and what is printed would go into it."""
    code = (
        "import os; from amun_dp.cli.process import prepare_process; prepare_process(); "
        f"number = os.open({str(tmp_path / 'file')!r}, os.O_CREAT | os.O_WRONLY); print('words', flush=True); "
        "os._exit(number)"
    )
    done = shell(f'{sys.executable} -c "{code}" >&- 2>&- <&-')
    assert done.returncode > 2
    assert (tmp_path / "file").read_bytes() == b""


def test_output_that_fails_after_the_command_does_not_deny_what_it_did(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], example: Path
) -> None:
    class Full:
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        def fileno(self) -> int:
            return os.open(os.devnull, os.O_WRONLY)

    monkeypatch.setattr("amun_dp.cli.commands.run_inspect", lambda _options: 0)
    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["inspect", str(example)]) == 2
    assert capsys.readouterr().err == (
        "amun-dp: the command is done, but its output could not be written (No space left on device).\n"
    )


# --- a sampler that does not work -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sampling", "certified"])
@pytest.mark.parametrize("failure", ["ImportError('broken wheel')", "OSError('no such symbol')", "RuntimeError('x')"])
def test_a_sampler_that_does_not_work_costs_nothing(method: str, failure: str, example: Path, tmp_path: Path) -> None:
    registry = tmp_path / "registry.sqlite"
    code = (
        f"import sys\nimport amun_dp.noise\ndef broken(_scale): raise {failure}\n"
        "amun_dp.noise._opendp_laplace = broken\nfrom amun_dp.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    flags = [str(example), "--advantage", "0.3", "--method", method, "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", code, "anonymize", *flags, "--registry", str(registry)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 2
    assert "The sampler of the noise (opendp) does not work here" in done.stderr
    assert "--noise exact" in done.stderr
    assert "stays spent" not in done.stderr
    assert not registry.exists() or not open_registry(registry, create=False).logs()


def test_a_repeatable_source_is_not_tried_out_and_repeats_itself() -> None:
    tried, fresh = SeededNoise(1), SeededNoise(1)
    try_out(tried)
    assert (tried.discrete_laplace(np.full(50, 9.0)) == fresh.discrete_laplace(np.full(50, 9.0))).all()


def test_trying_out_draws_from_the_sampler_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_scale: float) -> None:
        raise ImportError

    monkeypatch.setattr("amun_dp.noise._opendp_laplace", broken)
    with pytest.raises(SamplerError):
        try_out(SystemNoise())


# --- memory ---------------------------------------------------------------------------------------------------------


def test_a_release_that_cannot_fit_is_refused_before_it_is_charged(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(amun_dp.enough_memory, "_available", lambda: 1000)
    registry = tmp_path / "registry.sqlite"
    command = ["anonymize", str(example), "--advantage", "0.3", "--out", str(tmp_path / "out")]
    assert main([*command, "--registry", str(registry)]) == 5
    said = capsys.readouterr().err
    assert "out of memory" in said
    assert "nothing was released" in said
    assert "nothing was spent" in said
    assert "bug" not in said
    assert not registry.exists() or not open_registry(registry, create=False).logs()


def test_a_process_with_too_little_room_is_refused_by_its_own_limit() -> None:
    code = (
        "import resource, numpy, sys; from amun_dp.enough_memory import check_memory\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))\n"
        "try: check_memory(1 << 26)\nexcept MemoryError: sys.exit(7)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_a_small_release_fits() -> None:
    check_memory(1000)


def test_running_out_of_memory_later_says_in_which_step_and_that_it_is_spent(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("amun_dp.article_release.draw", full)
    command = ["anonymize", str(example), "--advantage", "0.3", "--method", "sampling", "--out", str(tmp_path / "out")]
    assert main([*command, "--registry", str(tmp_path / "registry.sqlite")]) == 5
    said = capsys.readouterr().err
    assert "out of memory; nothing was released" in said
    assert "it happened while" in said
    assert "nothing was spent" not in said
    assert "stays spent" in said


# --- interruption while the command starts --------------------------------------------------------------------------


INTERRUPTED_AT_IMPORT = """
import builtins, os, signal, sys
plain = builtins.__import__
def importing(name, *rest):
    if name == "amun_dp.cli.parser":
        os.kill(os.getpid(), signal.SIGINT)
    return plain(name, *rest)
from amun_dp.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
builtins.__import__ = importing
sys.exit(main(["--help"]))
"""


def test_an_interruption_while_the_command_starts_has_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_AT_IMPORT], capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr == "\namun-dp: interrupted; nothing was released.\n"
