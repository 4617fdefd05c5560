"""``amun-dp serve`` in the terminal."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from amun_dp.serve.guard import Keys
from amun_dp.serve.running import _open
from tests.commandline import refused
from tests.serve.page import server


def test_a_folder_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "is no folder" in refused(capsys, "serve", tmp_path / "nowhere")


@pytest.mark.parametrize("flags", [("--port", "70000"), ("--max-upload", "0")])
def test_a_number_that_makes_no_sense_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, flags: tuple[str, str]
) -> None:
    refused(capsys, "serve", tmp_path, *flags)


def test_a_port_that_is_taken_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "Choose another --port" in refused(capsys, "serve", tmp_path, "--port", taken.getsockname()[1])


def test_without_the_packages_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from amun_dp.cli import main; sys.exit(main(['serve', '.']))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "pip install 'amun-dp[serve]'" in ended.stderr


def test_the_printed_address_opens_the_page_and_no_other_interface_is_bound(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        with urllib.request.urlopen(served.address) as answer:
            assert answer.status == 200
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(served.address.partition("?")[0])
        port = int(served.address.split(":")[2].split("/")[0])
        addresses = _listening(served.process.pid, port)
        assert addresses == {"0100007F"}  # 127.0.0.1 as the kernel writes it
        code, said = served.end()
        assert code == 0
        assert "Traceback" not in said


def _listening(process: int, port: int) -> set[str]:
    """Local addresses at which a process listens on the port, of both families."""
    found, files = set(), set()
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            files.add(str(file.readlink()))
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            local, state, inode = (line.split()[column] for column in (1, 3, 9))
            if state == "0A" and int(local.split(":")[1], 16) == port and f"socket:[{inode}]" in files:
                found.add(local.split(":")[0])
    return found


def test_the_browser_is_opened_by_a_file_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    keys = Keys(4711)
    _open(keys, tmp_path)
    page = tmp_path / "open.html"
    assert opened == [page.as_uri()]  # and not the address, which other users would see
    assert page.stat().st_mode & 0o077 == 0
    assert keys.address in page.read_text()
