"""Starting and ending the server."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path

import uvicorn

from amun_dp.serve.app import build_app
from amun_dp.serve.desk import Desk
from amun_dp.serve.guard import Keys
from amun_dp.serve.places import Places

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


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. What was dropped on the page is removed then; releases stay where they are."""
    with (
        socket.create_server(("127.0.0.1", settings.port)) as listening,
        tempfile.TemporaryDirectory(prefix="amun-dp-page-", ignore_cleanup_errors=True) as private,
    ):
        keys = Keys(listening.getsockname()[1])
        desk = Desk(
            Places(settings.folder, Path(private)), settings.registry, settings.read_only, settings.largest_upload
        )
        config = uvicorn.Config(
            build_app(desk, keys),
            log_level="error",
            access_log=False,
            server_header=False,
            date_header=False,
            ws="none",
            timeout_graceful_shutdown=PATIENCE,
        )
        say(f"the page is at {keys.address}")
        say("only this machine can open it; Ctrl-C ends it.")
        if not settings.no_browser:
            threading.Thread(target=_open, args=(keys, Path(private)), daemon=True).start()
        with suppress(KeyboardInterrupt):  # uvicorn has ended everything by then, and passes the signal on
            uvicorn.Server(config).run(sockets=[listening])
        say("ended; what was dropped on the page is removed.")


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
