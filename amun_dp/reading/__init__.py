"""Reading event logs: XES, CSV, Parquet, pandas DataFrames, Arrow tables, pm4py's logs, all into the same columns."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from amun_dp.errors import InputError
from amun_dp.eventlog.log import EventLog
from amun_dp.reading.columns import ColumnChoice
from amun_dp.reading.log_like import ArrowStream, Pm4pyLog, frame_of_pm4py, is_of_pm4py
from amun_dp.reading.memory import return_memory

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_log"]


def read_log(
    source: str | os.PathLike[str] | pd.DataFrame | ArrowStream | Pm4pyLog,
    *,
    case_id: str | None = None,
    activity: str | None = None,
    timestamp: str | None = None,
    timestamp_format: str | None = None,
    lifecycle: str | None = None,
    individual: str | None = None,
    drop_incomplete: bool = False,
    sequence: str | None = None,
    multiline_values: bool = False,
) -> EventLog:
    """Read an event log: ``source`` is a file (.xes, .xes.gz, .csv, .csv.gz, .parquet), a table that is not changed (a
    pandas DataFrame, or anything with Arrow's PyCapsule interface: pyarrow, polars, DuckDB), or a log of pm4py's own.

    ``case_id``, ``activity``, ``timestamp`` and ``individual`` name columns (for XES: attribute keys; ``activity``
    may also name a classifier). Where a name of XES means two things, say which: "trace:patient" (or "case:patient")
    or "event:patient", "classifier:Activity" or "event:Activity". No case decides how another one is read: roles come
    from these names, from the header or from the standard's keys, and what is ambiguous is refused.

    ``timestamp_format`` is a strptime format for times that are not ISO 8601. ``lifecycle`` keeps only events of that
    transition, e.g. "complete". With ``drop_incomplete``, events without case, activity or timestamp (or without a
    transition, if one is asked for) are left out instead of refused. ``sequence`` names a column of whole numbers that
    orders the events of a table, as if its rows had been sorted by it. A quoted value of CSV that goes on in the next
    line is refused, because it may have swallowed rows of other cases, unless ``multiline_values``. Decisions taken on
    the way are in ``facts.notes``.

    Raises InputError, or its kinds ColumnError and IncompleteLog, if the log cannot be read as asked.
    """
    choice = ColumnChoice(
        case_id,
        activity,
        timestamp,
        timestamp_format,
        lifecycle,
        individual,
        drop_incomplete,
        sequence,
        multiline_values,
    )
    if isinstance(source, str | os.PathLike):
        log = _read_file(Path(os.fsdecode(source)), choice)
        return_memory()
        return log

    import pandas as pd

    from amun_dp.reading.tables import read_arrow, read_dataframe

    if is_of_pm4py(source):
        source = frame_of_pm4py(source)
    if isinstance(source, pd.DataFrame):
        return read_dataframe(source, choice)
    if isinstance(source, ArrowStream):
        return read_arrow(source, choice)
    raise InputError(
        f"A log is read from a file, a pandas DataFrame, a table with Arrow's interface (pyarrow, polars, DuckDB) or a "
        f"log of pm4py's, not from {type(source).__name__}. Convert it first."
    )


def _read_file(path: Path, choice: ColumnChoice) -> EventLog:
    from amun_dp.reading.files import recognise

    file = recognise(path)
    if file.format == "xes":
        from amun_dp.reading.xes import read_xes

        return read_xes(file, choice)
    if file.format == "csv":
        from amun_dp.reading.delimited import read_csv

        return read_csv(file, choice)
    from amun_dp.reading.tables import read_parquet

    return read_parquet(file, choice)
