"""How much of a folder is looked at: limits that hold for every format, checked before memory is taken.

Whoever makes a folder decides what its files hold and what its report states; without limits a small file could fill
the memory of whoever verifies it. What exceeds a limit is not judged, and has not failed.
"""

from __future__ import annotations

from dataclasses import dataclass

from amun_dp._base.messages import Message, message_of
from amun_dp.errors import ColumnError
from amun_dp.reading.longest_pieces import check_label
from amun_dp.verification.checks import NotPossible

EVENTS = 20_000_000
"""Held at once, some 200 bytes each. A release in parts may have more: it is read part by part."""
UNPACKED = 16_384_000_000
"""Bytes of the log when it is decompressed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is looked at, at most."""

    events: int = EVENTS
    """Of a log that is in memory at once."""
    unpacked: int = UNPACKED
    """Bytes of the decompressed log."""

    def check_events(self, events: int) -> None:
        """Before any is read: so many are stated, or were found."""
        if events > self.events:
            raise LimitReached(
                Message(
                    "the log has {found} events, more than the {most} that are looked at here at once; raise "
                    "{max_events} where there is memory for them, about 200 bytes each",
                    found=f"{events:,}",
                    most=f"{self.events:,}",
                )
            )

    def check_unpacked(self, size: int) -> None:
        """As the file is decompressed."""
        if size > self.unpacked:
            raise LimitReached(
                Message(
                    "the log is larger than the {most} MB that are looked at here when it is decompressed; raise "
                    "{max_unpacked}",
                    most=f"{self.unpacked // 1_000_000:,}",
                )
            )


class LimitReached(NotPossible):
    """A limit decides that something is not judged; the message names it."""


def check_text(length: int, name: str) -> None:
    """A name of a case or an activity, before it is kept."""
    try:
        check_label(length, name)
    except ColumnError as error:
        raise LimitReached(message_of(error)) from None
