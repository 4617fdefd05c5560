"""The names of the files in a release folder, and what stands on those that must stay inside."""

from __future__ import annotations

from amun_dp._base.messages import Message
from amun_dp.errors import ParameterError

REPORT_FILE = "report.json"
PAGE_FILE = "report.html"
REPORT_SCHEMA_FAMILY = "amun-dp/report/"
"""How the schema of every report begins: what makes a folder recognisable as a release."""
FILE_NAMES = {"xes": "log.xes.gz", "csv": "log.csv", "parquet": "log.parquet"}
LOG_FILES = frozenset(FILE_NAMES.values())
INTERNAL_FOLDER = "internal"
"""Subfolder with what must not be published: readable by its owner only."""
INTERNAL_FILES = frozenset({REPORT_FILE, PAGE_FILE, "ledger.json", "ledger.parquet"})
BANNER = "CONFIDENTIAL: computed from the original log. Do not publish."


def file_name(format: str) -> str:
    """Name of the released log in a format; a DataFrame has no file format of its own and is written as XES."""
    format = "xes" if format == "dataframe" else format
    if format not in FILE_NAMES:
        raise ParameterError(f"Unknown format '{format}'. Choose one of: {', '.join(FILE_NAMES)}.")
    return FILE_NAMES[format]


def check_escaping(file: str, escape_formulas: bool) -> None:
    """Refuse to escape formulas where there are none: of the formats only CSV is opened by spreadsheets."""
    if escape_formulas and file != FILE_NAMES["csv"]:
        raise ParameterError(Message("{escape_formulas} is for CSV, and {file} is none. Leave it out.", file=file))
