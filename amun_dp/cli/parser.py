"""Flags and help texts. Imports nothing heavy: ``amun-dp --help`` answers at once."""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version

from amun_dp.cli.audit import add_parser as add_audit
from amun_dp.cli.clean import add_parser as add_clean
from amun_dp.cli.compare import add_parser as add_compare
from amun_dp.cli.evaluate import add_parser as add_evaluate
from amun_dp.cli.flags import Commands, add_conventions, add_output, add_privacy
from amun_dp.cli.prove import add_parser as add_prove
from amun_dp.cli.reading_options import add_log
from amun_dp.cli.registry import add_parser as add_registry
from amun_dp.cli.registry import add_registry_flags
from amun_dp.cli.serve import add_parser as add_serve
from amun_dp.cli.spark import add_engine_flags
from amun_dp.cli.verify import add_parser as add_verify

EXIT_CODES = (
    "exit codes: 0 done, 1 a check failed or a budget refused, 2 wrong use or bad input, 3 internal error, 4 could not "
    "be judged (verify), 5 out of memory"
)


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
    add_verify(commands)
    add_evaluate(commands)
    add_compare(commands)
    add_audit(commands)
    add_registry(commands)
    add_clean(commands)
    add_prove(commands)
    add_serve(commands)
    return parser


def _add_inspect(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "inspect",
        help="what is in a log and how exposed its people are; nothing is released",
        description="Show the size of a log, how many cases are one of a kind, and what each advantage would filter. "
        "The figures come from the original log: keep them inside.",
        epilog="example: amun-dp inspect log.xes.gz",
    )
    add_log(parser)
    add_conventions(parser)
    add_output(parser)
    parser.set_defaults(run=_run_inspect)


def _add_plan(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "plan",
        help="what a release would do and cost; nothing is spent",
        description="Work out what a release would filter and how much noise it would need, without drawing any. "
        "The figures come from the original log: keep them inside.",
        epilog="example: amun-dp plan log.xes.gz --advantage 0.2 --method sampling, or amun-dp plan log.xes.gz --sweep",
    )
    add_log(parser)
    add_privacy(parser, sweep=True)
    add_conventions(parser)
    add_registry_flags(parser)
    add_engine_flags(parser)
    add_output(parser)
    parser.set_defaults(run=_run_plan)


def _add_anonymize(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "anonymize",
        help="release an anonymised log with its report",
        description="Anonymise a log and write a release folder: the log and report.json to publish, and internal/ "
        "to keep.",
        epilog="example: amun-dp anonymize log.xes.gz --advantage 0.2 --method filtering --out release",
    )
    add_log(parser)
    add_privacy(parser)
    add_conventions(parser)
    release = parser.add_argument_group("release")
    release.add_argument("--out", required=True, metavar="DIR", help="folder of the release; must be new or empty")
    release.add_argument("--format", metavar="FORMAT", help="xes, csv or parquet (default: the format of the input)")
    release.add_argument(
        "--allow-too-small",
        action="store_true",
        help="release a log that is too small for the method, or of which a threshold would probably leave nothing; "
        "nothing public tells of it",
    )
    release.add_argument("--force", action="store_true", help="replace an earlier release in DIR")
    release.add_argument(
        "--escape-formulas",
        action="store_true",
        help="in CSV, write a ' before labels that a spreadsheet would take for formulas (= + - @, tab, carriage "
        "return); the report says so",
    )
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
    add_output(parser)
    parser.set_defaults(run=_run_anonymize)


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
