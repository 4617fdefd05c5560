"""Flags and help texts. Imports nothing heavy: ``amun-dp --help`` answers at once."""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version

from amun_dp.cli.audit import add_parser as add_audit
from amun_dp.cli.compare import add_parser as add_compare
from amun_dp.cli.evaluate import add_parser as add_evaluate
from amun_dp.cli.prove import add_parser as add_prove
from amun_dp.cli.registry import add_parser as add_registry
from amun_dp.cli.registry import add_registry_flags
from amun_dp.cli.serve import add_parser as add_serve
from amun_dp.cli.spark import add_engine_flags
from amun_dp.cli.verify import add_parser as add_verify

EXIT_CODES = "exit codes: 0 done, 1 a check failed or a budget refused, 2 wrong use or bad input, 3 internal error"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="amun-dp",
        description="Release event logs about people for process mining, with a privacy report an outsider can check.",
        epilog=f"example: amun-dp anonymize log.xes.gz --advantage 0.2 --out release   |   {EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=f"amun-dp {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_inspect(commands)
    _add_plan(commands)
    _add_anonymize(commands)
    add_verify(commands, _add_reading_options)
    add_evaluate(commands, _add_reading_options)
    add_compare(commands, _add_reading_options, _add_conventions, _number)
    add_audit(commands, _add_reading_options, _add_privacy, _add_conventions, _add_output)
    add_registry(commands, _add_reading)
    add_prove(commands)
    add_serve(commands)
    return parser


_Commands = argparse._SubParsersAction  # argparse names no public type for what add_subparsers returns


def _add_inspect(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "inspect",
        help="what is in a log and how exposed its people are; nothing is released",
        description="Show the size of a log, how many cases are one of a kind, and what each advantage would filter. "
        "The figures come from the original log: keep them inside.",
        epilog="example: amun-dp inspect log.xes.gz",
    )
    _add_reading(parser)
    _add_conventions(parser)
    _add_output(parser)
    parser.set_defaults(run=_run_inspect)


def _add_plan(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "plan",
        help="what a release would do and cost; nothing is spent",
        description="Work out what a release would filter and how much noise it would need, without drawing any. "
        "The figures come from the original log: keep them inside.",
        epilog="example: amun-dp plan log.xes.gz --advantage 0.2 --method sampling, or amun-dp plan log.xes.gz --sweep",
    )
    _add_reading(parser)
    _add_privacy(parser, sweep=True)
    _add_conventions(parser)
    add_registry_flags(parser)
    _add_output(parser)
    parser.set_defaults(run=_run_plan)


def _add_anonymize(commands: _Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "anonymize",
        help="release an anonymised log with its report",
        description="Anonymise a log and write a release folder: the log and report.json to publish, and internal/ "
        "to keep.",
        epilog="example: amun-dp anonymize log.xes.gz --advantage 0.2 --method filtering --out release",
    )
    _add_reading(parser)
    _add_privacy(parser)
    _add_conventions(parser)
    release = parser.add_argument_group("release")
    release.add_argument("--out", required=True, metavar="DIR", help="folder of the release; must be new or empty")
    release.add_argument("--format", metavar="FORMAT", help="xes, csv or parquet (default: the format of the input)")
    release.add_argument("--force", action="store_true", help="replace an earlier release in DIR")
    release.add_argument(
        "--registry-export",
        metavar="FILE",
        help="also describe the release in a .yaml or .json file for the OpenDP deployments registry, a public "
        "collection; another thing than the registry of budgets (--registry)",
    )
    release.add_argument(
        "--noise",
        default="opendp",
        choices=["opendp", "exact"],
        help="what draws the noise: OpenDP's sampler (default), or an exact one of this package, which is faster where "
        "scales are many",
    )
    release.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="repeatable noise for tests; the release is then NOT private and needs --no-registry",
    )
    add_registry_flags(parser)
    add_engine_flags(parser)
    _add_output(parser)
    parser.set_defaults(run=_run_anonymize)


def _add_reading(
    parser: argparse.ArgumentParser, log: str = "event log: .xes, .xes.gz, .csv, .csv.gz or .parquet"
) -> None:
    parser.add_argument("log", metavar="LOG", help=log)
    _add_reading_options(parser)


