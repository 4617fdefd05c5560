"""The page for tests: a desk over a folder, a client that is allowed in, and a real server for a real browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from amun_dp.serve.app import build_app
from amun_dp.serve.guard import Keys
from amun_dp.serve.paths import Places
from amun_dp.serve.state import Desk


def desk_below(folder: Any, *, read_only: bool = False, largest_upload: int = 10_000_000) -> Desk:
    """A desk over the folder ``served``, with its private place beside it."""
    served, private = Path(folder) / "served", Path(folder) / "private"
    served.mkdir(exist_ok=True)
    private.mkdir(mode=0o700, exist_ok=True)
    return Desk(Places(served.resolve(), private), None, read_only, largest_upload)


def client_of(desk: Desk, keys: Keys) -> TestClient:
    """Speaks to the page as a browser would from the page itself."""
    client = TestClient(build_app(desk, keys), base_url=keys.origin + keys.path, raise_server_exceptions=False)
    client.headers["origin"] = keys.origin
    return client


def allowed(desk: Desk) -> TestClient:
    """A client that has the cookie already."""
    keys = Keys(4711)
    client = client_of(desk, keys)
    client.get(keys.address)
    return client


class Server:
    """``amun-dp serve`` in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str, temporary: Path) -> None:
        self.process, self.address, self.temporary = process, address, temporary

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Exit code, and what it said at the end."""
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said

    def workers(self) -> list[int]:
        """Processes that it has started."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        return [int(number) for number in children.split()]


@contextmanager
def server(folder: Path, *flags: str) -> Iterator[Server]:
    """Started in the folder that it serves, as most people will; with a place for temporary files of its own."""
    with (
        tempfile.TemporaryDirectory() as temporary,
        subprocess.Popen(
            [sys.executable, "-P", "-m", "amun_dp.cli", "serve", str(folder), "--no-browser", *flags],
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": temporary},
        ) as process,
    ):
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
            assert found is not None, line
            yield Server(process, found[0], Path(temporary))
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(60)
