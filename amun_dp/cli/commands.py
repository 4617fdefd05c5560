"""What each command does: read, call the library, print. Results go to standard output, all else to standard error."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from amun_dp.cli.progress import shown_progress
from amun_dp.cli.text import describe_inspection, describe_plan, describe_release
from amun_dp.conventions import conventions_named
from amun_dp.eventlog import EventLog
from amun_dp.folder import file_name
from amun_dp.inspection import inspect
from amun_dp.noise import noise_source
from amun_dp.planning import Parameters, Progress, make_plan
from amun_dp.reading import read_log
from amun_dp.release import carry_out
from amun_dp.writing import check_target


def run_inspect(options: argparse.Namespace) -> int:
    conventions = conventions_named(options.conventions)
    with shown_progress(options.quiet) as progress:
        found = inspect(_read(options, progress), conventions, progress=progress)
    figures = found.reveal()
    _print(options, asdict(figures), describe_inspection(options.log, figures))
    return 0


def run_plan(options: argparse.Namespace) -> int:
    parameters = _parameters(options)
    with shown_progress(options.quiet) as progress:
        planned = make_plan(_read(options, progress), parameters, progress)
    summary = planned.summary.reveal()
    _print(
        options,
        {"advantage": parameters.advantage, "method": parameters.method, "conventions": options.conventions}
        | asdict(summary),
        describe_plan(options.log, parameters, summary),
    )
    return 0


def run_anonymize(options: argparse.Namespace) -> int:
    # Whatever can be refused is refused before the log is read: wrong parameters, an unusable folder.
    parameters = _parameters(options)
    if options.format is not None:
        file_name(options.format)
    directory = Path(options.out)
    check_target(directory, options.force)
    if options.seed is not None:
        _say("warning: with --seed the noise is repeatable and the release is NOT private; use it for tests only.")
    with shown_progress(options.quiet) as progress:
        planned = make_plan(_read(options, progress), parameters, progress)
        release = carry_out(planned, noise_source(options.seed), progress)
        progress("writing the release")
        report = release.save(directory, format=options.format, force=options.force)
    _print(options, {"directory": str(directory)} | report.as_dict(), describe_release(directory, report))
    return 0


def _parameters(options: argparse.Namespace) -> Parameters:
    return Parameters(
        advantage=options.advantage,
        method=options.method,
        conventions=conventions_named(options.conventions),
        max_cases_per_individual=options.max_cases_per_individual,
        releases=options.releases,
    )


def _read(options: argparse.Namespace, progress: Progress) -> EventLog:
    progress("reading the log")
    log = read_log(
        options.log,
        case_id=options.case_id,
        activity=options.activity,
        timestamp=options.timestamp,
        timestamp_format=options.timestamp_format,
        lifecycle=options.lifecycle,
        individual=options.individual,
        drop_incomplete=options.drop_incomplete,
    )
    if not options.quiet:
        for note in log.facts.notes:
            _say(f"note: {note}")
    return log


def _say(message: str) -> None:
    erase = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{erase}amun-dp: {message}", file=sys.stderr)


def _print(options: argparse.Namespace, figures: dict[str, Any], text: str) -> None:
    print(json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False) if options.json else text)
