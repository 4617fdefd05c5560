"""Releases of one machine, cut as Spark's workers would have written them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from accounting.confidential import Confidential
from accounting.events import BoundedLaplace
from accounting.ledger import read_ledger, tree_of
from accounting.ledger.in_parts import part_name, record_with_rows, write_part, write_parts_document
from accounting.ledger.records import Column
from accounting.ledger.texts import TextColumn
from accounting.trees import leaves
from amun_dp._base.arrays import IntArray
from amun_dp.eventlog.log import PublicLog
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.public_report import PublicReport
from amun_dp.writing import write_log
from tests.verification.forging import report_in, reseal, with_columns

PARTS = 3
EVENTS_A_PART = "amun_dp.folder.parts.EVENTS_A_PART"
"""By which the number of parts is determined; small logs in several parts need a small one."""


def some_cases(log: PublicLog, first: int, last: int) -> PublicLog:
    return with_columns(log, keep=(log.case >= first) & (log.case < last))


def in_order_of_names(log: PublicLog) -> PublicLog:
    order = np.argsort(log.case_names.astype(str))
    renumbered = np.empty(log.n_cases, dtype=np.int64)
    renumbered[order] = np.arange(log.n_cases)
    return with_columns(log, case=renumbered[log.case], case_names=log.case_names[order])


def write_in_parts(folder: Path, log: PublicLog, ends: list[int]) -> None:
    """The log as parts that end before these cases, in place of its file; the folder is consistent afterwards."""
    path = folder / "log.parquet"
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.mkdir()
    facts = privacy_attributes(PublicReport.from_dict(report_in(folder)))
    for number, (first, last) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        write_log(some_cases(log, first, last), path / part_name(number), facts)
    reseal(folder)


def some_rows(column: Column, rows: IntArray) -> Column:
    return TextColumn(column.codes[rows], column.known) if isinstance(column, TextColumn) else column[rows]


def cut_ledger(folder: Path, ends: list[int] | None = None, names: Sequence[str] | None = None) -> None:
    """The ledger in parts that end before these cases; without them anywhere. ``names`` are other ones of the cases."""
    internal = folder / "internal"
    ledger = read_ledger(internal)
    tree = tree_of(ledger)
    record = record_with_rows(tree)
    columns = ledger.records[record].columns
    for name in ("ledger.json", "ledger.parquet"):
        (internal / name).unlink()
    (internal / "ledger.parquet").mkdir(mode=0o700)
    case = columns["columns.case"]
    assert isinstance(case, np.ndarray)
    if names is not None:
        columns = {**columns, "annotation:released_case": TextColumn(case, tuple(names))}
    rows = np.arange(len(case))
    cuts = np.array_split(rows, PARTS) if ends is None else np.split(rows, np.searchsorted(case, ends[:-1]))
    parts = [
        write_part(
            {name: some_rows(column, rows) for name, column in columns.items()},
            record,
            internal / "ledger.parquet" / part_name(number),
        )
        for number, rows in enumerate(cuts)
    ]
    assert any(isinstance(leaf, BoundedLaplace) and isinstance(leaf.columns, Confidential) for leaf in leaves(tree))
    write_parts_document(tree, parts, internal)
