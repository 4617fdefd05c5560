"""Starting and ending the server."""

from __future__ import annotations

import fcntl
import logging
import os
import resource
import shutil
import signal
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import uvicorn

from amun_dp.serve.app import build_app
from amun_dp.serve.connections import MOST_CONNECTIONS, Seldom, bounded_protocol
from amun_dp.serve.guard import Keys
from amun_dp.serve.paths import Places
from amun_dp.serve.state import Desk
from amun_dp.verification.bounds import Limits

_PREFIX, _LOCK = "amun-dp-page-", "lock"
AT_ONCE = 64
"""Connections that are accepted in one go, before any of them is counted."""
PATIENCE = 3
"""Seconds that open connections have when the server ends."""


@dataclass(frozen=True, slots=True)
class Settings:
    folder: Path
    port: int
    """0 for any free one."""
    registry: str | None
    """None: nothing is recorded."""
    read_only: bool
    largest_upload: int
    no_browser: bool = False
    limits: Limits = field(default_factory=Limits)
    """How much of a release is looked at."""


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. What was dropped on the page is removed then; releases stay where they are."""
    with (
        socket.create_server(("127.0.0.1", settings.port)) as listening,
        private_place() as private,
    ):
        keys = Keys(listening.getsockname()[1])
        desk = Desk(
            Places(settings.folder, private),
            settings.registry,
            settings.read_only,
            settings.largest_upload,
            settings.limits,
        )
        config = uvicorn.Config(
            build_app(desk, keys),
            log_level="error",
            access_log=False,
            server_header=False,
            date_header=False,
            ws="none",
            http=bounded_protocol(min(MOST_CONNECTIONS, _handles() // 4)),
            backlog=AT_ONCE,
            timeout_graceful_shutdown=PATIENCE,
        )
        logging.getLogger("asyncio").addFilter(Seldom())
        say(f"the page is at {keys.address}")
        say("only this machine can open it; Ctrl-C ends it.")
        if not settings.no_browser:
            threading.Thread(target=_open, args=(keys, private), daemon=True).start()
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # a terminal that is closed; uvicorn knows SIGTERM
            signal.signal(signal.SIGHUP, lambda _number, _frame: signal.raise_signal(signal.SIGTERM))
        with suppress(KeyboardInterrupt):  # uvicorn has ended everything by then, and passes the signal on
            uvicorn.Server(config).run(sockets=[listening])
        say("ended; what was dropped on the page is removed.")


def _handles() -> int:
    """How many files this process may have open."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 4 * MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else soft


@contextmanager
def private_place() -> Iterator[Path]:
    """A folder for uploads, removed at the end. One that a killed server left is removed by the next."""
    for old in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), (old / _LOCK).open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused where its server still runs
            shutil.rmtree(old, ignore_errors=True)
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder,
        (Path(folder) / f"new-{_LOCK}").open("xb") as lock,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        Path(lock.name).rename(Path(folder) / _LOCK)  # locked before another server can see it
        yield Path(folder)


def _open(keys: Keys, private: Path) -> None:
    """By a file that only its owner can read: other users see the arguments of every program, but not files."""
    page = private / "open.html"
    address = escape(keys.address, quote=True)
    descriptor = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as written:
        written.write(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}">'
            f'<p><a href="{address}">Open amun-dp</a></p>'
        )
    with suppress(webbrowser.Error):
        webbrowser.open(page.as_uri())
