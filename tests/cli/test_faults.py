"""What the command line does where the machine fails it: closed streams, a broken sampler, too little memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import amun_dp.cli
from amun_dp.budgets.spending import open_registry
from amun_dp.cli import main
from amun_dp.cli.streams import tell
from amun_dp.errors import SamplerError
from amun_dp.noise.sources import SeededNoise, SystemNoise, try_out

AMUN = f"{sys.executable} -m amun_dp.cli"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=600, check=False)


# --- closed streams -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "2>/dev/full", "2>/dev/full <&-"])
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


@pytest.mark.parametrize("flags", ["", "--json"])
@pytest.mark.parametrize("full", [">/dev/full", ">/dev/full 2>/dev/full"])
def test_a_release_whose_summary_has_no_room_is_made_charged_and_not_denied(
    full: str, flags: str, example: Path, tmp_path: Path
) -> None:
    out, registry = tmp_path / "release", tmp_path / "registry.sqlite"
    done = shell(f"{AMUN} anonymize {example} --advantage 0.2 --out {out} --registry {registry} {flags} {full}")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "nothing was released" not in done.stderr
    assert ("The release was made and is in" in done.stderr) == ("2>" not in full)
    assert (out / "report.json").exists()
    (log,) = open_registry(registry, create=False).logs()
    (release,) = log.releases
    assert release.published_at is not None


@pytest.mark.parametrize("command", ["inspect {0}", "inspect {0} --json", "registry list --registry {1}"])
def test_a_result_that_has_no_room_is_an_error_and_no_bug(command: str, example: Path, tmp_path: Path) -> None:
    registry = tmp_path / "registry.sqlite"
    open_registry(registry)
    done = shell(f"{AMUN} {command.format(example, registry)} >/dev/full")
    assert done.returncode == 2
    assert done.stderr.startswith("amun-dp: The command is done, but its output could not be written")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "2>/dev/full"])
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
        "amun-dp: The command is done, but its output could not be written (No space left on device).\n"
    )


# --- a sampler that does not work -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "law", "failure"),
    [
        ("sampling", "laplace", "ImportError('broken wheel')"),
        ("certified", "laplace", "OSError('no such symbol')"),
        ("sampling", "laplace", "RuntimeError('x')"),
        ("certified", "laplace", "RuntimeError('x')"),
        ("certified", "gaussian", "ImportError('broken wheel')"),
    ],
)
def test_a_sampler_that_does_not_work_costs_nothing(
    method: str, law: str, failure: str, example: Path, tmp_path: Path
) -> None:
    registry = tmp_path / "registry.sqlite"
    code = (
        f"import sys\nfrom amun_dp.noise import opendp_draws\ndef broken(_scale): raise {failure}\n"
        f"opendp_draws.{law} = broken\nfrom amun_dp.cli import main\nsys.exit(main(sys.argv[1:]))"
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


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_trying_out_draws_from_the_sampler_itself(monkeypatch: pytest.MonkeyPatch, law: str) -> None:
    def broken(_scale: float) -> None:
        raise ImportError

    monkeypatch.setattr(f"amun_dp.noise.opendp_draws.{law}", broken)
    with pytest.raises(SamplerError):
        try_out(SystemNoise())


# --- interruption while the command starts --------------------------------------------------------------------------


INTERRUPTED_AT_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
place, count = int(sys.argv.pop(1)), 0
def importing(event, _arguments):
    global count
    if event == "import":
        count += 1
        if count == place:
            os.kill(os.getpid(), signal.SIGINT)
from amun_dp.cli import main
sys.addaudithook(importing)
sys.exit(main())
"""


@pytest.mark.parametrize("place", [1, 2, 3, 5, 10, 20, 50, 100, 200, 300])
def test_an_interruption_while_the_command_starts_has_no_traceback(place: int, example: Path) -> None:
    """At the import of any module: of the command line itself, of numpy, of whatever a command needs."""
    command = [sys.executable, "-c", INTERRUPTED_AT_IMPORT, str(place), "inspect", str(example)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr == "\namun-dp: interrupted; nothing was released.\n"


def test_until_a_command_is_at_work_nothing_is_imported() -> None:
    code = "import sys; before = {*sys.modules}; from amun_dp.cli import main; print(*sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"amun_dp", "amun_dp.cli", "__future__"}


def test_whatever_is_wrong_with_standard_error_a_line_to_it_ends_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        closed = False

        def __init__(self, error: Exception) -> None:
            self.error = error

        def write(self, _text: str) -> None:
            raise self.error

        flush = isatty = fileno = lambda self: self.write("")

    for error in (
        OSError(28, "No space left on device"),
        ValueError("I/O operation on closed file"),
        BrokenPipeError(),
    ):
        monkeypatch.setattr(sys, "stderr", Broken(error))
        tell("a line")


def test_every_line_to_standard_error_goes_through_one_function() -> None:
    folder = Path(amun_dp.cli.__file__).parent
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    printing = [name for name, text in texts.items() if re.search(r"\bprint\(", text)]
    assert printing == ["streams.py"]
