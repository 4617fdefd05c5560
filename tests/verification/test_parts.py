"""A release in parts is verified as one in one piece is: whole it passes, and every change of a part is found."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from accounting.ledger.in_parts import part_name
from amun_dp import load_release
from amun_dp.errors import InputError
from amun_dp.folder.parts import first_cases
from amun_dp.reading import read_log
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.public_report import PublicReport
from amun_dp.verification import Judgement, Name, Outcome
from amun_dp.verification.checks import Part
from amun_dp.writing import write_log
from tests.verification.cutting import EVENTS_A_PART, PARTS, cut_ledger, in_order_of_names, write_in_parts
from tests.verification.forging import log_in, report_in, reseal, with_columns
from tests.verification.releases import Shelf, certified, checked, failed_in, failing, outcome


@pytest.fixture
def release(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release of one machine, cut as Spark's workers would have written it."""
    folder = shelf.copy(tmp_path / "release", format="parquet")
    log = log_in(folder)
    monkeypatch.setattr(EVENTS_A_PART, log.n_events // PARTS + 1)  # with room for an event more
    write_in_parts(folder, log, first_cases(log.n_cases, PARTS)[1:].tolist())
    cut_ledger(folder)
    return folder


def test_a_release_in_parts_passes_every_check_that_one_in_one_piece_passes(release: Path, shelf: Shelf) -> None:
    whole = checked(shelf.kept("parquet"), with_original=True)
    parts = checked(release, with_original=True)
    assert [(check.name, check.outcome) for check in parts.checks] == [
        (check.name, check.outcome) for check in whole.checks
    ]
    assert not parts.failed and outcome(parts, Name.BYTES) is Outcome.PASSED


def test_a_release_in_parts_is_loaded_as_one_in_one_piece(release: Path, shelf: Shelf) -> None:
    one, other = load_release(release), load_release(shelf.kept("parquet"))
    assert one.log.equals(other.log) and one.ledger is not None and other.ledger is not None
    assert one.ledger.reveal().head == other.ledger.reveal().head


def test_the_hash_is_that_of_the_list_of_parts_and_their_hashes(release: Path) -> None:
    parts = sorted((release / "log.parquet").iterdir())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in parts]
    assert len(lines) == PARTS
    assert report_in(release)["files"]["log.parquet"] == hashlib.sha256("".join(lines).encode()).hexdigest()


def swap(log: Path) -> None:
    (log / part_name(0)).rename(log / "aside")
    (log / part_name(1)).rename(log / part_name(0))
    (log / "aside").rename(log / part_name(1))


def leave_out(log: Path) -> None:
    (log / part_name(2)).unlink()


def leave_out_the_first(log: Path) -> None:
    (log / part_name(0)).unlink()


def add_a_copy(log: Path) -> None:
    shutil.copy(log / part_name(0), log / part_name(3))


def empty(log: Path) -> None:
    for path in log.iterdir():
        path.unlink()


@pytest.mark.parametrize("damage", [swap, leave_out, leave_out_the_first, add_a_copy, empty])
def test_a_change_of_the_parts_is_found_by_their_hash(damage: Callable[[Path], None], release: Path) -> None:
    damage(release / "log.parquet")
    assert Name.HASHES in failing(release)
    with pytest.raises(InputError):
        load_release(release)


def foreign(log: Path) -> None:
    (log / "notes.txt").write_text("data")


def link(log: Path) -> None:
    (log / part_name(3)).symlink_to(log / part_name(0))


def pipe(log: Path) -> None:
    os.mkfifo(log / part_name(3))


def folder_inside(log: Path) -> None:
    (log / part_name(3)).mkdir()


@pytest.mark.parametrize("damage", [foreign, link, pipe, folder_inside])
def test_nothing_but_parts_may_be_among_them(damage: Callable[[Path], None], release: Path) -> None:
    damage(release / "log.parquet")
    assert Name.FILES in failing(release)
    with pytest.raises(InputError, match="more than the parts"):
        load_release(release)


def test_a_foreign_file_in_the_folder_keeps_a_release_from_being_replaced(release: Path, shelf: Shelf) -> None:
    from amun_dp.errors import OutputError
    from amun_dp.writing import check_target

    check_target(release, force=True)
    foreign(release / "log.parquet")
    with pytest.raises(OutputError, match="not a release"):
        check_target(release, force=True)


