"""Checks of the internal part: that the ledger is whole, and tells of the same release as the report and the log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from accounting.accountant import Account, account
from accounting.arrow import opened_parquet
from accounting.confidential import Withheld
from accounting.events import BoundedLaplace, PerEventNoise, PrivacyEvent, kind_of
from accounting.ledger import Ledger, TextColumn, read_ledger, tree_of
from accounting.ledger.in_parts import LedgerInParts
from accounting.ledger.records import Column, Numbers
from accounting.ledger.texts import same_texts
from accounting.ledger.trees import ANNOTATION
from accounting.personalised import PersonalisedAccount, personalised_account
from accounting.publication import public_tree
from accounting.trees import leaves
from amun_dp._base.arrays import IntArray
from amun_dp.eventlog.log import PublicLog
from amun_dp.folder.names import BANNER, INTERNAL_FOLDER, REPORT_FILE
from amun_dp.release.save import as_plain
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.bounds import Limits
from amun_dp.verification.checks import Fault, NotPossible, require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.folder.raw_tables import unpacked_size
from amun_dp.verification.report.report_checks import LARGEST_REPORT, ReadReport, compare_lines_of, json_of


@dataclass(frozen=True, slots=True, eq=False)
class ReadLedger:
    """A ledger and what it means."""

    ledger: Ledger
    """Whole, or, where that is too large, with the rows that stand for all in an account."""
    tree: PrivacyEvent
    account: Account
    in_parts: RowsInParts | None = None
    """Where not all rows are at hand: what was found in them."""

    def losses(self) -> PersonalisedAccount:
        """Of all rows, if there is one mechanism that has rows."""
        return personalised_account(self.rows().noise) if self.in_parts is None else self.in_parts.losses

    def rows(self) -> Rows:
        """The per-event noise, if there is one mechanism that has it."""
        if self.in_parts is not None:
            raise NotPossible("the rows of the ledger are not at hand all at once")
        found = [leaf for leaf in leaves(self.tree) if isinstance(leaf, BoundedLaplace)]
        if len(found) != 1 or isinstance(found[0].columns, Withheld):
            raise NotPossible("the ledger has no noise event by event; only the article's time mechanism has")
        record = next(each for each in self.ledger.records if each.kind == kind_of(found[0]))
        annotations = {
            name.removeprefix(ANNOTATION): column
            for name, column in record.columns.items()
            if name.startswith(ANNOTATION)
        }
        return Rows(found[0].columns.reveal(), annotations)


@dataclass(frozen=True, slots=True, eq=False)
class RowsInParts:
    """Rows that are read part by part."""

    ledger: LedgerInParts
    losses: PersonalisedAccount


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One row per released event: its noise, and what it belongs to."""

    noise: PerEventNoise
    annotations: dict[str, Column]

    def numbers(self, name: str) -> Numbers:
        column = self._annotation(name)
        if isinstance(column, TextColumn):
            raise Fault(f"the rows of the ledger have text for '{name}'")
        return column

    def texts(self, name: str) -> TextColumn:
        column = self._annotation(name)
        if not isinstance(column, TextColumn):
            raise Fault(f"the rows of the ledger have numbers for '{name}'")
        return column

    def _annotation(self, name: str) -> Column:
        require(name in self.annotations, f"the rows of the ledger have no '{name}'")
        return self.annotations[name]


def read_internal_ledger(contents: Contents, events: int, limits: Limits) -> tuple[ReadLedger, str]:
    """The ledger, with its checksums, its chain and the meaning of every record verified. It has one row per event."""
    limits.check_events(events)
    contents.files(f"{INTERNAL_FOLDER}/ledger.json")
    _check_rows(contents.files(f"{INTERNAL_FOLDER}/ledger.parquet"), limits)
    ledger = read_ledger(contents.folder / INTERNAL_FOLDER)
    tree = tree_of(ledger)
    return ReadLedger(ledger, tree, account(tree)), f"{len(ledger.records)} records, hashes and checksums"


def _check_rows(files: list[Path], limits: Limits) -> None:
    """Before any is read: no more rows and bytes than are looked at, whatever the report says."""
    import pyarrow as pa

    rows = size = 0
    for path in files:
        try:
            with opened_parquet(path) as file:
                rows += file.metadata.num_rows
                size += unpacked_size(file.metadata)
        except MemoryError:  # Arrow's own is an ArrowException, too
            raise
        except (pa.ArrowException, OSError):
            return  # the reader says what is wrong with it
    limits.check_events(rows)
    limits.check_unpacked(size)


def ledger_mechanisms(read: ReadLedger, report: PublicReport) -> str:
    """What the ledger records, without its confidential parameters, is what the report records."""
    inside, outside = public_tree(read.tree).records(), report.mechanisms.records()
    for number, (one, other) in enumerate(zip(inside, outside, strict=False)):
        require(
            json.dumps(one) == json.dumps(other),
            f"mechanism {number} ({one['kind']}) of the ledger is not the one of the report ({other['kind']})",
        )
    require(len(inside) == len(outside), f"the ledger has {len(inside)} mechanisms, and the report {len(outside)}")
    return f"{len(inside)} mechanisms"


def ledger_account(read: ReadLedger, report: ReadReport) -> str:
    compare_lines_of(report, report.data["guarantees"], read.account.public)
    return f"{len(read.account.public)} lines"


def ledger_log(read: ReadLedger, log: PublicLog) -> str:
    """Each row of the ledger is an event of the released log: the same case, the same activity, in the same order."""
    rows = read.rows()
    compare_rows(rows.noise.case, rows.texts("released_case"), rows.texts("activity"), log)
    return f"{log.n_events:,} rows, one an event"


def compare_rows(case: IntArray, names: TextColumn, activities: TextColumn, log: PublicLog) -> None:
    """Released cases by number and name, and activities, row by row."""
    require(len(case) == log.n_events, "the ledger has another number of events than the released log")
    require(np.array_equal(case, log.case), "the events of the ledger are in other cases than those of the log")
    named = TextColumn(log.case, tuple(log.case_names))
    require(same_texts(names, named), "the ledger names other cases than the log")
    labels = TextColumn(log.activity, log.activities)
    require(same_texts(activities, labels), "the ledger names other activities than the log")


def internal_report(contents: Contents, read: ReadLedger, report: ReadReport) -> str:
    """The confidential guarantees and losses, derived again from the ledger."""
    path = contents.path(f"{INTERNAL_FOLDER}/{REPORT_FILE}")
    require(path.stat().st_size <= LARGEST_REPORT, f"internal {REPORT_FILE} is too large to be a report")
    data = json_of(path.read_bytes(), f"{INTERNAL_FOLDER}/{REPORT_FILE}")
    require(data.get("confidential") == BANNER, "the internal report does not begin with the warning that it has to")
    lines = data.get("guarantees")
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise Fault("the internal report has no guarantees")
    compare_lines_of(report, lines, read.account.confidential.reveal())
    try:
        due = as_plain(read.losses())
    except NotPossible:
        return f"{len(lines)} lines"
    same = json.dumps(data.get("losses")) == json.dumps(due)
    if not same and not report.same_schema:
        raise NotPossible(f"the losses are those of an older accountant ({report.data['schema']})")
    require(same, "the losses by event, case and individual are not those of the ledger")
    return f"{len(lines)} lines, and the losses by event, case and individual"
