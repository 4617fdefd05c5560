"""``amun-dp verify``: hold a release folder against what its report says. One line a check."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amun_dp.errors import ParameterError

if TYPE_CHECKING:
    from amun_dp.eventlog import EventLog
    from amun_dp.planning import Progress
    from amun_dp.verification import Verification

_Commands = argparse._SubParsersAction  # argparse names no public type for what add_subparsers returns
_READING = ("case_id", "activity", "timestamp", "timestamp_format", "lifecycle", "individual", "drop_incomplete")


def add_parser(
    commands: _Commands[argparse.ArgumentParser], add_reading_options: Callable[[argparse.ArgumentParser], None]
) -> None:
    parser = commands.add_parser(
        "verify",
        help="check a release folder: what its report says is derived again, nothing is believed",
        description="Re-check everything that can be checked from a release folder alone, and with --original what "
        "needs the original log (its figures are then in the output: keep it inside). What cannot be seen is listed.",
        epilog="example: amun-dp verify release --original log.xes.gz   |   exit codes: 0 no check failed, 1 a check "
        "failed, 2 wrong use",
    )
    parser.add_argument("directory", metavar="DIR", help="folder of a release")
    parser.add_argument("--original", metavar="LOG", help="the log that was released, read as it was then")
    parser.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="SCOPE:ADVANTAGE",
        help="fail unless this is guaranteed of the whole release, e.g. case:0.3 (cell, event, case or individual; "
        "repeatable)",
    )
    parser.add_argument("--no-prove", action="store_true", help="do not run the proofs behind the claims (seconds)")
    add_reading_options(parser)
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    parser.add_argument("--quiet", action="store_true", help="no notes and no progress on standard error")
    parser.set_defaults(run=run_verify)


def run_verify(options: argparse.Namespace) -> int:
    from amun_dp.cli.progress import shown_progress
    from amun_dp.verification import verify

    if options.original is None and any(getattr(options, name) for name in _READING):
        raise ParameterError("How to read a log is of use with --original LOG only.")
    with shown_progress(options.quiet) as progress:
        original = None if options.original is None else _read_original(options, progress)
        found = verify(
            options.directory, original, require=options.require, prove=not options.no_prove, progress=progress
        )
    print(json.dumps(as_dict(found), indent=2) if options.json else as_text(options.directory, found), flush=True)
    return 0 if found.passed else 1


def _read_original(options: argparse.Namespace, progress: Progress) -> EventLog:
    from amun_dp.reading import read_log

    progress("reading the original")
    log = read_log(Path(options.original), **{name: getattr(options, name) for name in _READING})
    if not options.quiet:
        for note in log.facts.notes:
            print(f"amun-dp: note: {note}", file=sys.stderr)
    return log


def as_dict(found: Verification) -> dict[str, Any]:
    from amun_dp.folder import BANNER

    return {
        "passed": found.passed,
        "confidential": BANNER if found.confidential else None,
        "checks": [
            {
                "check": check.name.value,
                "outcome": check.outcome.value,
                "detail": check.detail,
                "confidential": check.confidential,
            }
            for check in found.checks
        ],
        "notes": list(found.notes),
        "undetectable": list(found.undetectable),
    }


def as_text(directory: str, found: Verification) -> str:
    from amun_dp.folder import BANNER
    from amun_dp.verification import Outcome, Part

    words = {Outcome.PASSED: "✓ ok", Outcome.FAILED: "✗ FAILED", Outcome.NOT_CHECKED: "– not checked"}
    width = max(len(check.name.value) for check in found.checks)
    lines = [BANNER, ""] if found.confidential else []
    for part, checks in groupby(found.checks, key=lambda check: check.name.part):
        keep = " (confidential)" if part in (Part.INTERNAL, Part.ORIGINAL) and found.confidential else ""
        lines += [f"{part.value[0].upper()}{part.value[1:]}{keep}:"]
        lines += [f"  {words[check.outcome]:<13}  {check.name.value:<{width}}  {check.detail}" for check in checks]
    lines += ["", "What this cannot see:", *(f"  - {sentence}" for sentence in found.undetectable), ""]
    lines += [f"Note: {note}." for note in found.notes]
    return "\n".join([*lines, _verdict(directory, found)])


def _verdict(directory: str, found: Verification) -> str:
    from amun_dp.verification import Outcome

    counted = {outcome: sum(check.outcome is outcome for check in found.checks) for outcome in Outcome}
    left_out = f", {counted[Outcome.NOT_CHECKED]} could not be made" if counted[Outcome.NOT_CHECKED] else ""
    if found.passed:
        return f"{directory}: {counted[Outcome.PASSED]} checks passed, none failed{left_out}."
    failed = ", ".join(dict.fromkeys(check.name.value for check in found.failed))
    return f"{directory}: {counted[Outcome.FAILED]} of {len(found.checks)} checks FAILED{left_out}: {failed}."
