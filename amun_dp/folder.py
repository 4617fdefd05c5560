"""A release on disk: the public log and report, and apart from them the internal folder."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.ledger import write_ledger
from accounting.quantities import Epsilon
from amun_dp.errors import ParameterError
from amun_dp.log_parts import digest_of_parts, parts_in
from amun_dp.privacy_attributes import privacy_attributes
from amun_dp.report import PublicReport, guarantee_as_dict
from amun_dp.software import software_versions
from amun_dp.writing import release_folder, write_log
from amun_dp.writing.folder import INTERNAL_FOLDER, PAGE_FILE, REPORT_FILE

if TYPE_CHECKING:
    from accounting.accountant import Account
    from accounting.confidential import Confidential
    from amun_dp.comparison import Comparison
    from amun_dp.eventlog import PublicLog
    from amun_dp.figures import PublicFigures
    from amun_dp.release import Release

FILE_NAMES = {"xes": "log.xes.gz", "csv": "log.csv", "parquet": "log.parquet"}
BANNER = "CONFIDENTIAL: computed from the original log. Do not publish."


def file_name(format: str) -> str:
    """Name of the released log in a format; a DataFrame has no file format of its own and is written as XES."""
    format = "xes" if format == "dataframe" else format
    if format not in FILE_NAMES:
        raise ParameterError(f"Unknown format '{format}'. Choose one of: {', '.join(FILE_NAMES)}.")
    return FILE_NAMES[format]


def save_release(
    release: Release, directory: str | Path, *, format: str | None = None, force: bool = False
) -> PublicReport:
    """Write the folder in one piece; returns the report as published."""
    name = file_name(format or release.format)
    with release_folder(Path(directory), force=force) as folder:
        # Side by side: compression and hashing leave the interpreter lock. The log, which takes longer, is written by
        # the main thread, where an interruption arrives.
        with ThreadPoolExecutor(max_workers=1) as beside:
            internals = beside.submit(_write_internal, release, folder)
            write_log(release.event_log, folder / name, privacy_attributes(release.report))
            internals.result()
        return write_public_report(folder, name, file_digest(folder / name), release.report, release.event_log)


def _write_internal(release: Release, folder: Path) -> None:
    internal = write_internal_reports(folder, as_plain(release.internals.reveal()), release.comparison, release.account)
    write_ledger(release.ledger.reveal(), internal)


def write_public_report(
    folder: Path, log: str, digest: str, report: PublicReport, shown: PublicLog | PublicFigures
) -> PublicReport:
    """Page and report beside the ``log``, which is written already, with its ``digest``; returns the report with the
    hashes of both."""
    from amun_dp.pages.public import public_page  # a template engine, needed here only

    report = replace(report, released=replace(report.released, file=log), files={log: digest})
    (folder / PAGE_FILE).write_text(public_page(report, shown), encoding="utf-8")
    report = replace(report, files={**report.files, PAGE_FILE: file_digest(folder / PAGE_FILE)})
    (folder / REPORT_FILE).write_text(report.to_json(), encoding="utf-8")
    return report


def log_digest(path: Path) -> str:
    """The hash of a released log: of its file, or over its parts."""
    if path.is_dir():
        return digest_of_parts({part.name: file_digest(part) for part in parts_in(path)})
    return file_digest(path)


def file_digest(path: Path) -> str:
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def write_internal_reports(
    folder: Path, figures: dict[str, Any], comparison: Confidential[Comparison], accounted: Account
) -> Path:
    """What must stay inside, as JSON and as a page, in a folder of its own, which is returned."""
    from amun_dp.pages.internal import internal_page  # a template engine, needed here only

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
    """Dataclasses as dictionaries, an ε as it is stated (None if unbounded)."""
    if isinstance(value, Epsilon):
        return value.stated()
    if is_dataclass(value):
        return {field.name: as_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [as_plain(item) for item in value]
    return value
