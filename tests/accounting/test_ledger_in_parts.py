"""A ledger in parts is the ledger that is written at once, and no part of it can be changed, moved or left out."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import BoundedLaplace, CaseMoves, LaplaceCount, PerEventNoise, PrivacyEvent, Sequential
from accounting.ledger import LedgerError, ledger_of, read_ledger
from accounting.ledger.files import JSON_FILE, PARQUET_FILE, _checksum, _page
from accounting.ledger.in_parts import part_name, record_with_rows, write_part, write_parts_document
from accounting.ledger.records import Column
from accounting.ledger.texts import text_column


def noise(cases: int) -> PerEventNoise:
    case = np.repeat(np.arange(cases), 2)
    return PerEventNoise(case, case + 5, (case * 0.5 + 1).astype(np.float64), np.ones_like(case), case, case)


def tree(columns: PerEventNoise) -> PrivacyEvent:
    return Sequential((LaplaceCount(2.0), CaseMoves(), BoundedLaplace(0.2, Confidential(columns))))


def write_in_parts(columns: PerEventNoise, labels: list[str], cuts: list[int], folder: Path) -> None:
    """The rows cut at these places; two cases stand for all of them in the tree."""
    standing_for_all = tree(noise(2))
    (folder / PARQUET_FILE).mkdir(parents=True)
    ends = sorted({0, len(labels), *(cut % len(labels) for cut in cuts)})
    parts = []
    for number, (first, last) in enumerate(pairwise(ends)):
        rows: Mapping[str, Column] = {
            **{f"columns.{field.name}": getattr(columns, field.name)[first:last] for field in fields(PerEventNoise)},
            "annotation:activity": text_column(labels[first:last]),
        }
        path = folder / PARQUET_FILE / part_name(number)
        parts.append(write_part(rows, record_with_rows(standing_for_all), path))
    write_parts_document(standing_for_all, parts, folder)


@given(st.integers(2, 40), st.lists(st.integers(0, 100), max_size=5), st.lists(st.sampled_from("aä€😀"), min_size=1))
def test_a_ledger_in_parts_is_the_one_in_one_piece(cases: int, cuts: list[int], letters: list[str]) -> None:
    columns = noise(cases)
    labels = [letters[k % len(letters)] * (k % 4) for k in range(2 * cases)]
    with tempfile.TemporaryDirectory() as name:
        write_in_parts(columns, labels, cuts, Path(name))
        assert read_ledger(Path(name)).head == ledger_of(tree(columns), {"activity": text_column(labels)}).head


def test_a_tree_without_columns_has_no_parts() -> None:
    with pytest.raises(AccountingError, match="exactly one event"):
        record_with_rows(LaplaceCount(2.0))


def test_a_ledger_in_parts_is_never_written_over(tmp_path: Path) -> None:
    labels = list("abcd")
    write_in_parts(noise(2), labels, [], tmp_path)
    with pytest.raises(LedgerError, match="never overwritten"):
        write_parts_document(tree(noise(2)), [], tmp_path)


def swap(folder: Path) -> None:
    one, other = (folder / PARQUET_FILE / part_name(number) for number in (0, 1))
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


def leave_out(folder: Path) -> None:
    (folder / PARQUET_FILE / part_name(2)).unlink()


def add(folder: Path) -> None:
    shutil.copy(folder / PARQUET_FILE / part_name(2), folder / PARQUET_FILE / part_name(3))


def flip(folder: Path) -> None:
    path = folder / PARQUET_FILE / part_name(1)
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(bytes(content))


def forged(change: Callable[[dict[str, list[dict[str, object]]]], None]) -> Callable[[Path], None]:
    """A document that was changed and whose checksum was made again; its chain was not."""

    def run(folder: Path) -> None:
        document = json.loads((folder / JSON_FILE).read_bytes())
        change(document)
        (folder / JSON_FILE).write_bytes(_page({**document, "checksum": _checksum(document)}))

    return run


@forged
def swap_all(document: dict[str, list[dict[str, object]]]) -> None:
    one, other = document["parts"][:2]
    document["parts"][:2] = [{**other, "name": one["name"]}, {**one, "name": other["name"]}]


@forged
def name_outside(document: dict[str, list[dict[str, object]]]) -> None:
    document["parts"][0]["name"] = "../part-00000.parquet"


@forged
def drop_last(document: dict[str, list[dict[str, object]]]) -> None:
    document["parts"].pop()


def swap_both(folder: Path) -> None:
    """Files and what is said of them: only the chain is as it was."""
    swap(folder)
    swap_all(folder)


def drop_both(folder: Path) -> None:
    leave_out(folder)
    drop_last(folder)


@pytest.mark.parametrize(
    "damage", [swap, leave_out, add, flip, swap_all, name_outside, drop_last, swap_both, drop_both]
)
def test_no_part_can_be_changed_moved_or_left_out(damage: Callable[[Path], None], tmp_path: Path) -> None:
    labels = list("abcdefghijklmnop")
    write_in_parts(noise(8), labels, [4, 8], tmp_path)
    assert len(read_ledger(tmp_path).records) == 4
    damage(tmp_path)
    with pytest.raises(LedgerError):
        read_ledger(tmp_path)


def test_a_ledger_in_parts_has_no_seal(tmp_path: Path) -> None:
    write_in_parts(noise(2), list("abcd"), [], tmp_path)
    with pytest.raises(LedgerError, match="not sealed"):
        read_ledger(tmp_path, key=b"k" * 32)
