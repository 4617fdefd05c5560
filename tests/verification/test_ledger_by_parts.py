"""A large ledger in parts is read part by part: it passes what one in one piece passes, and every change is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accounting.ledger import tree_of
from accounting.ledger.in_parts import open_parts, part_name, write_part, write_parts_document
from accounting.ledger.records import GENESIS, Column, ColumnFacts, record_hash
from accounting.ledger.texts import TextColumn
from amun_dp.folder.parts import first_cases
from amun_dp.verification import Name, Outcome, Verification, verify
from amun_dp.verification.checks import Part
from tests.verification.cutting import EVENTS_A_PART, PARTS, cut_ledger, write_in_parts
from tests.verification.forging import log_in, with_columns
from tests.verification.releases import Shelf, checked, failing, outcome


@pytest.fixture
def by_parts(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release as Spark writes it, log and ledger cut between the same cases, checked as if it were large."""
    folder = shelf.copy(tmp_path / "release", format="parquet")
    log = log_in(folder)
    log = with_columns(log, case_names=np.sort(log.case_names.astype(str)).astype(object))
    ends = first_cases(log.n_cases, PARTS)[1:].tolist()
    monkeypatch.setattr(EVENTS_A_PART, -(-log.n_events // PARTS))
    write_in_parts(folder, log, ends)
    cut_ledger(folder, ends, log.case_names.tolist())
    monkeypatch.setattr("amun_dp.verification.run.MOST_AT_ONCE", 10)
    return folder


def internal_outcomes(found: Verification) -> dict[Name, Outcome]:
    return {check.name: check.outcome for check in found.checks if check.name.part is Part.INTERNAL}


def test_a_ledger_read_part_by_part_passes_every_check_that_one_in_one_piece_passes(
    by_parts: Path, shelf: Shelf
) -> None:
    found = checked(by_parts)
    assert "part by part" in next(check.detail for check in found.checks if check.name is Name.LEDGER)
    assert internal_outcomes(found) == internal_outcomes(checked(shelf.kept("parquet")))
    assert set(internal_outcomes(found).values()) == {Outcome.PASSED}


def test_a_ledger_is_read_at_once_where_the_original_is_there(by_parts: Path) -> None:
    found = checked(by_parts, with_original=True)
    assert "part by part" not in next(check.detail for check in found.checks if check.name is Name.LEDGER)
    assert not found.failed


def test_a_ledger_whose_parts_cut_cases_is_not_as_it_is_written(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shelf.copy(tmp_path / "release", format="parquet")
    cut_ledger(folder)
    monkeypatch.setattr("amun_dp.verification.run.MOST_AT_ONCE", 10)
    assert Name.LEDGER in failing(folder)


def test_a_ledger_in_one_piece_too_large_for_memory_is_said_to_be_unchecked(
    shelf: Shelf,
) -> None:
    found = verify(shelf.kept("parquet"), prove=False, max_events=10)
    assert not found.failed and outcome(found, Name.LEDGER) is Outcome.NOT_CHECKED


def other_losses(folder: Path) -> None:
    path = folder / "internal" / "report.json"
    data = json.loads(path.read_text())
    data["losses"]["cases"]["median"] = "0.5"
    path.write_text(json.dumps(data))


def other_figures(folder: Path) -> None:
    path = folder / "internal" / "report.json"
    data = json.loads(path.read_text())
    data["guarantees"][0]["epsilon"] = 0.125
    path.write_text(json.dumps(data))


def rewritten(folder: Path, change: Callable[[dict[str, Column]], None], changed: tuple[int, ...] = (1,)) -> None:
    """Parts of the ledger with other rows, hashed as if they belonged there."""
    internal = folder / "internal"
    opened = open_parts(internal)
    pieces = [dict(opened.columns(number)) for number in range(PARTS)]
    tree = tree_of(opened.ledger(pieces[0]))
    for number in changed:
        change(pieces[number])
    shutil.rmtree(internal / "ledger.parquet")
    (internal / "ledger.json").unlink()
    (internal / "ledger.parquet").mkdir(mode=0o700)
    parts = [
        write_part(piece, opened.with_rows, internal / "ledger.parquet" / part_name(number))
        for number, piece in enumerate(pieces)
    ]
    write_parts_document(tree, parts, internal)


def less_noise(columns: dict[str, Column]) -> None:
    scale = columns["columns.scale"]
    assert isinstance(scale, np.ndarray)
    columns["columns.scale"] = scale * np.where(np.arange(len(scale)) == 3, 1e-3, 1.0)


def another_activity(columns: dict[str, Column]) -> None:
    activity = columns["annotation:activity"]
    assert isinstance(activity, TextColumn)
    columns["annotation:activity"] = TextColumn(activity.codes[::-1].copy(), activity.known)


def another_case(columns: dict[str, Column]) -> None:
    names = columns["annotation:released_case"]
    assert isinstance(names, TextColumn)
    columns["annotation:released_case"] = TextColumn(
        names.codes, tuple("f" * 32 if place == names.codes[0] else name for place, name in enumerate(names.known))
    )


def fewer_copies(columns: dict[str, Column]) -> None:
    copies, origin = columns["columns.copies"], columns["columns.origin"]
    assert isinstance(copies, np.ndarray) and isinstance(origin, np.ndarray)
    columns["columns.copies"] = np.ones_like(copies)
    columns["columns.origin"] = np.zeros_like(origin)


def short_numbers(columns: dict[str, Column]) -> None:
    copies = columns["columns.copies"]
    assert isinstance(copies, np.ndarray)
    columns["columns.copies"] = copies.astype(np.int32)


def another_order(columns: dict[str, Column]) -> None:
    case = columns["columns.case"]
    assert isinstance(case, np.ndarray)
    columns["columns.case"] = case + 1


def one_more_column(columns: dict[str, Column]) -> None:
    columns["columns.more"] = np.zeros(len(columns["columns.case"]), dtype=np.int64)


def misread(folder: Path) -> None:
    """The record takes one column for another, and all hashes are made again."""
    path = folder / "internal" / "ledger.json"
    exchanged = {"columns.copies": "columns.value_range", "columns.value_range": "columns.copies"}
    document, previous = json.loads(path.read_text(encoding="utf-8")), GENESIS
    for record in document["records"]:
        for value in _columns_in(record["parameters"]):
            value["column"] = exchanged.get(value["column"], value["column"])
        facts = [ColumnFacts(**column) for column in record["columns"]]
        record["previous"] = previous
        previous = record["hash"] = record_hash(previous, record["kind"], record["parameters"], facts)
    document["head"] = previous
    path.write_text(json.dumps(document), encoding="utf-8")


def _columns_in(value: Any) -> Iterator[dict[str, str]]:
    if isinstance(value, dict) and value.keys() == {"column"}:
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _columns_in(each)


@pytest.mark.parametrize(
    ("damage", "fails"),
    [
        (lambda folder: rewritten(folder, another_order, (2,)), {Name.LEDGER}),
        (lambda folder: rewritten(folder, one_more_column, (0, 1, 2)), {Name.LEDGER}),
        (misread, {Name.LEDGER}),
        (other_losses, {Name.INTERNAL_REPORT}),
        (other_figures, {Name.INTERNAL_REPORT}),
        (lambda folder: rewritten(folder, less_noise), {Name.INTERNAL_REPORT}),
        (lambda folder: rewritten(folder, another_activity), {Name.LEDGER_LOG}),
        (lambda folder: rewritten(folder, another_case), {Name.LEDGER_LOG}),
        (lambda folder: rewritten(folder, fewer_copies), {Name.LEDGER}),
        (lambda folder: rewritten(folder, short_numbers, (0, 1, 2)), {Name.LEDGER}),
    ],
)
def test_what_is_wrong_with_a_ledger_read_part_by_part_is_found(
    damage: Callable[[Path], None], fails: set[Name], by_parts: Path
) -> None:
    assert not failing(by_parts)
    damage(by_parts)
    assert failing(by_parts) == fails


def test_a_part_of_a_ledger_that_was_changed_is_found_before_its_rows_are_used(by_parts: Path) -> None:
    path = by_parts / "internal" / "ledger.parquet" / part_name(1)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert failing(by_parts) == {Name.LEDGER}
