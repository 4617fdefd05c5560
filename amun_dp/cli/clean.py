"""``amun-dp clean``: remove what killed runs left at a target, and enter it in the registry."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from amun_dp.cli.flags import Commands

if TYPE_CHECKING:
    from accounting.registry import Registry


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "clean",
        help="remove what a killed run has left beside a release",
        description="Remove the hidden files and folders (.amun-dp-…) that runs have left beside DIR, or in it, "
        "because they were killed while they wrote. They may be confidential. What running processes work with is left "
        "alone. What such a run has spent stays spent: the registry notes that its files were removed.",
        epilog="example: amun-dp clean release",
    )
    parser.add_argument("directory", metavar="DIR", help="the --out (or --work) of the run that was killed")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--registry", metavar="FILE", help="registry of budgets (default: registry.sqlite in the user's data folder)"
    )
    where.add_argument("--no-registry", action="store_true", help="remove, and note nothing")
    parser.set_defaults(run=run_clean)


def run_clean(options: argparse.Namespace) -> int:
    from amun_dp.budgets.cleaning import clean_away
    from amun_dp.cli.streams import say, write_out
    from amun_dp.folder.leftovers import leftovers_beside

    found = leftovers_beside(Path(options.directory))
    if not found:
        write_out(f"No run that is over has left anything beside {options.directory}.")
        return 0
    registry = None if options.no_registry else _registry(options)
    for left in found:
        release, entered = clean_away(left, registry)
        where = "" if registry is None else f" {registry.path}"
        noted = {
            "entered": f" It was of release {release}, which stays spent; that is entered in{where}.",
            "unknown": f" It was of release {release}; nothing was entered, because no registry"
            + (f" is kept, or it is another one than{where}." if where else " was looked at."),
            "no release": "",
        }[entered]
        write_out(f"Removed {left}.{noted}")
    say("note: what these runs reserved stays spent: their files existed, so somebody may have seen them.")
    return 0


def _registry(options: argparse.Namespace) -> Registry | None:
    """None: there is none yet, so nothing was reserved."""
    from accounting.registry import NoRegistry
    from amun_dp.budgets.spending import open_registry
    from amun_dp.errors import RegistryRefused

    try:
        return open_registry(options.registry, create=False)
    except RegistryRefused as error:
        if isinstance(error.__cause__, NoRegistry):
            return None
        raise
