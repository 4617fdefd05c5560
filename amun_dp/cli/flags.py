"""Flags that several commands have: what is wanted, how it is counted, how results are shown."""

from __future__ import annotations

import argparse

Commands = argparse._SubParsersAction  # argparse names no public type for what add_subparsers returns


def add_privacy(parser: argparse.ArgumentParser, sweep: bool = False) -> None:
    group = parser.add_argument_group("privacy")
    wanted = group.add_mutually_exclusive_group(required=True)
    wanted.add_argument(
        "--advantage",
        type=number,
        metavar="A",
        help="how much an attacker's chance of guessing right may rise, between 0 and 1 (0.2: 20 points)",
    )
    wanted.add_argument(
        "--epsilon",
        type=number,
        metavar="E",
        help="certified: instead of --advantage, ε for one case (or individual) replaced by another, with δ = 0; taken "
        "as the advantage tanh(E/4)",
    )
    add_no_delta(group)
    if sweep:
        wanted.add_argument(
            "--sweep",
            nargs="*",
            type=number,
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
        "--max-cases-per-individual",
        type=int,
        metavar="N",
        help="declared from outside the log: nobody has more cases; every ε is divided by it. certified, --scope "
        "individual: only so many of each count; --scope case: nothing is divided, an individual has N times the ε",
    )
    group.add_argument(
        "--one-case-per-individual",
        action="store_true",
        help="declared from outside the log: nobody has more than one case; without a declaration nothing is promised "
        "about individuals",
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
        "occur is no secret",
    )
    group.add_argument(
        "--variants-from-log",
        action="store_true",
        help="certified, public, no variants given: take the log's own, although that discloses those that one case "
        "alone has; the label then promises something about counts and times only",
    )
    group.add_argument(
        "--public",
        metavar="FILE",
        help="certified: what is known from outside the log (JSON: activities, variants, first, last, longest_days, "
        "cases, individuals; or a log, for its variants)",
    )
    group.add_argument(
        "--public-from-log",
        action="store_true",
        help="FILE was made from this log, or shares cases with it: its facts count as taken from the log, and the "
        "label says so",
    )
    group.add_argument(
        "--dp-delta",
        type=number,
        metavar="D",
        help="certified, threshold: δ of (ε, δ) for one case (default: 1/(1000 N), rounded down to a power of ten)",
    )
    group.add_argument(
        "--max-individual-loss",
        type=number,
        metavar="E",
        help="refuse if the times of one individual would lose more than this in all (exit code 1)",
    )
    group.add_argument(
        "--releases", type=int, default=1, metavar="N", help="how often this log will be released; divides every ε"
    )


def add_no_delta(group: argparse._ActionsContainer) -> None:
    """``--delta`` means two things; whichever is taken, somebody meant the other."""
    group.add_argument("--delta", type=_two_meanings, help=argparse.SUPPRESS)


def _two_meanings(_value: str) -> float:
    raise argparse.ArgumentTypeError(
        "it has two meanings. The article's δ is the guessing advantage: write --advantage. That of (ε, δ)-"
        "differential privacy is another: write --dp-delta. Nothing was done"
    )


def add_conventions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--conventions",
        default="corrected",
        metavar="NAME",
        help="corrected (default), or article: as the tables of its worked example were computed",
    )
    parser.add_argument(
        "--window", type=number, metavar="SECONDS", help="a guessed duration counts as right within this (default: 10)"
    )
    parser.add_argument(
        "--start-window",
        type=number,
        metavar="HOURS",
        help="a guessed start counts as right within this (default: 24)",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    parser.add_argument("--quiet", action="store_true", help="no notes and no progress on standard error")


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; write 0.2, not 0,2 or 20%") from None


MEGABYTE = 1_000_000


def add_limits(parser: argparse.ArgumentParser) -> None:
    """How much of a release is looked at, in ``verify`` and on the page."""
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--max-events",
        type=positive,
        default=20_000_000,
        metavar="N",
        help="most events of a log that is looked at in one piece (default: 20000000, some 4 GB)",
    )
    group.add_argument(
        "--max-unpacked",
        type=positive,
        default=16_384,
        metavar="MB",
        help="most megabytes of a log when it is decompressed (default: 16384)",
    )


def positive(text: str) -> int:
    """A whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