def test_parts_that_are_not_cut_evenly_hide_something_in_the_cut(release: Path) -> None:
    log = log_in(release)
    write_in_parts(release, log, [2, 5, log.n_cases])
    assert failing(release) == {Name.BYTES}


def test_parts_that_are_more_than_the_log_calls_for_hide_something_in_their_number(release: Path) -> None:
    log = log_in(release)
    write_in_parts(release, log, first_cases(log.n_cases, PARTS + 1)[1:].tolist())
    assert failing(release) == {Name.BYTES}


def another_writer(folder: Path) -> None:
    """The first part says that another pyarrow wrote it, so that its bytes cannot be compared."""
    path = folder / "log.parquet" / part_name(0)
    content = path.read_bytes()
    assert content.count(b"arrow version ") == 1
    at = content.index(b"arrow version ") + len(b"arrow version ")
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    reseal(folder)


def test_a_part_of_another_pyarrow_does_not_keep_the_others_from_being_looked_at(release: Path) -> None:
    another_writer(release)
    assert outcome(checked(release), Name.PACKING) is Outcome.NOT_CHECKED
    log = log_in(release)
    write_in_parts(release, log, [log.n_cases // PARTS, log.n_cases // PARTS + 2, log.n_cases])
    another_writer(release)
    assert failing(release) == {Name.BYTES}


def test_a_case_that_goes_on_in_the_next_part_has_its_name_twice(release: Path) -> None:
    log = log_in(release)
    first = log.case == 0
    rows = np.flatnonzero(first)
    parts = [first & (np.arange(log.n_events) <= rows[0]), ~first | (np.arange(log.n_events) > rows[0])]
    facts = privacy_attributes(PublicReport.from_dict(report_in(release)))
    for path in (release / "log.parquet").iterdir():
        path.unlink()
    for number, keep in enumerate(parts):
        write_log(with_columns(log, keep=keep), release / "log.parquet" / part_name(number), facts)
    reseal(release)
    assert Name.UNIQUE_IDS in failing(release)


def test_more_events_than_the_report_states_are_found_whichever_part_has_them(release: Path) -> None:
    data = report_in(release)
    data["released"]["events"] -= 1
    reseal(release, data)
    found = checked(release)
    assert Name.LOG in failed_in(found)


def test_a_ledger_whose_parts_were_exchanged_is_refused(release: Path) -> None:
    swap(release / "internal" / "ledger.parquet")
    assert Name.LEDGER in failing(release)


def test_parts_of_a_ledger_that_others_can_read_are_found(release: Path) -> None:
    (release / "internal" / "ledger.parquet" / part_name(1)).chmod(0o644)
    assert failing(release) == {Name.INTERNAL_PRIVATE}
    (release / "internal" / "ledger.parquet" / part_name(1)).chmod(0o600)
    (release / "internal" / "ledger.parquet").chmod(0o755)
    assert failing(release) == {Name.INTERNAL_PRIVATE}


# --- more parts than memory holds ------------------------------------------------------------------------------------


@pytest.fixture
def large(release: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The release, its cases in the order of their names as Spark writes them, checked as if it were too large."""
    log = in_order_of_names(log_in(release))
    write_in_parts(release, log, first_cases(log.n_cases, PARTS)[1:].tolist())
    shutil.rmtree(release / "internal")
    for limit in ("MOST_AT_ONCE", "LARGEST_RELEASE"):  # without and with the original
        monkeypatch.setattr(f"amun_dp.verification.run.{limit}", 10)
    return release


def test_a_log_too_large_for_memory_is_checked_part_by_part(large: Path, shelf: Shelf) -> None:
    streamed = checked(large)
    assert [(check.name, check.outcome) for check in streamed.checks] == [
        (check.name, check.outcome)
        for check in checked(shelf.kept("parquet")).checks
        if check.name.part is Part.RELEASE
    ] + [(name, Outcome.NOT_CHECKED) for name in Name if name.part is Part.INTERNAL]
    assert {check.name for check in checked(large, with_original=True).unchecked} == {Name.CLAIMS}


def break_page(folder: Path) -> None:
    page = folder / "report.html"
    page.write_text(page.read_text().replace("cases", "Cases", 1))
    reseal(folder, page=False)


def miscount(folder: Path) -> None:
    data = report_in(folder)
    data["released"]["variants"] += 1
    reseal(folder, data)


def leave_out_events(folder: Path) -> None:
    data = report_in(folder)
    data["released"]["events"] += 1
    reseal(folder, data)


def regular_names(folder: Path) -> None:
    log = log_in(folder)
    names = np.array([f"{number:032x}" for number in range(log.n_cases)], dtype=object)
    write_in_parts(folder, with_columns(log, case_names=names), first_cases(log.n_cases, PARTS)[1:].tolist())


def plain_names(folder: Path) -> None:
    log = log_in(folder)
    names = np.array([f"patient-{number:04}" for number in range(log.n_cases)], dtype=object)
    write_in_parts(folder, with_columns(log, case_names=names), first_cases(log.n_cases, PARTS)[1:].tolist())


def metadata(folder: Path) -> None:
    path = folder / "log.parquet" / part_name(1)
    write_log(read_log(path), path, {"privacy:note": "more"})
    reseal(folder)


def uneven(folder: Path) -> None:
    log = log_in(folder)
    write_in_parts(folder, log, [2, 5, log.n_cases])


@pytest.mark.parametrize(
    ("damage", "fails"),
    [
        (break_page, {Name.PAGE}),
        (miscount, {Name.FIGURES}),
        (leave_out_events, {Name.FIGURES}),
        (regular_names, {Name.RANDOM_IDS}),
        (plain_names, {Name.RANDOM_IDS}),
        (metadata, {Name.ATTRIBUTES, Name.BYTES, Name.PACKING}),
        (uneven, {Name.BYTES}),
    ],
)
def test_what_is_wrong_with_a_log_too_large_for_memory_is_found(
    damage: Callable[[Path], None], fails: set[Name], large: Path
) -> None:
    damage(large)
    assert failing(large) == fails


def backwards(folder: Path) -> None:
    log = log_in(folder)
    turned = with_columns(log, case=log.n_cases - 1 - log.case, case_names=log.case_names[::-1])
    write_in_parts(folder, turned, first_cases(log.n_cases, PARTS)[1:].tolist())


def same_name(folder: Path, number: int, as_that_of: int) -> None:
    """Put there behind the reader's back, who would make one case of two in the same part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    log, ends = log_in(folder), first_cases(log_in(folder).n_cases, PARTS)
    part = int(np.searchsorted(ends, number, side="right")) - 1
    path = folder / "log.parquet" / part_name(part)
    table = pq.read_table(path)
    name = "case:concept:name"
    old, new = (str(log.case_names[each]) for each in (number, as_that_of))
    renamed = pa.array([new if each == old else each for each in table.column(name).to_pylist()], pa.string())
    place = table.column_names.index(name)
    pq.write_table(table.set_column(place, table.schema.field(name), renamed), path)
    reseal(folder)


def test_identifiers_that_do_not_rise_are_not_as_this_version_writes_them(large: Path) -> None:
    backwards(large)
    assert failing(large) == {Name.UNIQUE_IDS}


def test_identifiers_of_another_format_that_do_not_rise_are_not_checked_for_being_there_twice(large: Path) -> None:
    data = report_in(large)
    data["formats"]["drawing"] = 99
    data["software"]["amun-dp"] = "9.9.9"
    reseal(large, data)
    backwards(large)
    found = checked(large)
    assert not found.failed and outcome(found, Name.UNIQUE_IDS) is Outcome.NOT_CHECKED
    assert found.outcome is Judgement.NOT_JUDGED


def test_an_identifier_that_is_there_twice_is_found_part_by_part_also_across_a_cut(large: Path) -> None:
    first = int(first_cases(log_in(large).n_cases, PARTS)[1])
    same_name(large, first, first - 1)
    assert Name.UNIQUE_IDS in failing(large)


@pytest.mark.parametrize(("fact", "value"), [("longest_ms", 1), ("last_ms", 10**12), ("activities", 2)])
def test_a_certified_log_read_part_by_part_is_held_against_its_public_facts(
    fact: str, value: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "release"
    certified("generated").save(folder, format="parquet")
    log = in_order_of_names(log_in(folder))
    monkeypatch.setattr(EVENTS_A_PART, log.n_events // PARTS + 1)  # with room for an event more
    write_in_parts(folder, log, first_cases(log.n_cases, PARTS)[1:].tolist())
    monkeypatch.setattr("amun_dp.verification.run.MOST_AT_ONCE", 10)
    found = checked(folder)
    assert not found.failed and outcome(found, Name.UNIQUE_IDS) is Outcome.PASSED
    data = report_in(folder)
    data["parameters"][fact] = value
    reseal(folder, data)
    assert Name.FIGURES in failing(folder)
