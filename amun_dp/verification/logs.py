"""Checks of the released log: its file, its figures, its order and its case identifiers."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path
from typing import IO, BinaryIO, cast

import numpy as np

from amun_dp.article_release import LARGEST_RELEASE
from amun_dp.eventlog import IntArray, PublicLog, declared_public
from amun_dp.figures import PublicFigures
from amun_dp.loading import released_log
from amun_dp.log_parts import first_cases, parts_for
from amun_dp.reading import read_log
from amun_dp.reading.files import opened, recognise
from amun_dp.report import PublicReport
from amun_dp.report_parameters import CertifiedParameters
from amun_dp.variants import find_variants
from amun_dp.verification.chance import FALSE_ALARM, balance_limit
from amun_dp.verification.checks import Fault, NotPossible, require
from amun_dp.verification.contents import Contents
from amun_dp.verification.older import facts_in_log
from amun_dp.verification.packing import packed_as_here, parquet_again, parquet_packed_as_here
from amun_dp.verification.raw import RawLog, joined, scan
from amun_dp.verification.reports import ReadReport
from amun_dp.writing.tables import write_csv
from amun_dp.writing.xes import write_xes

_IDENTIFIER = re.compile(r"[0-9a-f]{32}")
_BITS = 128


def scan_log(contents: Contents, read: ReadReport) -> tuple[RawLog, str]:
    """The log as it stands in its file, or in its parts."""
    report = read.report
    files = contents.files(str(report.released.file))
    require(report.released.events <= LARGEST_RELEASE, "the report states more events than this software can write")
    facts, most = facts_in_log(read), report.released.events
    found: list[RawLog] = []
    for path in files:
        found.append(scan(path, facts, most))
        most -= found[-1].events
    return joined(found), f"{report.released.file}" + (f", {len(files)} parts" if len(files) > 1 else "")


def read_released(contents: Contents, report: PublicReport) -> tuple[PublicLog, str]:
    """The log as the strict reader of this package reads it."""
    log = released_log(contents.folder, report)
    return log, f"{report.released.file}: {log.n_cases:,} cases, {log.n_events:,} events"


def only_allowed_attributes(raw: RawLog) -> str:
    require(not raw.faults, f"the log holds what no release has: {'; '.join(raw.faults)}")
    return "case, activity and timestamp, and the facts of the report"


def figures(log: PublicLog, report: PublicReport) -> str:
    found = (log.n_cases, log.n_events, find_variants(log).count)
    within_public_times(log, report)
    within_public_sets(len(log.activities), found[2], report)
    as_many_cases_as_declared(found[0], report)
    return stated_figures(found, report)


def stated_figures(found: tuple[int, int, int], report: PublicReport) -> str:
    """Cases, events and variants are those that the report states."""
    stated = (report.released.cases, report.released.events, report.released.variants)
    for name, one, other in zip(("cases", "events", "variants"), found, stated, strict=True):
        require(one == other, f"the log has {one:,} {name}, and the report states {other:,}")
    return "{:,} cases, {:,} events, {:,} variants".format(*found)


def within_public_times(log: PublicLog, report: PublicReport) -> None:
    """The certified method releases no time beyond what it took as public. ``log`` may be a part of the whole."""
    facts = report.parameters
    if not isinstance(facts, CertifiedParameters):
        return
    outside = np.count_nonzero((log.time < facts.first_ms) | (log.time > facts.last_ms))
    require(not outside, f"{outside:,} events lie outside the time frame that the report states as public")
    lasting = log.time[log.offsets[1:] - 1] - log.starts
    longer = np.count_nonzero(lasting > facts.longest_ms)
    require(not longer, f"{longer:,} cases last longer than the report states as public")


def within_public_sets(activities: int, variants: int, report: PublicReport) -> None:
    """Nor more activities or variants."""
    facts = report.parameters
    if not isinstance(facts, CertifiedParameters):
        return
    for name, found, most in (
        ("activities", activities, facts.activities),
        ("variants", variants, facts.public_variants),
    ):
        require(most is None or found <= most, f"the log has {found:,} {name}, and the public set {most or 0:,}")


def as_many_cases_as_declared(cases: int, report: PublicReport) -> None:
    """The certified method releases as many cases as it took as public; under a threshold at most so many."""
    facts = report.parameters
    if not isinstance(facts, CertifiedParameters) or facts.cases is None:
        return
    fewer = facts.variants == "threshold"
    require(
        cases <= facts.cases if fewer else cases == facts.cases,
        f"the log has {cases:,} cases, and the report declares {'at most ' if fewer else ''}{facts.cases:,}",
    )


def order_of_time(raw: RawLog) -> str:
    if raw.disordered is None:
        raise NotPossible("times are not written as this software writes them; see the attributes")
    require(raw.disordered == 0, f"{raw.disordered:,} events are earlier than the one before them in their case")
    return "no event is earlier than the one before it"


def no_identifier_twice(raw: RawLog) -> str:
    repeated = sum(number - 1 for number in Counter(raw.traces).values())
    require(not repeated, f"{repeated:,} traces have the name of another one")
    return f"{len(raw.traces):,} different identifiers"


def identifiers_look_random(raw: RawLog) -> str:
    """32 hexadecimal digits whose bits are balanced, all together and at each place."""
    others, ones = bits_of(raw.traces)
    return balanced_bits(ones, len(raw.traces), others)


def bits_of(identifiers: list[str]) -> tuple[int, IntArray]:
    """How many are not 32 hexadecimal digits, and how many of the others have a 1 at each place."""
    regular = [name for name in identifiers if _IDENTIFIER.fullmatch(name)]
    bits = np.unpackbits(np.frombuffer(bytes.fromhex("".join(regular)), dtype=np.uint8)).reshape(-1, _BITS)
    return len(identifiers) - len(regular), bits.sum(axis=0, dtype=np.int64)


def balanced_bits(ones: IntArray, number: int, others: int) -> str:
    """So many identifiers, of which others are irregular, have as many ones at each place as chance gives them."""
    if not number:
        raise NotPossible("the log has no cases")
    require(not others, f"{others:,} case identifiers are not the 32 random hexadecimal digits of this software")
    each = FALSE_ALARM / (_BITS + 1)
    uneven = np.abs(ones - number / 2) > balance_limit(number, each)
    balanced = abs(int(ones.sum()) - number * _BITS / 2) <= balance_limit(number * _BITS, each)
    require(balanced and not uneven.any(), "the case identifiers have too regular digits to be random ones")
    return f"32 hexadecimal digits each, as even as chance makes them (false alarm {FALSE_ALARM:g})"


def written_as_here(contents: Contents, read: ReadReport, log: PublicLog) -> str:
    """The file again, from its content alone: there is no byte in it that the content does not call for.

    Before it is compressed: that is another check (``packing``). What other formats would write is not known here; they
    are compared all the same, because formats change less often than their numbers.
    """
    try:
        return _written_as_here(contents, read, log)
    except Fault as fault:
        if read.same_drawing:
            raise
        raise read.not_here("drawing") from fault


def _written_as_here(contents: Contents, read: ReadReport, log: PublicLog) -> str:
    path, facts = contents.files(str(read.report.released.file))[0], facts_in_log(read)
    if str(read.report.released.file) in contents.folders:
        return _parts_written_as_here(contents, read, log.n_cases)
    if path.name.endswith(".parquet"):
        _rows_as_here(path, log, facts)
        return "every row, in its place"
    with opened(recognise(path)) as stream:
        comparing = cast(BinaryIO, _Comparing(stream))
        if path.name.endswith(".csv"):
            write_csv(log, comparing)
        else:
            write_xes(log, comparing, facts)
        require(not stream.read(1), "the log goes on after its end")
    return "every byte" + ("" if path.name.endswith(".csv") else " of the decompressed file")


def parts_written_as_here(contents: Contents, read: ReadReport, n_cases: int) -> str:
    """Each part by itself, and all of them cut as this software cuts."""
    try:
        return _parts_written_as_here(contents, read, n_cases)
    except Fault as fault:
        if read.same_drawing:
            raise
        raise read.not_here("drawing") from fault


def _parts_written_as_here(contents: Contents, read: ReadReport, n_cases: int) -> str:
    files, facts = contents.files(str(read.report.released.file)), facts_in_log(read)
    due = parts_for(read.report.released.events, n_cases)
    require(len(files) == due, f"the log is in {len(files):,} parts, and its size calls for {due:,}")
    for path, cases in zip(files, np.diff(first_cases(n_cases, len(files))).tolist(), strict=True):
        part = read_log(path)
        require(part.n_cases == cases, f"{path.name} has {part.n_cases:,} cases, and an even cut gives it {cases:,}")
        _rows_as_here(path, declared_public(part), facts)
    return f"every row of {len(files)} parts, in its place"


def _rows_as_here(path: Path, log: PublicLog, facts: dict[str, str | float]) -> None:
    """Columns and metadata, which no version of Arrow changes; how it packs them is for ``packing``."""
    import pyarrow.parquet as pq

    theirs, ours = pq.read_table(path), pq.read_table(parquet_again(log, facts))
    require(
        theirs.schema.equals(ours.schema, check_metadata=True) and theirs.equals(ours),
        "the rows are not in the order in which this software writes them, or there are others",
    )


def packing(contents: Contents, read: ReadReport, log: PublicLog | None) -> str:
    """Compressed as the content calls for. ``log`` is None where it is too large to be at hand, in parts."""
    files = contents.files(str(read.report.released.file))
    if not files[0].name.endswith(".parquet"):
        return packed_as_here(contents, read)
    in_parts = str(read.report.released.file) in contents.folders
    logs = ((path, log if log is not None and not in_parts else declared_public(read_log(path))) for path in files)
    return parquet_packed_as_here(logs, len(files), facts_in_log(read))


class _Comparing(io.RawIOBase):
    """Takes what would be written and compares it with what is there."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]  # whatever a writer writes is a buffer
        if self._stream.read(len(view)) != view:
            raise Fault(
                f"the file is not what this software writes for its content, from byte {self._at:,} on or soon after"
            )
        self._at += len(view)
        return len(view)


def page(contents: Contents, read: ReadReport, log: PublicLog) -> str:
    """The page says what report and log say: it is drawn again from them and must be the same, byte for byte."""
    return page_of_figures(contents, read, log)


def page_of_figures(contents: Contents, read: ReadReport, log: PublicLog | PublicFigures) -> str:
    """The same from figures of the log."""
    from dataclasses import replace

    from amun_dp.pages.public import public_page
    from amun_dp.writing.folder import PAGE_FILE

    if not read.same_page:
        raise read.not_here("page")
    name = str(read.report.released.file)
    # When the page was drawn, its own hash was not known.
    known = {file: digest for file, digest in read.report.files.items() if file == name}
    again = public_page(replace(read.report, files=known), log).encode()
    path = contents.path(PAGE_FILE)
    same = path.stat().st_size == len(again) and path.read_bytes() == again
    require(same, f"{PAGE_FILE} is not the page that report and log give")
    return f"{PAGE_FILE}, every byte"