def _add_reading_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reading the log")
    group.add_argument("--case-id", metavar="COLUMN", help="column of the case (default: case:concept:name)")
    group.add_argument(
        "--activity",
        metavar="COLUMN",
        help="column, XES attribute or XES classifier of the activity (default: concept:name)",
    )
    group.add_argument("--timestamp", metavar="COLUMN", help="column of the time (default: time:timestamp)")
    group.add_argument(
        "--timestamp-format",
        metavar="FORMAT",
        help="how times are written, if not ISO 8601, e.g. '%%d/%%m/%%Y %%H:%%M'",
    )
    group.add_argument("--lifecycle", metavar="VALUE", help="keep only events of this transition, e.g. complete")
    group.add_argument(
        "--individual", metavar="COLUMN", help="column of the person behind a case, if a person may have several cases"
    )
    group.add_argument("--drop-incomplete", action="store_true", help="drop events without case, activity or timestamp")


def _add_privacy(parser: argparse.ArgumentParser, sweep: bool = False) -> None:
    group = parser.add_argument_group("privacy")
    wanted = group.add_mutually_exclusive_group(required=True)
    wanted.add_argument(
        "--advantage",
        "--delta",
        type=_number,
        metavar="A",
        help="how much an attacker's chance of guessing right may rise, between 0 and 1 (0.2: 20 points)",
    )
    if sweep:
        wanted.add_argument(
            "--sweep",
            nargs="*",
            type=_number,
            metavar="A",
            help="instead of --advantage: what each of several advantages would cost (default: 0.05 to 0.5)",
        )
    group.add_argument(
        "--method",
        default="filtering",
        metavar="METHOD",
        help="filtering (default), sampling or oversampling, as the article has them; or certified, with a bound for "
        "the whole case that is proved",
    )
    group.add_argument(
        "--max-cases-per-individual", type=int, metavar="N", help="declared bound; every ε is divided by it"
    )
    group.add_argument(
        "--scope",
        metavar="SCOPE",
        help="noise for one cell and one event (event, as the article does), or for a whole case (case); certified: "
        "case or individual",
    )
    group.add_argument(
        "--max-case-length", type=int, metavar="N", help="declared bound on the events of a case; --scope case needs it"
    )
    group.add_argument(
        "--variants",
        choices=["threshold", "public", "generated"],
        help="certified: only variants that are frequent enough (threshold, the default), those of a public set "
        "(public), or new ones from a private model (generated); other methods: public declares that which variants "
        "occur is no secret. Without --public, public takes the log's own and discloses those that one case alone has",
    )
    group.add_argument(
        "--public",
        metavar="FILE",
        help="certified: what is known from outside the log (JSON: activities, variants, first, last, longest_days, "
        "cases, individuals; or a log, for its variants)",
    )
    group.add_argument(
        "--dp-delta",
        type=_number,
        metavar="D",
        help="certified, threshold: largest chance, for one case, that its protection fails (default: 1/(1000 N))",
    )
    group.add_argument(
        "--max-individual-loss",
        type=_number,
        metavar="E",
        help="refuse if the times of one individual would lose more than this in all (exit code 1)",
    )
    group.add_argument(
        "--releases", type=int, default=1, metavar="N", help="how often this log will be released; divides every ε"
    )


def _add_conventions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--conventions",
        default="corrected",
        metavar="NAME",
        help="corrected (default), or article: as the tables of its worked example were computed",
    )
    parser.add_argument(
        "--window", type=_number, metavar="SECONDS", help="a guessed duration counts as right within this (default: 10)"
    )
    parser.add_argument(
        "--start-window",
        type=_number,
        metavar="HOURS",
        help="a guessed start counts as right within this (default: 24)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    parser.add_argument("--quiet", action="store_true", help="no notes and no progress on standard error")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; write 0.2, not 0,2 or 20%") from None


def _run_inspect(options: argparse.Namespace) -> int:
    from amun_dp.cli.commands import run_inspect

    return run_inspect(options)


def _run_plan(options: argparse.Namespace) -> int:
    from amun_dp.cli.commands import run_plan

    return run_plan(options)


def _run_anonymize(options: argparse.Namespace) -> int:
    from amun_dp.cli.commands import run_anonymize

    return run_anonymize(options)


def _version() -> str:
    try:
        return version("amun-dp")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "unknown"
