"""``verify``: every check in order, each on what the earlier ones obtained.

More than 300 lines, because a reader finds here, in one place, what is checked and when; a quarter of them are imports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accounting.ledger.files import PARQUET_FILE
from amun_dp._base.progress import Progress, silent
from amun_dp.eventlog.log import EventLog, PublicLog
from amun_dp.folder.names import INTERNAL_FOLDER
from amun_dp.reading.as_event_log import LogLike, as_event_log
from amun_dp.release.article import LARGEST_RELEASE
from amun_dp.report.public_report import guarantee_as_dict
from amun_dp.verification.audits import audited
from amun_dp.verification.blind_spots import undetectable
from amun_dp.verification.bounds import EVENTS, UNPACKED, Limits
from amun_dp.verification.checks import Check, Missing, Name, Outcome, Part, attempt, not_checked, obtain, safe
from amun_dp.verification.folder.contents import (
    Contents,
    contents_of,
    hashes,
    internal_for_its_owner_only,
    only_files_of_a_release,
)
from amun_dp.verification.ledger.ledger_checks import (
    ReadLedger,
    internal_report,
    ledger_account,
    ledger_log,
    ledger_mechanisms,
    read_internal_ledger,
)
from amun_dp.verification.ledger.streamed_ledger import read_streamed_ledger, streamed_ledger_log
from amun_dp.verification.log.log_checks import (
    figures,
    identifiers_look_random,
    no_identifier_twice,
    only_allowed_attributes,
    order_of_time,
    packing,
    read_released,
    scan_log,
)
from amun_dp.verification.log.log_drawing import written_as_here
from amun_dp.verification.log.streamed_log import streamed_log_checks
from amun_dp.verification.original.counts import counts_moved
from amun_dp.verification.original.declared_individuals import declared_cases
from amun_dp.verification.original.gaps import equal_times
from amun_dp.verification.original.linkage import linkage
from amun_dp.verification.original.original_checks import (
    Origins,
    copies,
    counts_as_planned,
    no_event_above_plan,
    no_filtered_case,
    no_identifier_survived,
    no_new_variant,
    origins_of,
    plan_again,
    priors,
    variants_in_original,
    within_time_frame,
)
from amun_dp.verification.original.sizes import noise_size
from amun_dp.verification.original.whole_cases import equal_cases
from amun_dp.verification.report.claim_verdicts import claims
from amun_dp.verification.report.expected_mechanisms import mechanisms
from amun_dp.verification.report.page_bytes import page
from amun_dp.verification.report.predictability import not_seeded, predictability
from amun_dp.verification.report.report_checks import ReadReport, guarantees, read_report, states_more, texts
from amun_dp.verification.report.requirements import Requirement, required, requirement
from amun_dp.verification.report.stated_formats import formats_of_the_version, notes_on_formats
from amun_dp.verification.result import Verification

if TYPE_CHECKING:
    from amun_dp.report.card import Card

MOST_AT_ONCE = 5_000_000
"""Events of a release in parts beyond which it is read part by part, unless it is to be compared with its original:
some two gigabytes in one piece."""
INTERNAL_PRESENT = "the internal part is present: do not publish this folder as it is"


@dataclass(frozen=True, slots=True, eq=False)
class _Public:
    """What the public part yielded."""

    contents: Contents
    report: ReadReport | Missing
    log: PublicLog | Missing


def verify(
    directory: str | Path,
    original: LogLike | None = None,
    *,
    require: Sequence[str | Requirement] = (),
    prove: bool = True,
    audit_runs: int | None = None,
    workers: int = 1,
    max_events: int = EVENTS,
    max_unpacked: int = UNPACKED,
    progress: Progress = silent,
) -> Verification:
    """Check the release folder ``directory``: everything that can be checked from it alone, and with the ``original``
    log what needs that.

    Nothing in the report is trusted. ``require`` demands guarantees, for instance ``["case:0.3"]``. With
    ``prove=False`` the proofs behind the claims are not run. With ``audit_runs``, the mechanism that the report names
    is audited with so many runs, in as many processes as ``workers`` says. The original must be read in the same way as
    for the release. ``progress`` is called with the name of each step.

    A log that is not in parts and has more than ``max_events`` events, or more than ``max_unpacked`` bytes when it is
    decompressed, is not looked at: the folder could not be judged.

    Returns a ``Verification``; a release that does not hold is an outcome of it, not an exception. Nothing is spent.
    With the internal part or the original, its details may have figures of the original log
    (``Verification.confidential``). Raises ``ParameterError`` if a demand is not understood, and ``InputError`` if
    there is no such folder, or if the folder or the original cannot be read.
    """
    demanded = [requirement(each) for each in require]
    contents = contents_of(Path(directory))
    if contents.nothing_of_a_release:
        return _no_release(demanded)
    limits = Limits(max_events, max_unpacked)
    at_once = MOST_AT_ONCE if original is None else LARGEST_RELEASE
    public, checks = _public_checks(contents, at_once, limits, prove, progress)
    ledger, inside = _internal_checks(public, at_once, limits, progress)
    checks += inside
    if original is not None:
        checks += _original_checks(as_event_log(original), public, ledger, progress)
    if audit_runs is not None:
        progress("auditing the mechanism")
        checks.append(
            _audited(public.report, None if original is None else as_event_log(original), audit_runs, workers)
        )
    checks += [_required(each, public.report, tuple(checks)) for each in demanded]
    return Verification(
        checks=tuple(checks),
        undetectable=undetectable(
            original is not None,
            not isinstance(ledger, Missing),
            _planned(checks),
            {check.name for check in checks if check.outcome is Outcome.NOT_CHECKED},
            contents.has_internal,
        ),
        notes=(*((INTERNAL_PRESENT,) if contents.has_internal else ()), *_notes(public.report)),
        label=_label(public.report),
    )


def _planned(checks: list[Check]) -> bool:
    return any(check.name is Name.PLAN and check.outcome is Outcome.PASSED for check in checks)


def _no_release(demanded: Sequence[Requirement]) -> Verification:
    """A folder that was named by mistake: one line says so, instead of all that could not be checked."""
    why = Missing("the folder holds no file of a release: name the folder that anonymize wrote")
    checks = [Check(Name.REPORT, Outcome.FAILED, why.why), *(_required(each, why, ()) for each in demanded)]
    return Verification(tuple(checks), ())


def _label(report: ReadReport | Missing) -> Card | None:
    from amun_dp.report.card import card_of

    if isinstance(report, Missing):
        return None
    found: list[Card] = []

    def derive() -> str:
        found.append(card_of(report.report))
        return ""

    attempt(Name.GUARANTEES, derive)  # hostile input here as well: whatever breaks off leaves no label
    return found[0] if found else None


def _lines(report: ReadReport) -> list[dict[str, Any]]:
    """The guarantees as they are stated; of an older schema those of today, which are the ones that count."""
    lines: list[dict[str, Any]] = report.data["guarantees"]
    return lines if report.same_schema else [guarantee_as_dict(line) for line in report.derived]


def _notes(report: ReadReport | Missing) -> tuple[str, ...]:
    found: list[str] = []

    def look() -> str:
        if not isinstance(report, Missing):
            found.extend(notes_on_formats(report.report))
            found.extend(states_more(report))
        return ""

    attempt(Name.GUARANTEES, look)  # hostile input here as well
    return tuple(map(safe, found))


def _public_checks(
    contents: Contents, at_once: int, limits: Limits, prove: bool, progress: Progress
) -> tuple[_Public, list[Check]]:
    progress("checking the report")
    report_check, report = obtain(Name.REPORT, read_report, contents)
    stated = report if isinstance(report, Missing) else report.report
    checks = [attempt(Name.FILES, only_files_of_a_release, contents, stated), report_check]
    if isinstance(report, Missing):
        return _Public(contents, report, report), _complete(checks, Part.RELEASE, report.why)
    checks += [
        attempt(Name.FORMATS, formats_of_the_version, report.report),
        attempt(Name.HASHES, hashes, contents, report.report),
        attempt(Name.GUARANTEES, guarantees, report),
        attempt(Name.MECHANISMS, mechanisms, report.report),
        attempt(Name.TEXTS, texts, report),
        attempt(Name.SEED, predictability, report.report),
        attempt(Name.UNSEEDED, not_seeded, report.report),
    ]
    progress("running the proofs")
    checks.append(attempt(Name.CLAIMS, claims, _lines(report), prove))
    progress("checking the released log")
    log, more = _log_checks(contents, report, at_once, limits)
    return _Public(contents, report, log), _complete(checks + more, Part.RELEASE, "the log could not be read")


def _log_checks(
    contents: Contents, report: ReadReport, at_once: int, limits: Limits
) -> tuple[PublicLog | Missing, list[Check]]:
    if report.report.released.events > at_once and str(report.report.released.file) in contents.folders:
        return Missing(f"the log has more than {at_once:,} events"), streamed_log_checks(contents, report, limits)
    scanned, raw = obtain(Name.LOG, scan_log, contents, report, limits)
    if isinstance(raw, Missing):
        return raw, [scanned]
    checks = [
        attempt(Name.ATTRIBUTES, only_allowed_attributes, raw),
        attempt(Name.TIME_ORDER, order_of_time, raw),
        attempt(Name.UNIQUE_IDS, no_identifier_twice, raw),
        attempt(Name.RANDOM_IDS, identifiers_look_random, raw),
    ]
    # By the reader only now: what the scan refuses could be more than memory holds.
    readable, log = obtain(Name.LOG, read_released, contents, report.report)
    checks.append(readable)
    if not isinstance(log, Missing):
        checks += [
            attempt(Name.BYTES, written_as_here, contents, report, log),
            attempt(Name.PACKING, packing, contents, report, log),
            attempt(Name.FIGURES, figures, log, report.report),
            attempt(Name.PAGE, page, contents, report, log),
        ]
    return log, checks


def _internal_checks(
    public: _Public, at_once: int, limits: Limits, progress: Progress
) -> tuple[ReadLedger | Missing, list[Check]]:
    contents, report = public.contents, public.report
    if not contents.has_internal:
        absent = Missing("there is no internal part here, as it should be for everybody but the publisher")
        return absent, _complete([], Part.INTERNAL, absent.why)
    progress("replaying the ledger")
    events = 0 if isinstance(report, Missing) else report.report.released.events
    if events > at_once and f"{INTERNAL_FOLDER}/{PARQUET_FILE}" in contents.folders:
        read_check, ledger = obtain(Name.LEDGER, read_streamed_ledger, contents)
    else:
        read_check, ledger = obtain(Name.LEDGER, read_internal_ledger, contents, events, limits)
    checks = [read_check, attempt(Name.INTERNAL_PRIVATE, internal_for_its_owner_only, contents)]
    if not isinstance(ledger, Missing) and not isinstance(report, Missing):
        checks += [
            attempt(Name.LEDGER_MECHANISMS, ledger_mechanisms, ledger, report.report),
            attempt(Name.LEDGER_ACCOUNT, ledger_account, ledger, report),
            attempt(Name.INTERNAL_REPORT, internal_report, contents, ledger, report),
        ]
        if ledger.in_parts is not None:
            checks.append(attempt(Name.LEDGER_LOG, streamed_ledger_log, ledger, contents, report.report))
        elif not isinstance(public.log, Missing):
            checks.append(attempt(Name.LEDGER_LOG, ledger_log, ledger, public.log))
    return ledger, _complete(checks, Part.INTERNAL, _why(ledger, report, public.log))


def _why(*needed: object) -> str:
    """What the first that is missing says of itself."""
    return next((each.why for each in needed if isinstance(each, Missing)), "")


def _original_checks(
    original: EventLog, public: _Public, ledger: ReadLedger | Missing, progress: Progress
) -> list[Check]:
    report, log = public.report, public.log
    if isinstance(report, Missing) or isinstance(log, Missing):
        return _complete([], Part.ORIGINAL, _why(report, log))
    progress("making the plan again")
    planned, plan = obtain(Name.PLAN, plan_again, original, report.report)
    variant = variants_in_original(log, original)
    checks = [
        planned,
        attempt(Name.DECLARED, declared_cases, original, report.report),
        attempt(Name.R1, no_new_variant, variant, report.report),
        attempt(Name.SURVIVING_IDS, no_identifier_survived, log, original),
    ]
    progress("comparing with the original")
    if isinstance(plan, Missing):
        checks.append(attempt(Name.EQUAL_TIMES, equal_cases, log, original, variant))
        return _complete(checks, Part.ORIGINAL, plan.why)
    origins: Origins | Missing = Missing(
        f"which case is whose is in the ledger: {ledger.why}" if isinstance(ledger, Missing) else ""
    )
    if not isinstance(ledger, Missing):
        mapped, origins = obtain(Name.ORIGINS, origins_of, ledger, log, plan)
        checks += [mapped, attempt(Name.COUNT_NOISE, counts_as_planned, ledger, plan)]
    known = None if isinstance(origins, Missing) else origins
    checks += [
        attempt(Name.KEPT, no_filtered_case, plan, variant, known),
        attempt(Name.COUNT_SIZE, counts_moved, plan, variant),
        attempt(Name.TIME_FRAME, within_time_frame, log, plan),
        attempt(Name.EQUAL_TIMES, equal_times, log, plan, variant, known),
    ]
    if isinstance(origins, Missing):
        return _complete(checks, Part.ORIGINAL, origins.why)
    progress("attacking by gaps")
    checks += [
        attempt(Name.COPIES, copies, origins),
        attempt(Name.PRIORS, priors, origins, plan),
        attempt(Name.EVENT_NOISE, no_event_above_plan, origins, plan),
        attempt(Name.NOISE_SIZE, noise_size, log, plan, origins),
        attempt(Name.LINKAGE, linkage, log, plan, origins),
    ]
    return _complete(checks, Part.ORIGINAL, "")


def _audited(report: ReadReport | Missing, original: EventLog | None, runs: int, workers: int) -> Check:
    if isinstance(report, Missing):
        return not_checked(Name.AUDIT, report.why)
    return attempt(Name.AUDIT, audited, report.report, original, runs, workers)


def _required(demanded: Requirement, report: ReadReport | Missing, checks: tuple[Check, ...]) -> Check:
    if isinstance(report, Missing):
        if any(check.outcome is Outcome.FAILED for check in checks) or not checks:
            # Of a folder that is no release, or is not what it should be, nothing is guaranteed.
            return Check(Name.REQUIRED, Outcome.FAILED, f"{demanded}: {report.why}")
        return not_checked(Name.REQUIRED, f"{demanded}: {report.why}")
    return attempt(Name.REQUIRED, required, demanded, report, checks)


def _complete(checks: list[Check], part: Part, why: str) -> list[Check]:
    """All checks of a part in their order: what could not be made is listed too."""
    made = {check.name: check for check in checks}
    return [made.get(name) or not_checked(name, why) for name in Name if name.part is part]
