"""Checks of a ledger in more parts than should be in memory at once: part by part, as Spark's workers wrote them.

The same rules as for a ledger that is at hand. What an account needs of the rows are the largest losses, so it is made
of the rows of a few cases that have them (``accounting.personalised_parts``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.events import BoundedLaplace, PerEventNoise, PrivacyEvent, event_class
from accounting.ledger.in_parts import LedgerInParts, open_parts
from accounting.ledger.records import Column, Numbers
from accounting.ledger.texts import TextColumn
from accounting.ledger.trees import ANNOTATION, tree_of
from accounting.personalised_parts import JoinedLosses, LossesOfPart, join_losses, losses_of_part
from accounting.trees import leaves
from amun_dp.eventlog.log import declared_public
from amun_dp.folder.names import INTERNAL_FOLDER
from amun_dp.reading import read_log
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.checks import Fault, require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.ledger.ledger_checks import ReadLedger, RowsInParts, compare_rows

_NOISE = {name: "float64" if name == "scale" else "int64" for name in PerEventNoise.__dataclass_fields__}


def read_streamed_ledger(contents: Contents) -> tuple[ReadLedger, str]:
    """The ledger, its checksums, its chain and the meaning of every record verified, every row looked at."""
    for name in ("ledger.json", "ledger.parquet"):
        contents.files(f"{INTERNAL_FOLDER}/{name}")
    opened = open_parts(contents.folder / INTERNAL_FOLDER)
    if event_class(opened.records[opened.with_rows]["kind"]) is not BoundedLaplace:
        raise Fault("the rows are not those of the article's time mechanism, and no others are written in parts")
    parts, first = [], 0
    for number in range(len(opened.parts)):
        noise = _noise(opened.columns(number))
        parts.append(losses_of_part(_from_zero(noise, first), opened.rows))
        first += len(parts[-1].origin)
    losses = join_losses(parts)
    rows = _telling_rows(opened, parts, losses)
    ledger = opened.ledger({f"columns.{name}": column for name, column in rows.items()})
    tree = tree_of(ledger)
    _check_meaning(tree, rows)
    said = f"{len(ledger.records)} records, hashes and checksums; {opened.rows:,} rows, part by part"
    return ReadLedger(ledger, tree, account(tree), RowsInParts(opened, losses.account)), said


def _noise(columns: Mapping[str, Column]) -> dict[str, Numbers]:
    others = {name for name in columns if not name.startswith(ANNOTATION)} - {f"columns.{name}" for name in _NOISE}
    require(not others, "the rows of the ledger have a column that no mechanism has")
    found = {}
    for name, kind in _NOISE.items():
        column = columns.get(f"columns.{name}")
        if column is None or isinstance(column, TextColumn) or column.dtype != kind:
            raise Fault(f"the rows of the ledger have no numbers of type {kind} for '{name}'")
        found[name] = column
    return found


def _from_zero(noise: Mapping[str, Numbers], first: int) -> PerEventNoise:
    """The columns of a part that begins with released case ``first``, as columns of their own."""
    case = noise["case"]
    whole = len(case) > 0 and int(case[0]) == first and bool(np.isin(np.diff(case), (0, 1)).all())
    if not whole:
        raise Fault("the parts do not hold whole cases in their order, as this software writes them")
    return PerEventNoise(**{**noise, "case": case - first})


def _check_meaning(tree: PrivacyEvent, rows: Mapping[str, Numbers]) -> None:
    """Every column is what its name says: the record may not have it stand for something else."""
    found = [
        leaf.columns.reveal()
        for leaf in leaves(tree)
        if isinstance(leaf, BoundedLaplace) and isinstance(leaf.columns, Confidential)
    ]
    same = [all(np.array_equal(getattr(noise, name), column) for name, column in rows.items()) for noise in found]
    require(same == [True], "the record that has the rows reads other columns than their names say")


def _telling_rows(opened: LedgerInParts, parts: list[LossesOfPart], losses: JoinedLosses) -> dict[str, Numbers]:
    """The rows that an account needs, from the parts that have some of them."""
    pieces = []
    for number, part in enumerate(parts):
        if np.isin(part.origin, losses.origins).any() or np.isin(part.individuals.owner, losses.individuals).any():
            noise = _noise(opened.columns(number))
            rows = losses.telling(noise["origin"], noise["individual"])
            pieces.append({name: column[rows] for name, column in noise.items()})
    found = {name: np.concatenate([piece[name] for piece in pieces]) for name in _NOISE}
    found["case"] = np.unique(found["case"], return_inverse=True)[1].astype(np.int64)
    return found


def streamed_ledger_log(read: ReadLedger, contents: Contents, report: PublicReport) -> str:
    """Each row of the ledger is an event of the released log; both are in the same parts."""
    assert read.in_parts is not None  # the one that was read in parts
    ledger, files = read.in_parts.ledger, contents.files(str(report.released.file))
    require(len(files) == len(ledger.parts), "the ledger is in other parts than the released log")
    first = 0
    for number, path in enumerate(files):
        columns, log = ledger.columns(number), declared_public(read_log(path))
        names, activities = (_texts(columns, name) for name in ("released_case", "activity"))
        compare_rows(_noise(columns)["case"] - first, names, activities, log)
        first += log.n_cases
    return f"{ledger.rows:,} rows, one an event, part by part"


def _texts(columns: Mapping[str, Column], name: str) -> TextColumn:
    column = columns.get(ANNOTATION + name)
    if not isinstance(column, TextColumn):
        raise Fault(f"the rows of the ledger have no text for '{name}'")
    return column
