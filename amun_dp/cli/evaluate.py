"""``amun-dp evaluate``: what a released log is still good for, against the original. Tables, JSON, a page."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amun_dp.cli.as_flags import all_in_flags
from amun_dp.cli.flags import Commands, add_output
from amun_dp.cli.reading_options import add_reading_options, read_as_said
from amun_dp.cli.streams import say, write_out
from amun_dp.errors import ParameterError

if TYPE_CHECKING:
    from amun_dp.evaluation import Evaluation
    from amun_dp.eventlog.figures import LogFigures
    from amun_dp.eventlog.log import EventLog

SCHEMA = "amun-dp/evaluation/1"


def add_parser(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="how useful a released log is, against the original: distances, variants, times, models",
        description="Measure what a release left of a log. Every figure compares with the original log: keep the "
        "output inside.",
        epilog="example: amun-dp evaluate log.xes.gz release --html evaluation.html",
    )
    parser.add_argument("original", metavar="ORIGINAL", help="the log before: .xes, .xes.gz, .csv, .csv.gz or .parquet")
    parser.add_argument(
        "released",
        metavar="RELEASED",
        help="folder of a release, or a log of any origin, read as ORIGINAL is (but for --sequence)",
    )
    parser.add_argument("--html", metavar="FILE", help="also write a page with charts; confidential, too")
    parser.add_argument(
        "--model",
        action="store_true",
        help="also discover a process model from the released log and measure its fitness and precision on the "
        "original (needs pm4py; slow)",
    )
    parser.add_argument(
        "--model-seconds", type=float, metavar="S", help="with --model: give models up after this (default: 300)"
    )
    add_reading_options(parser)
    add_output(parser)
    parser.set_defaults(run=run_evaluate)


def run_evaluate(options: argparse.Namespace) -> int:
    from amun_dp.cli.page_file import check_page, write_page
    from amun_dp.cli.progress import shown_progress
    from amun_dp.evaluation import evaluate
    from amun_dp.evaluation.models import MODEL_SECONDS, check_model
    from amun_dp.evaluation.page import evaluation_page

    # Whatever can be refused is refused before a log is read.
    if options.individual is not None:
        raise ParameterError("--individual is of no use here: cases are compared, not the people behind them.")
    if options.model_seconds is not None and not options.model:
        raise ParameterError("--model-seconds is of use with --model only.")
    seconds = MODEL_SECONDS if options.model_seconds is None else options.model_seconds
    if options.model:
        check_model(seconds)
    page = None if options.html is None else Path(options.html)
    if page is not None:
        check_page(page, Path(options.released))
    with shown_progress(options.quiet) as progress:
        progress("reading the original")
        original = _read(options, options.original)
        progress("reading the released log")
        released = _read_released(options)
        found = evaluate(original, released, model=options.model, model_seconds=seconds, progress=progress)
        if page is not None:
            progress("drawing the page")
            names = (Path(options.original).name, Path(options.released).name)
            write_page(page, evaluation_page(found, *names).reveal())
    figures = found.reveal()
    if not options.quiet:
        for note in figures.notes:
            say("note: ", note)
    # JSON in ASCII, so that no terminal's encoding can spoil it.
    as_json = json.dumps(all_in_flags(as_dict(figures)), indent=2, allow_nan=False) if options.json else ""
    write_out(as_json or as_text(options, figures))
    if page is not None and not options.quiet:
        say(f"note: {page} has the charts; it is confidential, too.")
    return 0


def _read(options: argparse.Namespace, path: str) -> EventLog:
    return read_as_said(path, options, called=f"{Path(path).name}: ")


def _read_released(options: argparse.Namespace) -> EventLog:
    """A release folder says itself which log it holds; its columns are always the same."""
    from amun_dp.release.load import read_report, released_log, report_of

    folder = Path(options.released)
    if not folder.is_dir():  # a released log is in order, and has no other columns than it needs
        return _read(argparse.Namespace(**{**vars(options), "sequence": None}), options.released)
    return released_log(folder, report_of(read_report(folder)))


# --- text -----------------------------------------------------------------------------------------------------------


def as_text(options: argparse.Namespace, found: Evaluation) -> str:
    from amun_dp.cli.text.results import columns, table
    from amun_dp.evaluation.wording import measures, totals
    from amun_dp.folder.names import BANNER

    lines = [BANNER, "", f"{options.released} against {options.original}", ""]
    lines += columns(("", "before", "after", "change"), totals(found))
    for group in measures(found):
        lines += ["", f"{group.title}:", *table([(one.name, one.value) for one in group.measures])]
    if not found.language.exact:
        lines += [
            "",
            "The earth movers' distance of variants is bounded, not exact: they are too many (--json has how many).",
        ]
    return "\n".join(lines)


# --- JSON -----------------------------------------------------------------------------------------------------------


def as_dict(found: Evaluation) -> dict[str, Any]:
    """All figures; durations in hours where nothing else is said, null where there is nothing to compare."""
    from amun_dp.folder.names import BANNER

    activities = sorted({*found.before.activities, *found.after.activities})
    result = {
        "schema": SCHEMA,
        "confidential": BANNER,
        "before": _log_as_dict(found.before),
        "after": _log_as_dict(found.after),
        "distances": asdict(found.distances),
        "step_duration": {"distance": found.durations.overall, "mean_before": found.durations.overall_mean},
        "language": asdict(found.language) | {"exact": found.language.exact},
        "cycle_times": asdict(found.cycle_times),
        "active_cases": asdict(found.active),
        "model": None if found.model is None else asdict(found.model),
        "variants": asdict(found.variants),
        "activities": [
            {"activity": name, "before": before, "after": after}
            for name, before, after in zip(
                activities, *(_events(log, activities) for log in (found.before, found.after)), strict=True
            )
        ],
        "edges": _edges_as_dicts(found),
        "notes": list(found.notes),
    }
    return dict(_finite(result))


def _log_as_dict(log: LogFigures) -> dict[str, Any]:
    return {
        "cases": log.cases,
        "events": log.events,
        "activities": len(log.activities),
        "variants": log.variants,
        "edges": len(log.follows.count),
        "active_cases": {
            "first_bin": log.active.start,
            "bin_milliseconds": log.active.width,
            "cases": log.active.cases.tolist(),
        },
    }


def _events(log: LogFigures, activities: list[str]) -> list[int]:
    of = dict(zip(log.activities, log.activity_events.tolist(), strict=True))
    return [of.get(name, 0) for name in activities]


def _edges_as_dicts(found: Evaluation) -> list[dict[str, Any]]:
    names, durations = found.steps.activities, found.durations
    columns = (found.steps.source, found.steps.target, *found.edges.count, *durations.mean, durations.distance)
    return [
        {
            "from": names[source],
            "to": names[target],
            "before": int(before),
            "after": int(after),
            "mean_before": mean_before,
            "mean_after": mean_after,
            "distance": distance,
        }
        for source, target, before, after, mean_before, mean_after, distance in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _finite(value: Any) -> Any:
    """JSON knows neither infinity nor NaN: null stands for both."""
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
