"""Modules that a reader finds by their names and takes in at one sitting."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("amun_dp", "accounting", "proofs")
LONGEST = 300
REASON = "More than 300 lines, because"
"""How the docstring of a longer module begins its reason."""

SHARED_NAMES = {
    # Of docs/architecture.md: one name for the same role in several rooms.
    "page": "the page of what its package measures",
    "charts": "the pictures of such a page",
    "plan": "what is decided before noise is drawn: by the article's method, by certified, by whichever is asked for",
    "parameters": "what the article's method is asked for, and what a report states of it",
    "figures": "figures of one log, and those of the original that stay inside",
    "wording": "the words of a room",
    "certified": "what a room does for the certified method alone",
    "run": "what a measuring package is entered by",
    "tables": "tables that are read, and tables that are written",
    "xes": "XES that is read, and XES that is written",
    # cli/text has the words for the terminal of what its modules are named after.
    "audit": "the command, and its words",
    "registry": "the command, and its words",
    "results": "of an audit; and the words for what the other commands found",
    "sweep": "the computation, and its words",
    # An event, the rule for its loss and the claims about it have a module each in accounting.
    "gaussian": "the event, its rule, its claims",
    "average": "the reading on average over the noise, and the claims about it",
    "steps": "events that are steps of a method, and the rules for them",
    # The rest.
    "errors": "each room's own, below those of the package",
    "methods": "the article's, and all that can be asked for",
    "progress": "what a step calls, and the line in the terminal that follows it",
    "files": "those of a ledger, and those of a registry",
    "records": "those of a ledger, and those of a registry",
    "formulas": "the formulas, and the claims about them",
    "trees": "of events; and those of events in a ledger",
}
"""Last names that several modules of one top-level package have, each with the reason."""


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_a_module_of_more_than_300_lines_says_why() -> None:
    silent = []
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) > LONGEST and REASON not in (ast.get_docstring(ast.parse(text)) or ""):
            silent.append(str(path.relative_to(ROOT)))
    assert not silent


def test_no_two_modules_of_a_package_have_the_same_last_name_without_a_reason() -> None:
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in modules():
        if not path.stem.startswith("__"):
            place = path.relative_to(ROOT)
            found[place.parts[0], path.stem].append(str(place))
    shared = {name: places for (_, name), places in found.items() if len(places) > 1}
    assert not {name: places for name, places in shared.items() if name not in SHARED_NAMES}
    assert not set(SHARED_NAMES) - set(shared), "these exceptions are no longer needed"
