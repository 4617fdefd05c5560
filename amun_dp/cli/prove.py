"""``amun-dp prove``: run every checker and compare what it finds with what is recorded."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from amun_dp.cli.flags import Commands
from amun_dp.cli.streams import say, write_out
from amun_dp.errors import ParameterError

if TYPE_CHECKING:
    from proofs.registry import Outcome


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "prove",
        help="check every formula and rule that the guarantees rest on",
        description="Run the machine checks behind every claim and compare the verdicts that they find with the "
        "recorded ones. Exit code 1 if any differs.",
        epilog="example: amun-dp prove --only worst-prior count-table",
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="only these claims (see docs/claims.md)")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    parser.add_argument(
        "--export-smtlib", metavar="DIR", help="also write the questions to the SMT solvers as SMT-LIB 2 files"
    )
    parser.set_defaults(run=run_prove)


def run_prove(options: argparse.Namespace) -> int:
    if find_spec("sympy") is None:
        raise ParameterError("prove needs sympy: pip install amun-dp[proofs].")
    # Imported here, because computer algebra takes a second to load.
    from accounting.claims import CLAIMS
    from proofs.arguments import ARGUMENT_ONLY
    from proofs.registry import prove

    unknown = [name for name in options.only if name not in CLAIMS]
    if unknown:
        raise ParameterError(f"there is no claim called '{unknown[0]}'; docs/claims.md lists them.")
    if options.export_smtlib is not None:
        from proofs.smt import write_queries

        written = write_queries(Path(options.export_smtlib))
        say(f"{len(written)} SMT-LIB files written to {options.export_smtlib}")
    outcomes = prove(options.only)
    argued = [name for name in ARGUMENT_ONLY if not options.only or name in options.only]
    write_out(_as_json(outcomes, argued) if options.json else _as_text(outcomes, argued))
    return 0 if all(outcome.agrees for outcome in outcomes) else 1


def _as_json(outcomes: Sequence[Outcome], argued: Sequence[str]) -> str:
    from proofs.arguments import ARGUMENT_ONLY

    return json.dumps(
        {
            "agree": all(outcome.agrees for outcome in outcomes),
            "unchecked": _unchecked(outcomes),
            "outcomes": [
                {
                    "claim": outcome.claim,
                    "checker": outcome.checker,
                    "recorded": outcome.recorded.value,
                    "found": _found(outcome),
                    "agrees": outcome.agrees,
                    "skipped": outcome.skipped,
                    "seconds": round(outcome.seconds, 3),
                    "detail": outcome.detail,
                }
                for outcome in outcomes
            ],
            "argument_only": {name: ARGUMENT_ONLY[name] for name in argued},
        },
        indent=2,
        ensure_ascii=False,
    )


def _as_text(outcomes: Sequence[Outcome], argued: Sequence[str]) -> str:
    rows = [("claim", "checker", "recorded", "found", "seconds")]
    rows += [
        (one.claim, one.checker, one.recorded.value, _found(one) or "check failed", f"{one.seconds:.2f}")
        for one in outcomes
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  " + "   ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    differing = [one for one in outcomes if not one.agrees]
    lines += ["", *(f"DIFFERS: {one.claim} ({one.checker}): {one.detail}" for one in differing)]
    skipped = sorted({one.checker for one in outcomes if one.skipped})
    for tool in skipped:
        number = sum(one.skipped and one.checker == tool for one in outcomes)
        remedy = "Debian package coq" if tool == "coq" else "pip install amun-dp[proofs]"
        lines.append(f"Skipped: {number} checkers, because {tool} is not installed ({remedy}).")
    unchecked = _unchecked(outcomes)
    if unchecked:
        lines.append(f"Not checked at all here, for want of solvers: {', '.join(unchecked)}.")
    if argued:
        lines.append(f"By argument only (docs/claims.md says why): {', '.join(argued)}.")
    ran = [one for one in outcomes if not one.skipped]
    seconds = sum(one.seconds for one in ran)
    lines.append(
        f"{len(ran)} checkers of {len({one.claim for one in ran})} claims in {seconds:.1f} s: "
        + (f"{len(differing)} differ from the recorded verdict." if differing else "all find the recorded verdict.")
    )
    return "\n".join(lines)


def _found(outcome: Outcome) -> str | None:
    if outcome.skipped:
        return "skipped"
    return None if outcome.verdict is None else outcome.verdict.value


def _unchecked(outcomes: Sequence[Outcome]) -> list[str]:
    """Claims whose every checker was skipped."""
    ran = {one.claim for one in outcomes if not one.skipped}
    return list(dict.fromkeys(one.claim for one in outcomes if one.claim not in ran))
