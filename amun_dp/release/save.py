"""A release on disk: the public log and report, and apart from them the internal folder."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.ledger import Ledger, write_ledger
from accounting.quantities import Epsilon
from amun_dp._base.software import software_versions
from amun_dp.folder.names import BANNER, INTERNAL_FOLDER, PAGE_FILE, REPORT_FILE
from amun_dp.folder.parts import file_digest
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.public_report import PublicReport, guarantee_as_dict
from amun_dp.writing import release_folder, write_log

if TYPE_CHECKING:
    from accounting.accountant import Account
    from accounting.confidential import Confidential
    from amun_dp.eventlog.figures import PublicFigures
    from amun_dp.eventlog.log import PublicLog
    from amun_dp.internals.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Inside:
    """What is written to the internal folder, and must not be published."""

    figures: Confidential[Any]
    """Figures before and after, for the internal report."""
    comparison: Confidential[Comparison]
    """The original and the released log beside each other, for the internal page."""
    account: Account
    ledger: Confidential[Ledger]


def save_release(
    directory: Path, name: str, log: PublicLog, report: PublicReport, inside: Inside, *, force: bool = False
) -> PublicReport:
    """Write the release folder in one piece, with the log under ``name``. Returns the report as it is published, with
    the hashes of the files. ``force`` replaces an earlier release; ``OutputError`` if the folder cannot be written."""
    escape_formulas = report.released.escaped_formulas
    with release_folder(directory, force=force, release=report.release_id) as folder:
        # Side by side: compression and hashing leave the interpreter lock. The log, which takes longer, is written by
        # the main thread, where an interruption arrives.
        with ThreadPoolExecutor(max_workers=1) as beside:
            internals = beside.submit(_write_internal, inside, folder)
            write_log(log, folder / name, privacy_attributes(report), escape_formulas=escape_formulas)
            internals.result()
        return write_public_report(folder, name, file_digest(folder / name), report, log)


def _write_internal(inside: Inside, folder: Path) -> None:
    internal = write_internal_reports(folder, as_plain(inside.figures.reveal()), inside.comparison, inside.account)
    write_ledger(inside.ledger.reveal(), internal)


def write_public_report(
    folder: Path, log: str, digest: str, report: PublicReport, shown: PublicLog | PublicFigures
) -> PublicReport:
    """Write the page and the report into ``folder``, beside the ``log`` that is there already and has this ``digest``.
    Returns the report with the hashes of log and page."""
    from amun_dp.report.page import public_page  # a template engine, needed here only

    report = report.with_files(log, {log: digest})
    (folder / PAGE_FILE).write_text(public_page(report, shown), encoding="utf-8")
    report = report.with_files(log, {**report.files, PAGE_FILE: file_digest(folder / PAGE_FILE)})
    (folder / REPORT_FILE).write_text(report.to_json(), encoding="utf-8")
    return report


def write_internal_reports(
    folder: Path, figures: dict[str, Any], comparison: Confidential[Comparison], accounted: Account
) -> Path:
    """Write the confidential report, as JSON and as a page, into the folder ``internal``, and return the path of that
    folder."""
    from amun_dp.internals.page import internal_page  # a template engine, needed here only

    internal = folder / INTERNAL_FOLDER
    internal.mkdir(mode=0o700)
    whole = {
        "confidential": BANNER,
        "software": software_versions(),
        **figures,
        "guarantees": [guarantee_as_dict(line) for line in accounted.confidential.reveal()],
    }
    (internal / PAGE_FILE).write_text(internal_page(comparison).reveal(), encoding="utf-8")
    (internal / REPORT_FILE).write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return internal


def as_plain(value: Any) -> Any:
    """A value as JSON can hold it: dataclasses as dictionaries, tuples as lists, an ε as it is stated (None if
    unbounded)."""
    if isinstance(value, Epsilon):
        return value.stated()
    if is_dataclass(value):
        return {field.name: as_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [as_plain(item) for item in value]
    return value
