"""A ledger written from batches is the ledger that is written at once."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.confidential import Confidential
from accounting.errors import AccountingError
from accounting.events import BoundedLaplace, CaseMoves, LaplaceCount, PerEventNoise, PrivacyEvent, Sequential
from accounting.ledger import ledger_of, read_ledger, write_ledger
from accounting.ledger.files import JSON_FILE
from accounting.ledger.records import Column
from accounting.ledger.streams import write_streamed_ledger
from accounting.ledger.texts import text_column


def noise(cases: int) -> PerEventNoise:
    case = np.repeat(np.arange(cases), 2)
    return PerEventNoise(case, case + 5, (case * 0.5 + 1).astype(np.float64), np.ones_like(case), case, case)


def tree(columns: PerEventNoise) -> PrivacyEvent:
    return Sequential((LaplaceCount(2.0), CaseMoves(), BoundedLaplace(0.2, Confidential(columns))))


@given(st.integers(2, 40), st.integers(1, 25), st.lists(st.sampled_from("aä€😀"), min_size=1))
def test_a_streamed_ledger_is_the_one_written_at_once(cases: int, rows: int, letters: list[str]) -> None:
    columns = noise(cases)
    labels = np.array([letters[k % len(letters)] * (k % 4) for k in range(2 * cases)], dtype=object)
    whole = ledger_of(tree(columns), {"activity": labels})

    def batches() -> Iterator[Mapping[str, Column]]:
        for start in range(0, 2 * cases, rows):
            part = slice(start, start + rows)
            yield {
                **{f"columns.{field.name}": getattr(columns, field.name)[part] for field in fields(PerEventNoise)},
                "annotation:activity": text_column(labels[part]),
            }

    with tempfile.TemporaryDirectory() as name:
        at_once, streamed = Path(name) / "one", Path(name) / "other"
        write_ledger(whole, at_once)
        write_streamed_ledger(tree(noise(2)), batches, streamed)  # two cases stand for all
        assert read_ledger(streamed).head == read_ledger(at_once).head == whole.head
        one, other = (json.loads((folder / JSON_FILE).read_bytes()) for folder in (at_once, streamed))
        assert one["records"] == other["records"]


def test_a_tree_without_columns_is_no_streamed_ledger(tmp_path: Path) -> None:
    with pytest.raises(AccountingError, match="exactly one event"):
        write_streamed_ledger(LaplaceCount(2.0), list, tmp_path)
