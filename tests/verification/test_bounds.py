"""A small folder cannot fill the memory of whoever verifies it: beyond a limit it is not judged, in every format."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from amun_dp.folder.parts import log_digest
from amun_dp.reading.longest_pieces import LONGEST_LABEL
from amun_dp.verification import Judgement, Name, Outcome, Verification, verify
from tests.commandline import run
from tests.verification import forging
from tests.verification.releases import Shelf

FORMATS = ("xes", "csv", "parquet")
LOGS = {"xes": "log.xes.gz", "csv": "log.csv", "parquet": "log.parquet"}


def outcome_of_the_log(found: Verification) -> tuple[Outcome, str]:
    check = next(check for check in found.checks if check.name is Name.LOG)
    return check.outcome, check.detail


def stating(folder: Path, events: int) -> None:
    """The report of a forger, who states as many events as he likes."""
    data = forging.report_in(folder)
    data["released"]["events"] = events
    data["files"][data["released"]["file"]] = log_digest(folder / data["released"]["file"])
    forging.write_report(folder, data)


@pytest.mark.parametrize("format", FORMATS)
def test_a_log_with_more_events_than_the_limit_is_not_judged_and_the_limit_is_named(
    shelf: Shelf, tmp_path: Path, format: str
) -> None:
    folder = shelf.copy(tmp_path / "release", format, internal=False)
    events = forging.report_in(folder)["released"]["events"]
    assert verify(folder, prove=False, max_events=events).failed == ()
    found = verify(folder, prove=False, max_events=events - 1)
    assert outcome_of_the_log(found)[0] is Outcome.NOT_CHECKED
    assert "max_events" in outcome_of_the_log(found)[1]
    assert found.outcome is Judgement.NOT_JUDGED


@pytest.mark.parametrize("format", FORMATS)
def test_a_log_that_unpacks_to_more_bytes_than_the_limit_is_not_judged(
    shelf: Shelf, tmp_path: Path, format: str
) -> None:
    folder = shelf.copy(tmp_path / "release", format, internal=False)
    found = verify(folder, prove=False, max_unpacked=1_000)
    assert outcome_of_the_log(found)[0] is Outcome.NOT_CHECKED
    assert "max_unpacked" in outcome_of_the_log(found)[1]
    assert found.outcome is Judgement.NOT_JUDGED


def long_label(folder: Path, format: str) -> None:
    label, path = "x" * (LONGEST_LABEL + 1), folder / LOGS[format]
    if format == "xes":
        text = gzip.decompress(path.read_bytes()).decode()
        first = text.index('value="', text.index("<event>")) + len('value="')
        path.write_bytes(gzip.compress((text[:first] + label + text[text.index('"', first) :]).encode()))
    elif format == "csv":
        head, row, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
        case, _, time = row.split(",")
        path.write_text("".join([head, f"{case},{label},{time}", *others]), encoding="utf-8")
    else:
        table = pq.read_table(path)
        texts = [label, *table.column("concept:name").to_pylist()[1:]]
        pq.write_table(table.set_column(1, "concept:name", pa.array(texts)), path)


@pytest.mark.parametrize("format", FORMATS)
def test_a_label_longer_than_any_name_is_not_judged(shelf: Shelf, tmp_path: Path, format: str) -> None:
    folder = shelf.copy(tmp_path / "release", format, internal=False)
    long_label(folder, format)
    stating(folder, forging.report_in(folder)["released"]["events"])
    outcome, detail = outcome_of_the_log(verify(folder, prove=False))
    assert outcome is Outcome.NOT_CHECKED
    assert "65,536" in detail


def test_a_csv_of_empty_rows_ends_where_the_report_says_that_the_log_ends(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release", "csv", internal=False)
    with (folder / "log.csv").open("ab") as log:
        log.write(b",,\n" * 5_000_000)
    stating(folder, forging.report_in(folder)["released"]["events"])
    before = pa.default_memory_pool().max_memory() or 0
    outcome, detail = outcome_of_the_log(verify(folder, prove=False))
    assert outcome is Outcome.FAILED
    assert "more than" in detail
    assert (pa.default_memory_pool().max_memory() or 0) - before < 100_000_000


@pytest.mark.slow
def test_a_small_parquet_file_of_many_equal_rows_is_not_read_beyond_the_limit(shelf: Shelf, tmp_path: Path) -> None:
    """40 million rows in less than a megabyte took 8 GB. (The limit is lowered: the test need not take four.)"""
    folder = shelf.copy(tmp_path / "release", "parquet", internal=False)
    schema = pq.read_schema(folder / "log.parquet")
    few = pq.read_table(folder / "log.parquet").slice(0, 1)
    with pq.ParquetWriter(folder / "log.parquet", schema, compression="zstd") as writer:
        block = pa.concat_tables([few] * 1_000_000).combine_chunks()
        for _ in range(40):
            writer.write_table(block)
    assert (folder / "log.parquet").stat().st_size < 2_000_000
    stating(folder, 40_000_000)
    before = pa.default_memory_pool().max_memory() or 0
    found = verify(folder, prove=False, max_events=1_000_000)
    assert outcome_of_the_log(found)[0] is Outcome.NOT_CHECKED
    assert (pa.default_memory_pool().max_memory() or 0) - before < 100_000_000


def test_a_ledger_with_more_rows_than_the_limit_is_not_read(shelf: Shelf, tmp_path: Path) -> None:
    folder = shelf.copy(tmp_path / "release")
    rows = pq.read_table(folder / "internal" / "ledger.parquet")
    pq.write_table(pa.concat_tables([rows, rows]), folder / "internal" / "ledger.parquet")
    found = verify(folder, prove=False, max_events=len(rows))
    check = next(check for check in found.checks if check.name is Name.LEDGER)
    assert check.outcome is Outcome.NOT_CHECKED
    assert "max_events" in check.detail


def test_the_command_line_names_the_limit_and_exits_with_4(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shelf.copy(tmp_path / "release", internal=False)
    code, out, _ = run(capsys, "verify", folder, "--max-events", 10, "--json", "--no-prove")
    assert code == 4
    details: dict[str, Any] = {each["check"]: each for each in json.loads(out)["checks"]}
    assert "--max-events" in details[Name.LOG.value]["detail"]
    with pytest.raises(SystemExit, match="2"):
        run(capsys, "verify", folder, "--max-events", 0)
