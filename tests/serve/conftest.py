"""A browser, and somebody in it who looks at the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from amun_dp.synthetic import LogShape, generate_log, hospital_log
from amun_dp.writing import write_log
from tests.browser import chromium
from tests.serve.page import server
from tests.serve.visiting import PATIENCE, Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program,
            timeout=PATIENCE,
            # As root in a container there is no sandbox, and little shared memory.
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"],
        )
        yield started
        started.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    served = tmp_path / "served"
    served.mkdir()
    write_log(hospital_log(), served / "log.xes.gz")
    return served


@pytest.fixture
def visitor(browser: Browser, folder: Path) -> Iterator[Visitor]:
    with server(folder) as served:
        context = browser.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
        yield Visitor(context.new_page(), served, folder)
        context.close()


@pytest.fixture
def large(folder: Path) -> str:
    """A log that takes seconds to read."""
    write_log(generate_log(LogShape(cases=60_000, variants=300, seed=1)), folder / "large.parquet")
    return "large.parquet"
