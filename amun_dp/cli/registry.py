"""``amun-dp registry``: the budget of each log and its releases.

Light, like the parser that imports it: what a command needs is imported when the command runs.
"""

from __future__ import annotations

import argparse
import json
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from amun_dp.cli.flags import Commands
from amun_dp.cli.reading_options import add_log
from amun_dp.cli.streams import write_out

if TYPE_CHECKING:
    from accounting.registry import Registry

_IDENTIFIER = re.compile(r"[Ll]-[0-9a-fA-F]+")
LONGEST_REASON = 500
LONGEST_EXPONENT = 100
"""Largest exponent of a number on the command line: 1e-1000000000, written out exactly, fills the memory."""


# --- flags ----------------------------------------------------------------------------------------------------------


def add_registry_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the commands that spend from a budget, or would spend."""
    group = parser.add_argument_group("budget across releases")
    where = group.add_mutually_exclusive_group()
    _add_file(where)
    where.add_argument(
        "--no-registry", action="store_true", help="record nothing: for tests, demonstrations and logs without people"
    )
    _add_declarations(group)


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "registry",
        help="the budget of each log and what its releases spent",
        description="Show and set budgets across releases. The registry knows logs by keyed hashes and holds nothing "
        "of them; its key is in FILE.key.",
        epilog="example: amun-dp registry list",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="all logs with their budgets", epilog="example: amun-dp registry list")
    listing.set_defaults(run=run_list)
    show = actions.add_parser("show", help="one log and its releases", epilog="example: amun-dp registry show L-7f3a9c")
    show.add_argument("log", metavar="LOG-ID", help="identifier of the log, or the beginning of it")
    show.set_defaults(run=run_show)
    setting = actions.add_parser(
        "set-budget",
        help="set the budget of a log, before or after its first release",
        description="Set what all releases of a log together may cost. Never less than what is spent already.",
        epilog="example: amun-dp registry set-budget log.xes.gz --advantage 0.3",
    )
    _add_budget(setting)
    add_log(setting, "identifier of a registered log (L-7f3a9c), or an event log file")
    _add_declarations(setting.add_argument_group("if the file shares cases with registered logs"))
    setting.set_defaults(run=run_set_budget, quiet=False)
    voiding = actions.add_parser(
        "void",
        help="give up a release of which nothing was written or shown, so that it counts for nothing",
        description="For a run that was interrupted or killed before anything of the release could be seen. Refused if "
        "a file of it was begun, it was handed to a program, or it failed after noise was drawn. Recorded, with the "
        "reason, and shown ever after; the release cannot be put in place any more.",
        epilog='example: amun-dp registry void 585731c7 --reason "interrupted, wrong column"',
    )
    voiding.add_argument("release", metavar="RELEASE-ID", help="identifier of the release, or the beginning of it")
    voiding.add_argument("--reason", required=True, type=_reason, metavar="TEXT", help="why; it is recorded")
    voiding.set_defaults(run=run_void)
    export = actions.add_parser(
        "export", help="everything in the registry as JSON", epilog="example: amun-dp registry export > registry.json"
    )
    export.set_defaults(run=run_export)
    for action in (listing, show, setting, voiding, export):
        _add_file(action)
        action.add_argument("--json", action="store_true", help="results as JSON on standard output")


def _add_file(parser: Any) -> None:  # Any: argparse has no public type for groups and parsers alike
    parser.add_argument(
        "--registry", metavar="FILE", help="registry of budgets (default: registry.sqlite in the user's data folder)"
    )


def _add_declarations(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--same-log-as",
        action="append",
        default=[],
        metavar="ID",
        help="this log is that registered one, grown or cut; repeat it for a union of several",
    )
    group.add_argument(
        "--new-log",
        action="store_true",
        help="the people are others than in every log that --same-log-as does not name, although cases are common "
        "(recorded; refused if one of these logs has all of the cases)",
    )


def _add_budget(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("budget")
    size = group.add_mutually_exclusive_group(required=True)
    size.add_argument("--advantage", type=_decimal, metavar="A", help="largest guessing advantage of all releases")
    size.add_argument("--epsilon", type=_decimal, metavar="E", help="largest ε of all releases")
    group.add_argument(
        "--dp-delta",
        type=_decimal,
        metavar="D",
        help="largest δ, as of (ε, δ)-differential privacy, of all releases (strict reading), or the part of the "
        "advantage that thresholds may set aside (average reading); default: 0",
    )
    group.add_argument(
        "--reading",
        choices=["strict", "average", "published"],
        help="strict: a whole case, replaced, after every output; average: a guess about a whole case on average over "
        "the noise; published: as the article counts, for methods that have no strict bound (default: the reading that "
        "the log's budget has)",
    )
    group.add_argument(
        "--unit",
        choices=["case", "individual"],
        help="whom a budget in the strict or the average reading protects: a case, or an individual with all their "
        "cases (default: the unit that the log's budget has, or a case)",
    )


def _reason(text: str) -> str:
    """One line of text that says something."""
    words = " ".join(text.split())
    if not words or len(words) > LONGEST_REASON or not words.isprintable():
        raise argparse.ArgumentTypeError(f"say why in one line of at most {LONGEST_REASON} characters")
    return words


def _decimal(text: str) -> Any:
    """The number exactly as it is written: 0.1 is a tenth."""
    from decimal import Decimal, InvalidOperation

    try:
        if "/" not in text and abs(Decimal(text).adjusted()) > LONGEST_EXPONENT:
            raise argparse.ArgumentTypeError(f"{text!r} is too large or too small a number")
        return Fraction(text)
    except (InvalidOperation, ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; write 0.2, not 0,2 or 20%") from None


# --- commands -------------------------------------------------------------------------------------------------------


def run_list(options: argparse.Namespace) -> int:
    from accounting.registry.views import log_as_dict
    from amun_dp.cli.text.registry import describe_logs

    registry = _existing(options)
    logs = registry.logs()
    _print(options, {"registry": str(registry.path), "logs": [log_as_dict(log) for log in logs]}, describe_logs(logs))
    return 0


def run_show(options: argparse.Namespace) -> int:
    from accounting.registry.views import log_as_dict
    from amun_dp.budgets.refusals import registry_errors
    from amun_dp.cli.text.registry import describe_log

    with registry_errors():
        log = _existing(options).log(options.log)
    _print(options, log_as_dict(log), describe_log(log))
    return 0


def run_set_budget(options: argparse.Namespace) -> int:
    from accounting.registry.views import log_as_dict
    from amun_dp._base.progress import silent
    from amun_dp.budgets.fingerprint import fingerprint
    from amun_dp.budgets.refusals import registry_errors
    from amun_dp.budgets.spending import open_registry
    from amun_dp.cli.asked_budget import asked_budget
    from amun_dp.cli.commands import read_named_log
    from amun_dp.cli.reserving import declared
    from amun_dp.cli.text.registry import describe_log

    with registry_errors():
        if _IDENTIFIER.fullmatch(options.log):
            registry = _existing(options)
            log = registry.set_budget(options.log, asked_budget(options, registry.log(options.log)))
        else:
            read = read_named_log(options, silent)
            registry = open_registry(options.registry)
            prints = fingerprint(read, registry.hasher)
            known = registry.recognise(prints).identical
            budget = asked_budget(options, registry.log(known[0]) if known else None)
            log = registry.set_budget(prints, budget, declared(options))
        found = registry.log(log)
    _print(options, log_as_dict(found), describe_log(found))
    return 0


def run_void(options: argparse.Namespace) -> int:
    from accounting.registry.views import log_as_dict
    from amun_dp.budgets.refusals import registry_errors
    from amun_dp.cli.text.registry import describe_log

    registry = _existing(options)
    with registry_errors():
        release = registry.void(options.release, options.reason)
        logs = [registry.log(log) for log in release.logs]
    figures = {"voided": release.release, "logs": [log_as_dict(log) for log in logs]}
    said = f"Release {release.release} is void: it counts for nothing, and nothing of it can be put in place any more."
    _print(options, figures, "\n\n".join([said, *map(describe_log, logs)]))
    return 0


def run_export(options: argparse.Namespace) -> int:
    from accounting.registry.views import export
    from amun_dp.budgets.refusals import registry_errors

    registry = _existing(options)
    with registry_errors():
        write_out(json.dumps(export(registry.entries(), registry.logs()), indent=2, allow_nan=False))
    return 0


def _existing(options: argparse.Namespace) -> Registry:
    from amun_dp.budgets.spending import open_registry

    return open_registry(options.registry, create=False)


def _print(options: argparse.Namespace, figures: dict[str, Any], text: str) -> None:
    write_out(json.dumps(figures, indent=2, allow_nan=False) if options.json else text)
