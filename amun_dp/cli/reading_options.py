"""The flags that say how a log is read, what was said with them, and the reading. Light, like the parser."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amun_dp.eventlog.log import EventLog

_NAMES = (
    "case_id",
    "activity",
    "timestamp",
    "timestamp_format",
    "lifecycle",
    "individual",
    "drop_incomplete",
    "sequence",
    "multiline_values",
)


def add_log(parser: argparse.ArgumentParser, log: str = "event log: .xes, .xes.gz, .csv, .csv.gz or .parquet") -> None:
    parser.add_argument("log", metavar="LOG", help=log)
    add_reading_options(parser)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reading the log")
    group.add_argument("--case-id", metavar="COLUMN", help="column of the case (default: case:concept:name)")
    group.add_argument(
        "--activity",
        metavar="COLUMN",
        help="column, XES attribute or XES classifier of the activity (default: concept:name); classifier:NAME or "
        "event:NAME if it could be either",
    )
    group.add_argument("--timestamp", metavar="COLUMN", help="column of the time (default: time:timestamp)")
    group.add_argument(
        "--timestamp-format",
        metavar="FORMAT",
        help="how times are written, if not ISO 8601, e.g. '%%d/%%m/%%Y %%H:%%M'",
    )
    group.add_argument("--lifecycle", metavar="VALUE", help="keep only events of this transition, e.g. complete")
    group.add_argument(
        "--individual",
        metavar="COLUMN",
        help="column of the person behind a case, if a person may have several cases; XES: trace:NAME or event:NAME if "
        "both have it",
    )
    group.add_argument("--drop-incomplete", action="store_true", help="drop events without case, activity or timestamp")
    group.add_argument(
        "--sequence",
        metavar="COLUMN",
        help="tables: column of whole numbers that orders events of a case at the same time (default: the order of "
        "rows, and of files by their names)",
    )
    group.add_argument(
        "--multiline-values",
        action="store_true",
        help="CSV: quoted values may have line breaks (otherwise refused: a missing mark would swallow rows)",
    )


def reading_of(options: argparse.Namespace) -> dict[str, Any]:
    """What was said about reading and nothing else, by the names that ``read_log`` and ``ColumnChoice`` have for it."""
    said = {name: getattr(options, name) for name in _NAMES}
    return {name: value for name, value in said.items() if value not in (None, False)}


def read_as_said(path: str, options: argparse.Namespace, called: str = "") -> EventLog:
    """The log, and on standard error the decisions taken on the way, each after what the log is ``called``."""
    from amun_dp.cli.streams import say
    from amun_dp.reading import read_log

    log = read_log(path, **reading_of(options))
    if not options.quiet:
        for note in log.facts.notes:
            say("note: ", called, note)
    return log
