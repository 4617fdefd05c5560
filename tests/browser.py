"""A real browser for tests: opens a page in headless Chromium and reports what it asked for and what went wrong.

It speaks the DevTools protocol over a pipe, so it needs no package, no port and no network. What the browser writes to
its console is not read: which words, and when, changes from version to version.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_PATIENCE = 60.0
"""Seconds to wait for an answer; a busy machine is slow to start a browser."""
_REFUSED = "amunRefused"
"""What the page is made to call when its policy refuses something (an event that the standard defines)."""
_LISTEN = f"addEventListener('securitypolicyviolation', found => {_REFUSED}(found.effectiveDirective))"
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # tests may run as root in a container; the pages are our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


@dataclass
class Visit:
    """What happened while a page was open."""

    requests: list[str] = field(default_factory=list)
    """Addresses that it asked for, itself first; also those that a policy then refused."""
    received: list[str] = field(default_factory=list)
    """Addresses that answered."""
    wrong: list[str] = field(default_factory=list)
    """Exceptions that no script caught, and directives of the content-security policy that refused something."""
    value: Any = None
    """What the expression evaluated to, if one was given."""


def chromium() -> str:
    """The browser, or a skip that is seen; on CI its absence is a failure."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (found := shutil.which(name)) is not None:
            return found
    if os.environ.get("CI") == "true":
        pytest.fail("chromium is missing; .ci/run installs Debian's package chromium")
    pytest.skip("chromium is not installed (Debian package chromium)")


class Browser:
    """One running browser; every page that it opens is a tab of its own."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._buffer = b""
        self._last = 0
        self._loaded: set[str] = set()

    def open(
        self,
        page: Path,
        *,
        width: int = 1200,
        height: int = 900,
        dark: bool = False,
        printed: bool = False,
        script: bool = True,
        picture: Path | None = None,
        pdf: Path | None = None,
        evaluate: str | None = None,
    ) -> Visit:
        """Load a page, let it settle, and say what it did. ``picture`` is the whole page as PNG."""
        visit = Visit()
        target = self._ask("Target.createTarget", {"url": "about:blank"}, None, visit)["targetId"]
        session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True}, None, visit)["sessionId"]

        def ask(method: str, **parameters: Any) -> dict[str, Any]:
            return self._ask(method, parameters, session, visit)

        for domain in ("Page", "Network", "Runtime"):
            ask(f"{domain}.enable")
        ask("Runtime.addBinding", name=_REFUSED)
        ask("Page.addScriptToEvaluateOnNewDocument", source=_LISTEN)
        ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        ask("Emulation.setEmulatedMedia", media="print" if printed else "screen", features=[scheme])
        ask("Emulation.setScriptExecutionDisabled", value=not script)
        ask("Page.navigate", url=page.resolve().as_uri())
        while session not in self._loaded:  # it may have been said before the answer
            self._receive(visit)
        # Two frames later everything that the page starts by itself has been started.
        ask("Page.captureScreenshot", format="png", clip={"x": 0, "y": 0, "width": 10, "height": 10, "scale": 1})
        if evaluate is not None:
            visit.value = ask("Runtime.evaluate", expression=evaluate, returnByValue=True)["result"].get("value")
        if picture is not None:
            taken = ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
            picture.write_bytes(base64.b64decode(taken["data"]))
        if pdf is not None:
            pdf.write_bytes(base64.b64decode(ask("Page.printToPDF", preferCSSPageSize=True)["data"]))
        self._ask("Target.closeTarget", {"targetId": target}, None, visit)
        return visit

    def _ask(self, method: str, parameters: dict[str, Any], session: str | None, visit: Visit) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        sent = json.dumps(message).encode() + b"\0"
        while sent:
            sent = sent[os.write(self._to, sent) :]
        while True:
            answer = self._receive(visit)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def _receive(self, visit: Visit) -> dict[str, Any]:
        """The next message; what a test wants to know is noted on the way."""
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            if not (got := os.read(self._from, 1 << 20)):
                raise RuntimeError("the browser has ended")
            self._buffer += got
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        parameters = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded.add(message["sessionId"])
            case "Network.requestWillBeSent":
                visit.requests.append(parameters["request"]["url"])
            case "Network.responseReceived":
                visit.received.append(parameters["response"]["url"])
            case "Runtime.exceptionThrown":
                visit.wrong.append(parameters["exceptionDetails"]["text"])
            case "Runtime.bindingCalled" if parameters["name"] == _REFUSED:
                visit.wrong.append(f"refused: {parameters['payload']}")
        return message


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium for as long as it is needed, with a profile of its own that is removed."""
    program = chromium()
    inward, outward = os.pipe(), os.pipe()
    # Chromium reads from descriptor 3 and writes to 4; higher numbers first, so that neither overwrites the other.
    read_end, write_end = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (inward[0], outward[1]))

    def descriptors() -> None:
        os.dup2(read_end, 3)
        os.dup2(write_end, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        running = subprocess.Popen(
            [program, *_OPTIONS, f"--user-data-dir={profile}"],
            preexec_fn=descriptors,  # noqa: PLW1509 — nothing else puts a pipe on a given descriptor
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (inward[0], outward[1], read_end, write_end):
            os.close(end)
        try:
            yield Browser(inward[1], outward[0])
        finally:
            os.close(inward[1])  # the browser ends when its pipe does
            try:
                running.wait(10)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
            os.close(outward[0])
