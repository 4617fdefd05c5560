"""A release on Spark, from Parquet files to a release folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from accounting.accountant import account
from accounting.confidential import Confidential
from accounting.events import BoundedLaplace, PrivacyEvent
from accounting.ledger.streams import write_streamed_ledger
from accounting.personalised import PersonalisedAccount
from amun_dp.article_release import report_of, what_was_done
from amun_dp.columns import ColumnChoice
from amun_dp.errors import ParameterError
from amun_dp.folder import FILE_NAMES, as_plain, write_internal_report, write_public_report
from amun_dp.internal import move_figures
from amun_dp.mechanisms.postprocessing import TIMESTAMPS
from amun_dp.mechanisms.sampling import Sampled
from amun_dp.noise import NoiseSource, noise_source, random_names
from amun_dp.parameters import Parameters
from amun_dp.planning import Progress, silent
from amun_dp.privacy_attributes import privacy_attributes
from amun_dp.report import PublicReport, ReleasedLog
from amun_dp.spark.drawing import draw_release
from amun_dp.spark.losses import losses_of_cases, losses_of_events, telling_origins
from amun_dp.spark.planning import SparkPlan, plan_on_spark
from amun_dp.spark.stages import Stages
from amun_dp.spark.writing import Passed, SortedLog, ledger_rows, look_through, sort_log, write_log_file
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
    progress: Progress = silent,
) -> PublicReport:
    """Release an anonymised log of Parquet files, or of a DataFrame with a ``sequence`` column, into ``directory``.

    ``session`` computes it (``open_session``); ``parameters`` are what the steward chose, ``noise`` the sampler, and
    ``choice`` which column is which. ``force`` replaces an earlier release. ``partitions`` says into how many parts
    the log is cut, by default one for 500,000 events; ``progress`` is called with the name of each step.

    ``work`` is where stages are kept meanwhile, by default beside the folder: workers must reach it, and it holds
    several times the log. No registry is asked and nothing is recorded: the budget across releases is the caller's.
    """
    target = Path(directory)
    check_target(target, force)
    if parameters.method not in ("filtering", "sampling", "oversampling"):
        raise ParameterError(f"On Spark, the method '{parameters.method}' is not known yet.")
    source = noise_source(None, noise)
    with _work_folder(Path(work) if work is not None else target.resolve().parent) as folder:
        stages = Stages(session, str(folder), partitions or _partitions(session, log))
        plan = plan_on_spark(stages, log, parameters, choice, sequence, progress)
        progress("drawing noise")
        drawn = draw_release(stages, plan, source)
        progress("sorting the release")
        ordered = sort_log(stages, plan, drawn)
        return _save(stages, plan, drawn.sampled, ordered, source, target, force, progress)


def _partitions(session: SparkSession, log: DataFrame | str) -> int:
    frame = session.read.parquet(log) if isinstance(log, str) else log
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


def _save(
    stages: Stages,
    plan: SparkPlan,
    sampled: Sampled,
    log: SortedLog,
    source: NoiseSource,
    target: Path,
    force: bool,
    progress: Progress,
) -> PublicReport:
    variants = int(np.count_nonzero(sampled.cases))
    cases = losses_of_cases(stages, log.frame)
    passed = look_through(log, variants, [*telling_origins(log.frame), cases.worst])
    # Individuals are not read: a case is its own.
    losses = PersonalisedAccount(losses_of_events(stages, log.frame, passed.worst_event), cases, cases)
    events = _events(plan, sampled, passed, source)
    sizes = ReleasedLog(cases=passed.figures.cases, events=passed.figures.events, variants=variants)
    report = report_of(plan.parameters, random_names(source, 1)[0], sizes, events, source)
    progress("writing the release")
    name = FILE_NAMES["parquet"]
    with release_folder(target, force=force) as folder:
        write_log_file(log, folder / name, privacy_attributes(report), passed.figures)
        report = write_public_report(folder, name, report, passed.figures)
        internal = write_internal_report(folder, _internal_figures(plan, sampled, losses), account(events))
        write_streamed_ledger(events, lambda: ledger_rows(log), internal)
    return report


def _events(plan: SparkPlan, sampled: Sampled, passed: Passed, source: NoiseSource) -> PrivacyEvent:
    """What was done, with the rows of the largest losses for all of them."""
    times = BoundedLaplace(plan.parameters.advantage, Confidential(passed.telling))
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
