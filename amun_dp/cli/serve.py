"""``amun-dp serve``: the local web page."""

from __future__ import annotations

import argparse
from pathlib import Path

from amun_dp.cli.flags import MEGABYTE, Commands, add_limits
from amun_dp.cli.streams import say
from amun_dp.errors import InputError, OutputError, ParameterError


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "serve",
        help="the same as a web page on this machine, for who does not live in a terminal",
        description="Open a local page that does the whole job: choose a log, see how exposed its people are, plan, "
        "release, verify. It listens on 127.0.0.1 only, and nothing leaves this machine. Ctrl-C ends it.",
        epilog="example: amun-dp serve my-logs   |   for an auditor: amun-dp serve releases --read-only",
    )
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="logs and releases below it are offered (default: .)"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port on 127.0.0.1 (default: any free one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address, but open nothing")
    parser.add_argument(
        "--read-only", action="store_true", help="for auditors: verify releases and read their reports, nothing else"
    )
    parser.add_argument(
        "--max-upload", type=int, default=2_000, metavar="MB", help="largest file dropped on the page (default: 2000)"
    )
    add_limits(parser)
    registry = parser.add_mutually_exclusive_group()
    registry.add_argument(
        "--registry", metavar="FILE", help="registry of budgets (default: registry.sqlite in the user's data folder)"
    )
    registry.add_argument("--no-registry", action="store_true", help="record nothing: for tests and demonstrations")
    parser.set_defaults(run=run_serve)


def run_serve(options: argparse.Namespace) -> int:
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise ParameterError("The page needs two packages more: pip install 'amun-dp[serve]'.") from None
    del starlette, uvicorn
    from amun_dp.budgets.registry_file import default_registry
    from amun_dp.serve.running import Settings, serve
    from amun_dp.verification.bounds import Limits

    folder = Path(options.folder)
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder. Name the one that holds the logs.")
    if not 0 <= options.port <= 65_535:
        raise ParameterError("A port is a number up to 65535.")
    if options.max_upload < 1:
        raise ParameterError("--max-upload is at least 1 (megabyte).")
    registry = None if options.no_registry else str(options.registry or default_registry())
    settings = Settings(
        folder.resolve(),
        options.port,
        registry,
        options.read_only,
        options.max_upload * MEGABYTE,
        options.no_browser,
        Limits(options.max_events, options.max_unpacked * MEGABYTE),
    )
    try:
        serve(settings, say)
    except OSError as error:
        raise OutputError(f"Port {options.port} cannot be used ({error.strerror}). Choose another --port.") from error
    return 0
