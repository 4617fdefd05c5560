"""Folders of Parquet files that something happened to. Every engine gets the same ones, and must treat them alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

PARTS, ROWS = 4, 60
SECRET = "Erika Mustermann"
"""The name of a case, which no message may quote."""
TIME = pa.timestamp("us", "UTC")


class BadInput(NamedTuple):
    """What happens to a folder of files, and whether it can still be read as what it says it is."""

    spoil: Callable[[Path], Path]
    """Given the folder, returns the log to be read."""
    outcome: Literal["refused", "read"]
    rows: int = PARTS * ROWS
    """Of the log, if it is read."""


INPUTS: dict[str, BadInput] = {}


def part(number: int, rows: int = ROWS) -> pa.Table:
    """Events of twelve cases, all at the same time, so that their order is that of files and rows."""
    place = [number * ROWS + row for row in range(rows)]
    return pa.table(
        {
            "case": pa.array([f"{SECRET} {each % 12}" for each in place], pa.string()),
            "activity": pa.array([f"step {each}" for each in place], pa.string()),
            "time": pa.array([1_600_000_000_000_000] * rows, pa.int64()).cast(TIME),
            "cost": pa.array(place, pa.int64()),
        }
    )


def folder_of_parts(parent: Path) -> Path:
    folder = parent / "lake.parquet"
    folder.mkdir()
    for number in range(PARTS):
        write(part(number), folder / f"part-{number}.parquet")
    return folder


def write(table: pa.Table, path: Path, **options: Any) -> None:
    """Plain pages with checksums, as Spark and Hadoop write them, so that a test can find a text and change it."""
    plain: dict[str, Any] = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    pq.write_table(table, path, **(plain | options))


def refused(spoil: Callable[[Path], Path | None]) -> Callable[[Path], Path | None]:
    INPUTS[spoil.__name__] = BadInput(lambda folder: spoil(folder) or folder, "refused")
    return spoil


def read(rows: int = PARTS * ROWS) -> Callable[[Callable[[Path], Path | None]], Callable[[Path], Path | None]]:
    def added(spoil: Callable[[Path], Path | None]) -> Callable[[Path], Path | None]:
        INPUTS[spoil.__name__] = BadInput(lambda folder: spoil(folder) or folder, "read", rows)
        return spoil

    return added


def replaced(folder: Path, number: int, table: pa.Table, **options: Any) -> None:
    write(table, folder / f"part-{number}.parquet", **options)


def changed(folder: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    path = folder / f"part-{number}.parquet"
    path.write_bytes(change(path.read_bytes()))


def folders_by_case(parent: Path) -> Path:
    """The same rows, with the case in the names of folders. Only Spark reads that."""
    folder = parent / "by-case.parquet"
    for number in range(PARTS):
        table = part(number)
        for case in range(12):
            rows = [row for row in range(ROWS) if (number * ROWS + row) % 12 == case]
            own = folder / f"case={SECRET} {case}"
            own.mkdir(parents=True, exist_ok=True)
            write(table.drop_columns("case").take(rows), own / f"part-{number}.parquet")
    return folder


# --- files that are no files of the log, or no whole ones ---


@refused
def an_empty_part(folder: Path) -> None:
    """And no column of whole numbers, for which Spark's files were looked at before."""
    for number in range(PARTS):
        replaced(folder, number, part(number).drop_columns("cost"))
    changed(folder, 2, lambda _: b"")


@refused
def an_empty_first_part(folder: Path) -> None:
    changed(folder, 0, lambda _: b"")


@refused
def nothing_but_empty_parts(folder: Path) -> None:
    for number in range(PARTS):
        changed(folder, number, lambda _: b"")


@refused
def one_empty_file_as_the_log(folder: Path) -> Path:
    (folder.parent / "log.parquet").touch()
    return folder.parent / "log.parquet"


