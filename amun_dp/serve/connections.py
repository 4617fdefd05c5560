"""How long the server waits for a client, and for how many at once.

A connection that says nothing costs a file handle, and anybody on this machine can open hundreds of them: without a
bound the page would become unreachable for its owner. So a client that is waited for has a deadline, and beyond a
number of connections the one that has been waited for longest makes room. Nobody whose request is being answered is
ever cut off, nor anybody who has sent something that was not read yet: many connections may be taken in one go, and
the owner's is perhaps among them.
"""

from __future__ import annotations

import asyncio
import logging
import select
import time

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 200
"""A browser opens six; a hundred programs that download at once fit, too."""
HEADERS = 10.0
"""Seconds for the whole head of a request, and for the body of one that was refused."""
BODY = 60.0
"""Seconds without a byte of a body that is read."""


def bounded_protocol(
    most: int = MOST_CONNECTIONS, headers: float = HEADERS, body: float = BODY
) -> type[asyncio.Protocol]:
    """The protocol of one server: HTTP as uvicorn speaks it, to so many clients, with so much patience (seconds)."""
    opened: dict[H11Protocol, None] = {}  # in the order in which they came

    class Bounded(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
            super().connection_made(transport)
            opened[self] = None
            self._wait(headers)
            for oldest in list(opened)[:-1] if len(opened) > most else ():
                if isinstance(oldest, Bounded) and oldest._is_waited_for() and not oldest._has_unread():
                    oldest._give_up()
                    if len(opened) <= most:
                        break

        def connection_lost(self, exc: Exception | None) -> None:
            opened.pop(self, None)
            self._wait(None)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not self._is_answering():
                return  # part of a head, or the rest of what was refused: the deadline stands
            self._wait(body if self.cycle.more_body else None)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait(headers)

        def _is_answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _is_waited_for(self) -> bool:
            return not self._is_answering() or self.cycle.more_body

        def _has_unread(self) -> bool:
            """Whether bytes have arrived that nobody has read."""
            unread = select.poll()
            unread.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
            return bool(unread.poll(0))

        def _wait(self, seconds: float | None) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline = None if seconds is None else self.loop.call_later(seconds, self._too_late)

        def _too_late(self) -> None:
            if self._is_answering() and self.flow.read_paused:  # it is we who do not read
                self._wait(body)
            else:
                self._give_up()

        def _give_up(self) -> None:
            opened.pop(self, None)
            self.transport.abort()

    return Bounded


class Seldom(logging.Filter):
    """One message of a kind in a while: what can happen a thousand times a second fills no disk."""

    def __init__(self, seconds: float = 60.0) -> None:
        super().__init__()
        self._seconds = seconds
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now, kind = time.monotonic(), record.getMessage().partition("\n")[0]
        if now - self._last.get(kind, -self._seconds) < self._seconds:
            return False
        self._last[kind] = now
        return True
