"""Long work on the page: cancelled, killed, and ended with the server."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload

from tests.serve.visiting import Visitor, releases_in

pytestmark = pytest.mark.slow  # a browser, and logs that take seconds to read


def test_a_job_can_be_cancelled_while_the_page_stays_alive_and_nothing_is_spent(
    visitor: Visitor, large: str, data_folder: Path
) -> None:
    page = visitor.page
    page.reload()
    visitor.read_log(large)
    page.wait_for_selector("#progress progress")
    worker = working(visitor)
    os.kill(worker, signal.SIGSTOP)  # it cannot end before it is told to
    # The server answers while the worker works.
    assert page.evaluate("fetch('section/history').then(answer => answer.status)") == 200
    assert page.locator("#progress").is_visible()
    # Pressed slowly, while the page is told several times how far the job is.
    page.hover("#progress button")
    page.mouse.down()
    page.wait_for_timeout(1_000)
    page.mouse.up()
    os.kill(worker, signal.SIGCONT)
    page.wait_for_selector("#log .problem >> text=cancelled")
    visitor.idle()
    assert releases_in(data_folder) == []
    # The next job gets a worker of its own.
    visitor.read_log()
    visitor.planned()
    assert visitor.wrong == []


def test_a_release_that_is_cancelled_leaves_no_folder_and_says_what_is_spent(
    visitor: Visitor, large: str, data_folder: Path
) -> None:
    page = visitor.page
    page.reload()
    visitor.read_log(large)
    visitor.planned()
    visitor.choose_method("sampling")
    page.click('form[data-post="release"] button')
    page.click("#progress button")
    page.wait_for_selector("#release .problem >> text=cancelled")
    visitor.idle()
    said = page.inner_text("#release .problem")
    spent = releases_in(data_folder)
    # Whether the charge came before the click is a matter of time; that the page does not say otherwise is not.
    (found,) = (words for words in ("Nothing was spent", "may have happened or not", "stays spent") if words in said)
    assert found in ("stays spent" if spent else "Nothing was spent", "may have happened or not")
    assert all(not confirmed for _, confirmed in spent)
    assert sorted(path.name for path in visitor.folder.iterdir()) == ["large.parquet", "log.xes.gz"]


def test_a_worker_that_is_killed_fails_its_job_and_not_the_page(visitor: Visitor, large: str) -> None:
    page = visitor.page
    page.reload()
    visitor.read_log(large)
    page.wait_for_selector("#progress progress")
    os.kill(working(visitor), signal.SIGKILL)
    page.wait_for_selector("#log .problem >> text=signal 9")
    visitor.idle()
    visitor.read_log()
    visitor.planned()


def test_ctrl_c_ends_the_server_and_removes_what_was_dropped(visitor: Visitor) -> None:
    page = visitor.page
    assert len(private_places(visitor)) == 1
    page.set_input_files("#log-file", files=FilePayload(name="x.csv", mimeType="text/csv", buffer=b"a,b\n1,2\n"))
    page.wait_for_selector("#log .problem")
    workers = visitor.server.workers()
    code, said = visitor.server.end()
    assert code == 0
    assert "ended" in said
    assert "Traceback" not in said
    assert private_places(visitor) == []
    for worker in workers:
        assert not Path(f"/proc/{worker}").exists() or _is_gone(worker)
    page.click("text=Read the log")
    page.wait_for_selector("#log .problem.passing >> text=does not answer")


def working(visitor: Visitor) -> int:
    """The process that does the work, as soon as there is one: the page shows a bar already when it asks for it, and
    it is a copy of the server at first, which must not be stopped."""
    while True:
        for worker in visitor.server.workers():
            with suppress(FileNotFoundError):
                if b"amun_dp.serve.worker_process" in Path(f"/proc/{worker}/cmdline").read_bytes():
                    return worker
        assert visitor.server.process.poll() is None
        time.sleep(0.01)


def private_places(visitor: Visitor) -> list[Path]:
    return list(visitor.server.temporary.glob("amun-dp-page-*"))


def _is_gone(process: int) -> bool:
    """Given a moment: it was told to end, and a process table is not updated at once."""
    for _ in range(200):
        if not Path(f"/proc/{process}").exists():
            return True
        time.sleep(0.05)
    return False
