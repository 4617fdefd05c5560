"""A release on Spark, from Parquet files to a release folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.events import BoundedLaplace, PerEventNoise, PrivacyEvent
from accounting.ledger.files import PARQUET_FILE
from accounting.ledger.in_parts import part_name, record_with_rows, write_parts_document
from accounting.personalised import PersonalisedAccount
from amun_dp._base.messages import Message
from amun_dp._base.progress import Progress, silent
from amun_dp.article.parameters import Parameters
from amun_dp.article.step5_sampling import Sampled
from amun_dp.article.step7_compression import TIMESTAMPS
from amun_dp.budgets.earlier_releases import earlier_of
from amun_dp.budgets.spending import Reserve, Spending
from amun_dp.certified.settings import CertifiedSettings
from amun_dp.errors import OutputError, note_release
from amun_dp.eventlog.figures import added_figures
from amun_dp.folder.names import FILE_NAMES
from amun_dp.folder.parts import digest_of_parts
from amun_dp.noise.sources import NoiseSource, noise_source, random_names, try_out
from amun_dp.reading.columns import ColumnChoice
from amun_dp.release.article import report_of, what_was_done
from amun_dp.release.before import warn_publisher
from amun_dp.release.certified import carry_out_certified
from amun_dp.release.methods import check_release
from amun_dp.release.save import as_plain, write_internal_reports, write_public_report
from amun_dp.report.attributes import privacy_attributes
from amun_dp.report.parameters import Asked
from amun_dp.report.public_report import PublicReport, ReleasedLog
from amun_dp.spark.article.article_plan import SparkPlan, plan_on_spark
from amun_dp.spark.article.draws import check_drawable, draw_release
from amun_dp.spark.article.individual_losses import extremes_of, losses_by, losses_of_events
from amun_dp.spark.certified.certified_plan import plan_certified_on_spark
from amun_dp.spark.engine.failures import naming_steps
from amun_dp.spark.engine.interruptions import Caller, undisturbed
from amun_dp.spark.engine.stages import Stages
from amun_dp.spark.inside.before_and_after import ReleasedFigures, look_inside, summary_of_plan
from amun_dp.spark.work import stages_for
from amun_dp.spark.writing import SortedLog, WrittenPart, sort_log, telling_noise, worst_event, write_parts
from amun_dp.writing import check_target, release_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def anonymize_on_spark(
    session: SparkSession,
    log: DataFrame | str,
    directory: str | Path,
    parameters: Asked,
    *,
    noise: str = "opendp",
    choice: ColumnChoice | None = None,
    work: str | Path | None = None,
    partitions: int | None = None,
    force: bool = False,
    reserve: Reserve | None = None,
    allow_too_small: bool = False,
    notes: Progress = warn_publisher,
    progress: Progress = silent,
) -> PublicReport:
    """Release an anonymised log of Parquet files, or of a DataFrame, into ``directory``. Returns the public report.

    ``session`` computes it (``open_session``); ``parameters`` are what the steward chose (``Parameters`` or, for the
    certified method, what ``requested`` returns), ``noise`` is the sampler, and ``choice`` says which column is which;
    a DataFrame needs one that orders its events (``ColumnChoice(sequence=…)``). ``force`` replaces an earlier release.
    ``partitions`` says into how many parts the log is cut, by default one for 500,000 events; ``progress`` is called
    with the name of each step. An interruption is raised once Spark has ended its jobs and the stages are gone; a
    second one is raised at once.

    ``work`` is where stages are kept meanwhile, by default beside the folder: workers must reach it, and it holds
    several times the log. ``reserve`` charges the release to a budget before anything is drawn, for instance
    ``partial(reserve_plan, open_registry(), declared=Declared())``; without it nothing is recorded, and the caller must
    keep account of the budget across releases. What is refused, and what ``allow_too_small`` admits, is as in
    ``amun_dp.anonymize``; ``notes`` is called with what the publisher must know before anything is reserved; by default
    that is issued as a ``PublisherWarning``.
    """
    target = Path(directory)
    check_target(target, force)
    source = noise_source(None, noise)

    made: list[PublicReport] = []

    def release(
        stages: Stages, frame: DataFrame, charge: Reserve | None, step: Progress, tell: Progress
    ) -> PublicReport:
        family = FAMILIES[parameters.family]
        plan = family.plan(stages, frame, parameters, choice, step)
        for note in check_release(plan, allow_too_small=allow_too_small):
            tell(note)
        return family.release(Drawing(stages, plan, source, charge, step), target, force)

    def run(caller: Caller) -> PublicReport:
        parent = Path(work) if work is not None else target.resolve().parent
        charge = None if reserve is None else _charged_by(caller, reserve)
        with stages_for(session, log, parent, partitions) as (stages, frame):
            told, tell = caller.tell(progress), caller.tell(notes)
            made.append(naming_steps(session, told, lambda step: release(stages, frame, charge, step, tell)))
        return made[0]

    try:
        return undisturbed(session, run)
    except OutputError as error:
        if made:
            raise OutputError(
                Message(
                    "The release was made and is in {directory}; do not release again. {error}",
                    directory=directory,
                    error=error,
                )
            ) from error
        raise
    except BaseException as error:
        if made:
            note_release(error, directory)
        raise


def _charged_by(caller: Caller, reserve: Reserve) -> Reserve:
    """Where the caller is: it may have to ask whose log it is."""
    return lambda plan, release_id: caller.do(lambda: reserve(plan, release_id))


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A release that is drawn and sorted."""

    stages: Stages
    plan: SparkPlan
    sampled: Sampled
    log: SortedLog
    source: NoiseSource
    release_id: str
    spending: Spending | None


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A plan that is about to be carried out."""

    stages: Stages
    plan: Any
    source: NoiseSource
    reserve: Reserve | None
    progress: Progress


@dataclass(frozen=True, slots=True)
class SparkFamily:
    """How methods of one family are planned and carried out on Spark."""

    plan: Callable[[Stages, DataFrame | str, Any, ColumnChoice | None, Progress], Any]
    summary: Callable[[Any], Confidential[Any]]
    release: Callable[[Drawing, Path, bool], PublicReport]


def _release_certified(drawing: Drawing, target: Path, force: bool) -> PublicReport:
    """Workers measure; the rest is that of one machine."""
    drawn_anew = carry_out_certified(drawing.plan, drawing.source, drawing.progress, drawing.reserve)
    drawing.progress("writing the release")
    return drawn_anew.save(target, force=force)


def _release_article(drawing: Drawing, target: Path, force: bool) -> PublicReport:
    """Workers draw, sort and write."""
    return _save(_draw(drawing), target, force, drawing.progress)


FAMILIES = {
    Parameters.family: SparkFamily(plan_on_spark, summary_of_plan, _release_article),
    CertifiedSettings.family: SparkFamily(plan_certified_on_spark, lambda plan: plan.summary, _release_certified),
}


def _draw(drawing: Drawing) -> _Made:
    """Charge, draw and sort."""
    stages, plan, source, progress = drawing.stages, drawing.plan, drawing.source, drawing.progress
    check_drawable(plan, source)
    try_out(source)
    release_id = random_names(source, 1)[0]
    spending = None if drawing.reserve is None else drawing.reserve(plan, release_id)
    if spending is not None:
        spending.expose("writing")  # workers keep what they draw in files
    progress("drawing noise")
    drawn = draw_release(stages, plan, source)
    progress("sorting the release")
    ordered = sort_log(stages, plan, drawn)
    return _Made(stages, plan, drawn.sampled, ordered, source, release_id, spending)


def _save(made: _Made, target: Path, force: bool, progress: Progress) -> PublicReport:
    """Account, write, and put in place."""
    stages, plan, sampled, log = made.stages, made.plan, made.sampled, made.log
    cases, extremes = losses_by(stages, log.frame, "origin"), extremes_of(log.frame)
    # Where individuals are unknown, a case is its own.
    people = cases if plan.individuals is None else losses_by(stages, log.frame, "individual")
    telling = telling_noise(log, sorted({*extremes.origins, cases.worst}), people.worst)
    events = _events(plan, sampled, telling, made.source)
    accounted = account(events)
    if made.spending is not None:
        made.spending.check(events, accounted)
    variants = int(np.count_nonzero(sampled.cases))
    name = FILE_NAMES["parquet"]
    released = ReleasedLog(cases=log.cases, events=log.events, variants=variants, file=name)
    earlier = earlier_of(None if made.spending is None else made.spending.reservation.total)
    report = report_of(plan.parameters, made.release_id, released, events, made.source, earlier)
    progress("writing the release")
    public = plan.automaton.public
    span = (min(extremes.span[0], public.first_start), max(extremes.span[1], public.last_time))
    parts = write_parts(stages, log, privacy_attributes(report), extremes.span, span, record_with_rows(events))
    losses = PersonalisedAccount(losses_of_events(stages, log.frame, worst_event(parts)), cases, people)
    progress("comparing")
    after = added_figures([part.compared for part in parts], variants)
    without_noise = sum(part.without_noise for part in parts)
    known = ReleasedFigures(log.frame, after, without_noise, losses, span)
    internals, comparison = look_inside(plan, sampled, known, report)
    if made.spending is not None:
        made.spending.expose("writing")  # noted already; but the registry may have been exchanged since
    with release_folder(target, force=force, release=made.release_id) as folder:
        figures = added_figures([part.figures for part in parts], variants)
        report = write_public_report(folder, name, _place_log(parts, folder / name), report, figures)
        internal = write_internal_reports(folder, as_plain(internals), Confidential(comparison), accounted)
        _place_ledger(events, parts, internal)
    if made.spending is not None:
        made.spending.confirm(target, events)
    return report


def _place_log(parts: list[WrittenPart], folder: Path) -> str:
    """Move the parts to where they belong; on one file system that costs nothing. Returns the hash over them."""
    folder.mkdir()
    names = [part_name(number) for number in range(len(parts))]
    for part, name in zip(parts, names, strict=True):
        published = folder / name
        published.touch()  # with the mode that whoever publishes wants; workers write for their owner only
        mode = published.stat().st_mode
        shutil.move(part.log, published)
        published.chmod(mode)
    return digest_of_parts({name: part.log_sha256 for part, name in zip(parts, names, strict=True)})


def _place_ledger(events: PrivacyEvent, parts: list[WrittenPart], internal: Path) -> None:
    folder = internal / PARQUET_FILE
    folder.mkdir(mode=0o700)
    for number, part in enumerate(parts):
        shutil.move(part.ledger, folder / part_name(number))
    write_parts_document(events, [part.ledger_facts for part in parts], internal)


def _events(plan: SparkPlan, sampled: Sampled, telling: PerEventNoise, source: NoiseSource) -> PrivacyEvent:
    """What was done, with the rows of the largest losses for all of them."""
    times = BoundedLaplace(plan.parameters.advantage, Confidential(telling))
    from_log = None if plan.individuals is None else plan.cases_per_individual
    return what_was_done(plan.parameters, plan.method, from_log, (sampled.event, times), TIMESTAMPS, source)
