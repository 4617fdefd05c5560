"""What each command does: read, call the library, print. Results go to standard output, all else to standard error."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from accounting.registry import Charge
from accounting.registry.views import charge_as_dict
from amun_dp._base.progress import Progress
from amun_dp._base.strict_json import strict_json
from amun_dp._base.units import DAY, HOUR, SECOND
from amun_dp.article.conventions import Conventions, conventions_named, with_windows
from amun_dp.budgets.registry_file import default_registry
from amun_dp.budgets.wording import describe_charges
from amun_dp.cli.afterwards import note_what_was_done
from amun_dp.cli.as_flags import all_in_flags, in_flags
from amun_dp.cli.progress import shown_progress
from amun_dp.cli.reading_options import read_as_said
from amun_dp.cli.reserving import Reserver, check_registry, previewed
from amun_dp.cli.spark import check_engine, preview_on_spark, release_on_spark
from amun_dp.cli.streams import say, write_out
from amun_dp.cli.text.plans import PLANS
from amun_dp.cli.text.registry import describe_preview
from amun_dp.cli.text.results import describe_inspection, describe_refusal, describe_release
from amun_dp.cli.watch import leave
from amun_dp.errors import OutputError, ParameterError, note_release
from amun_dp.eventlog.log import EventLog
from amun_dp.eventlog.one_of_a_kind import OneOfAKind
from amun_dp.folder.leftovers import leftovers_beside
from amun_dp.folder.names import BANNER, FILE_NAMES, INTERNAL_FOLDER, REPORT_FILE, check_escaping, file_name
from amun_dp.noise.sources import noise_source
from amun_dp.release.inspect import inspect
from amun_dp.release.methods import Planned, carry_out, check_release, make_plan, refusal, requested
from amun_dp.release.policies import epsilon_aloud
from amun_dp.release.requests import options_from
from amun_dp.report.deployments import check_export, write_export
from amun_dp.report.parameters import Asked
from amun_dp.report.public_report import PublicReport
from amun_dp.writing import check_target
from amun_dp.writing.formulas import formula_labels, formula_note

LONGEST_WINDOW = 36_500 * DAY
"""A hundred years: a wider window makes every guess right."""


def run_inspect(options: argparse.Namespace) -> int:
    conventions = conventions_of(options)
    with shown_progress(options.quiet) as progress:
        found = inspect(read_named_log(options, progress), conventions, progress=progress)
    figures = found.reveal()
    print_result(options, {"confidential": BANNER} | asdict(figures), describe_inspection(options.log, figures))
    return 0


def run_plan(options: argparse.Namespace) -> int:
    check_engine(options)
    if options.sweep is not None:
        return _run_sweep(options)
    parameters = parameters_of(options)
    with shown_progress(options.quiet) as progress:
        if options.engine == "spark":
            summary, budget, refused = preview_on_spark(options, parameters, progress)
        else:
            planned = make_plan(read_named_log(options, progress), parameters, progress)
            summary, budget = planned.summary.reveal(), previewed(options, planned)
            refused = refusal(planned)
    shown = PLANS[parameters.family]
    chosen = {"advantage": parameters.advantage, "method": parameters.method, **shown.chosen(parameters)}
    text = shown.describe(options.log, parameters, summary)
    print_result(
        options,
        {
            "confidential": BANNER,
            **chosen,
            "budget": None if budget is None else budget.as_dict(),
            "refused": refused,
            **asdict(summary),
        },
        "\n".join([text, *([] if refused is None else describe_refusal(refused)), *describe_preview(budget)]),
    )
    return 0


def _run_sweep(options: argparse.Namespace) -> int:
    from amun_dp.cli.text.sweep import describe_sweep
    from amun_dp.release.sweep import ADVANTAGES, sweep

    def asked(advantage: float) -> Asked:
        return parameters_of(argparse.Namespace(**{**vars(options), "advantage": advantage}))

    advantages = sorted(set(options.sweep)) or list(ADVANTAGES)
    chosen = [asked(advantage) for advantage in advantages]  # a wrong one is refused before the log is read
    with shown_progress(options.quiet) as progress:
        rows = sweep(read_named_log(options, progress), asked, advantages, progress).reveal()
    figures = {"confidential": BANNER, "method": chosen[0].method, "sweep": [asdict(row) for row in rows]}
    print_result(options, figures, describe_sweep(options.log, chosen[0], rows))
    return 0


def run_anonymize(options: argparse.Namespace) -> int:
    # Whatever can be refused is refused before the log is read: wrong parameters, an unusable folder.
    parameters = parameters_of(options)
    check_engine(options)
    if options.format is not None:
        file_name(options.format)
    directory = Path(options.out)
    check_target(directory, options.force)
    _check_apart_from_inputs(directory, options)
    for left in leftovers_beside(directory):
        say(
            f"warning: a run that was killed has left {left}. It may hold confidential parts of a release or a log. "
            f"amun-dp clean {shlex.quote(str(directory))} removes it."
        )
    export = None if options.registry_export is None else Path(options.registry_export)
    if export is not None:
        check_export(export, directory)
    source = noise_source(options.seed, options.noise)
    if options.seed is not None:
        say("warning: with --seed the noise is repeatable and the release is NOT private; use it for tests only.")
    check_registry(options)
    if options.no_registry:
        _tell(options, "not recorded in a registry, so no budget is kept.")
    if not options.no_registry:
        _check_apart(Path(options.registry) if options.registry else default_registry(), directory)
    reserve = None if options.no_registry else Reserver(options, say)
    leave(out=str(directory))
    release = None
    try:
        with shown_progress(options.quiet) as progress:
            if options.engine == "spark":
                report = release_on_spark(options, parameters, progress, reserve, _warn)
            else:
                log = read_named_log(options, progress)
                _check_formulas(options, log)
                planned = make_plan(log, parameters, progress)
                del log
                _check_planned(options, planned)
                release = carry_out(planned, source, progress, reserve)
                progress("writing the release")
                report = release.save(
                    directory, format=options.format, force=options.force, escape_formulas=options.escape_formulas
                )
    except BaseException as error:
        note_what_was_done(error, directory, release, reserve)
        raise
    spending = None if reserve is None else reserve.spending
    try:
        _print_release(options, directory, report, () if spending is None else spending.reservation.charges)
        _tell(options, f"{_come_through(directory)} Confidential: a figure of the original log.")
        if export is not None:
            _export(options, directory, report, export)
    except BaseException as error:
        note_release(error, directory)
        raise
    return 0


def _check_formulas(options: argparse.Namespace, log: EventLog) -> None:
    """Before anything is charged: a file that was written without escaping cannot be written again."""
    name = file_name(options.format or log.facts.format)
    check_escaping(name, options.escape_formulas)
    if name == FILE_NAMES["csv"] and not options.escape_formulas and (found := formula_labels(log.activities)):
        _tell(options, formula_note(found))


def _check_planned(options: argparse.Namespace, planned: Planned) -> None:
    for note in check_release(planned, allow_too_small=options.allow_too_small):
        _warn(note)


def _warn(note: str) -> None:
    """Also with --quiet: what is disclosed or lost cannot be taken back."""
    say(f"warning: {note}")


def _tell(options: argparse.Namespace, note: str) -> None:
    if not options.quiet:
        say("note: ", note)


def _come_through(directory: Path) -> str:
    """How many variants of one original case stand in the release: every engine leaves the figure in the internal
    report, and nowhere else."""
    found = OneOfAKind(**strict_json((directory / INTERNAL_FOLDER / REPORT_FILE).read_bytes())["one_of_a_kind"])
    return f"variants that one original case alone has and that stand in the release: {found}."


def _print_release(
    options: argparse.Namespace, directory: Path, report: PublicReport, charges: tuple[Charge, ...]
) -> None:
    try:
        print_result(
            options,
            {"directory": str(directory), "budget": [charge_as_dict(charge) for charge in charges]} | report.as_dict(),
            describe_release(directory, report, describe_charges(charges)),
        )
    except OutputError as error:
        raise OutputError(
            f"The release was made and is in {directory}, but its summary could not be printed. "
            "Do not release again; read report.json there."
        ) from error


def _check_apart(registry: Path, directory: Path) -> None:
    """A release is put in place by replacing its folder; a registry in it would vanish with the old one."""
    if registry.resolve().is_relative_to(directory.resolve()):
        raise ParameterError("The registry cannot be inside the output folder. Choose another --registry or --out.")


def _check_apart_from_inputs(directory: Path, options: argparse.Namespace) -> None:
    """Replacing a folder deletes what is in it: not what this release is made from."""
    for flag, given in (("the log", options.log), ("--public", options.public)):
        if given is not None and Path(given).resolve().is_relative_to(directory.resolve()):
            raise ParameterError(
                f"The output folder holds an input of this release ({flag}), and would be replaced. Choose another "
                "--out."
            )


def _export(options: argparse.Namespace, directory: Path, report: PublicReport, path: Path) -> None:
    try:
        missing = write_export(report, path)
    except OutputError as error:
        raise OutputError(
            f"The release was made and is in {directory}, but not its entry for the registry of deployments: "
            f"{in_flags(error.message)} "
            "Do not release again; amun_dp.load_release reads the report back, and write_export makes the entry of it."
        ) from error
    if not options.quiet:
        say(f"note: {path} describes the release. Before you submit it, fill in: {', '.join(missing)}.")


def parameters_of(options: argparse.Namespace) -> Asked:
    parameters = _requested(options)
    if options.epsilon is not None and not options.quiet:
        say(f"note: {epsilon_aloud(options.epsilon, parameters.advantage, parameters.scope, options.dp_delta)}")
    return parameters


def _requested(options: argparse.Namespace) -> Asked:
    return requested(options.advantage, options.method, conventions_of(options), **options_from(options))


def conventions_of(options: argparse.Namespace) -> Conventions:
    return with_windows(
        conventions_named(options.conventions),
        _milliseconds(options.window, SECOND, "--window"),
        _milliseconds(options.start_window, HOUR, "--start-window"),
    )


def _milliseconds(value: float | None, unit: int, flag: str) -> int | None:
    if value is None:
        return None
    if not 1 <= value * unit <= LONGEST_WINDOW:
        raise ParameterError(f"{flag} must be at least a millisecond and at most {LONGEST_WINDOW // DAY:,} days.")
    return round(value * unit)


def read_named_log(options: argparse.Namespace, progress: Progress) -> EventLog:
    progress("reading the log")
    return read_as_said(options.log, options)


def print_result(options: argparse.Namespace, figures: dict[str, Any], text: str) -> None:
    # JSON in ASCII, so that no terminal's encoding can spoil it.
    write_out(json.dumps(all_in_flags(figures), indent=2, allow_nan=False) if options.json else text)
