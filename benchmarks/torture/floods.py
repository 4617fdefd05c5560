"""The page beyond each of its bounds: more connections than it takes, few file handles, more downloads at once than it
has room for, uploads that are too large or never end, and requests without a token all the while.

Each request that is answered or refused is a try. Held if the owner was served, with whole content, every time; anybody
without the token got a refusal or nothing; what was too large was refused and left nothing; and what the page writes to
its log stays small.
"""

from __future__ import annotations

import io
import random
import resource
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from amun_dp.serve.connections import MOST_CONNECTIONS
from benchmarks.torture.aftermath import command
from benchmarks.torture.page import Answer, Flood, Page, flooded, served
from benchmarks.torture.tally import Tally

LARGEST_LOG = 20_000
"""Bytes that the page may write to standard error in one flood."""
FEW_HANDLES = 256
UPLOAD = 1_000_000
"""Bytes that the page takes in these floods (--max-upload 1)."""
PATHS = ("/", "/?token=x", "/zip", "/report", "/file?name=report.json", "/section/log", "/upload", "/release", "/log")
REFUSALS = frozenset({0, 400, 403, 404, 405, 421, 431})
"""To anybody without the token; 0: cut off."""


@dataclass(slots=True)
class _Counted:
    """Tries of many threads."""

    tally: Tally
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, outcome: str, failure: str | None, seconds: float | None = None) -> None:
        with self.lock:
            self.tally.note(outcome, failure)
            if seconds is not None:
                key = "slowest answer to the owner, seconds"
                self.tally.measured[key] = max(seconds, self.tally.measured.get(key, 0.0))


