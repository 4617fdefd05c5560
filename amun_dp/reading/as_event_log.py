"""Whatever the public functions take for a log, as an event log."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, Union

from amun_dp.eventlog.log import EventLog
from amun_dp.reading.log_like import ArrowStream, HasEventLog, Pm4pyLog

if TYPE_CHECKING:
    import pandas as pd

LogLike: TypeAlias = Union[EventLog, "pd.DataFrame", ArrowStream, HasEventLog, Pm4pyLog]
"""An event log, a release, a table with pm4py's column names (pandas, pyarrow, polars, DuckDB), or a log of pm4py's."""


def as_event_log(log: LogLike) -> EventLog:
    """An event log as it is, and that of a release; a table with pm4py's column names, or a log of pm4py's, is read."""
    if isinstance(log, EventLog):
        return log
    if isinstance(log, HasEventLog):
        return log.event_log
    from amun_dp.reading import read_log

    return read_log(log)
