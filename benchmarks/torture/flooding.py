"""``python -m benchmarks.torture.flooding PORT CONNECTIONS``: so many connections that say nothing, half a head, or
half a body; whoever is cut off comes back. A process of its own, as attackers are.

Says when all of them were there once; after the end of its standard input, how many there were and how many of them
were cut off.
"""

from __future__ import annotations

import select
import socket
import sys
from contextlib import suppress

SENT = (
    b"",
    b"GET / HTTP/1.1\r\nHost: ",
    b"PUT /upload?name=log.csv HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\nabc",
)


def flood(port: int, connections: int) -> tuple[int, int]:
    held: list[socket.socket] = []
    opened = cut_off = 0
    said = False
    while not select.select([sys.stdin], [], [], 0)[0]:
        for _ in range(min(50, connections - len(held))):
            with suppress(OSError):
                each = socket.create_connection(("127.0.0.1", port), 1.0)
                held.append(each)
                opened += 1
                each.sendall(SENT[opened % len(SENT)])
        poll = select.poll()
        for each in held:
            poll.register(each, select.POLLIN | select.POLLHUP)
        ended = {number for number, _ in poll.poll(20)}
        cut_off += len(ended)
        for each in held:
            if each.fileno() in ended:
                each.close()
        held = [each for each in held if each.fileno() >= 0]
        if opened >= connections and not said:
            print("there", flush=True)
            said = True
    return opened, cut_off


if __name__ == "__main__":
    print(*flood(int(sys.argv[1]), int(sys.argv[2])), flush=True)
