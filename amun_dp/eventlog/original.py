"""The original log as a comparison looks at it, wherever it is. Confidential."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from amun_dp.eventlog.figures import LogFigures, figures_of
from amun_dp.eventlog.language import Language, language_of
from amun_dp.eventlog.log import EventLog


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """What is shown of the original log beside the released one."""

    first: int
    """Time of the first event."""
    last: int
    """Time of the last event."""
    language: Callable[[], Language]
    """Its variants; found when they are asked for."""
    figures: Callable[[tuple[int, int]], LogFigures]
    """Its figures, given first and last time of the charts."""


def original_of(log: EventLog) -> Original:
    return Original(
        int(log.time.min()), int(log.time.max()), partial(language_of, log), lambda span: figures_of(log, span)
    )
