"""Ways in which a release can be broken, each with the checks that must notice, and no others.

Each is otherwise as consistent as a forger can make it: hashes are computed again, the page is drawn again, guarantees
are derived again, the ledger is chained again. They are in the modules ``broken_*``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from amun_dp.verification import Name

Break = Callable[[Path], None]


@dataclass(frozen=True)
class Breakage:
    what: str
    how: Break
    fails: frozenset[Name]
    format: str
    internal: bool
    """Whether the internal part is there, as it is for the publisher."""
    original: bool
    """Whether the original is at hand."""
    method: str
    cases_each: int | None
    """How many cases each individual of the original has; None where nobody knows."""


BREAKAGES: list[Breakage] = []


def breaks(
    *fails: Name,
    format: str = "xes",
    internal: bool = False,
    original: bool = False,
    method: str = "filtering",
    cases_each: int | None = None,
) -> Callable[[Break], Break]:
    """Register a way to break a release, under the name of the function."""

    def register(how: Break) -> Break:
        what = how.__name__.replace("_", " ")
        BREAKAGES.append(Breakage(what, how, frozenset(fails), format, internal, original, method, cases_each))
        return how

    return register