def floods(log: Path, tries: int, choose: random.Random, tally: Tally) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8_192), most))
    share = max(tries // 5, 1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        made = command("anonymize", log, "--advantage", "0.3", "--out", folder / "release", "--no-registry")
        assert made.code == 0, made.err
        counted = _Counted(tally)
        with served(folder, "--max-upload", "1") as page:
            with flooded(page.port, 3 * MOST_CONNECTIONS) as flood:
                _visits(page, share, 12, counted, choose, "silent connections")
            _note_flood(tally, flood, "")
            _downloads(page, share, 2 * MOST_CONNECTIONS, counted)
            _uploads(page, share, counted, choose)
            _slow_bodies(page, share, counted, choose)
            _checked(page, "", counted)
        with (
            served(folder, "--max-upload", "1", handles=FEW_HANDLES) as page,
            flooded(page.port, 3 * FEW_HANDLES) as flood,
        ):
            _visits(page, max(tries - 4 * share, 1), 8, counted, choose, f"{FEW_HANDLES} file handles")
            _checked(page, " (few handles)", counted)
        _note_flood(tally, flood, f" ({FEW_HANDLES} file handles)")


def _note_flood(tally: Tally, flood: Flood, where: str) -> None:
    tally.apart[f"connections without a token{where}"] += flood.opened
    tally.apart[f"of them cut off by the page{where}"] += flood.cut_off


def _together(number: int, threads: int, visit: Callable[[int], None]) -> None:
    """So many visits from so many threads."""

    def visits(first: int) -> None:
        for each in range(first, number, threads):
            visit(each)

    running = [threading.Thread(target=visits, args=(first,)) for first in range(min(threads, number))]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def _visits(page: Page, number: int, threads: int, counted: _Counted, choose: random.Random, amid: str) -> None:
    """Half by the owner, half by strangers."""
    chances = [choose.random() for _ in range(number)]

    def visit(which: int) -> None:
        chance = chances[which]
        if chance < 0.5:
            _owner(page, "zip?release=release" if chance < 0.25 else "", counted, amid)
        else:
            _stranger(page, chance, counted, amid)

    _together(number, threads, visit)


def _owner(page: Page, what: str, counted: _Counted, amid: str) -> None:
    answer = page.ask_as_owner(what)
    fault = None if answer.status == 200 and _is_whole(what, answer) else f"the owner got {answer.status} amid {amid}"
    counted.note(f"{amid}: owner served" if fault is None else f"{amid}: owner not served", fault, answer.seconds)


def _is_whole(what: str, answer: Answer) -> bool:
    if not what.startswith("zip"):
        return b"</html>" in answer.body
    try:
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            return archive.testzip() is None and "report.json" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def _stranger(page: Page, chance: float, counted: _Counted, amid: str) -> None:
    number = int(chance * 10_000)
    path = (page.path if number % 2 else "") + PATHS[number % len(PATHS)].lstrip("/" if number % 2 else "")
    method = ("GET", "POST", "PUT", "DELETE")[number // 10 % 4]
    cookie = {"Cookie": page.cookie}
    headers = (
        {},
        {"Cookie": page.cookie[:-3] + "xxx"},
        cookie | {"Host": "evil.example"},
        cookie | {"Origin": "http://evil.example"},
        cookie | {"Sec-Fetch-Site": "cross-site"},
    )[number // 100 % 5]
    answer = page.ask(path, method, None if method == "GET" else b"{}", headers)
    fault = None if answer.status in REFUSALS else f"a stranger got {answer.status} for {method} {path.split('?')[0]}"
    counted.note(f"{amid}: stranger {'cut off' if answer.status == 0 else 'refused'}", fault)


def _downloads(page: Page, number: int, threads: int, counted: _Counted) -> None:
    """More at once than there is room for: who had to go before anything was sent asks again, as a browser does."""

    def download(_which: int) -> None:
        for _ in range(20):
            answer = page.ask_as_owner("zip?release=release")
            if answer.status != 0:
                break
            with counted.lock:
                counted.tally.apart["downloads that had to ask again"] += 1
            time.sleep(0.1)
        whole = answer.status == 200 and _is_whole("zip", answer)
        counted.note("downloads at once: whole", None if whole else f"a download ended with {answer.status}")

    _together(number, threads, download)


def _uploads(page: Page, number: int, counted: _Counted, choose: random.Random) -> None:
    """Too large by what they say, or by what they send; or small enough."""
    kinds = [choose.randrange(3) for _ in range(number)]

    def upload(which: int) -> None:
        if kinds[which] == 0:
            answer = page.ask_as_owner("upload?name=log.csv", "PUT", b"x" * (2 * UPLOAD))
            good = answer.status in (413, 0, -1)  # the connection ends before all of it was sent
        elif kinds[which] == 1:
            answer = page.ask_as_owner("upload?name=log.csv", "PUT", (b"x" * 10_000 for _ in range(300)))
            good = answer.status in (413, 0, -1)
        else:
            answer = page.ask_as_owner("upload?name=log.csv", "PUT", b"case,activity\n")
            good = answer.status == 200
        name = ("too large", "too large in pieces", "small")[kinds[which]]
        counted.note(f"uploads: {name}", None if good else f"an upload ({name}) ended with {answer.status}")

    _together(number, 20, upload)


def _slow_bodies(page: Page, number: int, counted: _Counted, choose: random.Random) -> None:
    """Bodies that come byte by byte, more of them than there is room for, while the owner works."""
    over = threading.Event()

    def drip() -> Iterator[bytes]:
        while not over.is_set():
            yield b"x"
            over.wait(1.0)

    def upload() -> None:
        while not over.is_set():
            page.ask_as_owner("upload?name=log.csv", "PUT", drip())
            over.wait(0.2)

    slow = [threading.Thread(target=upload, daemon=True) for _ in range(MOST_CONNECTIONS + 50)]
    for thread in slow:
        thread.start()
    time.sleep(3)  # until all of them are there
    _visits(page, number, 8, counted, choose, "slow bodies")
    over.set()
    for thread in slow:
        thread.join(90)


def _checked(page: Page, where: str, counted: _Counted) -> None:
    """At the end: the log is small, nothing that was refused is kept, and handles were given back."""
    said = page.said.stat().st_size
    counted.tally.measured[f"bytes of the log{where}"] = said
    counted.note("at the end: log", None if said <= LARGEST_LOG else f"the log has {said:,} bytes{where}")
    large = [path for path in page.left_behind() if path.stat().st_size > UPLOAD]
    counted.note(
        "at the end: uploads", None if not large else f"{len(large)} uploads that are too large are kept{where}"
    )
    counted.tally.measured[f"file handles at the end{where}"] = page.handles()
