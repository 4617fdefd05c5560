"""The pictures of the local page in README and docs: the example log, from its exposure to its release.

    python docs/make_screenshots.py

Needs the development tools and Chromium. Nothing is recorded in a registry of yours.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser is not None, "Chromium is needed (Debian package chromium)"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "logs"
        folder.mkdir()
        shutil.copy(ROOT / "examples" / "hospital.xes.gz", folder)
        command = [sys.executable, "-m", "amun_dp.cli", "serve", str(folder), "--no-browser"]
        environment = {**os.environ, "XDG_DATA_HOME": scratch}
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
            assert server.stderr is not None
            address = re.search(r"http\S+", server.stderr.readline())
            assert address is not None
            with sync_playwright() as playwright:
                started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
                page = started.new_page(viewport={"width": 1100, "height": 1000})
                page.goto(address[0])
                take(page)
                started.close()
            server.terminate()


def take(page: Page) -> None:
    page.select_option("#log-choice", "hospital.xes.gz")
    page.click("text=Read the log")
    page.wait_for_selector("#outcome .figures")
    page.wait_for_selector("#progress[hidden]", state="attached")
    shoot(page, "#exposure", "serve-plan.png")
    page.click('form[data-post="release"] button')
    page.wait_for_selector("#release .amun-card")
    page.wait_for_selector("#release >> text=Another release")
    page.wait_for_selector("#progress[hidden]", state="attached")
    shoot(page, "#release", "serve-release.png")


def shoot(page: Page, section: str, name: str) -> None:
    """What is on the screen when the section is at its top."""
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'; document.activeElement?.blur()")
    page.evaluate(f"document.querySelector('{section}').scrollIntoView()")
    page.wait_for_timeout(300)
    page.screenshot(path=IMAGES / name)


if __name__ == "__main__":
    main()
