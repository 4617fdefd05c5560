"""A visitor of the page in a real browser, and what the server's registry says afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.registry import open_registry
from tests.serve.page import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 120_000.0
"""Milliseconds: a busy machine is slow, and nothing here is a matter of time."""


class Visitor:
    """A page in the browser, and everything that went wrong in it."""

    def __init__(self, page: Page, served: Server, folder: Path) -> None:
        self.page, self.server, self.folder = page, served, folder
        self.wrong: list[str] = []
        self.asked: list[str] = []
        page.set_default_timeout(PATIENCE)
        # Not the console: its words are the browser's, and change with its version.
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("response", lambda answer: self.wrong.append(answer.url) if answer.status >= 400 else None)
        page.expose_function("amunRefused", lambda directive: self.wrong.append(f"refused: {directive}"))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', found => amunRefused(found.effectiveDirective))"
        )
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(served.address)
        page.wait_for_selector("main section")

    def _dialog(self, dialog: Any) -> None:
        self.wrong.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def read_log(self, name: str = "log.xes.gz") -> None:
        self.page.select_option("#log-choice", name)
        self.page.click("text=Read the log")

    def planned(self) -> None:
        self.page.wait_for_selector("#outcome[data-plan]:not([data-plan='']) .figures")
        self.idle()

    def idle(self) -> None:
        self.page.wait_for_selector("#progress[hidden]", state="attached")

    def release(self) -> None:
        self.page.click('form[data-post="release"] button')
        self.page.wait_for_selector("#release .amun-card")
        self.idle()

    def choose_method(self, value: str) -> None:
        before = self.page.get_attribute("#outcome", "data-plan")
        self.page.check(f'input[name=method][value="{value}"]')
        self.page.wait_for_selector(f"#outcome[data-plan]:not([data-plan='{before}'])")
        self.planned()


def releases_in(data_folder: Path) -> list[tuple[str, bool]]:
    """Of the registry that the server used: releases with whether they are confirmed, read without the page."""
    registry = data_folder / "amun-dp" / "registry.sqlite"
    if not registry.exists():
        return []
    logs = open_registry(registry, create=False).logs()
    return [(one.release, one.published_at is not None) for log in logs for one in log.releases]