@refused
def a_part_that_is_cut_in_half(folder: Path) -> None:
    changed(folder, 1, lambda whole: whole[: len(whole) // 2])


@refused
def a_part_that_lacks_its_last_byte(folder: Path) -> None:
    changed(folder, 1, lambda whole: whole[:-1])


@refused
def a_part_that_lacks_its_first_half(folder: Path) -> None:
    """Its end is that of a Parquet file; what it states to be before it is not there."""
    changed(folder, 1, lambda whole: whole[len(whole) // 2 :])


@refused
def a_part_of_zeros(folder: Path) -> None:
    changed(folder, 1, lambda whole: bytes(len(whole)))


@refused
def a_page_that_does_not_have_its_checksum(folder: Path) -> None:
    """Another name for a case: nothing but the checksum shows it."""
    changed(folder, 1, lambda whole: whole.replace(SECRET.encode() + b" 7", SECRET.encode() + b" 8", 1))


@refused
def a_part_whose_text_is_no_text(folder: Path) -> None:
    case = pa.array([b"\xff\xfe" + SECRET.encode()] * ROWS, pa.binary()).view(pa.string())
    replaced(folder, 1, part(1).set_column(0, "case", case), write_statistics=False)


@refused
def a_csv_file_among_the_parts(folder: Path) -> None:
    (folder / "part-4.csv").write_text("case,activity,time\n1,a,2020-01-01\n")


@refused
def a_csv_file_with_the_name_of_a_part(folder: Path) -> None:
    (folder / "part-4.parquet").write_text("case,activity,time\n1,a,2020-01-01\n")


@refused
def a_note_among_the_parts(folder: Path) -> None:
    (folder / "README").write_text("exported on Monday")


@refused
def a_link_to_a_part_that_is_not_there(folder: Path) -> None:
    (folder / "part-3.parquet").unlink()
    (folder / "part-3.parquet").symlink_to(folder / "moved.parquet")


@refused
def a_pipe_among_the_parts(folder: Path) -> None:
    os.mkfifo(folder / "part-4.parquet")


@refused
def a_part_that_is_a_folder(folder: Path) -> None:
    (folder / "part-3.parquet").unlink()
    (folder / "part-3.parquet").mkdir()
    write(part(3), folder / "part-3.parquet" / "part-3.parquet")


@refused
def parts_in_a_folder_of_the_folder(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "part-3.parquet").rename(folder / "more" / "part-3.parquet")


@refused
def some_parts_in_a_folder_that_is_named_by_a_column(folder: Path) -> None:
    (folder / "place=01").mkdir()
    (folder / "part-3.parquet").rename(folder / "place=01" / "part-3.parquet")


@refused
def a_folder_without_files(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


@refused
def a_folder_with_nothing_but_bookkeeping(folder: Path) -> None:
    for path in folder.iterdir():
        path.rename(folder / f"_{path.name}")
    (folder / "_SUCCESS").touch()


@refused
def a_log_that_does_not_exist(folder: Path) -> Path:
    return folder.parent / "nowhere.parquet"


@refused
def a_pattern_that_files_meet(folder: Path) -> Path:
    return folder / "part-*.parquet"


@refused
def a_copy_that_is_not_done(folder: Path) -> None:
    (folder / "part-3.parquet").rename(folder / "part-3.parquet._COPYING_")


@refused
def a_job_that_is_still_writing(folder: Path) -> None:
    (folder / "_temporary" / "0").mkdir(parents=True)


# --- files that do not fit together ---


@refused
def a_part_that_lacks_a_needed_column(folder: Path) -> None:
    replaced(folder, 2, part(2).drop_columns("activity"))


@refused
def a_part_that_lacks_another_column(folder: Path) -> None:
    replaced(folder, 2, part(2).drop_columns("cost"))


@refused
def a_first_part_that_lacks_a_column(folder: Path) -> None:
    replaced(folder, 0, part(0).drop_columns("activity"))


@refused
def a_part_with_one_more_column(folder: Path) -> None:
    replaced(folder, 2, part(2).append_column("concept:name", part(2).column("case")))


@refused
def a_part_with_a_column_in_capitals(folder: Path) -> None:
    replaced(folder, 2, part(2).rename_columns(["case", "Activity", "time", "cost"]))


@refused
def a_part_with_numbers_for_text(folder: Path) -> None:
    replaced(folder, 2, part(2).set_column(0, "case", pa.array(range(ROWS), pa.int64())))


@refused
def a_part_with_text_for_times(folder: Path) -> None:
    replaced(folder, 2, part(2).set_column(2, "time", pa.array(["2020-01-01T00:00:00Z"] * ROWS)))


@refused
def a_part_with_times_in_milliseconds(folder: Path) -> None:
    time = part(2).column("time").cast(pa.timestamp("ms", "UTC"))
    replaced(folder, 2, part(2).set_column(2, "time", time))


@refused
def a_part_with_times_in_nanoseconds(folder: Path) -> None:
    time = part(2).column("time").cast(pa.timestamp("ns", "UTC"))
    replaced(folder, 2, part(2).set_column(2, "time", time))


@refused
def a_part_with_times_without_a_zone(folder: Path) -> None:
    time = part(2).column("time").cast(pa.timestamp("us"))
    replaced(folder, 2, part(2).set_column(2, "time", time))


@refused
def a_part_with_days_for_times(folder: Path) -> None:
    """Spark would read midnight."""
    replaced(folder, 2, part(2).set_column(2, "time", part(2).column("time").cast(pa.date32())))


@refused
def a_part_whose_column_has_no_type(folder: Path) -> None:
    """As pandas writes a column without a value."""
    replaced(folder, 2, part(2).set_column(0, "case", pa.nulls(ROWS)))


@refused
def nothing_but_parts_without_rows(folder: Path) -> None:
    for number in range(PARTS):
        replaced(folder, number, part(number, rows=0))


# --- what looks strange and is in order ---


@read()
def as_it_was(folder: Path) -> None:
    pass


@read(rows=(PARTS - 1) * ROWS)
def a_part_without_rows(folder: Path) -> None:
    replaced(folder, 1, part(1, rows=0))


@read(rows=(PARTS + 1) * ROWS)
def a_part_that_is_there_twice(folder: Path) -> None:
    """Perhaps by mistake; but events may be alike."""
    (folder / "part-1-copy.parquet").write_bytes((folder / "part-1.parquet").read_bytes())


@read()
def a_part_whose_columns_are_in_another_order(folder: Path) -> None:
    replaced(folder, 2, part(2).select(["cost", "time", "case", "activity"]))


@read()
def a_part_with_another_type_in_a_column_that_nobody_needs(folder: Path) -> None:
    replaced(folder, 2, part(2).set_column(3, "cost", pa.array(["much"] * ROWS)))


@read()
def parts_of_other_writers(folder: Path) -> None:
    """The same types to Parquet: text in a dictionary, long text, a zone's name, values that are never missing."""
    table = part(1)
    replaced(folder, 1, table.set_column(0, "case", table.column("case").cast(pa.large_string())))
    replaced(folder, 2, part(2).set_column(1, "activity", part(2).column("activity").dictionary_encode()))
    zoned = part(3).column("time").cast(pa.timestamp("us", "Europe/Berlin"))
    table = part(3).set_column(2, "time", zoned)
    replaced(folder, 3, table.cast(pa.schema([field.with_nullable(False) for field in table.schema])))


@read()
def parts_in_other_compressions(folder: Path) -> None:
    for number, compression in enumerate(("snappy", "gzip", "zstd")):
        replaced(folder, number, part(number), compression=compression, use_dictionary=True)


@read()
def bookkeeping_of_those_who_write(folder: Path) -> None:
    (folder / "_SUCCESS").touch()
    (folder / ".hidden").write_text("no Parquet")
    (folder / "_delta_log").mkdir()
    write(part(0), folder / "_old.parquet")
    write(part(0), folder / ".part-9.parquet.tmp")


@read()
def a_summary_of_other_columns(folder: Path) -> None:
    """Spark would take its columns for those of the files, and find nothing in them."""
    pq.write_metadata(pa.schema([("case", pa.string()), ("activity", pa.int32())]), folder / "_metadata")
    pq.write_metadata(pa.schema([("case", pa.string()), ("activity", pa.int32())]), folder / "_common_metadata")


@read()
def parts_without_an_ending(folder: Path) -> None:
    """As Hive writes them; one of them only, which is worse."""
    (folder / "part-2.parquet").rename(folder / "part-2")


@read()
def names_that_are_in_another_order_as_addresses(folder: Path) -> None:
    """A blank is before an exclamation mark, but %20 is behind it."""
    for number, name in enumerate(("a b", "a!b", "a%b", "aéb")):
        (folder / f"part-{number}.parquet").rename(folder / f"{name}.parquet")


@read()
def a_folder_whose_name_is_a_pattern(folder: Path) -> Path:
    """And meets another folder."""
    other = folder.parent / "lake1.parquet"
    folder.rename(other)
    log = folder.parent / "lake[12].parquet"
    log.mkdir()
    for number in range(PARTS):
        write(part(number), log / f"part-{number}.parquet")
    write(part(0), other / "part-9.parquet")
    return log


@read()
def a_folder_that_is_a_link(folder: Path) -> Path:
    link = folder.parent / "link.parquet"
    link.symlink_to(folder, target_is_directory=True)
    return link
