"""``amun-dp verify``: hold a release folder against what its report says. One line per check."""

from __future__ import annotations

import argparse
import json
import os
from itertools import groupby
from typing import TYPE_CHECKING

from amun_dp._base.out_of_memory import is_out_of_memory
from amun_dp.cli.as_flags import all_in_flags, in_flags
from amun_dp.cli.flags import MEGABYTE, Commands, add_limits, add_output
from amun_dp.cli.reading_options import add_reading_options, read_as_said, reading_of
from amun_dp.cli.streams import write_out
from amun_dp.cli.watch import leave
from amun_dp.errors import NOT_JUDGED, ParameterError

if TYPE_CHECKING:
    from amun_dp.verification import Check, Verification


EXIT_CODES = {"passed": 0, "failed": 1, "could not be judged": 4}
"""The exit code of each outcome."""


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="check a release folder: what its report says is derived again, nothing is believed",
        description="Re-check everything that can be checked from a release folder alone, and with --original what "
        "needs the original log (its figures are then in the output: keep it inside). What cannot be seen is listed.",
        epilog="example: amun-dp verify release --original log.xes.gz   |   exit codes: 0 passed, 1 a check failed "
        "or a demand is not met, 2 wrong use, 4 could not be judged here",
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
    parser.add_argument(
        "--audit", type=int, metavar="RUNS", help="also attack the mechanism that the report names, so many runs a log"
    )
    add_limits(parser)
    add_reading_options(parser)
    add_output(parser)
    parser.set_defaults(run=run_verify)


def run_verify(options: argparse.Namespace) -> int:
    from amun_dp.verification.as_data import as_dict

    if options.original is None and reading_of(options):
        raise ParameterError("How to read a log is of use with --original LOG only.")
    unjudged = f"{NOT_JUDGED}, and that says nothing about it"
    leave(judging=unjudged)
    try:
        found = _verified(options)
    except Exception as error:
        if is_out_of_memory(error):
            error.add_note(unjudged)
        raise
    as_json = json.dumps(all_in_flags(as_dict(found)), indent=2) if options.json else ""
    write_out(as_json or as_text(options.directory, found))
    return EXIT_CODES[found.outcome.value]


def _verified(options: argparse.Namespace) -> Verification:
    from amun_dp.cli.progress import shown_progress
    from amun_dp.verification import verify

    with shown_progress(options.quiet) as progress:
        original = None
        if options.original is not None:
            progress("reading the original")
            original = read_as_said(options.original, options)
        return verify(
            options.directory,
            original,
            require=options.require,
            prove=not options.no_prove,
            audit_runs=options.audit,
            workers=os.cpu_count() or 1,
            max_events=options.max_events,
            max_unpacked=options.max_unpacked * MEGABYTE,
            progress=progress,
        )


def as_text(directory: str, found: Verification) -> str:
    from amun_dp.folder.names import BANNER
    from amun_dp.verification import Part

    if not found.undetectable:  # nothing was looked at
        return f"{directory}: {'; '.join(in_flags(check.detail) for check in found.failed)}."
    lines = [BANNER, ""] if found.confidential else []
    for part, checks in groupby(found.checks, key=lambda check: check.name.part):
        keep = " (confidential)" if part in (Part.INTERNAL, Part.ORIGINAL, Part.ATTACK) and found.confidential else ""
        lines += [f"{part.value[0].upper()}{part.value[1:]}{keep}:", *_lines(list(checks))]
    lines += ["", "What this cannot see:", *(f"  - {sentence}" for sentence in found.undetectable), ""]
    lines += [f"Note: {in_flags(note)}." for note in found.notes]
    return "\n".join([*lines, *_guaranteed(found), _verdict(directory, found)])


def _lines(checks: list[Check]) -> list[str]:
    """One a check; those that the same reason prevented have one together."""
    from amun_dp.verification import Name, Outcome

    words = {
        Outcome.PASSED: "✓ ok",
        Outcome.FAILED: "✗ FAILED",
        Outcome.NOT_CHECKED: "– not checked",
        Outcome.TOLD: "· told",
    }
    width = max(len(name.value) for name in Name)
    lines: dict[str, None] = {}
    for check in checks:
        alike = [each for each in checks if each.outcome is check.outcome and each.detail == check.detail]
        together = check.outcome is Outcome.NOT_CHECKED and len(alike) > 1
        title = f"{len(alike)} checks" if together else check.name.value
        names = f" ({'; '.join(each.name.value for each in alike)})" if together else ""
        line = f"  {words[check.outcome]:<13}  {title:<{width}}  {in_flags(check.detail)}{names}"
        lines[line] = None  # a group has the same line each time
    return list(lines)


def _guaranteed(found: Verification) -> list[str]:
    """What a reader came for. That a folder is consistent says nothing of how much it protects."""
    if found.failed and not found.only_demands_failed:
        return ["The folder is not what it should be: rely on nothing that it says.", ""]
    if found.label is None:
        return []
    lead = "The folder is consistent. What it guarantees:"
    if found.only_demands_failed:
        lead = "The folder is consistent, but what was demanded is not guaranteed. What it guarantees:"
    if found.unchecked:
        names = ", ".join(f"'{check.name.value}'" for check in found.unchecked)
        lead = f"Nothing inconsistent was found. What it guarantees if {names}, not checked here, hold as well:"
    card = found.label
    provided = f", provided that {', and that '.join(card.provided)}" if card.provided else ""
    return [lead, f"  {card.symbol} {card.heading}. {card.sentence.rstrip('.')}{provided}.", ""]


def _verdict(directory: str, found: Verification) -> str:
    from amun_dp.verification import Outcome

    counted = {outcome: sum(check.outcome is outcome for check in found.checks) for outcome in Outcome}
    left_out = f", {counted[Outcome.NOT_CHECKED]} could not be made" if counted[Outcome.NOT_CHECKED] else ""
    left_out += f", {counted[Outcome.TOLD]} told and not judged" if counted[Outcome.TOLD] else ""
    if not found.failed:
        judged = "" if found.passed else "COULD NOT BE JUDGED here; "
        return f"{directory}: {judged}{counted[Outcome.PASSED]} checks passed, none failed{left_out}."
    failed = ", ".join(dict.fromkeys(check.name.value for check in found.failed))
    return f"{directory}: {counted[Outcome.FAILED]} of {len(found.checks)} checks FAILED{left_out}: {failed}."
