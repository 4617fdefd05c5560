"""Ways to change a release and make it consistent again, as far as the forger likes."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.events import (
    BoundedLaplace,
    PerEventNoise,
    PrivacyEvent,
    RepeatedRelease,
    Sequential,
    SharedByIndividual,
)
from accounting.ledger import ledger_of, read_ledger, tree_of, write_ledger
from accounting.ledger.trees import ANNOTATION
from accounting.personalised import personalised_account
from accounting.trees import leaves
from amun_dp.eventlog.log import EventLog, PublicLog, build_event_log, declared_public
from amun_dp.eventlog.variants import find_variants
from amun_dp.folder.parts import file_digest, log_digest
from amun_dp.release.load import released_log
from amun_dp.release.save import as_plain
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.page import public_page
from amun_dp.report.public_report import PublicReport, guarantee_as_dict
from amun_dp.writing import write_log

Data = dict[str, Any]


# --- the report -----------------------------------------------------------------------------------------------------


def report_in(folder: Path) -> Data:
    data: Data = json.loads((folder / "report.json").read_bytes())
    return data


def write_report(folder: Path, data: Data) -> None:
    (folder / "report.json").write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def reseal(folder: Path, data: Data | None = None, *, page: bool = True) -> None:
    """Draw the page again and compute all hashes again: a folder that is consistent in itself."""
    data = report_in(folder) if data is None else data
    name = data["released"]["file"]
    data["files"][name] = log_digest(folder / name)
    if page:
        report = PublicReport.from_dict(data | {"files": {name: data["files"][name]}})
        (folder / "report.html").write_text(public_page(report, released_log(folder, report)), encoding="utf-8")
    data["files"]["report.html"] = file_digest(folder / "report.html")
    write_report(folder, data)


def of_another_format(folder: Path, version: str | None = None, **numbers: int | str) -> Data:
    """Say that the release is of these format numbers, and of that version; else it stays as it is."""
    data = report_in(folder)
    data["formats"] |= numbers
    if version is not None:
        data["software"]["amun-dp"] = version
    write_report(folder, data)
    put_log(folder, log_in(folder))  # it repeats the version
    return report_in(folder)


def derive_guarantees(data: Data) -> Data:
    report = PublicReport.from_dict(data)
    return data | {"guarantees": [guarantee_as_dict(line) for line in report.guarantees]}


def set_mechanism(data: Data, kind: str, **parameters: Any) -> Data:
    """Change parameters of all mechanisms of a kind; the guarantees follow."""
    for record in data["mechanisms"]:
        if record["kind"] == kind:
            record["parameters"] |= parameters
    return derive_guarantees(data)


# --- the log --------------------------------------------------------------------------------------------------------


def log_in(folder: Path) -> PublicLog:
    return released_log(folder, PublicReport.from_dict(report_in(folder)))


def put_log(folder: Path, log: EventLog) -> None:
    """Write another log as this software does, with its true figures, and make the folder consistent."""
    data = report_in(folder)
    data["released"] |= {"cases": log.n_cases, "events": log.n_events, "variants": find_variants(log).count}
    report = PublicReport.from_dict(data)
    write_log(log, folder / data["released"]["file"], privacy_attributes(report))
    reseal(folder, data)


def with_columns(log: EventLog, keep: np.ndarray[Any, Any] | None = None, **columns: Any) -> PublicLog:
    """The log with other columns, or with some rows only."""
    rows = np.arange(log.n_events) if keep is None else np.flatnonzero(keep)
    changed = {name: columns.get(name, getattr(log, name))[rows] for name in ("case", "activity", "time", "sequence")}
    return declared_public(
        build_event_log(
            **changed,
            case_names=columns.get("case_names", log.case_names),
            labels=np.array(columns.get("activities", log.activities), dtype=object),
        )
    )


def rename_cases(folder: Path, names: list[str]) -> None:
    """Give the first cases other names."""
    log = log_in(folder)
    renamed = np.array([*names, *log.case_names[len(names) :]], dtype=object)
    put_log(folder, with_columns(log, case_names=renamed))


def edit_file(folder: Path, change: Callable[[bytes], bytes], *, page: bool = True) -> None:
    """Change the bytes of the log (of XES: decompressed) and make the folder consistent."""
    path = folder / report_in(folder)["released"]["file"]
    packed = path.name.endswith(".gz")
    before = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    after = change(before)
    assert after != before
    path.write_bytes(zipped(after) if packed else after)
    reseal(folder, page=page)


def zipped(content: bytes, level: int = 3) -> bytes:
    """As this software does it: neither name nor time."""
    written = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=level, fileobj=written, mtime=0) as packed:
        packed.write(content)
    return written.getvalue()


# --- the ledger -----------------------------------------------------------------------------------------------------


def put_ledger(
    folder: Path,
    tree: Callable[[PrivacyEvent], PrivacyEvent] = lambda tree: tree,
    **annotations: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]],
) -> None:
    """Write another ledger: chain, checksums and the internal report are all as they would be."""
    internal = folder / "internal"
    before = read_ledger(internal)
    record = next(each for each in before.records if each.kind == "bounded-laplace")
    kept = {
        name.removeprefix(ANNOTATION): column for name, column in record.columns.items() if name.startswith(ANNOTATION)
    }
    kept |= {name: change(np.array(kept[name].tolist())) for name, change in annotations.items()}
    changed = tree(tree_of(before))
    for name in ("ledger.json", "ledger.parquet"):
        (internal / name).unlink()
    write_ledger(ledger_of(changed, kept), internal)
    path = internal / "report.json"
    data = json.loads(path.read_bytes())
    data["guarantees"] = [guarantee_as_dict(line) for line in account(changed).confidential.reveal()]
    noise = next(leaf for leaf in leaves(changed) if isinstance(leaf, BoundedLaplace)).columns.reveal()
    data["losses"] = as_plain(personalised_account(noise))
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def noise_in(folder: Path) -> PerEventNoise:
    tree = tree_of(read_ledger(folder / "internal"))
    return next(leaf for leaf in leaves(tree) if isinstance(leaf, BoundedLaplace)).columns.reveal()


def set_noise(folder: Path, **columns: Any) -> None:
    """Change columns of the per-event noise in the ledger, consistently."""

    def change(leaf: PrivacyEvent) -> PrivacyEvent:
        if isinstance(leaf, BoundedLaplace):
            return replace(leaf, columns=Confidential(replace(leaf.columns.reveal(), **columns)))
        return leaf

    put_ledger(folder, lambda tree: mapped(tree, change))


def mapped(tree: PrivacyEvent, change: Callable[[PrivacyEvent], PrivacyEvent]) -> PrivacyEvent:
    """The tree with every leaf changed."""
    if isinstance(tree, Sequential):
        return Sequential(tuple(mapped(part, change) for part in tree.parts))
    if isinstance(tree, SharedByIndividual | RepeatedRelease):
        return replace(tree, part=mapped(tree.part, change))
    return change(tree)
