"""Many visitors at once, and visitors who say nothing: the page stays reachable, and its log stays small."""

from __future__ import annotations

import asyncio
import http.client
import io
import logging
import socket
import threading
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import amun_dp
from amun_dp.serve.connections import Seldom, bounded_protocol
from amun_dp.synthetic import hospital_log
from tests.serve.page import Server, server

PATIENCE = 120.0
"""Seconds; nothing here is a matter of time."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    release = amun_dp.anonymize(hospital_log(), 0.3, method="sampling", noise="exact")
    release.save(folder / "release")
    with server(folder, "--read-only") as running:
        yield running


def port_of(served: Server) -> int:
    port = urlsplit(served.address).port
    assert port is not None
    return port


def entered(served: Server) -> tuple[str, str]:
    """The cookie of somebody who was let in, and where the page is."""
    address = urlsplit(served.address)
    connection = http.client.HTTPConnection("127.0.0.1", port_of(served), timeout=PATIENCE)
    connection.request("GET", f"/?{address.query}")
    answer = connection.getresponse()
    path = answer.read().decode().partition("url=")[2].partition('"')[0]
    cookie = str(answer.getheader("set-cookie")).partition(";")[0]
    connection.close()
    return cookie, path


def asked(served: Server, cookie: str, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(served), timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Cookie": cookie})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_many_downloads_at_once_are_all_whole(served: Server) -> None:
    """500 requests from 100 threads; each used to delete the archives of the others."""
    cookie, page = entered(served)
    broken: list[object] = []

    def download() -> None:
        for _ in range(5):
            try:
                status, content = asked(served, cookie, f"{page}zip?release=release")
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    if status != 200 or archive.testzip() is not None or "report.json" not in archive.namelist():
                        broken.append(status)
            except (OSError, http.client.HTTPException, zipfile.BadZipFile) as error:
                broken.append(error)

    # Not more at once than the server has room for: who is cut off while waiting in line is another matter.
    threads = [threading.Thread(target=download) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert broken == []
    assert not list(served.temporary.rglob("*.zip"))


def test_silent_connections_do_not_keep_the_owner_out(served: Server) -> None:
    """Twice as many as the server takes, none of them with a token, none of them saying anything."""
    silent = [socket.create_connection(("127.0.0.1", port_of(served)), PATIENCE) for _ in range(400)]
    try:
        for each in silent[::2]:
            each.sendall(b"GET / HTTP/1.1\r\nHost: ")  # half a head
        cookie, page = entered(served)
        assert asked(served, cookie, page)[0] == 200
        handles = len(list(Path(f"/proc/{served.process.pid}/fd").iterdir()))
        assert handles < 300
    finally:
        for each in silent:
            each.close()


def test_a_head_that_never_ends_and_the_body_of_a_refused_request_have_a_deadline() -> None:
    """Both clients send a byte now and then, which used to keep a connection for ever."""

    async def visit() -> tuple[bytes, bytes, bytes]:
        async def app(scope: object, receive: object, send: object) -> None:
            assert callable(send)
            assert callable(receive)
            if isinstance(scope, dict) and scope["type"] == "lifespan":
                return
            assert isinstance(scope, dict)
            if scope["path"] == "/read":
                while (await receive())["more_body"]:
                    pass
            await send({"type": "http.response.start", "status": 403, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})

        import uvicorn

        config = uvicorn.Config(app, log_level="critical", lifespan="off", http=bounded_protocol(10, 0.5, 1.0))
        running = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            task = asyncio.create_task(running.serve(sockets=[listening]))
            port = listening.getsockname()[1]

            async def trickle(head: bytes) -> bytes:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(head)

                async def drip() -> None:
                    while True:
                        await asyncio.sleep(0.1)
                        writer.write(b"x")

                dripping = asyncio.create_task(drip())
                try:
                    return await asyncio.wait_for(reader.read(), PATIENCE)  # until the server ends it
                except ConnectionError:
                    return b"cut off"
                finally:
                    dripping.cancel()
                    writer.close()

            async def stops_amid_a_body() -> bytes:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"PUT /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nsome")
                try:
                    return await asyncio.wait_for(reader.read(), PATIENCE)
                except ConnectionError:
                    return b"cut off"
                finally:
                    writer.close()

            found = await asyncio.gather(
                trickle(b"GET / HTTP/1.1\r\nX: "),
                trickle(b"PUT /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"),
                stops_amid_a_body(),
            )
            running.should_exit = True
            await task
            return found

    head, refused, unfinished = asyncio.run(visit())
    assert head in (b"", b"cut off")
    assert refused == b"cut off" or refused.startswith(b"HTTP/1.1 403")
    assert unfinished in (b"", b"cut off")


def test_whoever_has_asked_already_does_not_make_room_for_those_who_came_after() -> None:
    """All are taken in one go, before any of them is read; and there is room for two."""

    async def answer(_scope: object, _receive: object, send: Callable[[object], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def visit() -> bytes:
        import uvicorn

        config = uvicorn.Config(answer, log_level="critical", lifespan="off", http=bounded_protocol(2))
        running = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            waiting = [socket.create_connection(listening.getsockname()) for _ in range(8)]
            waiting[0].sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            task = asyncio.create_task(running.serve(sockets=[listening]))
            reader, writer = await asyncio.open_connection(sock=waiting[0])
            try:
                return await asyncio.wait_for(reader.readline(), PATIENCE)
            except ConnectionError:
                return b"cut off"
            finally:
                writer.close()
                for each in waiting[1:]:
                    each.close()
                running.should_exit = True
                await task

    assert asyncio.run(visit()).startswith(b"HTTP/1.1 200")


def test_a_message_that_repeats_itself_is_logged_once_in_a_while() -> None:
    seldom = Seldom(seconds=3600)
    record = logging.LogRecord("asyncio", logging.ERROR, "", 0, "socket.accept() out of system resource", None, None)
    other = logging.LogRecord("asyncio", logging.ERROR, "", 0, "something else", None, None)
    assert [seldom.filter(record) for _ in range(1000)].count(True) == 1
    assert seldom.filter(other)
