"""Checks of the released log: its file, its figures, its order and its case identifiers."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from amun_dp._base.arrays import IntArray
from amun_dp.eventlog.log import PublicLog, declared_public
from amun_dp.eventlog.variants import find_variants
from amun_dp.reading import read_log
from amun_dp.release.article import LARGEST_RELEASE
from amun_dp.release.load import released_log
from amun_dp.report.public_report import PublicReport
from amun_dp.verification.bounds import Limits
from amun_dp.verification.checks import NotPossible, require
from amun_dp.verification.folder.contents import Contents
from amun_dp.verification.folder.raw import RawLog, joined
from amun_dp.verification.folder.scan import scan
from amun_dp.verification.log.log_packing import packed_as_here, parquet_packed_as_here
from amun_dp.verification.original.chance import FALSE_ALARM, balance_limit
from amun_dp.verification.report.older import facts_in_log
from amun_dp.verification.report.report_checks import ReadReport

_IDENTIFIER = re.compile(r"[0-9a-f]{32}")
_BITS = 128


def scan_log(contents: Contents, read: ReadReport, limits: Limits) -> tuple[RawLog, str]:
    """The log as it stands in its file, or in its parts."""
    report = read.report
    files = contents.files(str(report.released.file))
    require(report.released.events <= LARGEST_RELEASE, "the report states more events than this software can write")
    limits.check_events(report.released.events)
    facts, most = facts_in_log(read), report.released.events
    found: list[RawLog] = []
    for path in files:
        found.append(scan(path, facts, most, limits))
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
    public = report.parameters.public_times
    if public is None:
        return
    outside = np.count_nonzero((log.time < public.first) | (log.time > public.last))
    require(not outside, f"{outside:,} events lie outside the time frame that the report states as public")
    lasting = log.time[log.offsets[1:] - 1] - log.starts
    longer = np.count_nonzero(lasting > public.longest)
    require(not longer, f"{longer:,} cases last longer than the report states as public")


def within_public_sets(activities: int, variants: int, report: PublicReport) -> None:
    """The certified method releases no more activities or variants than the public sets have."""
    found = {"activities": activities, "variants": variants}
    for name, most in report.parameters.public_sets.items():
        require(found[name] <= most, f"the log has {found[name]:,} {name}, and the public set {most:,}")


def as_many_cases_as_declared(cases: int, report: PublicReport) -> None:
    """The certified method releases as many cases as it took as public; under a threshold at most so many."""
    facts = report.parameters
    if facts.cases is None:
        return
    fewer = facts.may_release_fewer
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


def packing(contents: Contents, read: ReadReport, log: PublicLog | None) -> str:
    """Compressed as the content calls for. ``log`` is None where it is too large to be at hand, in parts."""
    files = contents.files(str(read.report.released.file))
    if not files[0].name.endswith(".parquet"):
        return packed_as_here(contents, read)
    in_parts = str(read.report.released.file) in contents.folders
    logs = ((path, log if log is not None and not in_parts else declared_public(read_log(path))) for path in files)
    return parquet_packed_as_here(logs, len(files), facts_in_log(read), read.same_drawing)
