"""A release folder, read back. Reading trusts nothing: guarantees are derived from the recorded mechanisms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.ledger import Ledger, read_ledger
from amun_dp._base.messages import Message
from amun_dp._base.strict_json import strict_json
from amun_dp.errors import AmunError, InputError
from amun_dp.eventlog.log import PublicLog, declared_public
from amun_dp.folder.names import INTERNAL_FOLDER, REPORT_FILE
from amun_dp.folder.parts import log_digest, parts_in
from amun_dp.reading import read_log
from amun_dp.report.public_report import SCHEMA, PublicReport
from amun_dp.report.schema import schema_problems
from amun_dp.writing.formulas import with_formulas

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class PublishedRelease:
    """A release folder, read back. Whether to believe what it says is for ``amun_dp.verify`` to answer."""

    directory: Path
    """The folder it was read from."""
    event_log: PublicLog
    """The released log as columns."""
    report: PublicReport
    """Its public report. The guarantees in it are derived from the recorded mechanisms, not read from the file."""
    ledger: Confidential[Ledger] | None
    """The confidential ledger; None where the internal part is absent, as it is for everybody but the publisher."""

    @property
    def log(self) -> pd.DataFrame:
        """The released log with pm4py's column names."""
        return self.event_log.to_pandas()

    def _repr_html_(self) -> str:
        """The label card, in a notebook; its guarantees are derived, but nothing is verified."""
        return self.report._repr_html_()


def load_release(directory: str | Path) -> PublishedRelease:
    """Read a release folder: the public part, and the ledger if the internal part is present.

    The log must have the hash that the report states. Whether the report is true is another question;
    ``amun_dp.verify`` answers it. Spends nothing. Raises ``InputError`` if ``directory`` is not a release, its report
    does not conform to the schema, the log is not the one that the report names, or the ledger is damaged.
    """
    folder = Path(directory)
    report = report_of(read_report(folder))
    return PublishedRelease(folder, released_log(folder, report), report, ledger_in(folder))


def read_report(folder: Path) -> dict[str, Any]:
    """The report of a release folder as plain data, as it is written in the file. ``InputError`` if there is none, or
    if it does not conform to a schema that this version reads."""
    path = folder / REPORT_FILE
    try:
        data = strict_json(path.read_bytes())
        problems = schema_problems(data)
    except FileNotFoundError as error:
        raise InputError(f"{folder} is no release: there is no {REPORT_FILE} in it.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON.") from error
    if problems:
        raise InputError(f"{path} is no report of schema {SCHEMA}: {problems[0]}.")
    return dict(data)


def report_of(data: dict[str, Any]) -> PublicReport:
    """The report that data conforming to the schema describe; ``InputError`` if they record something impossible."""
    try:
        return PublicReport.from_dict(data)
    except (AccountingError, AmunError) as error:
        raise InputError(
            Message("The report records something that does not make sense: {error}", error=error)
        ) from error


def released_log(folder: Path, report: PublicReport) -> PublicLog:
    """The released log that the report names. ``InputError`` if the report names none, if the log's hash is not the
    stated one, or if the log cannot be read."""
    if report.released.file is None:
        raise InputError(f"The report in {folder} names no released log.")
    path = folder / report.released.file
    try:
        if path.is_dir() and set(path.iterdir()) != set(parts_in(path)):
            raise InputError(f"{path} holds more than the parts of a log.")
        digest = log_digest(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).") from error
    if digest != report.files.get(report.released.file):
        raise InputError(f"{path} is not the file that the report was made for.")
    log = declared_public(read_log(path, multiline_values=True))  # a label may have a line break
    return with_formulas(log) if report.released.escaped_formulas else log


def ledger_in(folder: Path) -> Confidential[Ledger] | None:
    """The ledger of a release folder, or None if there is no internal part; ``InputError`` if it is damaged."""
    internal = folder / INTERNAL_FOLDER
    if not internal.is_dir():
        return None
    try:
        return Confidential(read_ledger(internal))
    except AccountingError as error:
        raise InputError(f"The ledger in {internal} is damaged: {error}") from error
