"""``amun-dp audit``: attack the mechanism and bound what it really leaks."""

from __future__ import annotations

import argparse
import os

from amun_dp.cli.flags import Commands, add_conventions, add_output, add_privacy
from amun_dp.cli.reading_options import add_reading_options, reading_of


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "audit",
        help="attack the mechanism many times and bound what it leaks at least; nothing is released or spent",
        description="Run the mechanism many times on pairs of neighbouring logs, made of LOG and made up, and play the "
        "attacker. The result is a lower bound on ε for each claim, with confidence: above the claim, the claim is "
        "broken; below it, it is not rejected, which is not a proof. The figures come from the original log: keep them "
        "inside.",
        epilog="example: amun-dp audit log.xes.gz --method sampling --advantage 0.2 --budget-seconds 300   |   exit "
        "codes: 0 nothing broken, 1 a claim is broken or the audit is void, 2 wrong use or bad input",
    )
    parser.add_argument(
        "log", metavar="LOG", nargs="?", help="event log to make pairs of; without one, made-up worst cases only"
    )
    add_reading_options(parser)
    add_privacy(parser)
    add_conventions(parser)
    add_output(parser)
    group = parser.add_argument_group("audit")
    size = group.add_mutually_exclusive_group()
    size.add_argument("--runs", type=int, metavar="N", help="runs on each log of a pair, half of them for testing")
    size.add_argument(
        "--budget-seconds",
        type=float,
        default=120.0,
        metavar="S",
        help="as many runs as take about so long, found by a few that are thrown away (default: 120)",
    )
    group.add_argument(
        "--confidence",
        type=float,
        default=0.95,
        metavar="C",
        help="that no bound exceeds the truth, in all tests of all attempts together (default: 0.95)",
    )
    group.add_argument(
        "--attempt",
        type=int,
        default=1,
        metavar="K",
        help="which attempt at this audit it is: looking again is another test, and later attempts are stricter",
    )
    group.add_argument("--seed", type=int, metavar="N", help="repeat an experiment: its seed is in its result")
    group.add_argument(
        "--system-noise",
        action="store_true",
        help="draw noise as a release does by default (OpenDP, the operating system): slower, and not repeatable",
    )
    group.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: one a core)"
    )
    group.add_argument("--html", metavar="FILE", help="also write a page with a picture of every test")
    parser.set_defaults(run=run_audit)


def run_audit(options: argparse.Namespace) -> int:
    from pathlib import Path

    from amun_dp.auditing import audit_release
    from amun_dp.auditing.results import as_dict
    from amun_dp.cli.commands import parameters_of, print_result, read_named_log
    from amun_dp.cli.page_file import check_page, write_page
    from amun_dp.cli.progress import shown_progress
    from amun_dp.cli.text.audit import describe_audit
    from amun_dp.errors import ParameterError
    from amun_dp.folder.names import BANNER

    # Whatever can be refused is refused before minutes are spent.
    parameters = parameters_of(options)
    page = None if options.html is None else Path(options.html)
    if page is not None:
        check_page(page)
    if options.workers < 1:
        raise ParameterError("An audit needs at least one process: --workers 1.")
    if options.seed is not None and options.system_noise:
        raise ParameterError("The system's noise cannot be repeated: leave --seed or --system-noise out.")
    if options.log is None and reading_of(options):
        raise ParameterError("How to read a log is of use with a LOG only.")
    with shown_progress(options.quiet) as progress:
        found = audit_release(
            None if options.log is None else read_named_log(options, progress),
            parameters,
            runs=options.runs,
            budget_seconds=options.budget_seconds,
            confidence=options.confidence,
            attempt=options.attempt,
            seed=options.seed,
            system_noise=options.system_noise,
            workers=options.workers,
            progress=progress,
        )
        if page is not None:
            from amun_dp.auditing.page import audit_page

            progress("drawing the page")
            write_page(page, audit_page(found))
    figures = {"confidential": BANNER if found.confidential else None, **as_dict(found)}
    print_result(options, figures, describe_audit(options.log, found))
    return 0 if found.passed else 1
