"""``amun-dp clean``: remove what killed runs left beside a target."""

from __future__ import annotations

import argparse
from pathlib import Path

from amun_dp.cli.flags import Commands


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "clean",
        help="remove what a killed run has left beside a release",
        description="Remove the hidden folders that runs of anonymize have left beside DIR because they were killed "
        "while they wrote. Such a folder may hold confidential files. Folders of running processes are left alone. "
        "What such a run has spent stays spent.",
        epilog="example: amun-dp clean release",
    )
    parser.add_argument("directory", metavar="DIR", help="the --out of the run that was killed")
    parser.set_defaults(run=run_clean)


def run_clean(options: argparse.Namespace) -> int:
    from amun_dp.cli.progress import say
    from amun_dp.writing.leftovers import leftovers_beside, release_in, remove_leftover

    found = leftovers_beside(Path(options.directory))
    for folder in found:
        release = release_in(folder)
        remove_leftover(folder)
        of_release = "" if release is None else f" It was of release {release}."
        print(f"Removed {folder}.{of_release}")
    if not found:
        print(f"No run that is over has left anything beside {options.directory}.")
        return 0
    say("note: what these runs reserved stays spent: their files existed, so somebody may have seen them.")
    return 0
