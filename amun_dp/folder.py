"""A release on disk: the public log and report, and apart from them the internal folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.ledger import write_ledger
from accounting.quantities import Epsilon
from amun_dp.errors import ParameterError
from amun_dp.log_parts import digest_of_parts, parts_in
from amun_dp.privacy_attributes import privacy_attributes
from amun_dp.report import PublicReport, guarantee_as_dict, software_versions
from amun_dp.writing import release_folder, write_log
from amun_dp.writing.folder import INTERNAL_FOLDER, PAGE_FILE, REPORT_FILE

if TYPE_CHECKING:
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
    from amun_dp.pages.public import public_page  # a template engine, needed here only

    name = file_name(format or release.format)
    with release_folder(Path(directory), force=force) as folder:
        write_log(release.event_log, folder / name, privacy_attributes(release.report))
        report = replace(
            release.report,
            released=replace(release.report.released, file=name),
            files={name: file_digest(folder / name)},
        )
        (folder / PAGE_FILE).write_text(public_page(report, release.event_log), encoding="utf-8")
        report = replace(report, files={**report.files, PAGE_FILE: file_digest(folder / PAGE_FILE)})
        (folder / REPORT_FILE).write_text(report.to_json(), encoding="utf-8")
        internal = folder / INTERNAL_FOLDER
        internal.mkdir(mode=0o700)
        _write_internal(release, internal)
    return report


def log_digest(path: Path) -> str:
    """The hash of a released log: of its file, or over its parts."""
    if path.is_dir():
        return digest_of_parts({part.name: file_digest(part) for part in parts_in(path)})
    return file_digest(path)


def file_digest(path: Path) -> str:
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def _write_internal(release: Release, internal: Path) -> None:
    from amun_dp.pages.internal import internal_page

    figures = {
        "confidential": BANNER,
        "software": software_versions(),
        **as_plain(release.internals.reveal()),
        "guarantees": [guarantee_as_dict(line) for line in release.account.confidential.reveal()],
    }
    (internal / PAGE_FILE).write_text(internal_page(release.comparison).reveal(), encoding="utf-8")
    (internal / REPORT_FILE).write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    write_ledger(release.ledger.reveal(), internal)


def as_plain(value: Any) -> Any:
    """Dataclasses as dictionaries, an ε as it is stated (None if unbounded)."""
    if isinstance(value, Epsilon):
        return value.stated()
    if is_dataclass(value):
        return {field.name: as_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [as_plain(item) for item in value]
    return value
