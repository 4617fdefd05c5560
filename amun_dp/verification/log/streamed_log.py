"""Checks of a released log in more parts than memory holds: part by part, and what adds up is added up.

The same rules as for a log that is at hand. One thing needs all of it: that no case identifier is there twice. Spark
writes cases in the order of their identifiers, so it is enough that they rise; in a log of another format that
need not be so, and it is not checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.eventlog.figures import PublicFigures, added_figures, public_figures
from amun_dp.eventlog.log import PublicLog, declared_public
from amun_dp.eventlog.variants import find_variants
from amun_dp.reading import read_log
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.bounds import Limits
from amun_dp.verification.checks import Check, Missing, Name, NotPossible, attempt, obtain, require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.folder.raw import RawLog
from amun_dp.verification.folder.scan import scan
from amun_dp.verification.log.log_checks import (
    as_many_cases_as_declared,
    balanced_bits,
    bits_of,
    only_allowed_attributes,
    order_of_time,
    packing,
    stated_figures,
    within_public_sets,
    within_public_times,
)
from amun_dp.verification.log.log_drawing import parts_written_as_here
from amun_dp.verification.report.older import facts_in_log
from amun_dp.verification.report.page_bytes import page_of_figures
from amun_dp.verification.report.report_checks import ReadReport


@dataclass(frozen=True, slots=True, eq=False)
class Scanned:
    """What all parts hold, as they stand in their files; ``raw`` without the names of the traces."""

    raw: RawLog
    cases: int
    rising: bool
    """Whether every identifier is larger than the one before it."""
    twice: bool
    """Whether one is seen again: in its part, or at the beginning of the next."""
    others: int
    """Identifiers that are not 32 hexadecimal digits."""
    ones: IntArray
    """How many of the other identifiers have a 1 at each place."""


def streamed_log_checks(contents: Contents, read: ReadReport, limits: Limits) -> list[Check]:
    """Those checks of a released log that can be made part by part, without having all of it in memory."""
    report = read.report
    scanned, found = obtain(Name.LOG, _scan_parts, contents, read, limits)
    if isinstance(found, Missing):
        return [scanned]
    checks = [
        scanned,
        attempt(Name.ATTRIBUTES, only_allowed_attributes, found.raw),
        attempt(Name.TIME_ORDER, order_of_time, found.raw),
        attempt(Name.UNIQUE_IDS, _no_identifier_twice, found, read.same_drawing),
        attempt(Name.RANDOM_IDS, _identifiers_look_random, found),
        attempt(Name.BYTES, parts_written_as_here, contents, read, found.cases),
        attempt(Name.PACKING, packing, contents, read, None),
    ]
    counted, figures = obtain(Name.FIGURES, _figures, _files(contents, report), report)
    checks.append(counted)
    if not isinstance(figures, Missing):
        checks.append(attempt(Name.PAGE, page_of_figures, contents, read, figures))
    return checks


def _files(contents: Contents, report: PublicReport) -> list[Path]:
    return contents.files(str(report.released.file))


def _scan_parts(contents: Contents, read: ReadReport, limits: Limits) -> tuple[Scanned, str]:
    report = read.report
    facts, most = facts_in_log(read), report.released.events
    faults: dict[str, None] = {}
    cases, events, others, disordered = 0, 0, 0, 0
    readable, rising, twice, last = True, True, False, ""
    ones = np.zeros(128, dtype=np.int64)
    for path in _files(contents, report):
        part = scan(path, facts, min(most - events, limits.events), limits)  # a small file can grow large
        faults |= dict.fromkeys(part.faults)
        events += part.events
        cases += len(part.traces)
        disordered += part.disordered or 0
        readable = readable and part.disordered is not None
        seen = {last, *part.traces}
        twice = twice or len(seen) <= len(part.traces)
        rising = rising and sorted(seen) == [last, *part.traces]
        last = part.traces[-1] if part.traces else last
        irregular, of_part = bits_of(part.traces)
        others += irregular
        ones += of_part
    raw = RawLog([], events, disordered if readable else None, tuple(faults))
    return Scanned(raw, cases, rising, twice, others, ones), f"{report.released.file}, part by part: {events:,} events"


def _no_identifier_twice(found: Scanned, same_drawing: bool) -> str:
    require(not found.twice, "a case identifier occurs more than once")
    require(
        found.rising or not same_drawing, "the cases are not in the order of their identifiers, as they are written"
    )
    if not found.rising:
        raise NotPossible("the identifiers do not rise, so that all of them would have to be at hand")
    return f"{found.cases:,} different identifiers"


def _identifiers_look_random(found: Scanned) -> str:
    return balanced_bits(found.ones, found.cases, found.others)


def _figures(files: list[Path], report: PublicReport) -> tuple[PublicFigures, str]:
    def parts() -> Iterator[PublicLog]:
        return (declared_public(read_log(path)) for path in files)

    ends = [(int(part.starts.min()), int(part.time[part.offsets[1:] - 1].max())) for part in parts()]
    span = min(first for first, _ in ends), max(last for _, last in ends)
    variants: set[bytes] = set()
    total: PublicFigures | None = None
    for part in parts():
        within_public_times(part, report)
        variants |= _variants(part)
        own = public_figures(part, span)
        total = own if total is None else added_figures([total, own], 0)
    require(total is not None, "the log has no parts")
    assert total is not None  # just required
    found = added_figures([total], len(variants))
    within_public_sets(len(found.activities), len(variants), report)
    as_many_cases_as_declared(found.cases, report)
    return found, stated_figures((found.cases, found.events, found.variants), report)


def _variants(part: PublicLog) -> set[bytes]:
    """The variants of a part, each by a hash of its labels: codes differ from part to part, and there may be as many
    variants as cases."""
    found = find_variants(part)
    labels = [part.activities[code] for code in found.activity.tolist()]
    spans = zip(found.offsets[:-1], found.offsets[1:], strict=True)
    return {hashlib.sha256(repr(labels[first:last]).encode()).digest() for first, last in spans}
