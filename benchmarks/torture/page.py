"""``amun-dp serve`` in a process of its own, and requests to it as programs make them."""

from __future__ import annotations

import http.client
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.torture.commands import command_line, environment

PATIENCE = 60.0
"""Seconds that whoever asks waits for an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    """0: cut off before there was an answer; -1: in the middle of one."""
    body: bytes = b""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is served, and who was let in."""

    pid: int
    port: int
    path: str
    cookie: str
    private: Path
    said: Path
    """What it writes to standard error."""

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes | Iterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        begun, status = time.monotonic(), 0
        try:
            connection.request(method, path, body=body, headers=dict(headers or {}), encode_chunked=True)
            answer = connection.getresponse()
            status = -1
            content = answer.read()
            return Answer(answer.status, content, time.monotonic() - begun)
        except (OSError, http.client.HTTPException):
            return Answer(status, seconds=time.monotonic() - begun)
        finally:
            connection.close()

    def ask_as_owner(self, what: str, method: str = "GET", body: bytes | Iterator[bytes] | None = None) -> Answer:
        """``what`` is below the page."""
        headers = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}"}
        return self.ask(self.path + what, method, body, headers)

    def handles(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def left_behind(self) -> list[Path]:
        """Files in its private place, but for the one that keeps the place."""
        return [path for path in self.private.rglob("*") if path.is_file() and path.name != "lock"]


@contextmanager
def served(folder: Path, *flags: str, handles: int | None = None) -> Iterator[Page]:
    """The page over a folder, which may have so many files and connections open."""

    def limit() -> None:
        if handles is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (handles, handles))

    with tempfile.TemporaryDirectory() as temporary:
        said = Path(temporary) / "said"
        private = Path(temporary) / "private"
        private.mkdir()
        with (
            said.open("wb") as written,
            subprocess.Popen(
                command_line(["serve", folder, "--no-browser", "--no-registry", *flags]),
                stdout=subprocess.DEVNULL,
                stderr=written,
                env={**environment(), "TMPDIR": str(private)},
                preexec_fn=limit,  # noqa: PLW1509 — nothing in it takes a lock
            ) as process,
        ):
            try:
                yield _entered(process.pid, _address(said), private, said)
            finally:
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE)
                if process.poll() is None:
                    process.kill()


def _address(said: Path) -> str:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", said.read_text(encoding="utf-8"))
        if found is not None:
            return found[0]
        time.sleep(0.05)
    raise SystemExit(f"The page did not start: {said.read_text(encoding='utf-8')}")


def _entered(pid: int, address: str, private: Path, said: Path) -> Page:
    parts = urlsplit(address)
    assert parts.port is not None
    deadline = time.monotonic() + PATIENCE
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"/?{parts.query}")
            answer = connection.getresponse()
            path = answer.read().decode().partition("url=")[2].partition('"')[0]
            cookie = str(answer.getheader("set-cookie")).partition(";")[0]
            return Page(pid, parts.port, path, cookie, private, said)
        except (OSError, http.client.HTTPException):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        finally:
            connection.close()


@dataclass(slots=True)
class Flood:
    """Connections without a token, so far."""

    opened: int = 0
    cut_off: int = 0


@contextmanager
def flooded(port: int, connections: int) -> Iterator[Flood]:
    """So many connections without a token, which begins when all of them were there once; counted at the end."""
    flood = Flood()
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.torture.flooding", str(port), str(connections)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdout.readline()
            yield flood
        finally:
            process.stdin.close()
            numbers = process.stdout.read().split()
            flood.opened, flood.cut_off = int(numbers[-2]), int(numbers[-1])
