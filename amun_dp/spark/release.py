"""A release on Spark, from Parquet files to a release folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
from amun_dp.article_release import report_of, what_was_done
from amun_dp.columns import ColumnChoice
from amun_dp.errors import ParameterError
from amun_dp.figures import added_figures
from amun_dp.folder import FILE_NAMES, as_plain, write_internal_report, write_public_report
from amun_dp.internal import move_figures
from amun_dp.log_parts import digest_of_parts
from amun_dp.mechanisms.postprocessing import TIMESTAMPS
from amun_dp.mechanisms.sampling import Sampled
from amun_dp.noise import NoiseSource, noise_source, random_names
from amun_dp.parameters import Parameters
from amun_dp.planning import Progress, silent
from amun_dp.privacy_attributes import privacy_attributes
from amun_dp.report import PublicReport, ReleasedLog
from amun_dp.spark.drawing import check_drawable, draw_release
from amun_dp.spark.failures import quoting_nothing
from amun_dp.spark.losses import extremes_of, losses_of_cases, losses_of_events
from amun_dp.spark.planning import SparkPlan, plan_on_spark
from amun_dp.spark.reading import parquet_files
from amun_dp.spark.stages import Stages
from amun_dp.spark.writing import SortedLog, WrittenPart, sort_log, telling_noise, worst_event, write_parts
from amun_dp.spending import Reserve, Spending
from amun_dp.writing import check_target, release_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENTS_A_PARTITION = 500_000
"""A worker sorts so many at a time: some hundred megabytes with Python's part."""


def anonymize_on_spark(
    session: SparkSession,
    log: DataFrame | str,
    directory: str | Path,
    parameters: Parameters,
    *,
    noise: str = "opendp",
    choice: ColumnChoice | None = None,
    sequence: str | None = None,
    work: str | Path | None = None,
    partitions: int | None = None,
    force: bool = False,
    reserve: Reserve | None = None,
    progress: Progress = silent,
) -> PublicReport:
    """Release an anonymised log of Parquet files, or of a DataFrame with a ``sequence`` column, into ``directory``.

    ``session`` computes it (``open_session``); ``parameters`` are what the steward chose, ``noise`` the sampler, and
    ``choice`` which column is which. ``force`` replaces an earlier release. ``partitions`` says into how many parts
    the log is cut, by default one for 500,000 events; ``progress`` is called with the name of each step.

    ``work`` is where stages are kept meanwhile, by default beside the folder: workers must reach it, and it holds
    several times the log. ``reserve`` charges the release to a budget before anything is drawn, for instance
    ``partial(reserve_plan, open_registry(), declared=Declared())``; without it nothing is recorded, and the budget
    across releases is the caller's.
    """
    target = Path(directory)
    check_target(target, force)
    if parameters.method not in ("filtering", "sampling", "oversampling"):
        raise ParameterError(f"On Spark, the method '{parameters.method}' is not known yet.")
    source = noise_source(None, noise)
    steps = ["starting"]

    def step(name: str) -> None:
        steps.append(name)
        progress(name)

    def release() -> PublicReport:
        with _work_folder(Path(work) if work is not None else target.resolve().parent) as folder:
            frame = parquet_files(session, log) if isinstance(log, str) else log
            stages = Stages(session, str(folder), partitions or _partitions(session, frame))
            plan = plan_on_spark(stages, frame, parameters, choice, sequence, step)
            check_drawable(plan, source)
            release_id = random_names(source, 1)[0]
            spending = None if reserve is None else reserve(plan, release_id)
            step("drawing noise")
            drawn = draw_release(stages, plan, source)
            step("sorting the release")
            ordered = sort_log(stages, plan, drawn)
            made = _Made(stages, plan, drawn.sampled, ordered, source, release_id, spending)
            return _save(made, target, force, step)

    return quoting_nothing(session, lambda: steps[-1], release)


def _partitions(session: SparkSession, frame: DataFrame) -> int:
    return max(int(session.sparkContext.defaultParallelism), -(-int(frame.count()) // EVENTS_A_PARTITION))


@contextmanager
def _work_folder(parent: Path) -> Iterator[Path]:
    """A private folder for stages; it holds the original log, and goes when the run ends, however it does."""
    missing = [each for each in (parent, *parent.parents) if not each.exists()]
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".amun-dp-stages-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for each in missing:
            if each.exists() and not any(each.iterdir()):
                each.rmdir()


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


def _save(made: _Made, target: Path, force: bool, progress: Progress) -> PublicReport:
    """Account, write, and put in place."""
    stages, plan, sampled, log = made.stages, made.plan, made.sampled, made.log
    cases, extremes = losses_of_cases(stages, log.frame), extremes_of(log.frame)
    telling = telling_noise(log, sorted({*extremes.origins, cases.worst}))
    events = _events(plan, sampled, telling, made.source)
    accounted = account(events)
    if made.spending is not None:
        made.spending.check(events, accounted)
    variants = int(np.count_nonzero(sampled.cases))
    name = FILE_NAMES["parquet"]
    released = ReleasedLog(cases=log.cases, events=log.events, variants=variants, file=name)
    report = report_of(plan.parameters, made.release_id, released, events, made.source)
    progress("writing the release")
    parts = write_parts(stages, log, privacy_attributes(report), extremes.span, record_with_rows(events))
    # Individuals are not read: a case is its own.
    losses = PersonalisedAccount(losses_of_events(stages, log.frame, worst_event(parts)), cases, cases)
    if made.spending is not None:
        made.spending.before_saving()
    with release_folder(target, force=force) as folder:
        figures = added_figures([part.figures for part in parts], variants)
        report = write_public_report(folder, name, _place_log(parts, folder / name), report, figures)
        internal = write_internal_report(folder, _internal_figures(plan, sampled, losses), accounted)
        _place_ledger(events, parts, internal)
    if made.spending is not None:
        made.spending.confirm(target, events)
    return report


def _place_log(parts: list[WrittenPart], folder: Path) -> str:
    """Move the parts to where they belong; on one file system that costs nothing. Returns the hash over them."""
    folder.mkdir()
    names = [part_name(number) for number in range(len(parts))]
    for part, name in zip(parts, names, strict=True):
        shutil.move(part.log, folder / name)
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
    return what_was_done(plan.parameters, plan.method, None, (sampled.event, times), TIMESTAMPS, source)


def _internal_figures(plan: SparkPlan, sampled: Sampled, losses: PersonalisedAccount) -> dict[str, Any]:
    """Fewer than of a release on one machine: no medians of ε, and no page."""
    dafsa = plan.automaton.dafsa
    return {
        "reading": as_plain(plan.reading),
        "plan": {
            "cases": int(plan.variant_cases.sum()),
            "kept_cases": int(plan.kept_variant_cases.sum()),
            "events": plan.n_events,
            "variants": dafsa.variants.count,
            "kept_variants": int(np.count_nonzero(plan.kept_variant_cases)),
            "states": dafsa.n_states,
            "transitions": dafsa.n_transitions,
            "filter_passes": plan.passes,
            "cases_per_individual": plan.cases_per_individual,
            "control_flow_epsilon": plan.control_flow_epsilon,
        },
        "moves": as_plain(move_figures(sampled)),
        "variants_lost": dafsa.variants.count - int(np.count_nonzero(sampled.cases)),
        "losses": as_plain(losses),
    }
