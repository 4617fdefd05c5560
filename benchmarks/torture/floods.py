"""The page under silent connections, half requests, requests without a token and many downloads at once.

Held if: whoever has no token gets nothing but a refusal, and the owner is served all the time.
"""

from __future__ import annotations

import http.client
import random
import socket
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit

import amun_dp
from benchmarks.torture.tally import Tally
from tests.serve.page import server

PATIENCE = 60.0
PATHS = ("/", "/zip", "/report", "/file?name=report.json", "/section/log", "/upload", "/release", "/../etc/passwd")


def floods(log: Path, tries: int, choose: random.Random) -> Tally:
    tally = Tally("requests to the page amid silent connections")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        amun_dp.anonymize(amun_dp.read_log(log), 0.3, method="sampling", noise="exact").save(folder / "release")
        with server(folder, "--no-registry") as served:
            address = urlsplit(served.address)
            assert address.port is not None
            port = address.port
            silent = [socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(150)]
            cookie, page = _enter(port, address.query)
            lock, choices = threading.Lock(), [choose.random() for _ in range(tries)]

            def visit(number: int) -> None:
                for chance in choices[number::20]:
                    outcome = _owner(port, cookie, page) if chance < 0.5 else _stranger(port, chance)
                    with lock:
                        tally.note(*outcome)

            threads = [threading.Thread(target=visit, args=(number,)) for number in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for connection in silent:
                connection.close()
    return tally


def _enter(port: int, query: str) -> tuple[str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", f"/?{query}")
    answer = connection.getresponse()
    path = answer.read().decode().partition("url=")[2].partition('"')[0]
    return str(answer.getheader("set-cookie")).partition(";")[0], path


def _owner(port: int, cookie: str, page: str) -> tuple[str, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", f"{page}zip?release=release", headers={"Cookie": cookie})
        answer = connection.getresponse()
        whole = answer.read().endswith(b"\x00\x00") and answer.status == 200  # a zip ends with an empty comment
        return "owner served", None if whole else f"the owner got {answer.status}"
    except (OSError, http.client.HTTPException) as error:
        return "owner not served", f"the owner got {type(error).__name__}"
    finally:
        connection.close()


def _stranger(port: int, chance: float) -> tuple[str, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    path = PATHS[int(chance * 1000) % len(PATHS)]
    try:
        connection.request("GET" if chance < 0.8 else "POST", path, body=None if chance < 0.8 else b"{}")
        status = connection.getresponse().status
        return "stranger refused", None if status in (403, 404, 405, 421) else f"a stranger got {status} at {path}"
    except (OSError, http.client.HTTPException):
        return "stranger cut off", None
    finally:
        connection.close()
