"""The guides do what they say: every block of commands runs, in order, and prints what is quoted after it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
pytestmark = pytest.mark.slow  # every command of the guides is run

NO_NETWORK = """\
import socket


def refused(self, address):
    raise OSError(f"a guide needs no network, but something connects to {address}")

if hasattr(socket, "AF_UNIX"):
    connect = socket.socket.connect
    socket.socket.connect = lambda self, to: connect(self, to) if self.family == socket.AF_UNIX else refused(self, to)
else:
    socket.socket.connect = refused
"""


def environment(folder: Path) -> dict[str, str]:
    """A user's: ``amun-dp`` and ``python`` on the path, a home of their own, and no network."""
    programs, home = folder / "programs", folder / "home"
    programs.mkdir()
    home.mkdir()
    (programs / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    for name, arguments in (("python", ""), ("amun-dp", "-m amun_dp.cli")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    env = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "AMUN_", "PYTHON"))}
    env |= {"HOME": str(home), "XDG_DATA_HOME": str(home), "PYTHONUTF8": "1", "PYTHONWARNINGS": "error"}
    paths = {"PATH": f"{programs}{os.pathsep}{env['PATH']}", "PYTHONPATH": f"{programs}{os.pathsep}{ROOT}"}
    return env | paths


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_every_block_of_a_guide_runs_and_prints_what_is_quoted(guide: Path, tmp_path: Path) -> None:
    env = environment(tmp_path)
    work = tmp_path / "work"
    shutil.copytree(ROOT / "examples", work / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    blocks = BLOCK.findall(guide.read_text(encoding="utf-8"))
    assert sum(kind == "sh" for kind, _ in blocks) > 5
    printed = ""
    for kind, content in blocks:
        if kind == "sh":
            command = ["sh", "-eu", "-c", content]
            done = subprocess.run(
                command, cwd=work, env=env, capture_output=True, text=True, encoding="utf-8", check=False, timeout=600
            )
            printed = done.stdout + done.stderr
            assert done.returncode == 0, f"{content}\n{printed}"
            assert "Traceback" not in printed
        else:
            missing = [line for line in content.splitlines() if _plain(line) not in _plain(printed)]
            assert missing == [], printed


def _plain(text: str) -> str:
    return " ".join(text.split())


def test_a_guide_s_commands_have_no_network(tmp_path: Path) -> None:
    tried = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/', timeout=5)"
    done = subprocess.run(
        ["sh", "-eu", "-c", f'python -c "{tried}"'],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "a guide needs no network" in done.stderr


def test_there_is_a_guide_for_each_of_them() -> None:
    assert [guide.stem for guide in GUIDES] == ["auditor", "researcher", "steward"]
