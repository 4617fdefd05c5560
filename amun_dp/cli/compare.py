"""``amun-dp compare``: methods beside each other on logs, with the article's tables. Goes on where it was stopped."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amun_dp.cli.flags import Commands, add_conventions, add_no_delta, add_output, number
from amun_dp.cli.reading_options import add_reading_options, reading_of
from amun_dp.cli.streams import say
from amun_dp.errors import AmunError, InputError, OutputError, ParameterError

if TYPE_CHECKING:
    from accounting.confidential import Confidential
    from amun_dp.comparing.run import MethodComparison

_ENDINGS = (".gz", ".xes", ".csv", ".parquet")
JOURNAL = "runs.jsonl"


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "compare",
        help="methods beside each other on logs: distances, errors, variants, times; resumable",
        description="Release each log by each method at each advantage several times, and measure what became of it. "
        "Nothing of that is published, and only therefore nothing is spent: keep the output inside. What is done is "
        "kept in DIR; the same command goes on after an interruption.",
        epilog="example: amun-dp compare log.xes.gz --advantages 0.2 0.3 0.4 --runs 10 --out comparison",
    )
    parser.add_argument("logs", metavar="LOG", nargs="+", help="event logs: .xes, .xes.gz, .csv, .csv.gz or .parquet")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for runs, tables and picture; confidential")
    group = parser.add_argument_group("what is compared")
    group.add_argument(
        "--methods",
        nargs="+",
        metavar="METHOD",
        help="of filtering, sampling, oversampling (or your own), certified:threshold, certified:public, "
        "certified:generated, sacofa, pripel (default: all but the last two)",
    )
    group.add_argument(
        "--baselines",
        action="store_true",
        help="also pm4py's SaCoFa and PRIPEL, by the article's protocol (needs the extra amun-dp[baselines])",
    )
    group.add_argument(
        "--baselines-python",
        metavar="PYTHON",
        help="the Python of the environment that has the baselines, if not this one",
    )
    group.add_argument("--advantages", nargs="+", type=number, metavar="A", help="default: 0.2 0.3 0.4")
    add_no_delta(group)
    group.add_argument("--runs", type=int, metavar="N", help="of each method at each advantage (default: 10)")
    add_conventions(parser)
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--run-seconds",
        type=number,
        default=300.0,
        metavar="S",
        help='a run that takes more processor time counts as "–" (default: 300)',
    )
    limits.add_argument(
        "--run-gigabytes", type=number, default=4.0, metavar="G", help="so does one that needs more memory (default: 4)"
    )
    limits.add_argument("--workers", type=int, metavar="N", help="processes at once (default: one for each core)")
    add_reading_options(parser)
    add_output(parser)
    parser.set_defaults(run=run_compare)


def run_compare(options: argparse.Namespace) -> int:
    from amun_dp.cli.commands import conventions_of
    from amun_dp.cli.progress import shown_progress
    from amun_dp.comparing.cells import ADVANTAGES, BASELINES, OWN_METHODS, RUNS
    from amun_dp.comparing.limited import Limits
    from amun_dp.comparing.run import NOT_PUBLISHED, check_request, compare_files

    if options.individual is not None:
        raise ParameterError("--individual is of no use here: cases are compared, not the people behind them.")
    methods = [*(options.methods or OWN_METHODS)]
    methods += [name for name in BASELINES if options.baselines and name not in methods]
    if options.baselines_python is not None and not set(methods) & set(BASELINES):
        raise ParameterError("--baselines-python is of use with --baselines only.")
    workers = (os.cpu_count() or 1) if options.workers is None else options.workers
    if workers < 1:
        raise ParameterError("There must be one worker at least.")
    advantages = options.advantages or list(ADVANTAGES)
    runs = RUNS if options.runs is None else options.runs
    conventions = conventions_of(options)
    paths = _named(options.logs)
    if not 0 < options.run_gigabytes < 1e6:
        raise ParameterError("The memory limit of a run is a positive number of gigabytes, a million at most.")
    limits = Limits(options.run_seconds, int(options.run_gigabytes * 2**30))
    check_request(tuple(paths), methods, advantages, runs, conventions)
    folder = _folder(Path(options.out))
    if not options.quiet:
        say(f"note: {NOT_PUBLISHED}")
    try:
        with shown_progress(options.quiet) as progress:
            found = compare_files(
                paths,
                folder / JOURNAL,
                reading=reading_of(options),
                methods=methods,
                advantages=advantages,
                runs=runs,
                conventions=conventions,
                limits=limits,
                workers=workers,
                python=options.baselines_python or sys.executable,
                progress=progress,
            )
    except BaseException as error:
        if not isinstance(error, AmunError):  # which says itself what is to be done
            error.add_note(f"what is done is kept in {folder / JOURNAL}, and the same command goes on from there")
        raise
    _write(folder, found)
    _print(options, folder, found)
    return 0


def _named(logs: list[str]) -> dict[str, Path]:
    """Logs by the names of their files."""
    from amun_dp.drawing.numbers import printable

    paths: dict[str, Path] = {}
    for given in logs:
        path = Path(given)
        name = printable(path.name)
        while name.lower().endswith(_ENDINGS) and name not in _ENDINGS:
            name = name[: name.rindex(".")]
        if name in paths:
            raise ParameterError(f"Two logs are called {name}. Rename one of the files.")
        if not path.is_file():
            raise InputError(f"{given} is not a file.")
        paths[name] = path
    return paths


def _folder(folder: Path) -> Path:
    """New, empty, or that of an earlier comparison; for its owner only."""
    from amun_dp.folder.placing import output_errors

    with output_errors(folder):
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{folder} is a file. Name a folder.")
        if folder.is_dir() and any(folder.iterdir()) and not (folder / JOURNAL).exists():
            raise OutputError(f"{folder} has something else in it. Choose a new folder, or that of a comparison.")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _write(folder: Path, comparison: Confidential[MethodComparison]) -> None:
    from amun_dp.comparing.picture import privacy_utility
    from amun_dp.comparing.run import NOT_PUBLISHED
    from amun_dp.folder.names import BANNER
    from amun_dp.folder.placing import output_errors

    found = comparison.reveal()
    head = f"# Methods compared\n\n**{BANNER}**\n\n{NOT_PUBLISHED}\n\n![Privacy against utility](comparison.svg)\n\n"
    pages = {
        "comparison.md": head + found.markdown(),
        "comparison.tex": f"% {BANNER}\n" + found.latex(),
        "comparison.csv": found.csv(),
        "comparison.svg": privacy_utility(comparison).reveal(),
    }
    with output_errors(folder):
        for name, page in pages.items():
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                (folder / name).chmod(0o600)  # others may enter the folder, and have given the file another mode
                stream.write(page)


def _print(options: argparse.Namespace, folder: Path, comparison: Confidential[MethodComparison]) -> None:
    from amun_dp.cli.commands import print_result
    from amun_dp.cli.text.results import columns
    from amun_dp.comparing.result_tables import grids
    from amun_dp.folder.names import BANNER

    found = comparison.reveal()
    lines = [BANNER]
    for grid in grids(found):
        lines += ["", grid.title, *columns(grid.columns, [[entry.text for entry in row] for row in grid.rows])]
    lines += ["", f"{folder} has these tables as Markdown, LaTeX and CSV, the picture, and every run."]
    print_result(options, {"confidential": BANNER} | as_dict(found), "\n".join(lines))


def as_dict(found: MethodComparison) -> dict[str, Any]:
    from dataclasses import asdict

    from amun_dp.comparing.journal import SCHEMA

    return {
        "schema": SCHEMA,
        "logs": dict(found.facts),
        "methods": list(found.methods),
        "advantages": list(found.advantages),
        "conventions": asdict(found.conventions),
        "cells": [{**asdict(cell), "runs": [run.as_dict() for run in runs]} for cell, runs in found.runs.items()],
    }
